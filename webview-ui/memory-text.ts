/** The words of a memory, and what is known about it. */
import type { Linked, PageText, Pointer } from '../src/editor/page-messages';
import type { Changes } from '../src/editor/word-diff';
import { button, element, words } from './elements';

/** What is put in at its place in the text. */
export interface Beside {
  readonly overStatement?: readonly HTMLElement[];
  readonly claim?: readonly HTMLElement[];
  readonly restsOn?: readonly HTMLElement[];
}

/** @param follow opens a pointer; without it pointers are only shown. */
export function textOf(memory: PageText, beside: Beside, follow?: (list: 'appliesTo' | 'restsOn', index: number) => void): HTMLElement[] {
  const opening = (list: 'appliesTo' | 'restsOn') =>
    follow &&
    ((index: number) => {
      follow(list, index);
    });
  return [
    ...notices(memory),
    ...(beside.overStatement ?? []),
    ...(memory.appliesWhen === undefined
      ? []
      : [element('p', { class: 'condition', dir: 'auto' }, 'Applies when: ', words(memory.appliesWhen))]),
    ...(memory.statement === undefined ? [] : [words(memory.statement, 'div', { class: 'statement' })]),
    ...section('Steps', memory.steps, (steps) => element('ol', {}, ...steps.map((step) => words(step, 'li')))),
    ...section('Why', memory.rationale && [memory.rationale], ([rationale]) => words(rationale ?? [], 'p')),
    ...section('Also considered', memory.alternatives, (list) => element('ul', {}, ...list.map((one) => words(one, 'li')))),
    ...section('As a claim', memory.claim && [memory.claim], ([claim]) =>
      element(
        'div',
        {},
        element('p', {}, ...(claim === undefined ? [] : [words(claim.subject), ' · ', words(claim.predicate), ' · ', words(claim.object)])),
        ...(beside.claim ?? []),
      ),
    ),
    ...section('Applies to', memory.appliesTo, (list) => pointers(list, opening('appliesTo'))),
    ...section('Rests on', memory.restsOn, (list) => element('div', {}, pointers(list, opening('restsOn')), ...(beside.restsOn ?? []))),
    ...section('Tags', memory.tags, (tags) => element('p', {}, ...tags.flatMap((tag, index) => [index > 0 && ', ', words(tag)]))),
  ];
}

/** A heading with what belongs under it; nothing when there is nothing. */
export function section<T>(title: string, list: readonly T[] | undefined, draw: (list: readonly T[]) => HTMLElement): HTMLElement[] {
  return list === undefined || list.length === 0 ? [] : [element('h2', {}, title), draw(list)];
}

export const factRows = (facts: PageText['facts']) =>
  facts.flatMap(({ name, value }) => [element('dt', {}, name), element('dd', {}, words(value))]);

/** Another memory by its title, which opens it. */
export function linkTo({ link, title, stateName }: Linked, open: (link: number) => void): HTMLElement {
  const made = button('', 'link', () => {
    open(link);
  });
  made.append(words(title));
  return element('span', {}, made, element('span', { class: 'muted' }, ` (${stateName.toLowerCase()})`));
}

/** A wording against another one: what goes is struck out, what comes is underlined, and both are named for who does not see it. */
export function changesOf(changes: Changes): HTMLElement {
  const named = { added: 'Added: ', removed: 'Removed: ' };
  return element(
    'div',
    { class: 'changes words', dir: 'auto' },
    ...changes.map(({ is, text }) =>
      is === 'same'
        ? words(text)
        : element(is === 'added' ? 'ins' : 'del', {}, element('span', { class: 'visually-hidden' }, named[is]), words(text)),
    ),
  );
}

function notices({ tampering, hiddenCharacters }: PageText): HTMLElement[] {
  return [
    ...(tampering === undefined
      ? []
      : [
          element(
            'p',
            { class: 'notice error' },
            element('strong', {}, 'Changed by something other than Stet: '),
            `${tampering} Agents are not given it, and it cannot be approved.`,
          ),
        ]),
    ...(hiddenCharacters === 0
      ? []
      : [
          element(
            'p',
            { class: 'notice' },
            `${hiddenCharacters === 1 ? 'One character' : `${String(hiddenCharacters)} characters`} in it cannot be seen in other programs. Here they are shown by their code.`,
          ),
        ]),
  ];
}

function pointers(list: readonly Pointer[], follow: ((index: number) => void) | undefined): HTMLElement {
  return element(
    'ul',
    { class: 'pointers' },
    ...list.map(({ text, opens, state }, index) => {
      const status = state && element('span', { class: state.drifted ? 'label drifted' : 'muted' }, state.name);
      if (!opens || follow === undefined) return element('li', {}, words(text), status && ' ', status);
      const link = button('', 'link', () => {
        follow(index);
      });
      link.append(words(text));
      return element('li', {}, link, status && ' ', status);
    }),
  );
}
