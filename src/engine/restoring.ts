/**
 * Restore from Backup, the whole of it. The copy of the backup is made ready before it takes the place of the store: what was
 * forgotten or rejected since is forgotten and rejected in it, so there is no moment at which the place holds words that are forgotten.
 */
import { basename, join } from 'node:path';
import { openStore, userIdentity, type Closable, type OpenStore } from './engine';
import { asStetError } from './errors';
import { finishErasures, forgetIn } from './forgetting';
import { append } from './ledger/append';
import { carryTombstones, decidedIn, reasonOf, type Decided } from './ledger/carry';
import { replaceHead } from './ledger/heads';
import { keyRing } from './ledger/keyring';
import { isPaused } from './ledger/rules';
import type { PersonAct } from './ledger/commands';
import { slotKey } from './domain/value-key';
import type { Clock, Ids, Signer } from './ports';
import { one } from './review';
import { grantFor, userGrant } from './scope/grant';
import { locate } from './scope/locate';
import { restoreFrom, rewriteBackups } from './store/backup';
import { onUnopened } from './store/database';
import { presenceOf } from './store/places';
import { sweep } from './store/sweep';
import { systemClock } from './system';

export interface RestoreOptions {
  /** The store's file; this process has it closed. */
  readonly storeFile: string;
  /** The folder it belongs to; undefined for the store of what holds everywhere. */
  readonly root: string | undefined;
  readonly keysFile: string;
  readonly backupFile: string;
  readonly signer: Signer;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

export interface Restored {
  /** The folder that the former store was moved to; undefined when there was none. */
  readonly setAside: string | undefined;
  readonly carriedOver: CarriedOver;
  /** `held` while words of what was forgotten may still lie in a journal or in another backup: they go later, by themselves. */
  readonly erased: 'done' | 'held';
}

/** What the person had decided against in the former store, and that holds in the restored one too. */
export type CarriedOver =
  | {
      readonly is: 'done';
      /** Ids of what was forgotten, or rejected, in the restored store anew. */
      readonly forgotten: readonly string[];
      readonly rejected: readonly string[];
      /** How many tombstones were set besides those that these acts set. */
      readonly tombstones: number;
      /** Ids that could not be decided on, since they are not sound in the backup. None of them is served; words to forget are gone. */
      readonly undecided: readonly string[];
    }
  /** Nothing could be: what was rejected or forgotten after the backup was taken may be proposed, and may stand, again. */
  | { readonly is: 'nothing'; readonly because: 'no_store' | 'unreadable' | 'other_store' };

/**
 * Puts a backup in the place of the store. The former one is set aside, whole. Agents' processes serve nothing from the moment of
 * the exchange until the person's key has signed the restored store's newest event.
 * @throws `backup_failed`, `store_busy`, `store_newer`, `no_folder`, or what the signing fails with. Up to the exchange all is as it
 *   was; after it, agents go on being refused, and this can be repeated.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { storeFile, keysFile, signer, clock = systemClock } = options;
  const before = await decidedAt(storeFile, options);
  let carriedOver: CarriedOver = nothing;
  const setAside = await restoreFrom(options.backupFile, storeFile, clock, async (copy) => {
    await withStore(copy, options, async (store) => {
      await noteRestored(store, options);
      carriedOver = await carryOver(before, store, signer);
      await sweep(store.source.parts.database);
    });
  });
  return withStore(storeFile, options, async (store) => {
    const { parts } = store.source;
    // Once more from where it lies now: another window may have decided between the first look and the exchange.
    const after = setAside === undefined ? before : await decidedAt(join(setAside, basename(storeFile)), options);
    const decided = 'because' in after ? before : after;
    carriedOver = together(carriedOver, await carryOver(decided, store, signer));
    await replaceHead(keysFile, parts.store.id, { read: parts.database.read, storeFile, at: clock.now().toISOString() }, signer);
    const swept = await sweepOthers(decided, storeFile);
    const erased = (await finishErasures(parts)) === 'done' && swept ? 'done' : 'held';
    return { setAside, carriedOver, erased };
  });
}

const nothing: CarriedOver = { is: 'nothing', because: 'no_store' };

type NotDecided = Extract<CarriedOver, { is: 'nothing' }>;

/** What was decided in the store at a place. */
async function decidedAt(file: string, { keysFile, root }: RestoreOptions): Promise<Decided | NotDecided> {
  if ((await presenceOf(file)) !== 'present') return { is: 'nothing', because: 'no_store' };
  try {
    return await onUnopened(file, (read) =>
      decidedIn(read, keyRing(keysFile), (store) => (root === undefined ? userGrant(store) : grantFor(store, ''))),
    );
  } catch (error) {
    const { code } = asStetError(error);
    if (code === 'store_damaged' || code === 'store_unusable') return { is: 'nothing', because: 'unreadable' };
    throw error;
  }
}

async function withStore<T>(file: string, options: RestoreOptions, work: (store: OpenStore) => Promise<T>): Promise<T> {
  const place = options.root === undefined ? undefined : locate(options.root);
  const store: OpenStore & Closable = await openStore(
    file,
    place?.identity ?? userIdentity,
    { ...options, root: options.root ?? '', startAnew: true, isBackup: true },
    undefined,
    () => {
      const folder = place?.workTree ?? join(options.storeFile, '..');
      return { workTree: folder, root: folder, named: folder };
    },
  );
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Says in the chain where the backup ended, and that the store belongs to this folder, if the backup is from before it moved here. */
async function noteRestored(store: OpenStore, { root, signer }: RestoreOptions): Promise<void> {
  const { parts } = store.source;
  const { read } = parts.database;
  const end = await read.get('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1');
  const common = { type: 'rule', signer, ...originOf(store) } as const;
  await append(
    { ...common, rule: { is: 'restored', seq: Number(end?.['seq'] ?? 0), hash: String(end?.['hash'] ?? '0'.repeat(64)) } },
    parts,
  );
  const identity = root === undefined ? userIdentity : locate(root).identity;
  if ((await read.get('SELECT identity FROM store'))?.['identity'] !== identity)
    await append({ ...common, rule: { is: 'folder', identity: slotKey(parts.store.salt, 'folder', identity) }, identity }, parts);
}

/** The person reads and decides over the whole store. */
const originOf = ({ source: { reader, parts } }: OpenStore) => ({
  grant: reader.grant.home === userIdentity ? reader.grant : grantFor(parts.store.id, ''),
  place: reader.place,
});

/** Repeats the decisions in the restored store, those that are not made in it already. */
async function carryOver(decided: Decided | NotDecided, store: OpenStore, signer: Signer): Promise<CarriedOver> {
  if ('because' in decided) return decided;
  const { parts } = store.source;
  const { database } = parts;
  if (decided.store.id !== parts.store.id || decided.store.salt !== parts.store.salt) return { is: 'nothing', because: 'other_store' };
  const done = { forgotten: [] as string[], rejected: [] as string[], undecided: [] as string[] };
  for (const id of decided.forgotten) {
    const made = await decide(id, 'forgotten', store, signer, (seen) => ({ act: 'forget', memories: [seen], questions: [] }));
    if (made !== undefined) done[made ? 'forgotten' : 'undecided'].push(id);
  }
  for (const rejected of decided.rejected) {
    const { id } = rejected;
    const made = await decide(id, 'rejected', store, signer, (seen, salt) => ({ act: 'reject', ...seen, reason: reasonOf(rejected, salt) ?? noReason })); // prettier-ignore
    if (made !== undefined) done[made ? 'rejected' : 'undecided'].push(id);
  }
  const tombstones = await database.transaction(async (tx) => {
    if (decided.forgotten.length > 0) await forgetIn(tx, decided.forgotten);
    return carryTombstones(tx, decided.tombstones, originOf(store).grant);
  });
  if ((await isPaused(database.read, parts)) !== decided.paused)
    await append({ type: 'rule', rule: { is: 'paused', paused: decided.paused }, signer, ...originOf(store) }, parts);
  return { is: 'done', ...done, tombstones };
}

const noReason = 'It was rejected before the backup was put back.';

/** @returns whether it was done; undefined when there is nothing to do. */
async function decide(
  id: string,
  state: 'forgotten' | 'rejected',
  store: OpenStore,
  signer: Signer,
  actOn: (seen: { id: string; seen: { contentHash: string; follows: string } }, salt: string) => PersonAct,
): Promise<boolean | undefined> {
  const { parts, reader } = store.source;
  const origin = originOf(store);
  const now = await one(id, { ...reader, grant: origin.grant }, parts);
  const present = now?.history.at(-1)?.state;
  if (now === undefined || present === state || present === 'forgotten') return undefined;
  if (now.seen === undefined) return false;
  try {
    const decision = actOn({ id, seen: now.seen }, now.memory?.salt ?? '');
    await append({ type: 'decide', decision, signer, ...origin }, parts);
    return true;
  } catch (error) {
    if (['tampered', 'illegal_transition'].includes(asStetError(error).code)) return false;
    throw error;
  }
}

const together = (first: CarriedOver, second: CarriedOver): CarriedOver =>
  first.is === 'nothing' || second.is === 'nothing'
    ? first
    : {
        is: 'done',
        forgotten: [...first.forgotten, ...second.forgotten],
        rejected: [...first.rejected, ...second.rejected],
        tombstones: first.tombstones + second.tombstones,
        undecided: [...new Set([...first.undecided, ...second.undecided])],
      };

/** What the former store had begun to take out of journals and backups. @returns whether none is left. */
async function sweepOthers(decided: Decided | NotDecided, storeFile: string): Promise<boolean> {
  if ('because' in decided || decided.unswept.length === 0) return true;
  const { failed } = await rewriteBackups(storeFile, (tx) => forgetIn(tx, decided.unswept));
  return failed.length === 0;
}
