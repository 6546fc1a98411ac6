/** Reads of memories as the rows have them. Each takes the grant's predicate; there is none without. */
import { states, type Anchor, type Kind, type State } from '../domain/memory';
import { readPredicate, type Grant } from '../scope/grant';
import type { Statements } from './database';
import { anchorOf, memoryColumns, memoryJoins, storedMemory, type StoredMemory } from './rows';

type Reads = Pick<Statements, 'all' | 'get'>;

/** One memory in whatever state, or undefined when it is not there or not in the grant. */
export async function memoryById(read: Reads, grant: Grant, id: string): Promise<StoredMemory | undefined> {
  const within = readPredicate(grant, 's.scope');
  const row = await read.get(`SELECT ${memoryColumns} FROM ${memoryJoins} WHERE m.id = ? AND ${within.sql}`, id, ...within.values);
  return row === undefined ? undefined : storedMemory(row);
}

/** Memories by id, in the order asked for; those that are not there or not in the grant are left out. */
export async function memoriesById(read: Reads, grant: Grant, ids: readonly string[]): Promise<StoredMemory[]> {
  if (ids.length === 0) return [];
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT ${memoryColumns} FROM ${memoryJoins} WHERE m.id IN (SELECT value FROM json_each(?)) AND ${within.sql}`,
    JSON.stringify(ids),
    ...within.values,
  );
  const byId = new Map(rows.map((row) => [String(row['id']), row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [storedMemory(row)];
  });
}

/** Memories by sequence number, in the order asked for; those that are not in the grant are left out. */
export async function memoriesBySeq(read: Reads, grant: Grant, seqs: readonly number[]): Promise<StoredMemory[]> {
  if (seqs.length === 0) return [];
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT ${memoryColumns} FROM ${memoryJoins} WHERE m.seq IN (SELECT value FROM json_each(?)) AND ${within.sql}`,
    JSON.stringify(seqs),
    ...within.values,
  );
  const bySeq = new Map(rows.map((row) => [Number(row['seq']), row]));
  return seqs.flatMap((seq) => {
    const row = bySeq.get(seq);
    return row === undefined ? [] : [storedMemory(row)];
  });
}

export interface Page {
  readonly states: readonly State[];
  /** Only memories proposed in this session; `none` those of no session. */
  readonly session?: string;
  readonly kinds?: readonly Kind[];
  readonly limit: number;
  readonly offset: number;
}

/** The memories in some states, those that entered it last first. */
export async function memoriesInState(read: Reads, grant: Grant, page: Page): Promise<StoredMemory[]> {
  const within = readPredicate(grant, 's.scope');
  const kinds = page.kinds === undefined ? null : JSON.stringify(page.kinds);
  const rows = await read.all(
    `SELECT ${memoryColumns} FROM ${memoryJoins}
     WHERE s.state IN (SELECT value FROM json_each(?)) AND ${within.sql} AND (? IS NULL OR coalesce(m.session, 'none') = ?)
       AND (? IS NULL OR m.kind IN (SELECT value FROM json_each(?)))
     ORDER BY s.known_from DESC, m.seq DESC LIMIT ? OFFSET ?`,
    JSON.stringify(page.states),
    ...within.values,
    page.session ?? null,
    page.session ?? null,
    kinds,
    kinds,
    page.limit,
    page.offset,
  );
  return rows.map(storedMemory);
}

/** The ids of proposals that came before an instant and still wait, oldest first. */
export async function memoriesWaitingSince(read: Reads, grant: Grant, before: string): Promise<string[]> {
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT m.id FROM statuses s JOIN memories m ON m.seq = s.memory
     WHERE s.known_to IS NULL AND s.state = 'pending' AND s.known_from < ? AND ${within.sql} ORDER BY s.known_from LIMIT 500`,
    before,
    ...within.values,
  );
  return rows.map((row) => String(row['id']));
}

/** How many memories are in each state. */
export async function countStates(read: Reads, grant: Grant): Promise<Record<State, number>> {
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT s.state, count(*) AS n FROM statuses s JOIN memories m ON m.seq = s.memory WHERE s.known_to IS NULL AND ${within.sql} GROUP BY s.state`,
    ...within.values,
  );
  const counts = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  for (const row of rows) counts[row['state'] as State] = Number(row['n']);
  return counts;
}

