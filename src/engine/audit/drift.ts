/** Evidence that is no longer what it was, and a person's word that the memory is right all the same. */
import { canonicalJson, sha256 } from '../domain/canonical';
import type { EvidenceState } from '../evidence/check';
import { questionKey } from '../ledger/acts';
import { isAnswered } from '../ledger/conflicts';
import type { StoreIdentity } from '../ledger/parts';
import type { Statements } from '../store/database';

/**
 * A name of exactly what a memory's evidence has become; undefined while it says what it said, or when a person has said "still right"
 * to exactly this. What has only moved says what it said.
 */
export async function driftOf(
  read: Pick<Statements, 'all' | 'get'>,
  store: StoreIdentity,
  memory: string,
  states: readonly EvidenceState[],
): Promise<string | undefined> {
  const drifted = states.flatMap((one, index) =>
    one === undefined || (one.state !== 'changed' && one.state !== 'missing')
      ? []
      : [{ index, state: one.state, digest: one.state === 'changed' ? one.digest : null }],
  );
  if (drifted.length === 0) return undefined;
  const drift = sha256(canonicalJson(drifted));
  return (await isAnswered({ read }, questionKey({ store }, 'drift', [memory, drift]))) ? undefined : drift;
}
