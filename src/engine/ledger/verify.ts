/** Verifies a whole store: its chain, what was signed in it, and that it holds what was signed of it outside. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { asStetError } from '../errors';
import type { Statements } from '../store/database';
import { chainPages, type ChainFault, type LinkedEvent } from './chain';
import { standing, type Head } from './heads';
import type { Keys } from './keyring';

/** What can be wrong with an event, in the order in which it is asked. */
export type EventFault = ChainFault | 'misfiled' | 'other_store' | 'signature_invalid';

export type StoreState =
  | {
      readonly is: 'intact';
      /** How many events there are. */
      readonly length: number;
      /** How many of them the head covers; undefined without a head. */
      readonly signed: number | undefined;
      /** Acts whose key is not trusted, or was replaced before; they are not served, and may be another machine's. */
      readonly unknownKeys: { readonly count: number; readonly first: number | undefined };
    }
  /** The first event that is missing, altered, or not what its place or signature says. */
  | { readonly is: 'broken'; readonly at: number; readonly why: EventFault }
  /** The newest events were deleted: those after `length`, up to `signed`, the last that is known to have been there. */
  | { readonly is: 'truncated'; readonly length: number; readonly signed: number }
  /** An older copy of the file was put back: it ends at `length`, and the head is at `signed`. */
  | { readonly is: 'rolled_back'; readonly length: number; readonly signed: number }
  /** The chain fits in itself, but is not the one whose event `at` was signed. */
  | { readonly is: 'forked'; readonly at: number }
  | { readonly is: 'cancelled'; readonly done: number };

export interface VerifiedStore {
  readonly read: Pick<Statements, 'all' | 'get'>;
  readonly id: string;
  /** The head, read before; undefined when none was signed yet. */
  readonly head: Head | undefined;
  readonly keys: Keys;
}

export interface Watch {
  /** Called after each page with the number of events seen, and of those that there were at the beginning. */
  readonly progress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Walks the chain in pages and lets other work in between them. What is wrong is in the answer; the first fault ends the walk. */
export async function verifyStore(store: VerifiedStore, { progress, signal }: Watch = {}): Promise<StoreState> {
  const { length: total } = await extentOf(store.read);
  const unknown: number[] = [];
  let done = 0;
  for await (const { events, broken } of chainPages(store.read)) {
    if (signal?.aborted === true) return { is: 'cancelled', done };
    for (const event of events) {
      const why = faultOf(event, store);
      if (why === 'key_unknown') unknown.push(event.seq);
      else if (why !== undefined) return { is: 'broken', at: event.seq, why };
      if (event.seq === store.head?.seq && event.hash !== store.head.hash) return { is: 'forked', at: event.seq };
      done = event.seq;
    }
    if (broken !== undefined) return { is: 'broken', ...broken };
    progress?.(done, total);
    await yieldToOthers();
  }
  return (
    (await missingTail(store)) ?? {
      is: 'intact',
      length: done,
      signed: store.head?.seq,
      unknownKeys: { count: unknown.length, first: unknown[0] },
    }
  );
}

function faultOf({ content, filedUnder, hash }: LinkedEvent, { id, keys }: VerifiedStore): EventFault | 'key_unknown' | undefined {
  if (filedUnder !== content.memory) return 'misfiled';
  if (!('statement' in content)) return undefined;
  const { statement } = content;
  if (statement.store !== id) return 'other_store';
  if ('memory' in statement ? statement.memory !== content.memory : content.memory !== '') return 'misfiled';
  try {
    keys.verify(content, hash);
    return undefined;
  } catch (error) {
    return asStetError(error).code === 'untrusted_key' ? 'key_unknown' : 'signature_invalid';
  }
}

/**
 * What the end of the chain lacks. SQLite remembers the highest number it gave within the file, so events that were deleted leave a
 * gap there, also without a head; an older copy of the file has none.
 */
async function missingTail({ read, head }: VerifiedStore): Promise<StoreState | undefined> {
  const { length, given } = await extentOf(read);
  if (given > length) return { is: 'truncated', length, signed: Math.max(given, head?.seq ?? 0) };
  if (head === undefined || (await standing(read, head)) === 'ahead') return undefined;
  return { is: 'rolled_back', length, signed: head.seq };
}

/** The last event's number, and the last that was given to one: in one statement, since others append meanwhile. */
async function extentOf(read: Pick<Statements, 'get'>): Promise<{ length: number; given: number }> {
  const found = await read.get(
    `SELECT (SELECT max(seq) FROM events) AS length, (SELECT seq FROM sqlite_sequence WHERE name = 'events') AS given`,
  );
  return { length: Number(found?.['length'] ?? 0), given: Number(found?.['given'] ?? 0) };
}
