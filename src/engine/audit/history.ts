/**
 * The reviewed timeline of a memory or of a claim: what held when, and what was believed of it when. It is asked for by name and never
 * comes with a search. What was rejected or forgotten is a bare fact here; what no person ever let stand is not here at all.
 */
import * as z from 'zod';
import { instant, limits, wellFormed } from '../domain/input';
import type { Claim, Kind, State } from '../domain/memory';
import { servedStates } from '../domain/states';
import { slotKey } from '../domain/value-key';
import { invalidInput, notFound } from '../errors';
import { check, type Checked, type LedgerParts } from '../ledger/parts';
import { changesStatus, type HistoryEntry } from '../ledger/replay';
import { mayRead, readPredicate, type Grant } from '../scope/grant';
import { memoriesById } from '../store/memories';

export const historySchema = z
  .strictObject({
    id: wellFormed(200).optional(),
    claim: z.strictObject({ subject: wellFormed(limits.claim), predicate: wellFormed(limits.claim) }).optional(),
    validAt: instant.optional(),
    knownAt: instant.optional(),
  })
  .refine(({ id, claim }) => (id === undefined) !== (claim === undefined), 'needs either "id" or "claim"');
export type HistoryQuestion = z.infer<typeof historySchema>;

/** A stretch of time in which one thing was believed of a memory. */
export interface Belief {
  readonly state: State;
  readonly knownFrom: string;
  readonly knownTo?: string;
  /** When it was believed to hold. */
  readonly validFrom?: string;
  readonly validTo?: string;
  readonly scope: string;
  /** The memories the state was about: its successor, or what it was contested with. Only those that may be named here. */
  readonly others: readonly string[];
}

/** A memory in a timeline. */
export interface Remembered {
  readonly id: string;
  /** Its present state, or the one it was known to be in at `knownAt`. */
  readonly state: State;
  /** Absent for what was rejected or forgotten: that it was, and when, is all that is told. */
  readonly text?: {
    readonly kind: Kind;
    readonly title: string;
    readonly statement: string;
    readonly shortened?: true;
    readonly claim?: Claim;
  };
  readonly beliefs: readonly Belief[];
}

export interface Timeline {
  readonly recallId: string;
  /** The ones that held first come first. */
  readonly memories: readonly Remembered[];
  /** How many were left out because they did not hold, or were not known, at the times asked about. */
  readonly omitted: Readonly<Record<string, number>>;
}

/** Most memories of one claim's timeline: the newest. */
const longest = 50;

/**
 * @throws `not_found` for an id that no person ever let stand or that the grant does not reach, the same as for one that never was.
 */
export async function history(
  asked: HistoryQuestion,
  grant: Grant,
  parts: LedgerParts,
): Promise<{ timeline: Timeline; told: readonly Checked[] }> {
  const { read } = parts.database;
  const ids = asked.id !== undefined ? [asked.id] : await claiming(asked, grant, parts);
  const checked = await check(read, await memoriesById(read, grant, ids), parts.store, await parts.keyRing.trusted());
  const told = checked.filter((one) => one.replayed.tampering === undefined && mayRead(grant, one.stored.scope) && wasLetStand(one));
  const named = new Set(told.map(({ stored }) => stored.id));
  for (const other of await served(told, grant, parts)) named.add(other);
  // What is contested by something that may not be named here is not told alone.
  const reviewed = told.filter(({ stored }) => stored.state !== 'contested' || stored.others.every((id) => named.has(id)));
  if (asked.id !== undefined && reviewed.length === 0) throw notFound();
  const omitted: Record<string, number> = {};
  const kept = reviewed.flatMap((one) => {
    const remembered = rememberedAs(one, asked, named);
    if ('reason' in remembered) omitted[remembered.reason] = (omitted[remembered.reason] ?? 0) + 1;
    return 'reason' in remembered ? [] : [{ remembered, one }];
  });
  kept.sort((a, b) => startOf(a.remembered).localeCompare(startOf(b.remembered)));
  return {
    timeline: { recallId: parts.ids.id(), memories: kept.map(({ remembered }) => remembered), omitted },
    told: kept.filter(({ remembered }) => remembered.text !== undefined).map(({ one }) => one),
  };
}