export interface SessionSummary {
  readonly id: string;
  readonly client: string;
  readonly clientVersion: string;
  readonly startedAt: string;
  readonly pending: number;
}

/** The agent sessions that have proposals waiting, newest first. */
export async function sessionsWaiting(read: Reads, grant: Grant): Promise<SessionSummary[]> {
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT c.id, c.client, c.client_version, c.started_at, count(*) AS n
     FROM statuses s JOIN memories m ON m.seq = s.memory JOIN sessions c ON c.id = m.session
     WHERE s.known_to IS NULL AND s.state = 'pending' AND ${within.sql}
     GROUP BY c.id ORDER BY c.started_at DESC, c.id`,
    ...within.values,
  );
  return rows.map((row) => ({
    id: String(row['id']),
    client: String(row['client']),
    clientVersion: String(row['client_version']),
    startedAt: String(row['started_at']),
    pending: Number(row['n']),
  }));
}

/** An agent session of which something is remembered in whatever state. */
export interface ProposingSession extends Omit<SessionSummary, 'pending'> {
  readonly memories: number;
}

/** The agent sessions whose proposals are here and not forgotten, newest first. */
export async function sessionsProposing(read: Reads, grant: Grant, limit: number): Promise<ProposingSession[]> {
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT c.id, c.client, c.client_version, c.started_at, count(*) AS n
     FROM statuses s JOIN memories m ON m.seq = s.memory JOIN sessions c ON c.id = m.session
     WHERE s.known_to IS NULL AND s.state <> 'forgotten' AND ${within.sql}
     GROUP BY c.id ORDER BY c.started_at DESC, c.id LIMIT ?`,
    ...within.values,
    limit,
  );
  return rows.map((row) => ({
    id: String(row['id']),
    client: String(row['client']),
    clientVersion: String(row['client_version']),
    startedAt: String(row['started_at']),
    memories: Number(row['n']),
  }));
}

/** One anchor of a memory that may cover a file. */
export interface NearAnchor {
  readonly seq: number;
  readonly since: string;
  readonly anchor: Anchor;
}

/**
 * The anchors near a file of the memories in some states: on the file, on a folder above it, or a glob whose fixed part lies above
 * it (whether that glob matches is still to be asked).
 * @param path relative to the work tree's root.
 */
export async function anchorsNear(read: Reads, grant: Grant, path: string, states: readonly State[], now: string): Promise<NearAnchor[]> {
  const within = readPredicate(grant, 's.scope');
  const parts = path.split('/');
  const above = ['', ...parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))];
  const rows = await read.all(
    `SELECT a.memory AS seq, s.known_from AS since, a.kind, a.path, a.symbol, a.base
     FROM json_each(?) place
     JOIN anchors a ON a.base = place.value ->> 'base' AND a.kind = place.value ->> 'kind'
     JOIN statuses s ON s.memory = a.memory AND s.known_to IS NULL
     WHERE s.state IN (SELECT value FROM json_each(?)) AND ${within.sql}
       AND (s.valid_from IS NULL OR s.valid_from <= ?) AND (s.valid_to IS NULL OR s.valid_to > ?)`,
    JSON.stringify([
      ...['file', 'symbol', 'glob'].map((kind) => ({ base: path, kind })),
      ...above.flatMap((base) => ['folder', 'glob'].map((kind) => ({ base, kind }))),
    ]),
    JSON.stringify(states),
    ...within.values,
    now,
    now,
  );
  return rows.flatMap((row) => {
    const anchor = anchorOf(row);
    return anchor === undefined ? [] : [{ seq: Number(row['seq']), since: String(row['since']), anchor }];
  });
}
