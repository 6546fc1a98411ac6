/** What the editor reads of the record: which sessions saw what, for which question and at what cost. */
import { readPredicate, type Grant } from '../scope/grant';
import type { Row, Statements } from '../store/database';
import type { Surface } from './answer';

type Reads = Pick<Statements, 'all'>;

export interface SeenPage {
  readonly limit: number;
  readonly offset: number;
}

/** A session that was given answers. */
export interface SessionSeen {
  readonly session: string;
  readonly client: string;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly recalls: number;
  /** How many different memories went out. */
  readonly memories: number;
  /** Tokens of all its answers. */
  readonly tokens: number;
  /** Answers that could not be recorded. */
  readonly lost: number;
}

/** The sessions in the record, the one that asked last first. */
export async function sessionsSeen(read: Reads, grant: Grant, page: SeenPage): Promise<SessionSeen[]> {
  const within = readPredicate(grant, 'r.scope');
  const also = readPredicate(grant, 'd.scope');
  const rows = await read.all(
    `SELECT s.*,
       (SELECT count(DISTINCT d.memory) FROM recalls r JOIN recalled d ON d.recall = r.seq
        WHERE r.session = s.session AND d.withdrawn = 0 AND ${also.sql}) AS memories
     FROM (SELECT r.session, r.client, min(r.at) AS first_at, max(r.at) AS last_at, max(r.seq) AS last, count(*) AS recalls,
             sum(r.tokens) AS tokens, sum(r.lost) AS lost
           FROM recalls r WHERE ${within.sql} GROUP BY r.session ORDER BY last DESC LIMIT ? OFFSET ?) s
     ORDER BY s.last DESC`,
    ...also.values,
    ...within.values,
    page.limit,
    page.offset,
  );
  return rows.map((row) => ({
    session: String(row['session']),
    client: String(row['client']),
    firstAt: String(row['first_at']),
    lastAt: String(row['last_at']),
    recalls: Number(row['recalls']),
    memories: Number(row['memories']),
    tokens: Number(row['tokens']),
    lost: Number(row['lost']),
  }));
}

/** A memory in an answer. */
export interface SeenItem {
  readonly memory: string;
  readonly tokens: number;
  readonly shortened: boolean;
  /** Whether it was only named as no longer held. */
  readonly withdrawn: boolean;
  /** What the agent said of its use; undefined when it said nothing. */
  readonly use: 'used' | 'helped' | 'didNotHelp' | undefined;
}

/** One answer of a session. */
export interface SeenRecall {
  readonly id: string;
  readonly at: string;
  readonly surface: Surface;
  /** Masked; absent where there was none or it was forgotten. */
  readonly question?: string;
  readonly mode?: 'hybrid' | 'lexical';
  readonly tokens: number;
  readonly leftOut: number;
  readonly lost: number;
  /** In the order of the answer; those that the grant does not read are left out. */
  readonly items: readonly SeenItem[];
}

/** The answers of a session, the last one first. */
export async function recallsOf(read: Reads, grant: Grant, session: string, page: SeenPage): Promise<SeenRecall[]> {
  const within = readPredicate(grant, 'r.scope');
  const rows = await read.all(
    `SELECT r.* FROM recalls r WHERE r.session = ? AND ${within.sql} ORDER BY r.seq DESC LIMIT ? OFFSET ?`,
    session,
    ...within.values,
    page.limit,
    page.offset,
  );
  const items = await itemsOf(
    read,
    grant,
    rows.map((row) => Number(row['seq'])),
  );
  return rows.map((row) => ({
    id: String(row['id']),
    at: String(row['at']),
    surface: row['surface'] as Surface, // a CHECK on the column, as for the mode
    ...(row['question'] !== null && { question: String(row['question']) }),
    ...(row['mode'] !== null && { mode: row['mode'] as 'hybrid' | 'lexical' }),
    tokens: Number(row['tokens']),
    leftOut: Number(row['left_out']),
    lost: Number(row['lost']),
    items: items.get(Number(row['seq'])) ?? [],
  }));
}

async function itemsOf(read: Reads, grant: Grant, recalls: readonly number[]): Promise<Map<number, SeenItem[]>> {
  const within = readPredicate(grant, 'm.scope');
  const rows = await read.all(
    `SELECT d.recall, m.id, d.tokens, d.shortened, d.withdrawn, u.recall IS NOT NULL AS used, u.helped
     FROM recalled d JOIN memories m ON m.seq = d.memory
     LEFT JOIN uses u ON u.recall = d.recall AND u.memory = d.memory
     WHERE d.recall IN (SELECT value FROM json_each(?)) AND ${within.sql}
     ORDER BY d.recall, d.position`,
    JSON.stringify(recalls),
    ...within.values,
  );
  const items = new Map<number, SeenItem[]>(recalls.map((recall) => [recall, []]));
  for (const row of rows)
    items.get(Number(row['recall']))?.push({
      memory: String(row['id']),
      tokens: Number(row['tokens']),
      shortened: row['shortened'] === 1,
      withdrawn: row['withdrawn'] === 1,
      use: useOf(row),
    });
  return items;
}

function useOf(row: Row): SeenItem['use'] {
  if (row['used'] !== 1) return undefined;
  if (row['helped'] === null) return 'used';
  return row['helped'] === 1 ? 'helped' : 'didNotHelp';
}

/** A session that was given a certain memory. */
export interface SessionThatSaw {
  readonly session: string;
  readonly client: string;
  /** In how many answers. */
  readonly times: number;
  readonly lastAt: string;
}

/** The sessions that were given the words of a memory, the last one first. @param memory its sequence number. */
export async function sessionsThatSaw(read: Reads, grant: Grant, memory: number): Promise<SessionThatSaw[]> {
  const within = readPredicate(grant, 'r.scope');
  const rows = await read.all(
    `SELECT r.session, r.client, count(*) AS times, max(r.at) AS last_at
     FROM recalled d JOIN recalls r ON r.seq = d.recall
     WHERE d.memory = ? AND d.withdrawn = 0 AND ${within.sql}
     GROUP BY r.session ORDER BY max(r.seq) DESC`,
    memory,
    ...within.values,
  );
  return rows.map((row) => ({
    session: String(row['session']),
    client: String(row['client']),
    times: Number(row['times']),
    lastAt: String(row['last_at']),
  }));
}
