/** What the ledger works with, and the reads it shares with recall: a memory together with what its events say of it. */
import { servedStates } from '../domain/states';
import type { Repository } from '../evidence/repository';
import type { Clock, Ids } from '../ports';
import { mayRead, type Grant } from '../scope/grant';
import type { Database, Statements } from '../store/database';
import { memoryById } from '../store/memories';
import type { StoredMemory } from '../store/rows';
import { eventsOf } from './chain';
import type { KeyRing, Keys } from './keyring';
import type { PlannedStep } from './plan';
import { replay, type Replayed } from './replay';

export interface StoreIdentity {
  readonly id: string;
  /** Salts the value keys, hex. */
  readonly salt: string;
}

/** The store of what holds everywhere, as a workspace's ledger sees it: its tombstones refuse here too. */
export interface UserStore {
  readonly read: Pick<Statements, 'all' | 'get'>;
  readonly salt: string;
}

export interface LedgerParts {
  readonly database: Database;
  readonly store: StoreIdentity;
  readonly keyRing: KeyRing;
  readonly repository: Repository;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly user?: UserStore;
  /** Takes the words of forgotten memories out of the record of what agents asked, within the transaction that forgets them. */
  readonly forgetQuestions: (tx: Statements, forgotten: readonly PlannedStep[], questions: readonly string[]) => Promise<void>;
}

/** A memory's rows beside its replayed events. */
export interface Checked {
  readonly stored: StoredMemory;
  readonly replayed: Replayed;
}

/** Replays the events of these memories. */
export async function check(
  read: Pick<Statements, 'all'>,
  memories: readonly StoredMemory[],
  store: StoreIdentity,
  keys: Keys,
): Promise<Checked[]> {
  const events = await eventsOf(
    read,
    memories.map((memory) => memory.id),
  );
  return memories.map((stored) => ({ stored, replayed: replay(stored, events.get(stored.id) ?? [], store.id, keys) }));
}

/** A memory that may go to an agent: in a served state, signed for exactly these bytes, and in the grant, asked once more. */
export type Served = Checked & { readonly stored: Extract<StoredMemory, { readable: true }> };

export const mayBeServed = (checked: Checked, grant: Grant): checked is Served =>
  checked.stored.readable &&
  checked.replayed.tampering === undefined &&
  servedStates.includes(checked.stored.state) &&
  mayRead(grant, checked.stored.scope);

/** Whether an agent with this grant could read the memory now. */
export async function isServed(parts: LedgerParts, grant: Grant, id: string): Promise<boolean> {
  const stored = await memoryById(parts.database.read, grant, id);
  if (stored === undefined) return false;
  const [checked] = await check(parts.database.read, [stored], parts.store, await parts.keyRing.trusted());
  return checked !== undefined && mayBeServed(checked, grant);
}
