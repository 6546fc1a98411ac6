/** Values that a person rejected or had forgotten: buried by digest, asked for by every writer before anything else, lifted by a person. */
import type { Content, NewMemory } from '../domain/memory';
import { valueDigests } from '../domain/value-key';
import { rejectedBefore } from '../errors';
import { contains } from '../scope/grant';
import type { Row, Statements } from '../store/database';
import type { Keys } from './keyring';
import type { UserStore } from './parts';
import { signedReason, type ReasonBeside } from './reasons';

type Reads = Pick<Statements, 'all' | 'get'>;

/** Whose tombstones are asked: the store's own, and those of the user store, which hold everywhere. */
export interface Graveyard {
  readonly read: Reads;
  readonly store: { readonly salt: string };
  readonly user?: UserStore;
  readonly keys: Keys;
}

/** A tombstone that a value met. */
export interface Buried {
  readonly scope: string;
  readonly memory: number;
  readonly event: number;
  readonly at: string;
  /** The person's reason, where its words still exist and are what was signed. */
  readonly reason: string | undefined;
}

/**
 * Refuses a value that is buried in its scope or around it.
 * @param but the event of a tombstone that does not count, since it is just being undone.
 * @throws `rejected_before`, with the date and the reason.
 */
export async function refuseBuried(where: Graveyard, content: Content, scope: string, but?: number): Promise<void> {
  const own = (await buried(where.read, where.store.salt, where.keys, content)).find(
    (one) => contains(one.scope, scope) && one.event !== but,
  );
  const found = own ?? (where.user === undefined ? undefined : (await buried(where.user.read, where.user.salt, where.keys, content))[0]);
  if (found !== undefined) throw rejectedBefore(found.at, found.reason, own?.memory);
}

/** The scopes beside or inside this one in which the same value is buried: it may be proposed here, marked so. */
export async function buriedElsewhere(where: Graveyard, content: Content, scope: string): Promise<string[]> {
  const scopes = (await buried(where.read, where.store.salt, where.keys, content)).map((one) => one.scope);
  return [...new Set(scopes)].filter((one) => !contains(one, scope)).sort();
}

/** The act after it that lifted a tombstone: a mark without one was set by something that is not the ledger, and lifts nothing. */
const liftingAct = `
  SELECT 1 FROM events l
  WHERE l.seq = t.lifted AND l.seq > t.event AND l.memory = (SELECT id FROM memories WHERE seq = t.memory) AND l.body ->> '$.statement.act' IN ('lift', 'undo')`;

async function buried(read: Reads, salt: string, keys: Keys, content: Content): Promise<Buried[]> {
  const digests = valueDigests(salt, content).map(({ digest }) => digest);
  const rows = await read.all(
    `SELECT t.scope, t.memory, t.event, e.body ->> '$.at' AS at, e.hash, e.body, r.text AS reason, m.salt
     FROM tombstones t JOIN events e ON e.seq = t.event LEFT JOIN reasons r ON r.event = t.event LEFT JOIN memories m ON m.seq = t.memory
     WHERE t.digest IN (SELECT value FROM json_each(?)) AND NOT EXISTS (${liftingAct}) ORDER BY t.event`,
    JSON.stringify(digests),
  );
  return rows.map((row) => ({
    scope: String(row['scope']),
    memory: Number(row['memory']),
    event: Number(row['event']),
    at: String(row['at']),
    reason: typeof row['reason'] === 'string' ? signedReason(reasonIn(row), keys) : undefined,
  }));
}

const reasonIn = (row: Row): ReasonBeside => ({
  event: { seq: Number(row['event']), hash: String(row['hash']), body: String(row['body']) },
  salt: String(row['salt']),
  text: String(row['reason']),
});

/** Buries a memory's value, within a transaction. */
export async function bury(tx: Statements, salt: string, memory: NewMemory, seq: number, scope: string, event: number): Promise<void> {
  for (const { kind, form, digest } of valueDigests(salt, memory.content))
    await tx.run(
      'INSERT INTO tombstones (digest, scope, event, kind, form, memory) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      digest,
      scope,
      event,
      kind,
      form,
      seq,
    );
}

/** Lifts every tombstone of a memory. */
export async function liftAll(tx: Statements, seq: number, event: number): Promise<void> {
  await tx.run('UPDATE tombstones SET lifted = ? WHERE memory = ? AND lifted IS NULL', event, seq);
}

/** Lifts the tombstones that one event set. */
export async function liftThoseOf(tx: Statements, set: number, event: number): Promise<void> {
  await tx.run('UPDATE tombstones SET lifted = ? WHERE event = ? AND lifted IS NULL', event, set);
}
