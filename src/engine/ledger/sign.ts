/** A person's signature on an act or a rule: asked for before the transaction, checked inside it. */
import { canonicalJson } from '../domain/canonical';
import { signedBytes, type ActStatement, type RuleStatement, type Signed, type SignedAct, type SignedRule } from '../domain/events';
import { changedMeanwhile, notAuthorised } from '../errors';
import type { Signer } from '../ports';
import type { Keys } from './keyring';

/** Has the person's key sign exactly these bytes. */
export const sign = (statement: ActStatement, signer: Signer): Promise<SignedAct> => signed(statement, signer);

/** The same for a rule of the store. */
export const signRule = (statement: RuleStatement, signer: Signer): Promise<SignedRule> => signed(statement, signer);

async function signed<T extends ActStatement | RuleStatement>(statement: T, signer: Signer): Promise<Signed<T>> {
  const signature = Buffer.from(await signer.sign(signedBytes(statement))).toString('base64');
  return { statement, key: signer.keyId, signature };
}

/**
 * Checks that what was signed is what is about to be done, and by whom.
 * @throws `changed_meanwhile`, `untrusted_key` or `signature_invalid`.
 */
export function checkSigned(act: SignedAct, present: ActStatement, keys: Keys): void {
  if (canonicalJson(act.statement) !== canonicalJson(present)) throw changedMeanwhile();
  keys.verify(act);
}

/** The same for a rule, which only a person lays. @throws `not_authorised` besides. */
export function checkSignedRule(rule: SignedRule, present: RuleStatement, keys: Keys): void {
  if (rule.statement.authority !== 'person') throw notAuthorised('ruled over', rule.statement.authority);
  if (canonicalJson(rule.statement) !== canonicalJson(present)) throw changedMeanwhile();
  keys.verify(rule);
}
