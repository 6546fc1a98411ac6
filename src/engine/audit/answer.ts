/** An answer that went out to an agent, as the record takes it. It holds ids and figures of memories and none of their words. */
import type { AgentSession } from '../ledger/commands';

/** Where an answer went out. */
export type Surface = 'search' | 'file' | 'get' | 'history' | 'hook';

/** A memory whose words went out. */
export interface RecalledItem {
  readonly seq: number;
  readonly id: string;
  readonly tokens: number;
  readonly shortened: boolean;
}

/**
 * A memory that was given before and holds no longer. `withdrawn` is all that is told of one that was rejected or forgotten, or that
 * the grant does not reach any more.
 */
export interface Withdrawn {
  readonly seq: number;
  readonly id: string;
  readonly state: 'superseded' | 'retired' | 'noLongerValid' | 'withdrawn';
}

/** One answer. */
export interface Recall {
  /** The answer's `recallId`, a UUID. */
  readonly id: string;
  readonly session: AgentSession;
  readonly surface: Surface;
  /** The home of the grant that asked. */
  readonly scope: string;
  /** As it was asked; it is masked before it is written. */
  readonly question?: string;
  /** How it was searched; absent where nothing was searched for. */
  readonly mode?: 'hybrid' | 'lexical';
  /** Tokens of the whole answer. */
  readonly tokens: number;
  readonly items: readonly RecalledItem[];
  /** What the answer named as no longer held. */
  readonly withdrawn: readonly Withdrawn[];
  /** How many memories matched and were left out. */
  readonly leftOut: number;
}
