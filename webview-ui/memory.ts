/** One memory in full, and the buttons that decide on it. */
import type { PageChallenge, PageMemory, Position, ToPage } from '../src/editor/page-messages';
import { actBar, type Subject } from './act-bar';
import { button, element, words } from './elements';
import { changesOf, factRows, linkTo, section, textOf } from './memory-text';
import type { Say, Sheet } from './page';

export type MemoryMessage = Extract<ToPage, { type: 'memory' }>;

export function memorySheet(message: MemoryMessage, say: Say): Sheet {
  let now = message;
  let article: Article | undefined;
  const title = () => article?.title ?? content;
  const content = element('article', {});
  const acts = actBar(() => subjectOf(now), title, say);
  const draw = () => {
    article = articleOf(now, acts.opener, say);
    content.replaceChildren(...article.parts);
  };
  draw();
  return {
    content,
    actions: acts.bar,
    start: acts.start ?? title(),
    showCounts: (position, facts) => {
      article?.place.replaceChildren(positionText(position));
      article?.facts.replaceChildren(...factRows(facts));
    },
    renew: (next) => {
      if (next.type !== 'memory' || !acts.canGoOn(subjectOf(next))) return false;
      now = next;
      acts.goOn();
      draw();
      return true;
    },
    release: acts.release,
    foresee: acts.foresee,
    showFound: acts.showFound,
  };
}

const subjectOf = ({ memory, token, acts, asks, quietly }: MemoryMessage): Subject => ({
  id: memory.id,
  token,
  acts,
  quietly,
  waits: memory.waits,
  ...(asks !== undefined && { asks }),
});

interface Article {
  readonly parts: readonly HTMLElement[];
  readonly title: HTMLElement;
  readonly place: HTMLElement;
  readonly facts: HTMLElement;
}

type Opener = (key: string) => HTMLButtonElement | undefined;

function articleOf({ token, memory, position }: MemoryMessage, opener: Opener, say: Say): Article {
  const title = words(memory.title, 'h1', { tabindex: '-1' });
  const place = element('span', { class: 'position muted' }, positionText(position));
  const facts = element('dl', { class: 'facts' }, ...factRows(memory.facts));
  const overTitle = element(
    'div',
    { class: 'over-title' },
    element('span', { class: 'label' }, memory.stateName),
    element('span', { class: 'muted' }, memory.kind),
    place,
  );
  const open = (link: number) => {
    say({ type: 'open', token, link });
  };
  const parts = [
    overTitle,
    title,
    ...textOf(
      memory,
      {
        overStatement: [...warnings(memory, open), ...challenges(memory.challenges, opener, open)],
        claim: slot(memory, token, say),
        restsOn: memory.stillRight === undefined ? [] : [besideAct(opener(memory.stillRight))],
      },
      (list, index) => {
        say({ type: 'follow', token, list, index });
      },
    ),
    ...comparisons(memory, open),
    ...section('About it', memory.facts, () => facts),
    ...history(memory, open),
  ];
  return { parts, title, place, facts };
}

function positionText(position: Position | undefined): string {
  if (position === undefined) return '';
  return position.at === undefined ? `${String(position.of)} waiting` : `${String(position.at)} of ${String(position.of)}`;
}

/** What a person should know before anything else: that something like it was rejected. */
function warnings({ resembles, rejectedIn, statement, replaces, others: rest }: PageMemory, open: (link: number) => void): HTMLElement[] {
  const rejected = resembles.filter((one) => one.rejected);
  const named = [...replaces, ...rest].map(({ link }) => link);
  const others = resembles.filter(({ rejected, link }) => !rejected && !named.includes(link));
  return [
    ...(statement === undefined
      ? [element('p', { class: 'notice' }, 'Its words are gone. What is left is that it was here, and when.')]
      : []),
    ...rejected.map((one) =>
      element(
        'p',
        { class: 'notice warning' },
        element('strong', {}, 'It resembles what was rejected: '),
        linkTo(one, open),
        one.reason && element('span', { class: 'reason' }, 'Reason: ', words(one.reason)),
      ),
    ),
    ...(rejectedIn.length === 0
      ? []
      : [
          element(
            'p',
            { class: 'notice warning' },
            element('strong', {}, 'The same was rejected in: '),
            ...rejectedIn.flatMap((scope, index) => [index > 0 && ', ', words(scope)]),
          ),
        ]),
    ...(others.length === 0
      ? []
      : [
          element(
            'p',
            { class: 'condition muted' },
            'It resembles ',
            ...others.flatMap((one, index) => [index > 0 && ', ', linkTo(one, open)]),
            '.',
          ),
        ]),
  ];
}

