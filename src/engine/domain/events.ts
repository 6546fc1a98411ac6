/** What the ledger records: events that commit to content without holding any of it, and the acts that persons sign. */
import * as z from 'zod';
import { canonicalJson, saltedHash, sha256 } from './canonical';
import type { Bounds, Evidence, NewMemory } from './memory';
import { states } from './memory';
import { signedActs } from './states';

const hex64 = z.string().regex(/^[0-9a-f]{64}$/);

const aboutMemory = {
  /** The store's id: a signed row copied into another store is not signed there. */
  store: z.string(),
  memory: z.string(),
  contentHash: hex64,
  /** Where and when it holds once the act is done. */
  scope: z.string(),
  validFrom: z.string().nullable(),
  validTo: z.string().nullable(),
  evidenceHashes: z.array(hex64).readonly(),
  from: z.enum([...states, 'none']),
  to: z.enum(states),
  /** The hash of the event that gave the memory the state the person saw; null for a new memory. */
  follows: hex64.nullable(),
  /** The salted hash of the reason; null without one. */
  reason: hex64.nullable(),
  at: z.string(),
};

const firstStatement = z.strictObject({ version: z.literal(1), act: z.enum(['save', 'approve', 'reject', 'retire']), ...aboutMemory });

const presentStatement = z.strictObject({
  version: z.literal(2),
  act: z.enum(signedActs),
  authority: z.enum(['person', 'policy']),
  ...aboutMemory,
  /** The memories the new state is about, sorted: see `Memory.others`. */
  others: z.array(z.string()).readonly(),
  /** What the act answers: a challenge's id, a verdict's key, the undone event. */
  about: z.string().nullable(),
  /** The id that all statements of one act share. */
  group: z.string(),
});

/** Exactly what a person's key signs: which memory, which bytes, which act, and the event that it follows. */
export type ActStatement = z.infer<typeof presentStatement>;

/** A statement of either version as the present one says it; the first knew no groups. */
export const asPresent = (statement: AnyStatement): ActStatement =>
  statement.version === 2 ? statement : { ...statement, version: 2, authority: 'person', others: [], about: null, group: '' };
type AnyStatement = z.infer<typeof firstStatement> | ActStatement;

/** What a person rules for the store as a whole. */
const rule = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('paused'), paused: z.boolean() }),
  /** Whether a slot holds one value or many. The slot is named by its salted key. */
  z.strictObject({ is: z.literal('slot'), slot: hex64, cardinality: z.enum(['one', 'many']) }),
  /** The store belongs to a folder that has moved. The folder is committed to, not named. */
  z.strictObject({ is: z.literal('folder'), identity: hex64 }),
  /** The file was put back from a backup whose chain ended here. */
  z.strictObject({ is: z.literal('restored'), seq: z.int(), hash: hex64 }),
]);
export type Rule = z.infer<typeof rule>;

const ruleStatement = z.strictObject({
  version: z.literal(1),
  store: z.string(),
  authority: z.enum(['person', 'policy']),
  rule,
  /** The hash of the event before it. */
  follows: hex64,
  at: z.string(),
});
export type RuleStatement = z.infer<typeof ruleStatement>;

export interface Signed<T> {
  readonly statement: T;
  /** The key's id. */
  readonly key: string;
  /** Ed25519, base64. */
  readonly signature: string;
}
export type SignedAct = Signed<AnyStatement>;
export type SignedRule = Signed<RuleStatement>;

const common = { version: z.literal(1), prev: hex64, at: z.string(), memory: z.string() };
const agent = z.strictObject({ authority: z.literal('agent'), session: z.string() });
const anyActor = z.discriminatedUnion('authority', [
  agent,
  z.strictObject({ authority: z.literal('person') }),
  z.strictObject({ authority: z.literal('policy') }),
  z.strictObject({ authority: z.literal('system') }),
]);
const signature = { key: hex64, signature: z.string() };

/** An event as it is hashed and stored. `prev` is the hash of the event before it, zeros for the first one. */
export const eventBody = z.discriminatedUnion('type', [
  z.strictObject({ ...common, type: z.literal('proposed'), actor: agent, contentHash: hex64 }),
  /** Somebody proposed the same value again: no second memory, and no change of state. */
  z.strictObject({ ...common, type: z.literal('supported'), actor: agent }),
  z.strictObject({
    ...common,
    type: z.literal('decided'),
    statement: z.discriminatedUnion('version', [firstStatement, presentStatement]),
    ...signature,
  }),
  /** An agent doubts it. The commitment is to the reason and evidence, under the challenge's own salt. */
  z.strictObject({
    ...common,
    type: z.literal('challenged'),
    actor: agent,
    challenge: z.string(),
    wants: z.enum(['contest', 'retire']),
    commitment: hex64,
  }),
  /** It waited longer than the review window. */
  z.strictObject({ ...common, type: z.literal('expired'), actor: z.strictObject({ authority: z.literal('system') }) }),
  /** Something asked for was not done. `memory` is the one that stood in its way, if one did, or the one asked about. */
  z.strictObject({ ...common, type: z.literal('refused'), actor: anyActor, command: z.string(), code: z.string() }),
  z.strictObject({ ...common, type: z.literal('ruled'), statement: ruleStatement, ...signature }),
]);
export type EventBody = z.infer<typeof eventBody>;
export type Actor = z.infer<typeof anyActor>;

/** The `prev` of the first event. */
export const chainStart = '0'.repeat(64);

/** An event's hash, which is also its name: over its canonical body, and so over its predecessor's hash. */
export const eventHash = (canonicalBody: string): string => sha256(`stet-event-1\n${canonicalBody}`);

/** The bytes a person's key signs for an act on a memory, or for a rule of the store. */
export const signedBytes = (statement: AnyStatement | RuleStatement): Uint8Array =>
  Buffer.from(`${'rule' in statement ? 'stet-rule-1' : 'stet-act-1'}\n${canonicalJson(statement)}`, 'utf8');

/** The commitment to a memory's content, under its own salt. */
export const contentHash = (memory: NewMemory): string => saltedHash(memory.salt, `content\n${canonicalJson(memory.content)}`);

export const reasonHash = (salt: string, reason: string): string => saltedHash(salt, `reason\n${reason}`);

export const evidenceHashes = (salt: string, evidence: readonly Evidence[]): string[] =>
  evidence.map((pointer) => saltedHash(salt, `evidence\n${canonicalJson(pointer)}`));

/** The bounds that a statement names. */
export const boundsIn = ({ scope, validFrom, validTo }: Pick<ActStatement, 'scope' | 'validFrom' | 'validTo'>): Bounds => ({
  scope,
  ...(validFrom !== null && { validFrom }),
  ...(validTo !== null && { validTo }),
});

/** Bounds as a statement names them. */
export const statedBounds = ({ scope, validFrom, validTo }: Bounds): Pick<ActStatement, 'scope' | 'validFrom' | 'validTo'> => ({
  scope,
  validFrom: validFrom ?? null,
  validTo: validTo ?? null,
});
