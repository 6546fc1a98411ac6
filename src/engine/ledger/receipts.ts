/** Receipts: what a repeated command is answered with, and how an exact duplicate is found. */
import { saltedHash } from '../domain/canonical';
import type { State } from '../domain/memory';
import { commandIdReused } from '../errors';
import { grantName, readPredicate, type Grant } from '../scope/grant';
import type { Statements } from '../store/database';
import type { Receipt } from './commands';
import { hintsToKeep, keptHints, noHints, type Hints } from './hints';
import type { LedgerParts } from './parts';

/** A call whose repetition is to be recognised. The same command id of another client or grant is another call. */
export interface Call {
  readonly client: string;
  readonly grant: Grant;
  readonly commandId: string | undefined;
  /** The canonical form of what was asked. */
  readonly payload: string;
}

export function receiptFor(id: string, state: State, how: { replayed?: boolean; duplicate?: boolean; hints?: Hints } = {}): Receipt {
  return { id, state, replayed: how.replayed ?? false, duplicate: how.duplicate ?? false, ...(how.hints ?? noHints) };
}

/**
 * The receipt of an earlier call with the same command id; undefined when there was none.
 * @throws `command_id_reused` when the earlier call asked for something else.
 */
export async function storedReceipt(ledger: LedgerParts, read: Pick<Statements, 'all' | 'get'>, call: Call): Promise<Receipt | undefined> {
  if (call.commandId === undefined) return undefined;
  const within = readPredicate(call.grant, 's.scope');
  const row = await read.get(
    `SELECT r.payload_hash, r.state, r.duplicate, r.hints, m.id, m.salt
     FROM receipts r JOIN memories m ON m.seq = r.memory JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     WHERE r.client = ? AND r.grant_name = ? AND r.command = ? AND ${within.sql}`,
    call.client,
    grantName(call.grant),
    call.commandId,
    ...within.values,
  );
  if (row === undefined) return undefined;
  if (row['payload_hash'] !== payloadHash(String(row['salt']), call)) throw commandIdReused();
  const hints = await keptHints(read, String(row['hints']), call.grant, ledger);
  return receiptFor(String(row['id']), row['state'] as State, { replayed: true, duplicate: row['duplicate'] === 1, hints });
}

/** Keeps the receipt of a call that has a command id. The payload is hashed under the memory's salt, so it is forgotten with it. */
export async function keepReceipt(
  tx: Statements,
  call: Call,
  outcome: { seq: number; salt: string; state: State; duplicate: boolean; hints: Hints },
): Promise<void> {
  if (call.commandId === undefined) return;
  await tx.run(
    // An earlier call's receipt is replaced only where its memory has left the grant, for which it is as if it had never been.
    'INSERT OR REPLACE INTO receipts (client, grant_name, command, memory, payload_hash, state, duplicate, hints) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    call.client,
    grantName(call.grant),
    call.commandId,
    outcome.seq,
    payloadHash(outcome.salt, call),
    outcome.state,
    outcome.duplicate ? 1 : 0,
    hintsToKeep(outcome.hints),
  );
}

const payloadHash = (salt: string, call: Call) => saltedHash(salt, `payload\n${call.payload}`);

/**
 * The sequence numbers of the memories whose rows claim this value and a state in which it needs no second one; whether they really
 * are in it is for their events to say.
 */
export async function claimingValue(read: Pick<Statements, 'all'>, grant: Grant, valueKey: string): Promise<number[]> {
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT m.seq FROM memories m JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     WHERE m.value_key = ? AND s.state IN ('pending', 'active', 'contested') AND ${within.sql} ORDER BY m.seq`,
    valueKey,
    ...within.values,
  );
  return rows.map((row) => Number(row['seq']));
}
