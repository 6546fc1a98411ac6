/** What a person reads in the editor: every state, each memory with what is wrong with it if anything is. */
import { contentHash } from './domain/events';
import type { Memory, State } from './domain/memory';
import { mayDecide, type Decision } from './domain/states';
import type { Seen } from './ledger/commands';
import { check, type Checked, type LedgerParts } from './ledger/parts';
import type { HistoryEntry, Tampering } from './ledger/replay';
import { appliesTo, soundHits, type Reader } from './recall/recall';
import { lexicalHits, matchExpression } from './recall/lexical';
import { countStates, memoriesInState, memoryById, sessionsWaiting, type Page, type SessionSummary } from './store/memories';

/** A memory as the editor shows it. */
export interface Reviewed {
  readonly id: string;
  readonly title: string;
  readonly scope: string;
  /** The state the store's rows claim; where it was tampered with, `tampering` says so. */
  readonly state: State;
  readonly stateSince: string;
  readonly recordedAt: string;
  /** Absent when the rows cannot be read as a memory. */
  readonly memory: Memory | undefined;
  readonly tampering: Tampering | undefined;
  readonly history: readonly HistoryEntry[];
  /** How often the same value was proposed again. */
  readonly support: number;
  /** The decisions a person could make now. */
  readonly decisions: readonly Decision[];
  /** What a decision has to name as seen; absent when none can be made. */
  readonly seen: Seen | undefined;
}

export interface Overview {
  readonly counts: Readonly<Record<State, number>>;
  readonly sessions: readonly SessionSummary[];
}

export async function overview(reader: Reader, parts: LedgerParts): Promise<Overview> {
  const [counts, sessions] = await Promise.all([
    countStates(parts.database.read, reader.grant),
    sessionsWaiting(parts.database.read, reader.grant),
  ]);
  return { counts, sessions };
}

/** Memories in some states, those that entered it last first. */
export async function list(page: Page, reader: Reader, parts: LedgerParts): Promise<Reviewed[]> {
  const { read } = parts.database;
  return (await check(read, await memoriesInState(read, reader.grant, page), parts.store, await parts.keyRing.trusted())).map(reviewed);
}

export async function one(id: string, reader: Reader, parts: LedgerParts): Promise<Reviewed | undefined> {
  const { read } = parts.database;
  const stored = await memoryById(read, reader.grant, id);
  const [checked] = await check(read, stored === undefined ? [] : [stored], parts.store, await parts.keyRing.trusted());
  return checked === undefined ? undefined : reviewed(checked);
}

/** What applies to a file, with the reason in words. @param path relative to the work tree's root. */
export async function applying(
  path: string,
  k: number,
  reader: Reader,
  parts: LedgerParts,
): Promise<{ applies: { memory: Reviewed; why: string }[]; beyond: number }> {
  const { near, beyond } = await appliesTo(path, k, reader, parts);
  return { applies: near.map(({ served, why }) => ({ memory: reviewed(served), why })), beyond };
}

/** What stands and matches, best first. */
export async function matching(query: string, k: number, reader: Reader, parts: LedgerParts): Promise<Reviewed[]> {
  const match = matchExpression(query);
  if (match === undefined) return [];
  const now = parts.clock.now().toISOString();
  const hits = await soundHits(parts, reader.grant, k, (page) =>
    lexicalHits(parts.database.read, reader.grant, match, { query, k, maxTokens: 0 }, now, page),
  );
  return hits.map(({ served }) => reviewed(served));
}

/** The reasons a person gave in a memory's history, by event. */
export async function reasons(history: readonly HistoryEntry[], parts: LedgerParts): Promise<ReadonlyMap<number, string>> {
  const rows = await parts.database.read.all(
    'SELECT event, text FROM reasons WHERE event IN (SELECT value FROM json_each(?))',
    JSON.stringify(history.map((entry) => entry.event)),
  );
  return new Map(rows.map((row) => [Number(row['event']), String(row['text'])]));
}

function reviewed({ stored, replayed }: Checked): Reviewed {
  const memory = stored.readable ? stored.memory : undefined;
  const { state, follows, tampering, history, support } = replayed;
  const decisions = (['approve', 'reject', 'retire'] as const).filter(
    (decision) =>
      memory !== undefined && state !== undefined && mayDecide(decision, state) && (decision !== 'approve' || tampering === undefined),
  );
  return {
    id: stored.id,
    title: stored.title,
    scope: stored.scope,
    state: stored.state,
    stateSince: stored.stateSince,
    recordedAt: stored.recordedAt,
    memory,
    tampering,
    history,
    support,
    decisions,
    seen: memory === undefined || follows === null ? undefined : { contentHash: contentHash(memory), follows },
  };
}
