/** Opens a store and hands out its two doors: one for agents, which reads what stands and proposes, and one for the person. */
import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { agentAccess, type AgentAccess } from './agent';
import { exposureRecord } from './audit/exposure';
import { eraseTexts } from './ledger/erase';
import { eraseNamedQuestions, eraseQuestions, questionsTouching } from './audit/erase';
import { soughtIn, type Elsewhere } from './audit/leavings';
import { asStetError, noFolder, otherFolder, StetError, storeMissing, storeUnusable } from './errors';
import type { UserStore } from './ledger/parts';
import { evidenceChecker } from './evidence/check';
import { folderOf, type WorkPlace } from './evidence/paths';
import { repositoryAt } from './evidence/repository';
import { finishErasures } from './forgetting';
import { headKeeper, knownStore, type HeadKeeper } from './ledger/heads';
import { keyRing } from './ledger/keyring';
import { maskSecrets } from './ledger/secrets';
import type { StoreState, Watch } from './ledger/verify';
import type { AgentSession } from './ledger/commands';
import { personAccess, type PersonAccess } from './person';
import type { Clock, Ids } from './ports';
import type { RecallParts, Source } from './recall/recall';
import { grantFor, readOnly, userGrant } from './scope/grant';
import { locate, placeWithin } from './scope/locate';
import { changeSignal } from './store/changes';
import { Database } from './store/database';
import { removeLeftovers } from './store/backup';
import { inspect, migrate } from './store/migrate';
import { presenceOf } from './store/places';
import { systemClock, systemIds } from './system';

