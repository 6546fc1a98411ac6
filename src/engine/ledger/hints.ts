/**
 * What a proposal's receipt says of memories near it: what contradicts it, what it resembles, what it was replaced by before, which
 * slots are near its own. Hints name ids, states and dates; a title only of what the receiver may read.
 */
import * as z from 'zod';
import type { Content, State } from '../domain/memory';
import { withdrawnStates } from '../domain/states';
import { canonicalText } from '../domain/value-key';
import { mayRead, readPredicate, type Grant } from '../scope/grant';
import type { Statements } from '../store/database';
import { memoriesById, memoriesBySeq } from '../store/memories';
import type { Hint, Receipt } from './commands';
import { conflictingWith } from './conflicts';
import type { Keys } from './keyring';
import { check, mayBeServed, type Checked, type LedgerParts } from './parts';
import { boundsOfContent } from './replay';
import { buriedElsewhere } from './tombstones';

type Reads = Pick<Statements, 'all' | 'get'>;

export type Hints = Pick<Receipt, 'resembles' | 'replacedBefore' | 'conflicts' | 'slots' | 'rejectedElsewhere'>;
export const noHints: Hints = { resembles: [], replacedBefore: [], conflicts: [] };

/** Most hints of a kind: more are noise. */
const most = 5;

/** The share of words that two statements have in common from which on one resembles the other. */
const alike = 0.6;

/** How many words are looked up, the longest first, how many of them are asked for, and how many hits are compared. */
const [wordsLookedUp, wordsAsked, hitsCompared, slotsCompared] = [12, 6, 10, 20];

/** A word in more texts than this tells little by itself, and to rank all of them takes long. */
const mostTexts = 100;

/** What is near a proposal by its words: advice, so it is looked up before the transaction, which others wait for. */
export interface Near {
  readonly alike: readonly Checked[];
  readonly slots: readonly { readonly subject: string; readonly predicate: string }[];
}

export async function nearTo(read: Reads, content: Content, grant: Grant, ledger: LedgerParts, keys: Keys): Promise<Near> {
  return {
    alike: await resembling(read, grant, content, ledger, keys),
    slots: content.claim === undefined ? [] : await slotsNear(read, grant, content.claim, ledger, keys),
  };
}

/** The hints for a new proposal, within its transaction. @param value the proposal's value key. */
export async function hintsFor(
  read: Reads,
  content: Content,
  value: string,
  { alike: alikeOnes, slots }: Near,
  grant: Grant,
  ledger: LedgerParts,
  keys: Keys,
): Promise<Hints> {
  const known = async (ids: readonly string[]) =>
    hintsOf(await check(read, await memoriesById(read, grant, ids), ledger.store, keys), grant);
  const where = { read, grant, store: ledger.store, keys };
  const conflicts = await conflictingWith(where, content, boundsOfContent(content));
  const replaced = await withSameValue(read, grant, value);
  const resembles = alikeOnes.filter(({ stored }) => ![...conflicts, ...replaced].includes(stored.id)).slice(0, most);
  const elsewhere = (await buriedElsewhere({ read, store: ledger.store, keys }, content, content.scope)).filter((scope) =>
    mayRead(grant, scope),
  );
  return {
    conflicts: await known(conflicts.slice(0, most)),
    replacedBefore: await known(replaced.slice(0, most)),
    resembles: await known(resembles.map(({ stored }) => stored.id)),
    ...(slots.length > 0 && { slots }),
    ...(elsewhere.length > 0 && { rejectedElsewhere: elsewhere.slice(0, most) }),
  };
}

/** Of those that are as they were signed. A contested one is named without its title, since its counterpart is not here beside it. */
const hintsOf = (checked: readonly Checked[], grant: Grant): Hint[] =>
  checked
    .filter(({ replayed }) => replayed.tampering === undefined)
    .map((one) => ({
      id: one.stored.id,
      state: one.stored.state,
      date: one.stored.stateSince,
      ...(mayBeServed(one, grant) && one.stored.others.length === 0 && { title: one.stored.title }),
    }));

/** The withdrawn memories that said exactly this. */
async function withSameValue(read: Reads, grant: Grant, key: string): Promise<string[]> {
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT m.id FROM memories m JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     WHERE m.value_key = ? AND s.state IN (SELECT value FROM json_each(?)) AND ${within.sql} ORDER BY m.seq DESC`,
    key,
    JSON.stringify(withdrawnStates),
    ...within.values,
  );
  return rows.map((row) => String(row['id']));
}

/**
 * The memories of any reviewed state, and those rejected, whose statement shares most of its words with this one; the most alike first.
 * Advice only: nothing is ever refused for it.
 */
export async function resembling(
  read: Reads,
  grant: Grant,
  content: Content,
  ledger: Pick<LedgerParts, 'store'>,
  keys: Keys,
): Promise<Checked[]> {
  const words = wordsOf(content.statement);
  const hits = (await Promise.all((['served_index', 'waiting_index'] as const).map((index) => sharingWords(read, index, words)))).flat();
  if (hits.length === 0) return [];
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT m.seq, m.statement FROM json_each(?) hit JOIN memories m ON m.seq = hit.value
     JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     WHERE s.state NOT IN (SELECT value FROM json_each(?)) AND ${within.sql}`,
    JSON.stringify(hits),
    JSON.stringify(hintedNever),
    ...within.values,
  );
  const alikeOnes = rows
    .filter((row) => shared(words, wordsIn(String(row['statement']).toLowerCase())) >= alike / 2) // spelling each out takes long
    .map((row) => ({ seq: Number(row['seq']), share: shared(words, wordsOf(String(row['statement']))) }))
    .filter(({ share }) => share >= alike)
    .sort((a, b) => b.share - a.share)
    .map(({ seq }) => seq);
  const checked = await check(read, await memoriesBySeq(read, grant, alikeOnes), ledger.store, keys);
  return checked.filter(({ stored, replayed }) => stored.readable && replayed.tampering === undefined);
}

