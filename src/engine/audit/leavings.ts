/** What a forgetting would leave behind: memories made from the forgotten ones, quoting or restating them, and the questions that hold their words. */
import type { Content, State } from '../domain/memory';
import { spaced } from '../domain/script-runs';
import { canonicalText } from '../domain/value-key';
import { check, type Checked, type LedgerParts } from '../ledger/parts';
import { readPredicate, type Grant } from '../scope/grant';
import type { Statements } from '../store/database';
import { memoriesById, memoriesBySeq } from '../store/memories';
import { questionsTouching, type Sought, type TouchedQuestion } from './erase';

export interface Leaving {
  readonly id: string;
  readonly title: string;
  readonly state: State;
  readonly scope: string;
  /** Why it is here. */
  readonly because: 'derived' | 'source' | 'replaces' | 'rests on it' | 'quotes' | 'restates';
}

/** One in the other of the two stores that are open: it is forgotten there, by an act of its own. */
export interface LeavingElsewhere extends Omit<Leaving, 'because'> {
  readonly because: 'copy' | 'original' | 'quotes' | 'restates';
}

export interface Leavings {
  readonly memories: readonly Leaving[];
  /** What is in the other store. */
  readonly elsewhere: readonly LeavingElsewhere[];
  /** Questions that go with it. */
  readonly questions: readonly TouchedQuestion[];
  /** Questions of sessions outside this grant that go too. */
  readonly questionsBeyond: number;
  /** Challenges whose words go with it. */
  readonly challenges: number;
}

/** The other store that is open beside this one: the user store for a workspace's, and the other way round. */
export interface Elsewhere {
  readonly grant: Grant;
  readonly parts: LedgerParts;
}

/** Looks for what derives from, quotes or restates some memories, in the other store, too. Changes nothing. */
export async function leavingsOf(ids: readonly string[], grant: Grant, parts: LedgerParts, elsewhere?: Elsewhere): Promise<Leavings> {
  const { read } = parts.database;
  const keys = await parts.keyRing.trusted();
  const forgotten = await check(read, await memoriesById(read, grant, ids), parts.store, keys);
  const found = new Map<string, Leaving>();
  const add = (one: Checked, because: Leaving['because']) => {
    const { id, title, state, scope } = one.stored;
    if (!ids.includes(id) && state !== 'forgotten' && !found.has(id)) found.set(id, { id, title, state, scope, because });
  };
  for (const [because, related] of await relatedIds(read, grant, ids, forgotten))
    for (const one of await check(read, await memoriesById(read, grant, related), parts.store, keys)) add(one, because);
  for (const [one, because] of await repeating(forgotten, grant, parts)) add(one, because);
  const sought = soughtIn(
    forgotten.map(({ stored }) => ({ seq: stored.seq, content: stored.readable ? stored.memory.content : undefined })),
  );
  const { questions, beyond } = await questionsTouching(read, grant, sought);
  return {
    memories: [...found.values()],
    elsewhere: elsewhere === undefined ? [] : await leftElsewhere(forgotten, parts, elsewhere),
    questions,
    questionsBeyond: beyond,
    challenges: await challengesAbout(read, forgotten, sought),
  };
}

/** The memories that quote or restate others. */
async function repeating(
  of: readonly Checked[],
  grant: Grant,
  { database: { read }, store, keyRing }: LedgerParts,
): Promise<[Checked, 'quotes' | 'restates'][]> {
  const found: [Checked, 'quotes' | 'restates'][] = [];
  for (const { stored } of of) {
    if (!stored.readable) continue;
    const { content } = stored.memory;
    const sharing = await memoriesBySeq(read, grant, await sharingWords(read, content));
    for (const other of await check(read, sharing, store, await keyRing.trusted())) {
      if (!other.stored.readable) continue;
      const because = repeats(content, other.stored.memory.content);
      if (because !== undefined) found.push([other, because]);
    }
  }
  return found;
}

/** Copies that a person made of them in the other store, what they are copies of, and what repeats them there. */
async function leftElsewhere(forgotten: readonly Checked[], own: LedgerParts, { grant, parts }: Elsewhere): Promise<LeavingElsewhere[]> {
  const { read } = parts.database;
  const within = readPredicate(grant, 's.scope');
  const names = forgotten.map(({ stored }) => copyName(own.store.id, stored.id));
  const copies = await read.all(
    `SELECT m.id FROM memories m JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     WHERE m.copy_of IN (SELECT value FROM json_each(?)) AND ${within.sql}`,
    JSON.stringify(names),
    ...within.values,
  );
  const originals = forgotten.flatMap(({ stored }) => {
    const copyOf = stored.readable ? stored.memory.content.copyOf : undefined;
    return copyOf?.startsWith(copyName(parts.store.id, '')) === true ? [copyOf.slice(copyName(parts.store.id, '').length)] : [];
  });
  const keys = await parts.keyRing.trusted();
  const named = async (ids: readonly string[]) => check(read, await memoriesById(read, grant, ids), parts.store, keys);
  const found = new Map<string, LeavingElsewhere>();
  const add = ({ stored: { id, title, state, scope } }: Checked, because: LeavingElsewhere['because']) => {
    if (state !== 'forgotten' && !found.has(id)) found.set(id, { id, title, state, scope, because });
  };
  for (const one of await named(copies.map((row) => String(row['id'])))) add(one, 'copy');
  for (const one of await named(originals)) add(one, 'original');
  for (const [one, because] of await repeating(forgotten, grant, parts)) add(one, because);
  return [...found.values()];
}

