/** Whether a store still has what was signed as its newest event: asked before anything is read from it for an agent, or written to it. */
import type { OpenStore } from './engine';
import { storeBehind } from './errors';
import { standing } from './ledger/heads';

/** @throws `store_behind` when the store lacks what was signed as its newest event, or holds another in its place. */
export async function refuseBehind({ heads, source: { parts } }: Pick<OpenStore, 'heads' | 'source'>): Promise<void> {
  const keys = await parts.keyRing.trusted();
  if (keys.size === 0) return; // nothing is served without keys, and none can say whose head it is
  const head = await heads?.read(keys);
  if (head !== undefined && (await standing(parts.database.read, head)) !== 'ahead') throw storeBehind();
}
