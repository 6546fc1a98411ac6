/** The page in an editor tab: a memory to read and decide on, or a form to write one. The host says which. */
import type { FromPage, Offer, Position, ToPage } from '../src/editor/page-messages';
import { button, element } from './elements';
import { host } from './host';
import { memorySheet } from './memory';
import { saveSheet } from './save';
import './page.css';

/** Both sheets have this shape: something to read, and a bar with what can be done. */
export interface Sheet {
  readonly content: HTMLElement;
  readonly actions: HTMLElement | undefined;
  /** What takes the focus when it is new. */
  readonly start: HTMLElement;
  showPosition?(position: Position | undefined): void;
  /** What was asked for has failed: it can be tried again. */
  release?(): void;
}

export type Say = (message: FromPage) => void;
const say: Say = (message) => {
  host.postMessage(message);
};

const said = element('div', { class: 'said', role: 'status' });
const sheetPlace = element('div', { class: 'sheet' });
const actionsPlace = element('div', {});
const bar = element('div', { class: 'bar empty' }, element('div', { class: 'bar-inner' }, said, actionsPlace));
document.getElementById('main')?.append(sheetPlace, bar);
let sheet: Sheet | undefined;

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  receive(data);
});
say({ type: 'ready' });

function receive(message: ToPage): void {
  switch (message.type) {
    case 'memory':
      draw(memorySheet(message, say), !message.quietly);
      return;
    case 'draft':
      draw(saveSheet(message.token, message.draft, say), true);
      return;
    case 'nothing':
      draw(nothingSheet(message), !message.quietly);
      return;
    case 'position':
      sheet?.showPosition?.(message.position);
      return;
    case 'said':
      if (message.failed) sheet?.release?.();
      said.classList.toggle('failed', message.failed);
      said.replaceChildren(
        element('span', { dir: 'auto' }, message.text),
        ...(message.offers === undefined ? [] : [offer(message.offers)]),
      );
      markEmptyBar();
  }
}

const offers: Readonly<Record<Offer, string>> = { retireLast: 'Retire…', next: 'Go on' };

const offer = (type: Offer) =>
  button(offers[type], 'link', () => {
    say({ type });
  });

function draw(next: Sheet, fresh: boolean): void {
  sheet = next;
  if (fresh) said.replaceChildren();
  sheetPlace.replaceChildren(next.content);
  actionsPlace.replaceChildren(...(next.actions === undefined ? [] : [next.actions]));
  markEmptyBar();
  if (!fresh) return;
  window.scrollTo(0, 0);
  next.start.focus();
}

/** An empty bar takes no room; it stays in the page, so that what is said there later is read out. */
function markEmptyBar(): void {
  bar.classList.toggle('empty', !said.hasChildNodes() && !actionsPlace.hasChildNodes());
}

function nothingSheet({ title, text, restart }: Extract<ToPage, { type: 'nothing' }>): Sheet {
  const start = element('h1', { tabindex: '-1' }, title);
  const content = element(
    'div',
    { class: 'nothing' },
    start,
    element('p', { class: 'muted' }, text),
    restart !== undefined &&
      button(restart, 'secondary', () => {
        say({ type: 'startAgain' });
      }),
  );
  return { content, actions: undefined, start };
}
