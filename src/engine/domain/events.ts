/** What the ledger records: events that commit to content without holding any of it, and the acts that persons sign. */
import * as z from 'zod';
import { canonicalJson, saltedHash, sha256 } from './canonical';
import type { Content, Evidence, NewMemory, State } from './memory';
import { states } from './memory';
import type { Act } from './states';

/** Exactly what a person's key signs: which memory, which bytes, which act, and the event that it follows. */
export interface ActStatement {
  readonly version: 1;
  /** The store's id: a signed row copied into another store is not signed there. */
  readonly store: string;
  readonly act: Exclude<Act, 'propose'>;
  readonly memory: string;
  readonly contentHash: string;
  readonly scope: string;
  readonly validFrom: string | null;
  readonly validTo: string | null;
  readonly evidenceHashes: readonly string[];
  readonly from: State | 'none';
  readonly to: State;
  /** The hash of the event that gave the memory the state the person saw; null for a new memory. */
  readonly follows: string | null;
  /** The salted hash of the reason; null without one. */
  readonly reason: string | null;
  readonly at: string;
}

export interface SignedAct {
  readonly statement: ActStatement;
  /** The key's id. */
  readonly key: string;
  /** Ed25519, base64. */
  readonly signature: string;
}

const hex64 = z.string().regex(/^[0-9a-f]{64}$/);

const actStatement = z.strictObject({
  version: z.literal(1),
  store: z.string(),
  act: z.enum(['save', 'approve', 'reject', 'retire']),
  memory: z.string(),
  contentHash: hex64,
  scope: z.string(),
  validFrom: z.string().nullable(),
  validTo: z.string().nullable(),
  evidenceHashes: z.array(hex64).readonly(),
  from: z.enum([...states, 'none']),
  to: z.enum(states),
  follows: hex64.nullable(),
  reason: hex64.nullable(),
  at: z.string(),
});

const common = { version: z.literal(1), prev: hex64, at: z.string(), memory: z.string() };
const agent = z.strictObject({ authority: z.literal('agent'), session: z.string() });

/** An event as it is hashed and stored. `prev` is the hash of the event before it, zeros for the first one. */
export const eventBody = z.discriminatedUnion('type', [
  z.strictObject({ ...common, type: z.literal('proposed'), actor: agent, contentHash: hex64 }),
  /** Somebody proposed the same value again: no second memory, and no change of state. */
  z.strictObject({ ...common, type: z.literal('supported'), actor: agent }),
  z.strictObject({ ...common, type: z.literal('decided'), statement: actStatement, key: hex64, signature: z.string() }),
]);
export type EventBody = z.infer<typeof eventBody>;

/** The `prev` of the first event. */
export const chainStart = '0'.repeat(64);

/** An event's hash, which is also its name: over its canonical body, and so over its predecessor's hash. */
export const eventHash = (canonicalBody: string): string => sha256(`stet-event-1\n${canonicalBody}`);

/** The bytes a person's key signs. */
export const actBytes = (statement: ActStatement): Uint8Array => Buffer.from(`stet-act-1\n${canonicalJson(statement)}`, 'utf8');

/** The commitment to a memory's content, under its own salt. */
export const contentHash = (memory: NewMemory): string => saltedHash(memory.salt, `content\n${canonicalJson(memory.content)}`);

export const reasonHash = (salt: string, reason: string): string => saltedHash(salt, `reason\n${reason}`);

const evidenceHashes = (salt: string, evidence: readonly Evidence[]): string[] =>
  evidence.map((pointer) => saltedHash(salt, `evidence\n${canonicalJson(pointer)}`));

/** What an act commits to of the memory itself; the rest of the statement says what is done to it. */
export function statementOf(
  memory: NewMemory,
  act: Pick<ActStatement, 'store' | 'act' | 'from' | 'to' | 'follows' | 'reason' | 'at'>,
): ActStatement {
  const { scope, validFrom, validTo, evidence }: Content = memory.content;
  return {
    version: 1,
    memory: memory.id,
    contentHash: contentHash(memory),
    scope,
    validFrom: validFrom ?? null,
    validTo: validTo ?? null,
    evidenceHashes: evidenceHashes(memory.salt, evidence),
    ...act,
  };
}
