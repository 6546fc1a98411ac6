/** How each of the four trees orders the memories of one store. */
import type { Kind, Reviewed, SessionSummary, State } from '../engine';
import { kindNames, stateNames, timeOrDay, when } from './present';
import type { GroupRow, MemoryRow, MoreRow, Row, View } from './rows';
import { shownLine } from './shown-text';
import type { Store } from './stores';

/** As much of a list as is shown, and the row that shows more of it. */
export type Lists = (
  store: Store,
  states: readonly State[],
  count: number,
  session?: string,
) => Promise<{ readonly memories: readonly MemoryRow[]; readonly more: readonly MoreRow[] }>;

export interface GroupingParts {
  readonly list: Lists;
  /** The standing memories whose evidence has drifted, as last looked at. */
  readonly drifted: (store: Store) => readonly Reviewed[];
}

export const groupings: Readonly<Record<View, (store: Store, parts: GroupingParts) => Promise<readonly Row[]>>> = {
  standing: byKind,
  pending: bySession,
  contested: byQuestion,
  retired: byState,
};

export const waiting = (count: number): string => `${String(count)} ${count === 1 ? 'memory waits' : 'memories wait'} for review`;

async function byKind(store: Store, { list }: GroupingParts): Promise<readonly Row[]> {
  const { counts } = await store.person.overview();
  const { memories, more } = await list(store, ['active', 'contested'], counts.active + counts.contested);
  const groups = Map.groupBy(memories, (row) => row.memory.memory?.content.kind);
  const kinds = Object.keys(kindNames) as Kind[];
  return [
    ...[...kinds, undefined].flatMap((kind): GroupRow[] => {
      const found = groups.get(kind);
      return found === undefined
        ? []
        : [group(store, kind ?? 'unreadable', kind === undefined ? 'Unreadable' : kindNames[kind].many, found)];
    }),
    ...more,
  ];
}

async function bySession(store: Store, { list }: GroupingParts): Promise<readonly Row[]> {
  const { sessions, counts } = await store.person.overview();
  const groups = sessions.map((session): GroupRow => ({
    is: 'group',
    key: `${store.file}/${session.id}`,
    store,
    label: shownLine(`${session.client} ${session.clientVersion}`),
    description: `${String(session.pending)} · ${timeOrDay(session.startedAt, new Date())}`,
    tooltip: `${shownLine(`${session.client} ${session.clientVersion}`)}, session of ${when(session.startedAt)}: ${waiting(session.pending)}`,
    of: { is: 'session', id: session.id },
    rows: async () => {
      const { memories, more } = await list(store, ['pending'], session.pending, session.id);
      return [...memories, ...more];
    },
  }));
  const inSessions = sessions.reduce((sum, session) => sum + session.pending, 0);
  return inSessions < counts.pending ? [...groups, ofNoSession(store, list, sessions, counts.pending)] : groups;
}

/** No agent proposed these: a person took an approval of their own words back, or something other than Stet has set them to wait. */
const ofNoSession = (store: Store, list: Lists, sessions: readonly SessionSummary[], pending: number): GroupRow => ({
  is: 'group',
  key: `${store.file}/no session`,
  store,
  label: 'Of no session',
  description: '',
  rows: async () => {
    const { memories } = await list(store, ['pending'], pending);
    return memories.filter(({ memory }) => {
      const provenance = memory.memory?.content.provenance;
      return provenance?.tag !== 'inferred' || !sessions.some(({ id }) => id === provenance.session);
    });
  },
});

/** So many contested memories are put into groups; where there are more, the newest. */
const mostContested = 500;

