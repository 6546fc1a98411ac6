/** Draws what the memory page shows, and keeps what one showing needs to hear its presses by. */
import type { Anchor, Evidence, Leavings, PersonAct, Preview, Reviewed, SeenMemory } from '../engine';
import { actsOn, outcomesOf } from './acts';
import { Deciding, type Foretold, type Offered, type Values } from './deciding';
import { consequences } from './foreseen';
import { Links, pageMemory, pageText } from './memory-view';
import { freshToken } from './page';
import type { Linked, PageAct, PageItem, PageLeavings, ToPage } from './page-messages';
import { day, kindNames } from './present';
import type { ReviewQueue, Target } from './review-queue';
import { shown, shownLine, type Shown } from './shown-text';
import type { PersonsKey } from './signer';
import type { Store } from './stores';
import { theEngine } from './the-engine';

/** What is to be drawn. */
export type Drawing = {
  /** Without taking the focus or the reader's place, since it was not the person who asked. */
  readonly quietly?: boolean;
} & (
  | { readonly is: 'memory'; readonly target: Target; readonly asks?: PersonAct['act']; readonly onTheWay?: boolean }
  | { readonly is: 'contest'; readonly store: Store; readonly members: readonly Reviewed[] }
  | { readonly is: 'forget'; readonly targets: readonly Target[] }
  | { readonly is: 'approveRead'; readonly targets: readonly Target[] }
);

interface Common {
  /** The name of this one showing. */
  readonly token: string;
  readonly store: Store;
  readonly deciding: Deciding;
  readonly links: Links;
  /** What was found in a form's search, by the number of its link. */
  readonly found: Map<number, SeenMemory>;
}

export type Showing = Common &
  (
    | {
        readonly is: 'memory';
        readonly memory: Reviewed;
        /** The reader goes through what waits, and did not choose this one. */
        readonly onTheWay: boolean;
      }
    | { readonly is: 'contest'; readonly members: readonly Reviewed[] }
    | { readonly is: 'forget'; readonly targets: readonly SeenMemory[] }
    | { readonly is: 'approveRead'; readonly items: readonly { readonly memory: Reviewed; readonly foretold: Foretold | undefined }[] }
  );

interface Drawn {
  readonly showing: Showing;
  readonly content: ToPage;
}

/** Most memories that a search in a form offers. */
const mostFound = 20;

export class Showings {
  constructor(
    private readonly key: PersonsKey,
    private readonly queue: ReviewQueue,
  ) {}

  draw(drawing: Drawing): Promise<Drawn> {
    switch (drawing.is) {
      case 'memory':
        return this.#memory(drawing);
      case 'contest':
        return this.#contest(drawing);
      case 'forget':
        return this.#forget(drawing);
      case 'approveRead':
        return this.#approveRead(drawing);
    }
  }

