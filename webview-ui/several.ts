/** Several memories that are decided on together: contested ones side by side, what is to be forgotten, what is approved as read. */
import type { PageItem, PageLeavings, PageText, ToPage } from '../src/editor/page-messages';
import { actBar } from './act-bar';
import { button, element, words } from './elements';
import { factRows, linkTo, section, textOf } from './memory-text';
import type { Say, Sheet } from './page';
import { settle, shut } from './settle';

type Of<Type extends ToPage['type']> = Extract<ToPage, { type: Type }>;

/** Contested memories side by side, and how the contest can end. */
export function contestSheet(message: Of<'contest'>, say: Say): Sheet {
  const title = element('h1', { tabindex: '-1' }, message.members.length > 1 ? 'Contested with each other' : 'Contested');
  const acts = actBar(
    () => ({ ...message, id: 'contest', waits: false }),
    () => title,
    say,
  );
  const content = element(
    'article',
    { class: 'wide' },
    title,
    element('div', { class: 'members' }, ...message.members.map((one) => whole(one))),
  );
  return {
    content,
    actions: acts.bar,
    start: acts.start ?? title,
    release: acts.release,
    foresee: acts.foresee,
    showFound: acts.showFound,
  };
}

/** What is to be forgotten, with what would be left of it elsewhere. */
export function forgetSheet(message: Of<'forget'>, say: Say): Sheet {
  const { items } = message;
  const one = items.length === 1;
  const title = element('h1', { tabindex: '-1' }, one ? 'Forget a memory' : `Forget ${String(items.length)} memories`);
  const ticked = new Set<number>();
  const left = element('div', {});
  const open = (link: number) => {
    say({ type: 'open', token: message.token, link });
  };
  const drawLeft = (leavings: PageLeavings) => {
    const focused = document.activeElement?.id;
    left.replaceChildren(...leavingsOf(leavings, ticked, open, acts.askAgain));
    if (focused?.startsWith('tick') === true) document.getElementById(focused)?.focus();
  };
  const acts = actBar(
    () => ({ ...message, id: 'forget', waits: false }),
    () => title,
    say,
    () => Object.fromEntries([...ticked].map((link) => [`tick${String(link)}`, 'on'])),
  );
  drawLeft(message.leavings);
  const content = element(
    'article',
    {},
    title,
    element(
      'p',
      {},
      'Its words leave everything that Stet keeps: the store, its indexes, its journal and its backups. This cannot be undone.',
    ),
    element('h2', {}, one ? 'What goes' : `What goes: ${String(items.length)} memories`),
    ...(one
      ? items.map((item) => whole(item))
      : [
          element('p', {}, countsOf(items)),
          ...items.map((item) =>
            element(
              'details',
              { class: 'member' },
              element('summary', {}, words(item.title), ` (${item.stateName.toLowerCase()})`),
              whole(item),
            ),
          ),
        ]),
    left,
    element('h2', {}, 'What stays'),
    element(
      'ul',
      {},
      element('li', {}, 'That a memory was forgotten, and when.'),
      element('li', {}, 'A keyed fingerprint of its value, so that the same is refused when an agent restates it.'),
      element('li', {}, 'What lies outside of Stet: git’s history, agents’ own transcripts, copies of the store that somebody made.'),
    ),
  );
  return {
    content,
    actions: acts.bar,
    start: acts.start ?? title,
    release: acts.release,
    showFound: acts.showFound,
    foresee: (answer) => {
      acts.foresee(answer);
      if (answer.token === message.token && answer.foreseen.leavings !== undefined) drawLeft(answer.foreseen.leavings);
    },
  };
}

/** How many there are of each state. */
function countsOf(items: readonly PageItem[]): string {
  const counts = Map.groupBy(items, ({ stateName }) => stateName.toLowerCase());
  return [...counts].map(([state, { length }]) => `${String(length)} ${state}`).join(', ');
}

