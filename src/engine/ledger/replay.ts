/**
 * A memory's state as its events tell it, checked against what the store's rows say. The events and the signatures on them are the
 * truth; a row that says otherwise was changed by something that is not the ledger, and is not served.
 */
import { asPresent, boundsIn, contentHash, statedBounds, type ActStatement, type EventBody } from '../domain/events';
import type { Bounds, State } from '../domain/memory';
import { checkTransition, type Act } from '../domain/states';
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
  readonly act: Act;
  readonly from: State | 'none';
  readonly state: State;
  readonly at: string;
  /** The id of the key that signed it; absent for what no person did. */
  readonly key?: string;
  readonly event: number;
  readonly hash: string;
  /** What it is about: see `Memory.others`. */
  readonly others: readonly string[];
  /** Where and when it holds from this act on; undefined where the words that said so are gone. */
  readonly bounds: Bounds | undefined;
  /** The salted hash of the reason that was given with it; null without one. */
  readonly reason: string | null;
  /** The act that it was a part of; empty for those before acts had groups, and for an agent's. */
  readonly group: string;
}

export interface Replayed {
  /** The state the events lead to; undefined when they lead nowhere. */
  readonly state: State | undefined;
  /** The hash of the last event that said something of it: what the next act follows. */
  readonly follows: string | null;
  /** The content that its events commit to. */
  readonly contentHash: string | undefined;
  readonly history: readonly HistoryEntry[];
  /** How often the same value was proposed again. */
  readonly support: number;
  readonly tampering: Tampering | undefined;
}

/** Acts that leave the status interval as it is. */
const asides: readonly Act[] = ['affirm', 'lift'];

/** Whether an act opens a new status interval. */
export const changesStatus = (act: Act): boolean => !asides.includes(act);

/** Replays a memory's events, oldest first. Never throws for what is in the store: what is wrong is in the answer. */
export function replay(memory: StoredMemory, events: readonly StoredEvent[], store: string, keys: Keys): Replayed {
  const history: HistoryEntry[] = [];
  let support = 0;
  let committed: string | undefined;
  const outcome = (tampering?: Tampering): Replayed => ({
    state: history.at(-1)?.state,
    follows: history.at(-1)?.hash ?? null,
    contentHash: committed,
    history,
    support,
    tampering,
  });

  for (const event of events) {
    const body = readEvent(event);
    if (body === undefined) return outcome('event_altered');
    if (body.memory !== memory.id) return outcome('history_broken');
    if (body.type === 'supported') support += 1;
    const step = stepOf(body, memory);
    if (step === undefined) continue;
    const before = history.at(-1);
    if (step.contentHash !== undefined && step.contentHash !== (committed ??= step.contentHash)) return outcome('content_altered');
    try {
      checkTransition(step.act, before?.state ?? 'none', step.state, step.authority);
      if (body.type === 'decided') {
        const { statement } = body;
        const follows =
          statement.store === store &&
          statement.memory === memory.id &&
          statement.from === (before?.state ?? 'none') &&
          statement.follows === (before?.hash ?? null) &&
          (step.act !== 'undo' || takesBack(asPresent(statement), history));
        if (!follows) return outcome('history_broken');
        keys.verify(body, event.hash);
      }
    } catch (error) {
      const { code } = asStetError(error);
      return outcome(code === 'untrusted_key' ? 'key_unknown' : code === 'signature_invalid' ? 'signature_invalid' : 'history_broken');
    }
    history.push({
      act: step.act,
      from: before?.state ?? 'none',
      state: step.state,
      at: step.at,
      ...(body.type === 'decided' && { key: body.key }),
      event: event.seq,
      hash: event.hash,
      others: step.others ?? before?.others ?? [],
      bounds: step.bounds ?? before?.bounds,
      reason: step.reason ?? null,
      group: step.group,
    });
  }
  return outcome(differenceFrom(memory, committed, history));
}

interface Step extends Pick<HistoryEntry, 'act' | 'state' | 'at' | 'group'> {
  readonly authority: 'agent' | 'person' | 'policy' | 'system';
  readonly contentHash?: string;
  readonly reason?: string | null;
  readonly others?: readonly string[];
  readonly bounds?: Bounds | undefined;
}

/** What an event does to the memory it is about; undefined for one that only says that something happened. */
function stepOf(body: EventBody, memory: StoredMemory): Step | undefined {
  switch (body.type) {
    case 'proposed':
      return {
        act: 'propose',
        state: 'pending',
        authority: 'agent',
        at: body.at,
        group: '',
        contentHash: body.contentHash,
        others: [],
        bounds: memory.readable ? boundsOfContent(memory.memory.content) : undefined,
      };
    case 'expired':
      return { act: 'expire', state: 'expired', authority: 'system', at: body.at, group: '' };
    case 'decided': {
      const statement = asPresent(body.statement);
      const { act, to, authority, at, group, others, reason, contentHash: of } = statement;
      return { act, state: to, authority, at, group, contentHash: of, others, reason, bounds: boundsIn(statement) };
    }
    case 'supported':
    case 'challenged':
    case 'refused':
    case 'ruled':
      return undefined;
  }
}

/** Whether an undo names the last act and leads back to what was before it. */
function takesBack(undo: ActStatement, history: readonly HistoryEntry[]): boolean {
  const [before, undone] = [history.at(-2), history.at(-1)];
  return (
    undone !== undefined &&
    before !== undefined &&
    undo.about === undone.hash &&
    undo.to === before.state &&
    // Of a proposal whose words are forgotten nobody can tell the bounds any more; the person's signature on them remains.
    (before.bounds === undefined || sameBounds(undo, statedBounds(before.bounds))) &&
    sameIds(undo.others, before.others)
  );
}

/** Where the rows differ from what the events lead to. */
function differenceFrom(memory: StoredMemory, committed: string | undefined, history: readonly HistoryEntry[]): Tampering | undefined {
  const last = history.at(-1);
  if (last?.state === 'forgotten') {
    if (memory.readable || !memory.erased) return 'content_altered'; // words where none may be
  } else {
    if (!memory.readable) return 'unreadable';
    if (contentHash(memory.memory) !== committed) return 'content_altered';
  }
  const status = history.findLast(({ act }) => changesStatus(act));
  if (last === undefined || status === undefined) return 'state_altered';
  const isAsTold =
    memory.state === last.state &&
    memory.stateEvent === status.event &&
    memory.stateSince === status.at &&
    status.bounds !== undefined &&
    sameBounds(statedBounds(memory.bounds), statedBounds(status.bounds)) &&
    sameIds(memory.others, status.others);
  if (!isAsTold) return 'state_altered';
  if (memory.recordedAt !== history[0]?.at) return 'content_altered';
  return memory.indexed || memory.erased ? undefined : 'index_altered';
}

export const boundsOfContent = ({ scope, validFrom, validTo }: Bounds): Bounds => ({
  scope,
  ...(validFrom !== undefined && { validFrom }),
  ...(validTo !== undefined && { validTo }),
});

type Stated = Pick<ActStatement, 'scope' | 'validFrom' | 'validTo'>;
const sameBounds = (a: Stated, b: Stated): boolean => a.scope === b.scope && a.validFrom === b.validFrom && a.validTo === b.validTo;
const sameIds = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((id, index) => id === b[index]);
