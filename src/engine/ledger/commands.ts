/** What may be asked of the ledger, by whom, and what it answers. */
import type { Rule } from '../domain/events';
import type { Bounds, State } from '../domain/memory';
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

/** A memory as the person saw it. */
export interface SeenMemory {
  readonly id: string;
  readonly seen: Seen;
}

/** How a contest ends. */
export type Outcome =
  /** One holds. The others held once, or `neverRight`. */
  | { readonly is: 'keep'; readonly id: string; readonly neverRight: boolean }
  /** All hold, perhaps each in narrower bounds; remembered, so that exactly these are not contested again. */
  | { readonly is: 'all'; readonly bounds?: Readonly<Record<string, Bounds>> }
  /** None holds any longer, or none ever did. */
  | { readonly is: 'none'; readonly neverRight: boolean }
  /** A third text holds in their stead. */
  | { readonly is: 'third'; readonly draft: unknown };

/** What a person decides. Dates are ISO; without one an end takes effect now. */
export type PersonAct =
  | ({ readonly act: 'approve'; readonly effective?: string } & SeenMemory)
  /** Edit and approve: the person's text stands, the proposal is kept as `amended`. */
  | ({ readonly act: 'amend'; readonly draft: unknown; readonly surface: string } & SeenMemory)
  | ({ readonly act: 'reject'; readonly reason: string } & SeenMemory)
  | ({ readonly act: 'lapse'; readonly reason?: string } & SeenMemory)
  | ({ readonly act: 'retire'; readonly reason: string; readonly effective?: string } & SeenMemory)
  | ({ readonly act: 'supersede'; readonly by: SeenMemory; readonly reason?: string; readonly effective?: string } & SeenMemory)
  | ({ readonly act: 'limit'; readonly bounds: Bounds; readonly reason: string } & SeenMemory)
  | ({ readonly act: 'contest'; readonly with?: SeenMemory; readonly reason: string } & SeenMemory)
  | {
      readonly act: 'resolve';
      readonly members: readonly SeenMemory[];
      readonly outcome: Outcome;
      readonly reason: string;
      readonly surface: string;
    }
  /** `reverse` supersedes the successor in turn; `contest` lets both stand, contested. */
  | ({ readonly act: 'restore'; readonly successor: 'reverse' | 'contest'; readonly reason?: string } & SeenMemory)
  | ({ readonly act: 'undo' } & SeenMemory)
  | ({ readonly act: 'accept'; readonly challenge: string; readonly reason?: string; readonly effective?: string } & SeenMemory)
  | ({ readonly act: 'decline'; readonly challenge: string; readonly reason: string } & SeenMemory)
  /** The evidence has changed and the memory is still right. @param drift names exactly what the evidence is now. */
  | ({ readonly act: 'stillRight'; readonly drift: string; readonly reason: string } & SeenMemory)
  | ({ readonly act: 'lift'; readonly reason: string } & SeenMemory)
  /** `questions` are the ids of recalls whose kept question goes too; those that any of the memories answered go by themselves. */
  | { readonly act: 'forget'; readonly memories: readonly SeenMemory[]; readonly questions: readonly string[] };

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

/** An agent's doubt about a memory that stands, as it came. */
export interface Challenge extends Common {
  readonly type: 'challenge';
  readonly wants: 'contest' | 'retire';
  readonly session: AgentSession;
  readonly asked: unknown;
}

/** A memory that a person states; it stands at once, since the person signs it. */
export interface Save extends Common {
  readonly type: 'save';
  readonly draft: unknown;
  /** The editor surface it was written on. */
  readonly surface: string;
  /** The memory of another store that this is a person's copy of. */
  readonly copyOf?: string;
  readonly signer: Signer;
}

/** A person's decision on memories that are there. */
export interface Decide extends Common {
  readonly type: 'decide';
  readonly decision: PersonAct;
  /** What the person was shown that it would do, if anything was shown: see `Plan.digest`. */
  readonly previewed?: string;
  readonly signer: Signer;
}

/** A person's rule for the whole store. */
export interface Lay extends Common {
  readonly type: 'rule';
  readonly rule: Rule;
  /** What the store belongs to from now on, where the rule is that its folder has moved. */
  readonly identity?: string;
  readonly signer: Signer;
}

/** Lets proposals lapse that have waited too long. */
export interface Expire extends Common {
  readonly type: 'expire';
  /** Proposals that came before this instant. */
  readonly before: string;
}

export type Command = Propose | Challenge | Save | Decide | Lay | Expire;

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
  /** Slots of standing claims near the proposal's own, so that they are used again. */
  readonly slots?: readonly { readonly subject: string; readonly predicate: string }[];
  /** Scopes beside or around the proposal's in which a person rejected the same value. */
  readonly rejectedElsewhere?: readonly string[];
}

/** What an agent gets for a challenge. */
export interface ChallengeReceipt {
  readonly id: string;
  readonly memory: string;
  readonly state: 'waiting';
  /** Whether the same challenge was waiting already. */
  readonly duplicate: boolean;
}

/** What a person's act did, memory by memory. */
export interface DecisionReceipt {
  /** The memory it was about, or the one it made. */
  readonly id: string;
  readonly state: State;
  readonly changed: readonly { readonly id: string; readonly act: string; readonly state: State }[];
  /** For a forgetting: `held` when another reader keeps the journal, so that its bytes go later. */
  readonly erased?: 'done' | 'held';
}
