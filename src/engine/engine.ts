/** Opens a store and hands out its two doors: one for agents, which reads what stands and proposes, and one for the person. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from './domain/input';
import type { Decision } from './domain/states';
import { noFolder, otherFolder, storeUnusable } from './errors';
import { folderOf, storedPath, type WorkPlace } from './evidence/paths';
import { repositoryAt } from './evidence/repository';
import { append } from './ledger/append';
import { walkChain, type ChainState } from './ledger/chain';
import type { AgentSession, Receipt, Seen } from './ledger/commands';
import { keyRing } from './ledger/keyring';
import type { LedgerParts } from './ledger/parts';
import type { Clock, Ids, Signer } from './ports';
import * as recall from './recall/recall';
import { forFileSchema, getSchema, searchSchema } from './recall/query';
import type { Found, Whole } from './recall/view';
import * as review from './review';
import { grantFor } from './scope/grant';
import { locate, placeWithin } from './scope/locate';
import { changeSignal } from './store/changes';
import { Database } from './store/database';
import { inspect, migrate } from './store/migrate';
import type { Page } from './store/memories';
import { systemClock, systemIds } from './system';

export interface EngineOptions {
  /** The store's file; made when it is missing. */
  readonly storeFile: string;
  /** The folder the session runs in. */
  readonly root: string;
  /** The file of trusted keys. Without one nothing is served; it may come into being later. */
  readonly keysFile: string | undefined;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** What an agent's process may do. Arguments come as they were sent and are parsed here. */
export interface AgentAccess {
  search(asked: unknown): Promise<Found>;
  forFile(asked: unknown): Promise<Found>;
  get(asked: unknown): Promise<Whole>;
  propose(proposal: unknown): Promise<Receipt>;
}

/** What a person may see and do in the editor. */
export interface PersonAccess {
  overview(): Promise<review.Overview>;
  list(page: Page): Promise<review.Reviewed[]>;
  one(id: string): Promise<review.Reviewed | undefined>;
  reasons(memory: review.Reviewed): Promise<ReadonlyMap<number, string>>;
  /** @param path absolute, or relative to the session's root. */
  forFile(path: string, k: number): ReturnType<typeof review.applying>;
  search(query: string, k: number): Promise<review.Reviewed[]>;
  decide(decision: Decision, id: string, seen: Seen, signer: Signer, reason?: string): Promise<Receipt>;
  save(draft: unknown, surface: string, signer: Signer): Promise<Receipt>;
}

export interface Engine {
  readonly storeId: string;
  readonly place: WorkPlace;
  /** @param session names the client after its handshake; it may be asked late, at the first proposal. */
  forAgent(session: () => AgentSession): AgentAccess;
  forPerson(): PersonAccess;
  /** Walks the whole chain of events. */
  verify(): Promise<ChainState>;
  /** Calls back after changes by this process and by others. @returns what stops it. */
  onChange(listener: () => void): () => void;
  /** Called when the store can no longer be watched. */
  onError(listener: (error: unknown) => void): void;
  close(): Promise<void>;
}

/**
 * Opens the store for a folder.
 * @throws `no_folder`, `other_folder`, `store_unusable`, `store_newer` or `store_busy`.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? systemIds;
  const found = locate(options.root);
  const database = await Database.open(options.storeFile, inspect);
  try {
    await migrate(database, found.identity, clock, ids);
    const store = await database.read.get('SELECT id, salt, identity FROM store');
    if (store === undefined) throw storeUnusable('The memory store has lost its name.');
    // The boundary is the store's own: a folder that has become a repository of its own meanwhile does not move it.
    const place = placeWithin(String(store['identity']), options.root);
    if (place === undefined) throw otherFolder();
    const parts: LedgerParts = {
      database,
      store: { id: String(store['id']), salt: String(store['salt']) },
      keyRing: keyRing(options.keysFile),
      repository: repositoryAt(place.workTree),
      clock,
      ids,
    };
    return engineOf(parts, { workTree: place.workTree, root: canonical(options.root), named: resolve(options.root) });
  } catch (error) {
    await database.close();
    throw error;
  }
}

function engineOf(parts: LedgerParts, place: WorkPlace): Engine {
  let onError: (error: unknown) => void = () => undefined;
  const changes = changeSignal(parts.database, (error) => {
    onError(error);
  });
  const changed = async (receipt: Promise<Receipt>) => {
    const done = await receipt;
    changes.tell();
    return done;
  };
  const inPlace = async <T>(work: () => Promise<T>): Promise<T> => {
    await parts.database.checkInPlace();
    return work();
  };
  return {
    storeId: parts.store.id,
    place,
    forAgent: (session) => {
      const reader: recall.Reader = { grant: grantFor(parts.store.id, folderOf(place)), place };
      return {
        search: async (asked) => inPlace(() => recall.search(parse(searchSchema, asked), reader, parts)),
        forFile: async (asked) => inPlace(() => recall.forFile(parse(forFileSchema, asked), reader, parts)),
        get: async (asked) => inPlace(() => recall.get(parse(getSchema, asked).id, reader, parts)),
        propose: (proposal) => changed(append({ type: 'propose', session: session(), proposal, ...reader }, parts)),
      };
    },
    forPerson: () => {
      // The person of this machine reads and decides over the whole store, wherever in it the window is open.
      const reader: recall.Reader = { grant: grantFor(parts.store.id, ''), place };
      return {
        overview: () => review.overview(reader, parts),
        list: (page) => review.list(page, reader, parts),
        one: (id) => review.one(id, reader, parts),
        reasons: (memory) => review.reasons(memory.history, parts),
        forFile: async (path, k) => review.applying(storedPath(place, path, 'The file'), k, reader, parts),
        search: (query, k) => review.matching(query, k, reader, parts),
        decide: (type, id, seen, signer, reason) =>
          changed(append({ type, id, seen, signer, ...(reason !== undefined && { reason }), ...reader }, parts)),
        save: (draft, surface, signer) => changed(append({ type: 'save', draft, surface, signer, ...reader }, parts)),
      };
    },
    verify: () => walkChain(parts.database.read),
    onChange: (listener) => changes.subscribe(listener),
    onError: (listener) => {
      onError = listener;
    },
    close: async () => {
      changes.stop();
      await parts.database.close();
    },
  };
}

function canonical(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    throw noFolder();
  }
}
