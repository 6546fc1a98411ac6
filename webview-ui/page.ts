/** The page in an editor tab: a memory to read and decide on, or a form to write one. The host says which. */
import type { FromPage, Offer, PageMemory, Position, SavePart, ToPage } from '../src/editor/page-messages';
import { button, element } from './elements';
import { host } from './host';
import type { Found } from './fields';
import { memorySheet } from './memory';
import { saveSheet } from './save';
import { approveSheet, contestSheet, forgetSheet } from './several';
import './page.css';

/** All sheets have this shape: something to read, and a bar with what can be done. */
export interface Sheet {
  readonly content: HTMLElement;
  readonly actions: HTMLElement | undefined;
  /** What takes the focus when it is new. */
  readonly start: HTMLElement;
  showCounts?(position: Position | undefined, facts: PageMemory['facts']): void;
  /** Takes in another showing of the same memory while a reason is being written, which must not be lost. @returns whether it did. */
  renew?(next: ToPage): boolean;
  /** Says what is wrong with a part of the form. */
  showProblem?(part: SavePart, text: string): void;
  /** What was asked for was not done: it can be asked for again. */
  release?(): void;
  /** Says what an act would do. */
  foresee?(message: Extract<ToPage, { type: 'foreseen' }>): void;
  /** Shows what a search in a form has found. */
  showFound?(message: Found): void;
}

export type Say = (message: FromPage) => void;
const say: Say = (message) => {
  host.postMessage(message);
};

const said = element('div', { class: 'said', role: 'status' });
const sheetPlace = element('div', { class: 'sheet' });
const actionsPlace = element('div', { class: 'acts' });
const offerPlace = element('div', { class: 'offer' });
const bar = element('div', { class: 'bar empty' }, element('div', { class: 'bar-inner' }, said, actionsPlace, offerPlace));
document.getElementById('main')?.append(sheetPlace, bar);
let sheet: Sheet | undefined;

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  receive(data);
});
say({ type: 'ready' });

function receive(message: ToPage): void {
  switch (message.type) {
    case 'memory':
      if (sheet?.renew?.(message) !== true) draw(memorySheet(message, say), !message.quietly);
      else if (!message.quietly) saySomething(undefined);
      return;
    case 'contest':
      draw(contestSheet(message, say), !message.quietly);
      return;
    case 'forget':
      draw(forgetSheet(message, say), !message.quietly);
      return;
    case 'approveRead':
      draw(approveSheet(message, say), !message.quietly);
      return;
    case 'foreseen':
      sheet?.foresee?.(message);
      return;
    case 'found':
      sheet?.showFound?.(message);
      return;
    case 'draft':
      draw(saveSheet(message.token, message.draft, say), true);
      return;
    case 'nothing':
      draw(nothingSheet(message), !message.quietly);
      return;
    case 'counts':
      sheet?.showCounts?.(message.position, message.facts);
      return;
    case 'problem':
      saySomething(undefined);
      sheet?.release?.();
      sheet?.showProblem?.(message.part, message.text);
      return;
    case 'said':
      if (message.again === true) sheet?.release?.();
      saySomething(message);
  }
}

function saySomething(message: Extract<ToPage, { type: 'said' }> | undefined): void {
  said.classList.toggle('failed', message?.failed ?? false);
  said.replaceChildren(...(message === undefined ? [] : [element('span', { dir: 'auto' }, message.text)]));
  offerPlace.replaceChildren(...(message?.offers ?? []).map(offer));
  markEmptyBar();
}

const offers: Readonly<Record<Offer['is'], string>> = { undo: 'Undo', next: 'Go on', openSame: 'Open' };

const offer = ({ is, about }: Offer) =>
  button(
    offers[is],
    'link',
    () => {
      say({ type: is });
    },
    { 'aria-label': about === undefined ? undefined : `${offers[is]}: ${about}` },
  );

function draw(next: Sheet, fresh: boolean): void {
  sheet = next;
  const hadFocus = !fresh && actionsPlace.contains(document.activeElement);
  if (fresh) saySomething(undefined);
  sheetPlace.replaceChildren(next.content);
  actionsPlace.replaceChildren(...(next.actions === undefined ? [] : [next.actions]));
  markEmptyBar();
  if (hadFocus) next.start.focus();
  if (!fresh) return;
  window.scrollTo(0, 0);
  next.start.focus();
}

/** An empty bar takes no room; it stays in the page, so that what is said there later is read out. */
function markEmptyBar(): void {
  bar.classList.toggle('empty', ![said, actionsPlace, offerPlace].some((place) => place.hasChildNodes()));
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