  async #memory({ target, asks, quietly = false, onTheWay = false }: Extract<Drawing, { is: 'memory' }>): Promise<Drawn> {
    const { store, memory } = target;
    const { person } = store;
    const [own, nearby] = await Promise.all([this.key.ownId(), person.nearby(memory.id)]);
    const common = commonOf(store, (found) => actsOn(memory, nearby, (number) => found.get(Number(number))), [memory.id]);
    const [drawn, acts, position] = await Promise.all([
      pageMemory(memory, { person, nearby, links: common.links, own }),
      common.deciding.acts(),
      memory.state === 'pending' ? this.queue.position(onTheWay) : undefined,
    ]);
    const asked = asks === undefined ? undefined : keyOf(asks, acts);
    return {
      showing: { is: 'memory', ...common, memory, onTheWay },
      content: {
        type: 'memory',
        token: common.token,
        memory: drawn,
        acts,
        quietly,
        ...(position !== undefined && { position }),
        ...(asked !== undefined && { asks: asked }),
      },
    };
  }

  async #contest({ store, members, quietly = false }: Extract<Drawing, { is: 'contest' }>): Promise<Drawn> {
    const common = commonOf(
      store,
      () => outcomesOf(members),
      members.map(({ id }) => id),
    );
    return {
      showing: { is: 'contest', ...common, members },
      content: {
        type: 'contest',
        token: common.token,
        members: members.map((one) => pageText(one)),
        acts: await common.deciding.acts(),
        quietly,
      },
    };
  }

  async #forget({ targets, quietly = false }: Extract<Drawing, { is: 'forget' }>): Promise<Drawn> {
    const { store } = first(targets);
    const seen = targets.flatMap(({ memory: { id, seen } }) => (seen === undefined ? [] : [{ id, seen }]));
    const common = commonOf(
      store,
      (found) => forgetting(seen, (values) => ticked(values).flatMap((number) => found.get(number) ?? [])),
      seen.map(({ id }) => id),
    );
    const showing: Showing = { is: 'forget', ...common, targets: seen };
    return {
      showing,
      content: {
        type: 'forget',
        token: common.token,
        items: targets.map(({ memory }, number) => ({ ...pageText(memory), number })),
        leavings: await this.leavings(showing, {}),
        acts: await common.deciding.acts(),
        quietly,
      },
    };
  }

  /** What a forgetting would leave behind, with what is ticked forgotten as well. */
  async leavings({ store, targets, links, found }: Extract<Showing, { is: 'forget' }>, values: Values): Promise<PageLeavings> {
    const { person } = store;
    const chosen = ticked(values).flatMap((number) => found.get(number) ?? []);
    const base = await person.leavings(targets.map(({ id }) => id));
    const left = chosen.length === 0 ? base : await person.leavings([...targets, ...chosen].map(({ id }) => id));
    const named = [...base.memories, ...left.memories.filter(({ id }) => !base.memories.some((one) => one.id === id))];
    const seen = await person.several(named.map(({ id }) => id));
    return {
      memories: named.flatMap((one) => {
        const now = seen.find(({ id }) => id === one.id);
        if (now?.seen === undefined || !now.acts.includes('forget')) return [];
        const linked = links.to(one);
        found.set(linked.link, { id: one.id, seen: now.seen });
        return [{ ...linked, because: because[one.because] }];
      }),
      also: whatGoesToo(left),
    };
  }

  async #approveRead({ targets, quietly = false }: Extract<Drawing, { is: 'approveRead' }>): Promise<Drawn> {
    const { store } = first(targets);
    const common = commonOf(store, () => [], []);
    const items: { item: PageItem; memory: Reviewed; foretold: Foretold | undefined }[] = [];
    for (const [number, { memory }] of targets.filter(({ memory }) => memory.acts.includes('approve')).entries()) {
      const { id, seen } = memory;
      const nearby = await store.person.nearby(id);
      const deciding = decidingOn(store, actsOn(memory, nearby, () => undefined).filter(({ act }) => act.key === 'approve'), [id]); // prettier-ignore
      const foreseen = await deciding.foresee('approve', 0, {});
      const warnings = (nearby?.resembles ?? []).filter(({ state }) => state === 'rejected');
      const lines: Shown[] = [...warnings.map(({ title }) => shown(`It resembles what was rejected: “${title}”.`)), ...foreseen.lines];
      const foretold = seen === undefined ? undefined : deciding.take('approve', 0, {});
      items.push({ item: { ...pageText(memory, nearby), number, foreseen: { ...foreseen, lines } }, memory, foretold });
    }
    return {
      showing: { is: 'approveRead', ...common, items: items.map(({ memory, foretold }) => ({ memory, foretold })) },
      content: { type: 'approveRead', token: common.token, items: items.map(({ item }) => item), acts: [], quietly },
    };
  }

  /** Memories that stand, for a form that needs another one. */
  async find(query: string, { store, links, found, ...showing }: Showing): Promise<(Linked & { detail: Shown })[]> {
    const { person } = store;
    const itself = showing.is === 'memory' ? showing.memory.id : undefined;
    const all =
      query.trim() === ''
        ? await person.list({ states: ['active', 'contested'], limit: mostFound + 1, offset: 0 })
        : await person.search(query, mostFound + 1);
    return all
      .filter(({ id, tampering }) => id !== itself && tampering === undefined)
      .slice(0, mostFound)
      .flatMap((memory) => {
        const { id, seen } = memory;
        if (seen === undefined) return [];
        const linked = links.to(memory);
        found.set(linked.link, { id, seen });
        const content = memory.memory?.content;
        const detail = content === undefined ? '' : `${kindNames[content.kind].one} · ${content.statement.slice(0, 200)}`;
        return [{ ...linked, detail: [shownLine(detail)] }];
      });
  }
}

