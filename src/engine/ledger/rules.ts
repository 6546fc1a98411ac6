/** What a person rules for the store as a whole, and the one rule that every door asks: whether memory is paused. */
import { chainStart, type Rule, type RuleStatement } from '../domain/events';
import { paused } from '../errors';
import type { Statements } from '../store/database';
import { readEvent } from './chain';
import type { LedgerParts } from './parts';

type Reads = Pick<Statements, 'get'>;

/** A rule as it is to be signed: it follows the newest event, so that it cannot be played back later. */
export async function ruleStatement(
  read: Reads,
  rule: Rule,
  store: string,
  authority: RuleStatement['authority'],
  at: string,
): Promise<RuleStatement> {
  const last = await read.get('SELECT hash FROM events ORDER BY seq DESC LIMIT 1');
  return { version: 1, store, authority, rule, follows: last === undefined ? chainStart : String(last['hash']), at };
}

/**
 * Whether a person has paused memory here. The newest ruling counts, if it is signed; one that is not pauses too, since somebody
 * has changed what a person said.
 */
export async function isPaused(read: Reads, { keyRing, store }: Pick<LedgerParts, 'keyRing' | 'store'>): Promise<boolean> {
  const row = await read.get(
    `SELECT e.seq, e.hash, e.body FROM rulings r JOIN events e ON e.seq = r.event WHERE r.subject = 'paused' ORDER BY r.event DESC LIMIT 1`,
  );
  if (row === undefined) return false;
  const body = readEvent({ seq: Number(row['seq']), hash: String(row['hash']), body: String(row['body']) });
  if (body?.type !== 'ruled' || body.statement.rule.is !== 'paused' || body.statement.store !== store.id) return true;
  const keys = await keyRing.trusted();
  if (keys.size === 0) return body.statement.rule.paused; // nothing is served without keys anyway
  try {
    keys.verify(body, String(row['hash']));
  } catch {
    return true; // a ruling under a key that nobody pinned would be anybody's
  }
  return body.statement.rule.paused;
}

/** @throws `paused`. */
export async function refuseWhilePaused(read: Reads, parts: Pick<LedgerParts, 'keyRing' | 'store'>): Promise<void> {
  if (await isPaused(read, parts)) throw paused();
}
