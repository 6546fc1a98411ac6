/** What may be asked of the ledger, by whom, and what it answers. */
import type { State } from '../domain/memory';
import type { Decision } from '../domain/states';
import type { WorkPlace } from '../evidence/paths';
import type { Signer } from '../ports';
import type { Grant } from '../scope/grant';

/** One connection of an agent's client, named after the handshake: claimed by the client, stamped by the host. */
export interface AgentSession {
  readonly id: string;
  readonly client: string;
  readonly clientVersion: string;
  readonly startedAt: string;
}

/** What the person had before their eyes: the ledger refuses the act when this is no longer what the store holds. */
export interface Seen {
  readonly contentHash: string;
  readonly follows: string;
}

interface Common {
  readonly grant: Grant;
  readonly place: WorkPlace;
}

/** An agent's proposal, as it came; it is parsed inside. */
export interface Propose extends Common {
  readonly type: 'propose';
  readonly session: AgentSession;
  readonly proposal: unknown;
}

/** A memory that a person states; it stands at once, since the person signs it. */
export interface Save extends Common {
  readonly type: 'save';
  readonly draft: unknown;
  /** The editor surface it was written on. */
  readonly surface: string;
  readonly signer: Signer;
}

/** A person's decision on a memory that is there. */
export interface Decide extends Common {
  readonly type: Decision;
  readonly id: string;
  readonly seen: Seen;
  readonly reason?: string;
  readonly signer: Signer;
}

export type Command = Propose | Save | Decide;

/** A pointer to another memory; its title only where the receiver may read that memory. */
export interface Hint {
  readonly id: string;
  readonly state: State;
  readonly date: string;
  readonly title?: string;
}

export interface Receipt {
  readonly id: string;
  readonly state: State;
  /** Whether this is the stored receipt of an earlier call with the same command id. */
  readonly replayed: boolean;
  /** Whether the value was there already, so that no second memory was made. */
  readonly duplicate: boolean;
  readonly resembles: readonly Hint[];
  readonly replacedBefore: readonly Hint[];
  readonly conflicts: readonly Hint[];
}