/** Whether a person let it stand at some time, and did not take that back: only then is there something reviewed to tell. */
const wasLetStand = ({ replayed }: Checked): boolean =>
  replayed.state !== undefined &&
  !unreviewed.includes(replayed.state) &&
  replayed.history.some(({ state }) => servedStates.includes(state));

/** States of words that no person lets stand: they wait, they lapsed, or another wording took their place. */
const unreviewed: readonly State[] = ['pending', 'expired', 'amended'];

async function claiming({ claim }: HistoryQuestion, grant: Grant, { database, store }: LedgerParts): Promise<string[]> {
  if (claim === undefined) throw invalidInput('"claim" is missing.');
  const within = readPredicate(grant, 's.scope');
  const rows = await database.read.all(
    `SELECT m.id FROM claims c JOIN memories m ON m.seq = c.memory JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     WHERE c.slot = ? AND s.state NOT IN (SELECT value FROM json_each(?)) AND ${within.sql} ORDER BY m.seq DESC LIMIT ${longest}`,
    slotKey(store.salt, claim.subject, claim.predicate),
    JSON.stringify(unreviewed),
    ...within.values,
  );
  return rows.map((row) => String(row['id']));
}

/** Of the memories that these are about, the ids that may be named to the grant. */
async function served(of: readonly Checked[], grant: Grant, parts: LedgerParts): Promise<string[]> {
  const ids = [...new Set(of.flatMap(({ replayed }) => replayed.history.flatMap(({ others }) => others)))];
  const others = await check(
    parts.database.read,
    await memoriesById(parts.database.read, grant, ids),
    parts.store,
    await parts.keyRing.trusted(),
  );
  return others.filter((one) => one.replayed.tampering === undefined && wasLetStand(one)).map(({ stored }) => stored.id);
}

/** What may be told of a memory at the asked-for times, or why nothing is. */
function rememberedAs(one: Checked, { validAt, knownAt }: HistoryQuestion, named: ReadonlySet<string>): Remembered | { reason: string } {
  const all = beliefsOf(one.replayed.history, named);
  const known = knownAt === undefined ? all : all.filter(({ knownFrom, knownTo }) => knownFrom <= knownAt && (knownTo === undefined || knownAt < knownTo)); // prettier-ignore
  const last = known.at(-1);
  if (last === undefined) return { reason: 'notYetKnown' };
  if (validAt !== undefined) {
    if (last.validFrom !== undefined && validAt < last.validFrom) return { reason: 'notYetValid' };
    if (last.validTo !== undefined && validAt >= last.validTo) return { reason: 'noLongerValid' };
  }
  if (bareFacts.includes(one.stored.state) || !one.stored.readable) {
    const { state, stateSince, scope } = one.stored;
    return { id: one.stored.id, state, beliefs: [{ state, knownFrom: stateSince, scope, others: [] }] };
  }
  const { kind, title, statement, claim } = one.stored.memory.content;
  return {
    id: one.stored.id,
    state: last.state,
    text: { kind, title, statement, ...(claim !== undefined && { claim }) },
    beliefs: known,
  };
}

/** States of which the words are not told any more. */
const bareFacts: readonly State[] = ['rejected', 'forgotten'];

function beliefsOf(entries: readonly HistoryEntry[], named: ReadonlySet<string>): Belief[] {
  const stood = entries.findIndex(({ state }) => servedStates.includes(state));
  const changes = entries.slice(Math.max(stood, 0)).filter(({ act }) => changesStatus(act));
  return changes.map(({ state, at, bounds, others }, index) => {
    const next = changes[index + 1];
    return {
      state,
      knownFrom: at,
      ...(next !== undefined && { knownTo: next.at }),
      ...(bounds?.validFrom !== undefined && { validFrom: bounds.validFrom }),
      ...(bounds?.validTo !== undefined && { validTo: bounds.validTo }),
      scope: bounds?.scope ?? '',
      others: others.filter((id) => named.has(id)),
    };
  });
}

const startOf = ({ beliefs }: Remembered): string => beliefs[0]?.validFrom ?? beliefs[0]?.knownFrom ?? '';