/** How a copy names what it was made of. */
export const copyName = (store: string, memory: string): string => `${store}/${memory}`;

/** The questions that a forgetting reaches by themselves. */
export function soughtIn(forgotten: readonly { readonly seq: number; readonly content: Content | undefined }[]): Sought {
  const telling = new Set(forgotten.flatMap(({ content }) => (content === undefined ? [] : tellingWords(JSON.stringify(content)))));
  return {
    memories: forgotten.map(({ seq }) => seq),
    contains: (question) => tellingWords(question).some((word) => telling.has(word)),
  };
}

/** Words that hardly stand in two texts by chance: long ones, and those that are part letters and part digits. */
function tellingWords(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.filter((word) => word.length >= 14 || (word.length >= 8 && /\p{L}/u.test(word) && /\p{N}/u.test(word)));
}

async function relatedIds(
  read: Pick<Statements, 'all'>,
  grant: Grant,
  ids: readonly string[],
  forgotten: readonly Checked[],
): Promise<[Leaving['because'], string[]][]> {
  const within = readPredicate(grant, 's.scope');
  const naming = async (column: string) =>
    (
      await read.all(
        `SELECT DISTINCT m.id FROM memories m JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL, json_each(m.${column}) named
         WHERE named.value IN (SELECT value FROM json_each(?)) AND ${within.sql}`,
        JSON.stringify(ids),
        ...within.values,
      )
    ).map((row) => String(row['id']));
  const resting = await read.all(
    `SELECT DISTINCT m.id FROM evidence e JOIN memories m ON m.seq = e.memory JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     WHERE e.pointer ->> '$.kind' = 'memory' AND e.pointer ->> '$.id' IN (SELECT value FROM json_each(?)) AND ${within.sql}`,
    JSON.stringify(ids),
    ...within.values,
  );
  const sources = forgotten.flatMap(({ stored }) => (stored.readable ? (stored.memory.content.derivedFrom ?? []) : []));
  return [
    ['derived', await naming('derived_from')],
    ['source', sources],
    ['replaces', await naming('replaces')],
    ['rests on it', resting.map((row) => String(row['id']))],
  ];
}

/** The memories that share the rarest-looking words of a statement, standing or not. */
async function sharingWords(read: Pick<Statements, 'all'>, { title, statement, claim }: Content): Promise<number[]> {
  const words = [...new Set(`${statement} ${title} ${claim?.object ?? ''}`.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])];
  const asked = words.sort((a, b) => b.length - a.length).slice(0, 12);
  if (asked.length === 0) return [];
  const match = asked.map((word) => `"${spaced(word).trim()}"`).join(' OR ');
  const found: number[] = [];
  for (const index of ['served_index', 'waiting_index'])
    found.push(...(await read.all(`SELECT rowid FROM ${index} WHERE ${index} MATCH ? ORDER BY rank LIMIT 100`, match)).map((row) => Number(row['rowid']))); // prettier-ignore
  return found;
}

function repeats(content: Content, other: Content): 'quotes' | 'restates' | undefined {
  const said = canonicalText(content.statement);
  if (canonicalText(other.statement) === said) return 'restates';
  if (content.claim !== undefined && other.claim !== undefined && claimOf(content) === claimOf(other)) return 'restates';
  const all = canonicalText(JSON.stringify(other));
  const telling = tellingWords(JSON.stringify([content.title, content.statement, content.rationale, content.steps, content.claim]));
  const theirs = new Set(tellingWords(JSON.stringify(other)));
  return all.includes(said) || telling.some((word) => theirs.has(word) && /\p{N}/u.test(word)) ? 'quotes' : undefined;
}

const claimOf = ({ claim }: Content) => canonicalText([claim?.subject, claim?.predicate, claim?.object].join('\n'));

/** Challenges about them or beside them, and those about other memories that hold their words. */
async function challengesAbout(read: Pick<Statements, 'all'>, forgotten: readonly Checked[], { contains }: Sought): Promise<number> {
  const seqs = forgotten.map(({ stored }) => stored.seq);
  const rows = await read.all(`SELECT memory, counterpart, reason, evidence FROM challenges WHERE reason <> ''`);
  return rows.filter(
    (row) =>
      seqs.includes(Number(row['memory'])) ||
      seqs.includes(Number(row['counterpart'] ?? -1)) ||
      contains(`${String(row['reason'])} ${String(row['evidence'])}`),
  ).length;
}
