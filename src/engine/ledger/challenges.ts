/** What agents doubt: a challenge waits beside the memory it is about, and a person accepts or declines it. */
import * as z from 'zod';
import { canonicalJson, saltedHash } from '../domain/canonical';
import { evidenceList, limits, wellFormed } from '../domain/input';
import { readPredicate, type Grant } from '../scope/grant';
import type { Statements } from '../store/database';
import { readEvent } from './chain';

type Reads = Pick<Statements, 'all' | 'get'>;

/** What an agent sends to `memory_contest`. */
export const contestSchema = z.strictObject({
  id: z.uuid(),
  reason: wellFormed(limits.reason),
  evidence: evidenceList.min(1, 'needs at least one pointer: what says otherwise?'),
  with: z.uuid().optional(),
});

/** What an agent sends to `memory_request_retire`. */
export const requestRetireSchema = z.strictObject({ id: z.uuid(), reason: wellFormed(limits.reason) });

/** A challenge as the person sees it. */
export interface OpenChallenge {
  readonly id: string;
  /** The id of the memory it is about. */
  readonly memory: string;
  readonly wants: 'contest' | 'retire';
  /** The id of the memory it is said to contradict. */
  readonly counterpart: string | undefined;
  readonly client: string;
  readonly session: string;
  readonly at: string;
  readonly reason: string;
  /** Pointers, as stored: JSON of `Evidence`. */
  readonly evidence: string;
  readonly question: string;
  readonly answered: boolean;
}

const columns = `h.id, m.id AS memory, h.wants, o.id AS counterpart, c.client, h.session, h.at, h.reason, h.evidence, h.question, h.answer`;
const joins = `challenges h JOIN memories m ON m.seq = h.memory JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
  JOIN sessions c ON c.id = h.session LEFT JOIN memories o ON o.seq = h.counterpart`;

/** One challenge, if its memory is in the grant. */
export async function challengeById(read: Reads, grant: Grant, id: string): Promise<OpenChallenge | undefined> {
  const within = readPredicate(grant, 's.scope');
  const row = await read.get(`SELECT ${columns} FROM ${joins} WHERE h.id = ? AND ${within.sql}`, id, ...within.values);
  return row === undefined ? undefined : challengeOf(row);
}

/** The challenges that wait, oldest first. @param memories only those about these ids. */
export async function openChallenges(read: Reads, grant: Grant, memories?: readonly string[]): Promise<OpenChallenge[]> {
  const within = readPredicate(grant, 's.scope');
  const ids = memories === undefined ? null : JSON.stringify(memories);
  const rows = await read.all(
    `SELECT ${columns} FROM ${joins} WHERE h.answer IS NULL AND (? IS NULL OR m.id IN (SELECT value FROM json_each(?))) AND ${within.sql}
     ORDER BY h.event`,
    ids,
    ids,
    ...within.values,
  );
  return rows.map(challengeOf);
}

/** Whether the words of a challenge are what its event commits to: they are signed with the act that accepts it, and agents read them then. */
export async function isAsAsked(read: Reads, { id, reason, evidence }: OpenChallenge): Promise<boolean> {
  const row = await read.get('SELECT h.salt, e.seq, e.hash, e.body FROM challenges h JOIN events e ON e.seq = h.event WHERE h.id = ?', id);
  if (row === undefined) return false;
  const body = readEvent({ seq: Number(row['seq']), hash: String(row['hash']), body: String(row['body']) });
  return body?.type === 'challenged' && body.challenge === id && body.commitment === challengeHash(String(row['salt']), reason, evidence);
}

/** The commitment to a challenge's words, under its own salt. @param evidence as stored. */
export const challengeHash = (salt: string, reason: string, evidence: string): string =>
  saltedHash(salt, `challenge\n${canonicalJson({ reason, evidence })}`);

/** How many challenges wait about each of these memories: all that readers may know of them. */
export async function challengeCounts(read: Reads, grant: Grant, seqs: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT h.memory AS seq, count(*) AS n FROM challenges h JOIN statuses s ON s.memory = h.memory AND s.known_to IS NULL
     WHERE h.answer IS NULL AND h.memory IN (SELECT value FROM json_each(?)) AND ${within.sql} GROUP BY h.memory`,
    JSON.stringify(seqs),
    ...within.values,
  );
  return new Map(rows.map((row) => [Number(row['seq']), Number(row['n'])]));
}

/** The challenge that waits with exactly this question. */
export async function waitingWith(read: Reads, question: string): Promise<string | undefined> {
  const row = await read.get('SELECT id FROM challenges WHERE question = ? AND answer IS NULL', question);
  return row === undefined ? undefined : String(row['id']);
}

const challengeOf = (row: Record<string, unknown>): OpenChallenge => ({
  id: String(row['id']),
  memory: String(row['memory']),
  wants: row['wants'] === 'retire' ? 'retire' : 'contest',
  counterpart: typeof row['counterpart'] === 'string' ? row['counterpart'] : undefined,
  client: String(row['client']),
  session: String(row['session']),
  at: String(row['at']),
  reason: String(row['reason']),
  evidence: String(row['evidence']),
  question: String(row['question']),
  answered: row['answer'] !== null,
});
