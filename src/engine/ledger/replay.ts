/**
 * A memory's state as its events tell it, checked against what the store's rows say. The events and the signatures on them are the
 * truth; a row that says otherwise was changed by something that is not the ledger, and is not served.
 */
import { contentHash, type ActStatement } from '../domain/events';
import type { Content, State } from '../domain/memory';
import { nextState } from '../domain/states';
import { asStetError } from '../errors';
import type { StoredMemory } from '../store/rows';
import { readEvent, type StoredEvent } from './chain';
import type { Keys } from './keyring';

/** What is wrong with a memory that was changed outside the ledger. */
export type Tampering =
  | 'unreadable'
  | 'event_altered'
  | 'history_broken'
  | 'content_altered'
  | 'key_unknown'
  | 'signature_invalid'
  | 'state_altered'
  | 'index_altered';

export interface HistoryEntry {
  readonly state: State;
  readonly at: string;
  /** The id of the key that signed it; absent for an agent's proposal. */
  readonly key?: string;
  readonly event: number;
}

export interface Replayed {
  /** The state the events lead to; undefined when they lead nowhere. */
  readonly state: State | undefined;
  /** The hash of the event that gave it this state: what the next act follows. */
  readonly follows: string | null;
  readonly history: readonly HistoryEntry[];
  /** How often the same value was proposed again. */
  readonly support: number;
  readonly tampering: Tampering | undefined;
}

/** Replays a memory's events, oldest first. Never throws for what is in the store: what is wrong is in the answer. */
export function replay(memory: StoredMemory, events: readonly StoredEvent[], store: string, keys: Keys): Replayed {
  let state: State | 'none' = 'none';
  let follows: string | null = null;
  let support = 0;
  const history: HistoryEntry[] = [];
  const outcome = (tampering?: Tampering): Replayed => ({
    state: state === 'none' ? undefined : state,
    follows,
    history,
    support,
    tampering,
  });

  const content = memory.readable ? contentHash(memory.memory) : undefined;
  let altered = content === undefined;
  for (const event of events) {
    const body = readEvent(event);
    if (body === undefined) return outcome('event_altered');
    if (body.memory !== memory.id) return outcome('history_broken');
    if (body.type === 'supported') {
      support += 1;
      continue;
    }
    if (body.type === 'proposed') {
      if (state !== 'none') return outcome('history_broken');
      altered ||= body.contentHash !== content;
      state = nextState('propose', state);
      history.push({ state, at: body.at, event: event.seq });
    } else {
      const { statement } = body;
      if (statement.store !== store || statement.memory !== memory.id || statement.from !== state || statement.follows !== follows)
        return outcome('history_broken');
      try {
        keys.verify({ statement, key: body.key, signature: body.signature }, event.hash);
        if (nextState(statement.act, state) !== statement.to) return outcome('history_broken');
      } catch (error) {
        const { code } = asStetError(error);
        return outcome(code === 'untrusted_key' ? 'key_unknown' : code === 'signature_invalid' ? 'signature_invalid' : 'history_broken');
      }
      altered ||= !memory.readable || !isAbout(statement, memory.memory.content, content);
      state = statement.to;
      history.push({ state, at: statement.at, key: body.key, event: event.seq });
    }
    follows = event.hash;
  }
  if (!memory.readable) return outcome('unreadable');
  if (altered) return outcome('content_altered');
  const last = history.at(-1);
  if (last === undefined || memory.state !== state || memory.stateEvent !== last.event || memory.stateSince !== last.at)
    return outcome('state_altered');
  if (memory.recordedAt !== history[0]?.at) return outcome('content_altered');
  if (!memory.indexed) return outcome('index_altered');
  return outcome();
}

/** Whether what was signed is this content: its hash covers all of it, evidence included; scope and validity are named besides. */
const isAbout = (statement: ActStatement, content: Content, hash: string | undefined): boolean =>
  statement.contentHash === hash &&
  statement.scope === content.scope &&
  statement.validFrom === (content.validFrom ?? null) &&
  statement.validTo === (content.validTo ?? null);
