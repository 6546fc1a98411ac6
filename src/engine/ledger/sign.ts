/** A person's signature on an act: asked for before the transaction, checked inside it. */
import { canonicalJson } from '../domain/canonical';
import { actBytes, type ActStatement, type SignedAct } from '../domain/events';
import { changedMeanwhile } from '../errors';
import type { Signer } from '../ports';
import type { Keys } from './keyring';

/** Has the person's key sign exactly these bytes. */
export async function sign(statement: ActStatement, signer: Signer): Promise<SignedAct> {
  const signature = Buffer.from(await signer.sign(actBytes(statement))).toString('base64');
  return { statement, key: signer.keyId, signature };
}

/**
 * Checks that what was signed is what is about to be done, and by whom.
 * @throws `changed_meanwhile`, `untrusted_key` or `signature_invalid`.
 */
export function checkSigned(signed: SignedAct, present: ActStatement, keys: Keys): void {
  if (canonicalJson(signed.statement) !== canonicalJson(present)) throw changedMeanwhile();
  keys.verify(signed);
}