/** The texts of an index that share a statement's rarer words, best first. */
async function sharingWords(read: Reads, index: TextIndex, words: ReadonlySet<string>): Promise<number[]> {
  const match = await rarerWords(read, index, words);
  if (match === undefined) return [];
  const rows = await read.all(`SELECT rowid FROM ${index} WHERE ${index} MATCH ? ORDER BY rank LIMIT ${hitsCompared}`, match);
  return rows.map((row) => Number(row['rowid']));
}

type TextIndex = 'served_index' | 'waiting_index';

/**
 * A query for the texts that share some words, whose cost stays small in a large store: any of the rarest that are there or, where
 * none is rare, all that are there. Undefined where none is.
 */
async function rarerWords(read: Reads, index: TextIndex, words: ReadonlySet<string>): Promise<string | undefined> {
  const longest = [...words].sort((a, b) => b.length - a.length).slice(0, wordsLookedUp);
  if (longest.length === 0) return undefined;
  const rows = await read.all(
    `SELECT word.value AS word,
       (SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE ${index} MATCH '"' || word.value || '"' LIMIT ${mostTexts})) AS n
     FROM json_each(?) word WHERE n > 0 ORDER BY n`,
    JSON.stringify(longest),
  );
  const rare = rows.filter((row) => Number(row['n']) < mostTexts).slice(0, wordsAsked);
  const asked = rare.length > 0 ? rare : rows;
  return asked.length === 0 ? undefined : asked.map((row) => `"${String(row['word'])}"`).join(rare.length > 0 ? ' OR ' : ' AND ');
}

/** Nobody has reviewed them, or they are only another wording of what was. */
const hintedNever: readonly State[] = ['pending', 'expired', 'amended'];

const wordsOf = (text: string): ReadonlySet<string> => wordsIn(canonicalText(text));

const wordsIn = (text: string): ReadonlySet<string> => new Set(text.match(/[\p{L}\p{N}]+/gu) ?? []);

/** Jaccard's index. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  return common / (a.size + b.size - common);
}

/** The slots of standing claims with the same subject or predicate, or a word of either in common. */
async function slotsNear(
  read: Reads,
  grant: Grant,
  claim: NonNullable<Content['claim']>,
  ledger: LedgerParts,
  keys: Keys,
): Promise<{ subject: string; predicate: string }[]> {
  const words = wordsOf(`${claim.subject} ${claim.predicate}`);
  const match = await rarerWords(read, 'served_index', words);
  if (match === undefined) return [];
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT served_index.rowid AS seq FROM served_index JOIN claims c ON c.memory = served_index.rowid
     JOIN statuses s ON s.memory = c.memory AND s.known_to IS NULL
     WHERE served_index MATCH ? AND ${within.sql} ORDER BY served_index.rank LIMIT ${slotsCompared}`,
    match,
    ...within.values,
  );
  const near = await check(
    read,
    await memoriesBySeq(
      read,
      grant,
      rows.map((row) => Number(row['seq'])),
    ),
    ledger.store,
    keys,
  );
  const found = new Map<string, { subject: string; predicate: string }>();
  for (const one of near) {
    if (!mayBeServed(one, grant) || one.stored.memory.content.claim === undefined) continue;
    const { subject, predicate } = one.stored.memory.content.claim;
    if (shared(words, wordsOf(`${subject} ${predicate}`)) > 0) found.set(canonicalText(`${subject}\n${predicate}`), { subject, predicate }); // prettier-ignore
  }
  return [...found.values()].slice(0, most);
}

const kept = z.object({
  conflicts: z.array(z.string()).default([]),
  replacedBefore: z.array(z.string()).default([]),
  resembles: z.array(z.string()).default([]),
});

/** The hints of a receipt as they are kept: ids, and no words. */
export const hintsToKeep = ({ conflicts, replacedBefore, resembles }: Hints): string =>
  JSON.stringify({ conflicts: ids(conflicts), replacedBefore: ids(replacedBefore), resembles: ids(resembles) });

const ids = (hints: readonly Hint[]) => hints.map(({ id }) => id);

/** Kept hints, with what may be said of their memories today. */
export async function keptHints(read: Reads, stored: string, grant: Grant, ledger: LedgerParts): Promise<Hints> {
  const parsed = kept.safeParse(JSON.parse(stored));
  if (!parsed.success) return noHints;
  const keys = await ledger.keyRing.trusted();
  const now = async (wanted: readonly string[]) =>
    hintsOf(await check(read, await memoriesById(read, grant, wanted), ledger.store, keys), grant);
  return {
    conflicts: await now(parsed.data.conflicts),
    replacedBefore: await now(parsed.data.replacedBefore),
    resembles: await now(parsed.data.resembles),
  };
}
