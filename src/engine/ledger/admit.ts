/** The gate of a decision: is it there, is it what the person saw, and may this act be done to it now. */
import { contentHash, reasonHash, statementOf, type ActStatement } from '../domain/events';
import { nextState } from '../domain/states';
import { changedMeanwhile, notFound, tampered } from '../errors';
import type { Statements } from '../store/database';
import { memoryById } from '../store/memories';
import type { StoredMemory } from '../store/rows';
import type { Decide } from './commands';
import type { Keys } from './keyring';
import { check, type StoreIdentity } from './parts';

export interface Admitted {
  readonly memory: Extract<StoredMemory, { readable: true }>;
  /** What has to be signed, or has been. */
  readonly statement: ActStatement;
}

/**
 * Asks the store whether a decision may be made, and says what exactly it would be.
 * The state is the one the events lead to, never the one a row claims.
 * @throws `not_found`, `tampered`, `changed_meanwhile` or `illegal_transition`.
 */
export async function admitDecision(
  read: Pick<Statements, 'all' | 'get'>,
  command: Decide,
  reason: string | undefined,
  at: string,
  store: StoreIdentity,
  keys: Keys,
): Promise<Admitted> {
  const stored = await memoryById(read, command.grant, command.id);
  if (stored === undefined) throw notFound();
  const [checked] = await check(read, [stored], store, keys);
  const from = checked?.replayed.state;
  if (checked === undefined || from === undefined || !stored.readable) throw tampered();
  // Withdrawing what was altered is always safe; letting it stand never is.
  if (command.type === 'approve' && checked.replayed.tampering !== undefined) throw tampered();
  const { follows } = checked.replayed;
  if (contentHash(stored.memory) !== command.seen.contentHash || follows !== command.seen.follows) throw changedMeanwhile();
  const statement = statementOf(stored.memory, {
    store: store.id,
    act: command.type,
    from,
    to: nextState(command.type, from),
    follows,
    reason: reason === undefined ? null : reasonHash(stored.memory.salt, reason),
    at,
  });
  return { memory: stored, statement };
}