export interface EngineOptions {
  /** The store's file; made when it is missing. */
  readonly storeFile: string;
  /** The folder the session runs in. */
  readonly root: string;
  /** The file of trusted keys. Without one nothing is served; it may come into being later. */
  readonly keysFile: string | undefined;
  /** The store of what holds everywhere; it is read beside this one. */
  readonly userStoreFile?: string;
  /** A person has confirmed that the store that was here is gone, and wants a new one. */
  readonly startAnew?: boolean;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

export interface Engine {
  readonly storeId: string;
  readonly place: WorkPlace;
  /** @param session names the client after its handshake; it may be asked late, at the first proposal. */
  forAgent(session: () => AgentSession): AgentAccess;
  forPerson(): PersonAccess;
  /** The person's door to what holds everywhere; undefined where no such store was named. */
  forPersonEverywhere(): PersonAccess | undefined;
  /** Why the store of what holds everywhere could not be opened. Until it can be, nothing is proposed or let stand here either. */
  readonly everywhereError: StetError | undefined;
  /** Walks the whole chain of events, and compares its end with what was signed outside. */
  verify(options?: Watch): Promise<StoreState>;
  /** Calls back after changes by this process and by others. @returns what stops it. */
  onChange(listener: () => void): () => void;
  /** Called when the store can no longer be watched. */
  onError(listener: (error: unknown) => void): void;
  close(): Promise<void>;
}

/** One open store with everything that works on it. */
export interface OpenStore {
  readonly file: string;
  readonly source: Source;
  readonly exposure: ReturnType<typeof exposureRecord>;
  readonly heads: HeadKeeper | undefined;
  /** The file of trusted keys, which the heads lie beside. */
  readonly keysFile: string | undefined;
  /** Says that this process has changed something. */
  readonly changed: () => void;
}

/** What a store of no folder belongs to. */
export const userIdentity = 'user';

/**
 * Opens the store for a folder.
 * @throws `no_folder`, `other_folder`, `store_missing`, `store_unusable`, `store_damaged`, `store_newer` or `store_busy`.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const found = locate(options.root);
  // What holds everywhere may be out of order without taking this folder's memory with it.
  const opened = options.userStoreFile === undefined ? undefined : await openUserStore(options.userStoreFile, options).catch(asStetError);
  const user = opened instanceof StetError ? undefined : opened;
  try {
    const own = await openStore(options.storeFile, found.identity, options, tombstonesOf(opened), (identity) => {
      // The boundary is the store's own: a folder that has become a repository of its own meanwhile does not move it.
      const place = placeWithin(identity, options.root);
      if (place === undefined) throw otherFolder();
      return { workTree: place.workTree, root: canonical(options.root), named: resolve(options.root) };
    });
    return engineOf(own, user, opened instanceof StetError ? opened : undefined);
  } catch (error) {
    await close(user);
    throw error;
  }
}

/** The tombstones that hold everywhere. Where they cannot be asked, what asks for them fails, so nothing buried comes back meanwhile. */
function tombstonesOf(user: OpenStore | StetError | undefined): UserStore | undefined {
  if (user === undefined) return undefined;
  const { database, store } = user instanceof StetError ? { database: undefined, store: { salt: '' } } : user.source.parts;
  const fail = () => Promise.reject(user instanceof StetError ? user : storeUnusable('The user store is closed.'));
  return { read: database?.read ?? { all: fail, get: fail }, salt: store.salt };
}

function openUserStore(file: string, options: EngineOptions): Promise<OpenStore & Closable> {
  const nowhere = dirname(file); // no file is ever looked up in it
  return openStore(file, userIdentity, options, undefined, (identity) => {
    if (identity !== userIdentity) throw otherFolder();
    return { workTree: nowhere, root: nowhere, named: nowhere };
  });
}

export interface Closable {
  readonly onError: (listener: (error: unknown) => void) => void;
  readonly onChange: (listener: () => void) => () => void;
  readonly close: () => Promise<void>;
}

/**
 * @param options `isBackup` for the copy of a backup, which needs none of its own before it is brought up to date.
 * @param placed finds the place of the store by what it says that it belongs to.
 */
export async function openStore(
  file: string,
  identity: string,
  options: EngineOptions & { readonly isBackup?: true },
  user: UserStore | undefined,
  placed: (identity: string) => WorkPlace,
): Promise<OpenStore & Closable> {
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? systemIds;
  const known = options.keysFile === undefined ? undefined : await knownStore(options.keysFile, file);
  if (known !== undefined && options.startAnew !== true && (await presenceOf(file)) !== 'present') throw storeMissing();
  const database = await Database.open(file, inspect, { anew: options.startAnew === true });
  try {
    await migrate(database, identity, clock, ids, undefined, options.isBackup === true ? () => Promise.resolve() : undefined);
    await removeLeftovers(file);
    const row = await database.read.get('SELECT id, salt, identity FROM store');
    if (row === undefined) throw storeUnusable('The memory store has lost its name.');
    const store = { id: String(row['id']), salt: String(row['salt']) };
    if (known !== undefined && known.storeId !== store.id && options.startAnew !== true) throw storeMissing();
    const place = placed(String(row['identity']));
    const repository = repositoryAt(place.workTree);
    const exposure = exposureRecord({
      side: (work) => database.sideTransaction(work),
      mask: maskSecrets,
      newestEvent: async () => Number((await database.read.get('SELECT max(seq) AS n FROM events'))?.['n'] ?? 0),
      clock,
    });
    const grant = identity === userIdentity ? userGrant(store.id) : grantFor(store.id, folderOf(place));
    const parts: RecallParts = {
      database,
      store,
      keyRing: keyRing(options.keysFile),
      repository,
      evidence: evidenceChecker(place, repository),
      clock,
      ids,
      ...(user !== undefined && { user }),
      forgetQuestions: async (tx, steps, questions) => {
        const forgotten = steps.flatMap(({ statement, seq, memory }) =>
          statement.act !== 'forget' || seq === undefined ? [] : [{ seq, content: memory?.content }],
        );
        const sought = soughtIn(forgotten);
        await eraseQuestions(tx, grant, sought, await questionsTouching(tx, grant, sought));
        await eraseNamedQuestions(tx, questions);
        if (forgotten.length > 0) await eraseTexts(tx, sought.contains);
        for (const { statement } of steps) parts.evidence.forget(statement.memory);
      },
    };
    let onError: (error: unknown) => void = () => undefined;
    const changes = changeSignal(database, (error) => {
      onError(error);
    });
    return {
      file,
      source: { reader: { grant, place }, parts },
      exposure,
      heads: options.keysFile === undefined ? undefined : headKeeper(options.keysFile, store.id),
      keysFile: options.keysFile,
      changed: () => {
        changes.tell();
      },
      onChange: (listener) => changes.subscribe(listener),
      onError: (listener) => {
        onError = listener;
      },
      close: async () => {
        changes.stop();
        await exposure.settled();
        exposure.stop();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function engineOf(own: OpenStore & Closable, user: (OpenStore & Closable) | undefined, everywhereError: StetError | undefined): Engine {
  const { reader, parts } = own.source;
  // The person of this machine reads and decides over the whole store, wherever in it the window is open.
  const whole: OpenStore = { ...own, source: { parts, reader: { ...reader, grant: grantFor(parts.store.id, '') } } };
  const forAgents = user === undefined ? undefined : readOnlyStore(user);
  const finishing = [own, ...(user === undefined ? [] : [user])].map(finishLater);
  return {
    storeId: parts.store.id,
    place: reader.place,
    forAgent: (session) => agentAccess(own, forAgents, session),
    forPerson: () => personAccess(whole, user && beside(user)),
    everywhereError,
    forPersonEverywhere: () => (user === undefined ? undefined : personAccess(user, beside(whole))),
    verify: (how) => personAccess(whole).verify(how),
    onChange: (listener) => {
      const stops = [own, user].map((store) => store?.onChange(listener));
      return () => {
        for (const stop of stops) stop?.();
      };
    },
    onError: (listener) => {
      own.onError(listener);
      user?.onError(listener);
    },
    close: async () => {
      for (const one of finishing) one.stop();
      await Promise.all([own.close(), close(user)]);
    },
  };
}

/** The store as the other one's person sees it. */
const beside = ({ source: { reader, parts } }: OpenStore): Elsewhere => ({ grant: reader.grant, parts });

const readOnlyStore = (store: OpenStore): OpenStore => ({
  ...store,
  source: { ...store.source, reader: { ...store.source.reader, grant: readOnly(store.source.reader.grant) } },
});

/** How long after opening, and after a held journal, an unfinished forgetting is tried again. */
const finishingPauseMs = 5_000;

/** Finishes what another process began to forget and could not finish, in the background, until it is done. */
function finishLater({ source: { parts } }: OpenStore): { stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const attempt = async () => {
    // A store that is busy or full for a while is tried again; what it means for the person is told where they forgot.
    const outcome = await finishErasures(parts).catch(() => 'held' as const);
    if (outcome === 'held' && !stopped) timer = setTimeout(() => void attempt(), finishingPauseMs).unref();
  };
  timer = setTimeout(() => void attempt(), 0).unref();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

const close = async (store: Closable | undefined): Promise<void> => store?.close();

function canonical(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    throw noFolder();
  }
}
