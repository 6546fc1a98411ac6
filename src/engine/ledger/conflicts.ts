/** Claims that cannot both hold: different values in a slot of one, in the same scope, at the same time. */
import type { Bounds, Content } from '../domain/memory';
import { servedStates } from '../domain/states';
import { readPredicate } from '../scope/grant';
import type { Statements } from '../store/database';
import { claimKeys } from '../store/rows';
import { memoriesById } from '../store/memories';
import { check } from './parts';
import type { PlanContext } from './plan';
import { overlap } from './plan';

type Reads = Pick<Statements, 'all' | 'get'>;

/**
 * Whether a slot holds one value or many, as a person last said; undefined where nobody has.
 * @param suggested by a claim: it counts before what other claims suggested, and not before what a person ruled.
 */
export async function cardinalityOf(read: Reads, slot: string, suggested?: 'one' | 'many'): Promise<'one' | 'many' | undefined> {
  const row = await read.get(
    `SELECT s.cardinality, r.event IS NOT NULL AS ruled FROM slots s LEFT JOIN rulings r ON r.event = s.event
     WHERE s.slot = ? ORDER BY ruled DESC, s.event DESC LIMIT 1`,
    slot,
  );
  if (row === undefined || (row['ruled'] !== 1 && suggested !== undefined)) return suggested;
  return row['cardinality'] === 'one' ? 'one' : 'many';
}

/** The standing memories whose claim contradicts this one's within its bounds. Ids, oldest first. */
export async function conflictingWith(
  { read, grant, store, keys }: Pick<PlanContext, 'read' | 'grant' | 'store' | 'keys'>,
  content: Content,
  bounds: Bounds,
): Promise<string[]> {
  const claimed = claimKeys(store.salt, content);
  if (claimed === undefined) return [];
  // A person who lets a claim stand that says "one" has said so for its slot.
  if ((await cardinalityOf(read, claimed.slot, content.claim?.cardinality)) !== 'one') return [];
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT m.id FROM claims c JOIN memories m ON m.seq = c.memory JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     WHERE c.slot = ? AND c.object <> ? AND s.scope = ? AND s.state IN (SELECT value FROM json_each(?)) AND ${within.sql} ORDER BY m.seq`,
    claimed.slot,
    claimed.object,
    bounds.scope,
    JSON.stringify(servedStates),
    ...within.values,
  );
  const others = await memoriesById(
    read,
    grant,
    rows.map((row) => String(row['id'])),
  );
  return (await check(read, others, store, keys))
    .filter(({ stored, replayed }) => replayed.tampering === undefined && overlap(bounds, stored.bounds))
    .map(({ stored }) => stored.id);
}

/** Whether a person has answered exactly this question. */
export const isAnswered = async ({ read }: Pick<PlanContext, 'read'>, question: string): Promise<boolean> =>
  (await read.get('SELECT 1 FROM verdicts WHERE question = ? LIMIT 1', question)) !== undefined;