function commonOf(store: Store, offers: (found: ReadonlyMap<number, SeenMemory>) => readonly Offered[], about: readonly string[]): Common {
  const found = new Map<number, SeenMemory>();
  return { token: freshToken(), store, links: new Links(), found, deciding: decidingOn(store, offers(found), about) };
}

const decidingOn = (store: Store, offered: readonly Offered[], about: readonly string[]): Deciding =>
  new Deciding(
    store.person,
    offered,
    (preview: Preview) => ({ lines: consequences(preview, about, day).map(shown) }),
    async (thrown) => {
      const { asStetError } = await theEngine();
      const { message, hint } = asStetError(thrown);
      return `${message} ${hint}`;
    },
  );

/** Forgetting takes two presses: one that says what goes, and one that does it. */
function forgetting(targets: readonly SeenMemory[], alsoThese: (values: Values) => readonly SeenMemory[]): Offered[] {
  const several = targets.length > 1;
  return [
    {
      act: {
        key: 'forget',
        opens: 'Forget…',
        where: 'first',
        how: {
          is: 'form',
          question: several ? `Forget these ${String(targets.length)} memories for good?` : 'Forget it for good?',
          confirms: 'Forget for Good',
          fields: [],
        },
      },
      make: (values) => ({ act: 'forget', memories: [...targets, ...alsoThese(values)], questions: [] }),
    },
    ...(several
      ? []
      : [{ act: { key: 'back', opens: 'Back', where: 'first', how: { is: 'goes' } }, make: () => undefined } satisfies Offered]),
  ];
}

/** The numbers of the links that are ticked. */
const ticked = (values: Values): number[] =>
  Object.entries(values).flatMap(([name, value]) => (/^tick\d+$/.test(name) && value === 'on' ? [Number(name.slice(4))] : []));

const because: Readonly<Record<Leavings['memories'][number]['because'], string>> = {
  derived: 'was made from it',
  source: 'it was made from this',
  replaces: 'replaces it',
  'rests on it': 'rests on it',
  quotes: 'holds some of its words',
  restates: 'says the same',
};

function whatGoesToo({ questions, questionsBeyond, challenges }: Leavings): string[] {
  const asked = questions.length + questionsBeyond;
  return [
    ...(challenges === 0 ? [] : [challenges === 1 ? 'The words of one challenge go with it.' : `The words of ${String(challenges)} challenges go with it.`]),
    ...(asked === 0 ? [] : [asked === 1 ? 'One question of an agent that touches it goes from the record.' : `${String(asked)} questions of agents that touch it go from the record.`]),
  ]; // prettier-ignore
}

/** The key under which an act is offered as a form. */
function keyOf(asks: PersonAct['act'], acts: readonly PageAct[]): string | undefined {
  return acts.find(({ key, how }) => how.is === 'form' && (key === asks || key.startsWith(`${asks} `)))?.key;
}

/** Whether all that a person would decide on is the same. How often it was proposed again does not matter to that. */
export function isTheSame(before: Extract<ToPage, { type: 'memory' }>, now: Extract<ToPage, { type: 'memory' }>): boolean {
  const core = ({ memory, acts }: typeof before) => JSON.stringify([{ ...memory, facts: memory.facts.filter(({ name }) => name !== 'Proposed again') }, acts]); // prettier-ignore
  return core(before) === core(now);
}

export const pointerAt = ({ memory }: Reviewed, list: 'appliesTo' | 'restsOn', index: number): Anchor | Evidence | undefined =>
  list === 'appliesTo' ? memory?.content.anchors[index] : memory?.content.evidence[index];

function first(targets: readonly Target[]): Target {
  const [one] = targets;
  if (one === undefined) throw new Error('Nothing is to be shown.');
  return one;
}