/** What asks for a person's answer: contests, single doubts, agents' challenges, and evidence that is not what it was. */
async function byQuestion(store: Store, { drifted }: GroupingParts): Promise<readonly Row[]> {
  const { person } = store;
  const [contested, challenges] = await Promise.all([
    person.list({ states: ['contested'], limit: mostContested, offset: 0 }),
    person.challenges(),
  ]);
  const challenged = await person.several([...new Set(challenges.map(({ memory }) => memory))]);
  const row = (memory: Reviewed, note?: string): MemoryRow => rowOf(store, memory, note);
  const sets = contests(contested);
  return [
    ...section(
      store,
      'contests',
      'Contradict each other',
      sets.filter((set) => set.length > 1).map((set) => contestRow(store, set)),
    ),
    ...section(
      store,
      'disputed',
      'Disputed',
      sets.filter((set) => set.length === 1).flatMap((set) => set.map((memory) => row(memory))),
    ),
    ...section(
      store,
      'challenged',
      'Challenged by agents',
      challenged.map((memory) => {
        const count = challenges.filter((challenge) => challenge.memory === memory.id).length;
        return {
          ...row(memory, count === 1 ? '1 challenge' : `${String(count)} challenges`),
          key: `${store.file}/challenged/${memory.id}`,
        };
      }),
    ),
    ...section(
      store,
      'drifted',
      'Evidence has changed',
      drifted(store).map((memory) => ({ ...row(memory), key: `${store.file}/drifted/${memory.id}` })),
    ),
  ];
}

/** The memories in sets of those that are contested with each other, directly or through a third. */
function contests(contested: readonly Reviewed[]): Reviewed[][] {
  const left = new Map(contested.map((memory) => [memory.id, memory]));
  const sets: Reviewed[][] = [];
  for (const first of contested) {
    if (!left.delete(first.id)) continue;
    const set = [first];
    for (const member of set)
      for (const id of member.memory?.others ?? []) {
        const other = left.get(id);
        if (other !== undefined && left.delete(id)) set.push(other);
      }
    sets.push(set);
  }
  return sets;
}

function contestRow(store: Store, set: readonly Reviewed[]): GroupRow {
  const ids = set.map(({ id }) => id).sort();
  const claim = set[0]?.memory?.content.claim;
  const label =
    claim === undefined ? (set.length === 2 ? 'A pair' : `A group of ${String(set.length)}`) : `${claim.subject} ${claim.predicate}`;
  return {
    is: 'group',
    key: `${store.file}/contest/${ids[0] ?? ''}`,
    store,
    label: shownLine(label),
    description: claim === undefined ? '' : String(set.length),
    tooltip: `${String(set.length)} memories contradict each other: ${set.map(({ title }) => `“${shownLine(title)}”`).join(', ')}`,
    of: { is: 'contest', ids },
    rows: () => Promise.resolve(set.map((memory) => rowOf(store, memory))),
  };
}

const section = (store: Store, key: string, label: string, rows: readonly Row[]): GroupRow[] =>
  rows.length === 0 ? [] : [group(store, key, label, rows)];

/** What no longer holds, and what never did, the likeliest to be looked for first. */
const closed = ['retired', 'superseded', 'rejected', 'amended', 'expired', 'forgotten'] as const satisfies readonly State[];

async function byState(store: Store, { list }: GroupingParts): Promise<readonly Row[]> {
  const { counts } = await store.person.overview();
  return closed.flatMap((state): GroupRow[] =>
    counts[state] === 0
      ? []
      : [
          {
            is: 'group',
            key: `${store.file}/${state}`,
            store,
            label: stateNames[state],
            description: String(counts[state]),
            rows: async () => {
              const { memories, more } = await list(store, [state], counts[state]);
              return [...memories, ...more];
            },
          },
        ],
  );
}

/** @param key its name within the store. */
const group = (store: Store, key: string, label: string, rows: readonly Row[]): GroupRow => ({
  is: 'group',
  key: `${store.file}/${key}`,
  store,
  label,
  description: String(rows.length),
  rows: () => Promise.resolve(rows),
});

export const rowOf = (store: Store, memory: Reviewed, note?: string): MemoryRow => ({
  is: 'memory',
  key: `${store.file}/${memory.id}`,
  store,
  memory,
  ...(note !== undefined && { note }),
});