function leavingsOf(
  { memories, also }: PageLeavings,
  ticked: Set<number>,
  open: (link: number) => void,
  changed: () => void,
): HTMLElement[] {
  return [
    ...section('What holds something of it: tick what is to go as well', memories, (list) =>
      element(
        'ul',
        { class: 'pointers' },
        ...list.map((memory) => {
          const tick = element('input', { type: 'checkbox', id: `tick${String(memory.link)}` });
          tick.checked = ticked.has(memory.link);
          tick.addEventListener('change', () => {
            if (tick.checked) ticked.add(memory.link);
            else ticked.delete(memory.link);
            changed();
          });
          return element(
            'li',
            { class: 'check' },
            tick,
            element('label', { for: tick.id, class: 'plain' }, words(memory.title), element('span', { class: 'hint' }, memory.because)),
            linkTo({ ...memory, title: ['Open'] }, open),
          );
        }),
      ),
    ),
    ...section('What goes with it', also, (lines) => element('ul', {}, ...lines.map((line) => element('li', {}, line)))),
  ];
}

/** What the bar at the bottom covers, at most. */
const barHeightPx = 90;

/** What is only scrolled past was not read. */
const restsMs = 1_000;

/** Proposals in full, one below the other. What was on the screen to its end can be approved together. */
export function approveSheet({ token, items }: Of<'approveRead'>, say: Say): Sheet {
  const title = element('h1', { tabindex: '-1' }, items.length === 1 ? 'One proposal' : `${String(items.length)} proposals`);
  const read = new Set<number>();
  const possible = items.filter(({ foreseen }) => foreseen?.problem === undefined);
  const said = element('p', { role: 'status' });
  let offered = false;
  const approve = button('Approve What You Have Read', 'primary', () => {
    shut(approve);
    offered = false;
    say({ type: 'approveRead', token, read: [...read] });
  });
  const tell = () => {
    const rest = possible.length - read.size;
    said.textContent =
      rest === 0 ? 'You have seen all of them in full.' : `Read to the end: ${String(read.size)} of ${String(possible.length)}.`;
    // Reading on shuts nothing: it waits once, when the first was read.
    if (read.size === 0) shut(approve);
    else if (!offered) settle(approve);
    offered = read.size > 0;
  };
  const resting = new Map<number, number>();
  const ends = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        const number = Number(target.getAttribute('data-number'));
        window.clearTimeout(resting.get(number));
        if (!isIntersecting || read.has(number)) continue;
        const isRead = () => {
          read.add(number);
          tell();
        };
        resting.set(number, window.setTimeout(isRead, restsMs));
      }
    },
    { rootMargin: `0px 0px -${String(barHeightPx)}px 0px` },
  );
  const stack = element(
    'div',
    { class: 'stack' },
    ...items.map((item) => {
      const card = whole(item);
      // Its end is below its text, so that it is seen only once the text was.
      const end = element('div', { class: 'end', 'data-number': String(item.number) });
      card.append(end);
      if (item.foreseen?.problem === undefined) ends.observe(end);
      return card;
    }),
  );
  tell();
  return {
    content: element('article', {}, title, element('p', { class: 'muted' }, 'Only what was on the screen to its end is approved.'), stack),
    actions: element('div', {}, said, element('div', { class: 'actions' }, approve)),
    start: title,
    release: tell,
  };
}

/** One memory among others, in full. */
function whole(memory: PageText | PageItem): HTMLElement {
  const foreseen = 'foreseen' in memory ? memory.foreseen : undefined;
  return element(
    'section',
    { class: 'member' },
    element(
      'div',
      { class: 'over-title' },
      element('span', { class: 'label' }, memory.stateName),
      element('span', { class: 'muted' }, memory.kind),
    ),
    words(memory.title, 'h2'),
    ...(foreseen?.lines ?? []).map((line) => words(line, 'p', { class: 'notice' })),
    foreseen?.problem !== undefined && element('p', { class: 'notice error' }, foreseen.problem),
    ...textOf(memory, {}),
    element('dl', { class: 'facts' }, ...factRows(memory.facts)),
  );
}
