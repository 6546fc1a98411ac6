/** The sidebar's page: draws what applies to the open file, as the host says it. */
import type { Card, FromSidebar, ToSidebar } from '../src/editor/sidebar-messages';
import { button, element, words } from './elements';
import { host } from './host';
import './sidebar.css';

const say = (message: FromSidebar): void => {
  host.postMessage(message);
};

window.addEventListener('message', ({ data }: MessageEvent<ToSidebar>) => {
  draw(data);
});
draw({ type: 'loading' });
say({ type: 'ready' });

function draw(message: ToSidebar): void {
  const main = document.getElementById('main');
  const focused = document.activeElement?.getAttribute('data-key');
  main?.replaceChildren(...contents(message));
  // Drawn anew under the reader's hands: what had the focus has it again.
  if (focused != null) main?.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function contents(message: ToSidebar): Node[] {
  switch (message.type) {
    case 'loading':
      return [element('p', { class: 'muted', role: 'status' }, 'Looking…')];
    case 'empty':
      return [
        element(
          'div',
          { class: 'empty' },
          element('h2', {}, message.title),
          element('p', { class: 'muted' }, message.text),
          message.again !== undefined &&
            button(message.again, 'secondary', () => {
              say({ type: 'tryAgain' });
            }),
        ),
      ];
    case 'cards':
      return [
        words(message.file, 'p', { class: 'file muted' }),
        element('ul', { class: 'cards' }, ...message.cards.map((card, index) => cardOf(card, index, message.token))),
        ...(message.beyond > 0
          ? [element('p', { class: 'muted' }, `${String(message.beyond)} more apply to it, less closely. Search finds them.`)]
          : []),
      ];
  }
}

function cardOf(card: Card, index: number, token: string): HTMLElement {
  const statement = words(card.statement, 'div', { class: 'statement clamped' });
  const made = element(
    'li',
    { class: 'card' },
    words(card.title, 'h2'),
    ...card.doubts.map((doubt) => element('div', { class: 'label doubt' }, doubt)),
    card.appliesWhen && element('div', { class: 'small' }, 'When: ', words(card.appliesWhen)),
    statement,
    card.steps.length > 0 && element('ol', {}, ...card.steps.map((step) => words(step, 'li'))),
    element('div', { class: 'small muted' }, `${card.kind} · `, words(card.why)),
    element('div', { class: 'small muted' }, `${card.letStand}. `, words(card.origin), card.holds !== undefined && `. ${card.holds}`),
    actions(card, index, token),
  );
  showAllWhereCut(statement);
  return made;
}

function actions({ title }: Card, index: number, token: string): HTMLElement {
  const name = title.map((piece) => (typeof piece === 'string' ? piece : `[${piece.hidden}]`)).join('');
  const press = (asks?: 'retire') => () => {
    say({ type: 'open', token, index, ...(asks !== undefined && { asks }) });
  };
  const open = button('Open', 'link', press(), { 'aria-label': `Open: ${name}` });
  const retire = button('Retire…', 'link', press('retire'), { 'aria-label': `Retire: ${name}` });
  open.dataset['key'] = `open ${String(index)}`;
  retire.dataset['key'] = `retire ${String(index)}`;
  return element('div', { class: 'actions' }, open, retire);
}

/** Offers the rest of a statement once it is known that it does not fit. */
function showAllWhereCut(statement: HTMLElement): void {
  requestAnimationFrame(() => {
    if (statement.scrollHeight <= statement.clientHeight + 1) return;
    const more = button('Show all', 'link', () => {
      statement.classList.remove('clamped');
      statement.tabIndex = -1;
      statement.focus();
      more.remove();
    });
    statement.after(more);
  });
}