function challenges(list: readonly PageChallenge[], opener: Opener, open: (link: number) => void): HTMLElement[] {
  return list.map(({ what, by, at, reason, evidence, counterpart, accept, decline }) =>
    element(
      'section',
      { class: 'notice challenge', 'aria-label': 'Challenge' },
      element('p', {}, element('strong', {}, what), ' · ', words(by), ` · ${at}`),
      words(reason, 'p'),
      counterpart && element('p', {}, 'It points to ', linkTo(counterpart, open)),
      evidence.length > 0 && element('ul', { class: 'pointers' }, ...evidence.map((one) => words(one, 'li'))),
      besideAct(opener(accept), opener(decline)),
    ),
  );
}

const besideAct = (...buttons: (HTMLButtonElement | undefined)[]) => element('div', { class: 'actions beside' }, ...buttons);

/** Whether the claim's slot holds one value or many, and how to say so. */
function slot({ slot: holds, waits }: PageMemory, token: string, say: Say): HTMLElement[] {
  if (holds === undefined) return [];
  const names = { one: 'One value', many: 'Many values' } as const;
  const choose = (cardinality: 'one' | 'many') =>
    button(
      names[cardinality],
      'secondary',
      () => {
        if (holds !== cardinality) say({ type: 'slot', token, cardinality });
      },
      { 'aria-pressed': String(holds === cardinality) },
    );
  const said = holds === 'unsaid' ? 'Nobody has said yet whether this subject and predicate hold one value or many.' : `This subject and predicate hold ${names[holds].toLowerCase()}.`; // prettier-ignore
  return [
    element(
      'div',
      { class: 'slot', role: 'group', 'aria-label': 'How many values it holds' },
      element('span', { class: 'muted' }, said, waits && holds === 'unsaid' && ' Two values contest each other only where one is said.'),
      element('div', { class: 'actions' }, choose('one'), choose('many')),
    ),
  ];
}

/** What changes against what it replaces or was made from, and what else it hangs together with. */
function comparisons({ replaces, others }: PageMemory, open: (link: number) => void): HTMLElement[] {
  return [
    ...section('Meant to replace', replaces, (list) =>
      element(
        'div',
        {},
        ...list.map((one) => element('div', { class: 'against' }, linkTo(one, open), one.changes && changesOf(one.changes))),
      ),
    ),
    ...section('Together with', others, (list) =>
      element(
        'div',
        {},
        ...list.map((one) => element('div', { class: 'against' }, `${one.how} `, linkTo(one, open), one.changes && changesOf(one.changes))),
      ),
    ),
  ];
}

const history = ({ history }: PageMemory, open: (link: number) => void): HTMLElement[] =>
  section('History', history, (entries) =>
    element(
      'ol',
      { class: 'history' },
      ...entries.map(({ what, by, at, reason, others, holds }) =>
        element(
          'li',
          {},
          `${what} by `,
          words(by),
          `, ${at}`,
          holds !== undefined && `: ${holds}`,
          others.length > 0 &&
            element('span', { class: 'reason' }, 'With ', ...others.flatMap((one, index) => [index > 0 && ', ', linkTo(one, open)])),
          reason && element('span', { class: 'reason' }, 'Reason: ', words(reason)),
        ),
      ),
    ),
  );
