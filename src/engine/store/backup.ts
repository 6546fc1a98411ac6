/**
 * Copies of a store, in a folder beside it: taken and verified, listed, thinned out, rewritten when words are forgotten, and put
 * back. What is done to them is done under one lock for all processes, and under another name until it is whole.
 */
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { backupFailed, StetError, storeBusy } from '../errors';
import type { Clock } from '../ports';
import { inTransaction, onFile, takeLock, type Database, type Statements } from './database';
import { schemaOf } from './header';
import { backupsFolder, backupsOf, bytesOf, freeName, namesIn, setAsideFolder, setAsideOf, storeName } from './places';
import { rebuild } from './sweep';

export interface Backup {
  /** The file's whole path. */
  readonly file: string;
  readonly takenAt: Date;
  readonly bytes: number;
  /** The number of migration steps it has; undefined when it cannot be read as a store. */
  readonly schema: number | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** What is kept: this many of the newest, one for each of the last weeks, one for each of the last earlier schemas... */
const kept = { newest: 3, weeks: 4, earlierSchemas: 2 };
/** ...and of all those no more than this together, the newest excepted. */
const keptBytes = 2 * 1024 ** 3;

/** How long one process waits for what another does to the backups. */
const lockWaitMs = 30_000;

/** Ends the name of what is not whole yet. */
const unfinished = '.tmp';

/**
 * Copies the store as it is at one moment, sees that the copy is whole and says what the store says, and only then names it a backup.
 * Writers go on meanwhile.
 * @throws `backup_failed`; `store_busy` when another process was at the backups all the time.
 */
export async function backUp(database: Database, clock: Clock): Promise<Backup> {
  return holding(database.file, lockWaitMs, () => take(database, clock));
}

/**
 * Backs up a store that has new events since its last backup, if that is more than a day ago, and removes the backups that are not
 * kept. Of two processes that come at once, one does.
 * @returns undefined when it was not due, or another process is at it.
 * @throws `backup_failed`.
 */
export async function backUpIfDue(database: Database, clock: Clock): Promise<Backup | undefined> {
  if (!(await isDue(database, clock))) return undefined;
  try {
    return await holding(database.file, 0, async () => {
      if (!(await isDue(database, clock))) return undefined; // another process was faster
      const backup = await take(database, clock);
      await prune(database.file, clock);
      return backup;
    });
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** The store's backups, newest first. */
export async function listBackups(storeFile: string): Promise<Backup[]> {
  const found: Backup[] = [];
  for (const { file, at } of await backupsOf(storeFile)) {
    const bytes = await bytesOf(file);
    if (bytes !== undefined) found.push({ file, takenAt: at, bytes, schema: await schemaIn(file) });
  }
  return found;
}

/** Removes the backups that are not kept. @returns the removed files. */
export async function pruneBackups(storeFile: string, clock: Clock): Promise<string[]> {
  return holding(storeFile, lockWaitMs, () => prune(storeFile, clock));
}

export interface Rewritten {
  /** File names in which the work was done. */
  readonly rewritten: readonly string[];
  /** Those that were deleted since it cannot be done in them: of an earlier schema, or damaged. */
  readonly deleted: readonly string[];
  /** Those that still hold what they held, for a passing reason such as a full disk. Call again. */
  readonly failed: readonly string[];
}

/**
 * Does work in every backup, and in every store that was set aside, each in one transaction, and takes what it overwrote out of
 * their bytes. The work is done in a copy that takes the original's place, so a crash leaves each one either way and whole.
 * @param work throws in a backup that it cannot be done in, which is then deleted.
 * @throws `store_busy` when another process was at the backups all the time.
 */
export async function rewriteBackups(storeFile: string, work: (tx: Statements) => Promise<void>): Promise<Rewritten> {
  return holding(storeFile, lockWaitMs, async () => {
    const done = { rewritten: [] as string[], deleted: [] as string[], failed: [] as string[] };
    for (const { file } of await copiesOf(storeFile)) {
      const name = basename(file) === basename(storeFile) ? basename(dirname(file)) : basename(file);
      done[await rewriteOrDelete(file, work)].push(name);
    }
    return done;
  });
}

/**
 * Puts a backup in the place of the store, which nobody may have open. What is there is moved aside with its journal, and nothing is
 * overwritten. A crash leaves the one store or the other, or none, in which case opening says so and this can be repeated.
 * @param prepare works on the copy before it takes the place of the store, and leaves no journal beside it.
 * @returns the folder that the former store was moved to; undefined when there was none.
 * @throws `backup_failed` when the backup is not whole or cannot be copied; `store_busy` when the store is in use.
 */
export async function restoreFrom(
  backupFile: string,
  storeFile: string,
  clock: Clock,
  prepare: (copy: string) => Promise<void> = () => Promise.resolve(),
): Promise<string | undefined> {
  return holding(storeFile, lockWaitMs, async () => {
    const copy = join(backupsFolder(storeFile), `${storeName(storeFile)}-restoring${unfinished}`);
    try {
      await copyFile(backupFile, copy);
      await onFile(copy, 'look', (read) => checkWhole(read));
    } catch (error) {
      await rm(copy, { force: true });
      throw asBackupFailed('The backup is not whole, or cannot be copied.', error);
    }
    try {
      await prepare(copy);
      await toDisk(copy);
    } catch (error) {
      await removeWithJournal(copy);
      throw error;
    }
    const aside = await setAside(storeFile, clock);
    await rename(copy, storeFile);
    await folderToDisk(dirname(storeFile));
    return aside;
  });
}

/**
 * Moves what lies in the store's place aside, with its journal.
 * @returns the folder that it was moved to; undefined when nothing was there.
 * @throws `store_busy` when the store is in use.
 */
export const setStoreAside = (storeFile: string, clock: Clock): Promise<string | undefined> =>
  holding(storeFile, lockWaitMs, () => setAside(storeFile, clock));

/** Removes what a crash left unfinished. For whoever opens a store; does nothing while another process is at the backups. */
export async function removeLeftovers(storeFile: string): Promise<void> {
  if ((await leftovers(storeFile)).length === 0) return;
  await holding(storeFile, 0, () => Promise.resolve()).catch((error: unknown) => {
    if (!isBusy(error)) throw error; // they are in the making
  });
}

/** Runs work as the only one who is at the backups of this store. What lies there unfinished then is nobody's. */
async function holding<T>(storeFile: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const release = await lockBackups(storeFile, waitMs);
  try {
    for (const file of await leftovers(storeFile)) await rm(file, { force: true });
    return await work();
  } finally {
    await release();
  }
}

async function lockBackups(storeFile: string, waitMs: number): Promise<() => Promise<void>> {
  try {
    await mkdir(backupsFolder(storeFile), { recursive: true });
    return await takeLock(join(backupsFolder(storeFile), `${storeName(storeFile)}.lock`), waitMs);
  } catch (error) {
    throw isBusy(error) ? error : backupFailed('The folder of the backups cannot be used.', error);
  }
}

const isBusy = (error: unknown): boolean => error instanceof StetError && error.code === 'store_busy';

/** Unfinished files, with the journals that SQLite may have made beside them. */
async function leftovers(storeFile: string): Promise<string[]> {
  const folders = [backupsFolder(storeFile), ...(await setAsideOf(storeFile)).map(({ file }) => dirname(file))];
  const found: string[] = [];
  for (const folder of folders)
    for (const name of await namesIn(folder))
      if (name.startsWith(storeName(storeFile)) && /\.tmp(-journal|-wal|-shm)?$/.test(name)) found.push(join(folder, name));
  return found;
}

async function take(database: Database, clock: Clock): Promise<Backup> {
  const folder = backupsFolder(database.file);
  const takenAt = clock.now();
  const file = join(folder, `${await freeName(database.file, folder, takenAt)}.db`);
  const copy = `${file}${unfinished}`;
  try {
    await database.checkInPlace();
    const schema = await onFile(database.file, 'read', async (source) => {
      const before = await contentOf(source);
      await source.run('VACUUM INTO ?', copy);
      const after = await contentOf(source);
      return onFile(copy, 'look', (read) => checkSame(read, source, before, after));
    });
    await toDisk(copy);
    await rename(copy, file);
    await folderToDisk(folder);
    return { file, takenAt, bytes: (await bytesOf(file)) ?? 0, schema };
  } catch (error) {
    await rm(copy, { force: true });
    throw asBackupFailed('The backup could not be made.', error);
  }
}

const asBackupFailed = (what: string, error: unknown): StetError =>
  error instanceof StetError && error.code === 'backup_failed' ? error : backupFailed(what, error);

interface Content {
  readonly memories: number;
  readonly events: number;
  /** The sequence number and hash of the last event; 0 and nothing before there is one. */
  readonly head: number;
  readonly hash: string;
}

async function contentOf(read: Pick<Statements, 'get'>): Promise<Content> {
  const row = await read.get(
    `SELECT (SELECT count(*) FROM memories) AS memories, count(*) AS events, coalesce(max(seq), 0) AS head,
       coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), '') AS hash
     FROM events`,
  );
  return {
    memories: Number(row?.['memories']),
    events: Number(row?.['events']),
    head: Number(row?.['head']),
    hash: String(row?.['hash']),
  };
}

/** @returns the schema of a copy that is whole and holds what the store held at some moment between two looks at it. */
async function checkSame(copy: Statements, source: Statements, before: Content, after: Content): Promise<number> {
  const schema = await checkWhole(copy);
  const found = await contentOf(copy);
  const hash = (await source.get('SELECT hash FROM events WHERE seq = ?', found.head))?.['hash'] ?? '';
  const between = (n: number, from: number, to: number) => from <= n && n <= to;
  const same =
    schema === (await schemaOf(source)) &&
    found.hash === hash &&
    between(found.memories, before.memories, after.memories) &&
    between(found.events, before.events, after.events);
  if (!same) throw backupFailed('The copy does not hold what the store holds.');
  return schema;
}

/** @returns the schema of a store whose structure is sound. */
async function checkWhole(read: Statements): Promise<number> {
  const schema = await schemaOf(read);
  if (schema === 'foreign' || schema === 0) throw backupFailed('The file is not a backup of a memory store.');
  const [first] = await read.all('PRAGMA quick_check(1)');
  if (first?.['quick_check'] !== 'ok') throw backupFailed('The copy is damaged.');
  return schema;
}

async function schemaIn(file: string): Promise<number | undefined> {
  try {
    const schema = await onFile(file, 'look', schemaOf);
    return schema === 'foreign' || schema === 0 ? undefined : schema;
  } catch {
    return undefined; // damaged; the list says so
  }
}

async function isDue(database: Database, clock: Clock): Promise<boolean> {
  const events = Number((await database.read.get('SELECT coalesce(max(seq), 0) AS head FROM events'))?.['head']);
  const newest = (await backupsOf(database.file))[0];
  if (newest === undefined) return events > 0;
  // A backup from the future, made before a clock was set right, is not waited for.
  if (Math.abs(clock.now().getTime() - newest.at.getTime()) < dayMs) return false;
  const held = await onFile(newest.file, 'look', contentOf).catch(() => undefined); // damaged: another one is due
  return held?.head !== events;
}

async function prune(storeFile: string, clock: Clock): Promise<string[]> {
  const backups = await listBackups(storeFile);
  const keep = toKeep(backups, clock.now());
  const removed: string[] = [];
  for (const { file } of backups.filter((backup) => !keep.has(backup))) {
    await rm(file, { force: true });
    removed.push(file);
  }
  return removed;
}

/** @param backups newest first. */
function toKeep(backups: readonly Backup[], now: Date): Set<Backup> {
  const firstOf = (key: (backup: Backup) => number | undefined) => {
    const first = new Map<number, Backup>();
    for (const backup of backups) {
      const found = key(backup);
      if (found !== undefined && !first.has(found)) first.set(found, backup);
    }
    return first;
  };
  const weeks = [...firstOf(({ takenAt }) => Math.floor((now.getTime() - takenAt.getTime()) / (7 * dayMs)))];
  const schemas = [...firstOf(({ schema }) => schema)].sort(([a], [b]) => b - a);
  const wanted = new Set([
    ...backups.slice(0, kept.newest),
    ...weeks.filter(([week]) => week < kept.weeks).map(([, backup]) => backup),
    ...schemas.slice(0, 1 + kept.earlierSchemas).map(([, backup]) => backup),
  ]);
  let bytes = 0;
  return new Set(
    backups.filter((backup, index) => {
      if (!wanted.has(backup)) return false;
      bytes += backup.bytes;
      return index === 0 || bytes <= keptBytes;
    }),
  );
}

const copiesOf = async (storeFile: string) => [...(await backupsOf(storeFile)), ...(await setAsideOf(storeFile))];

async function rewriteOrDelete(file: string, work: (tx: Statements) => Promise<void>): Promise<keyof Rewritten> {
  try {
    await rewrite(file, work);
    return 'rewritten';
  } catch (error) {
    await removeWithJournal(`${file}${unfinished}`).catch(() => undefined); // a leftover, and removed as one
    if (isPassing(error)) return 'failed';
    try {
      await removeWithJournal(file);
      return 'deleted';
    } catch {
      return 'failed'; // held open by another program; it is named, and tried again
    }
  }
}

async function rewrite(file: string, work: (tx: Statements) => Promise<void>): Promise<void> {
  const copy = `${file}${unfinished}`;
  await copyFile(file, copy);
  if (((await bytesOf(`${file}-wal`)) ?? 0) > 0) await copyFile(`${file}-wal`, `${copy}-wal`); // a store that was set aside
  await onFile(copy, 'write', async (database) => {
    await database.get('PRAGMA journal_mode=MEMORY'); // a journal on disk would hold what is overwritten
    await inTransaction(database, 0, work);
    await rebuild(database);
    await checkWhole(database);
  });
  await toDisk(copy);
  // The journal goes first: it must never be read together with the new file.
  for (const ending of ['-wal', '-shm']) await rm(`${file}${ending}`, { force: true });
  await rename(copy, file);
  await folderToDisk(dirname(file));
}

async function removeWithJournal(file: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm', '-journal']) await rm(`${file}${ending}`, { force: true });
}

/** Whether a failure says something of the disk or of other processes, and nothing of the file. */
function isPassing(error: unknown): boolean {
  const codes = [error, (error as { cause?: unknown }).cause].map((one) => String((one as { code?: unknown } | undefined)?.code));
  return codes.some((code) => /^(E[A-Z]+|SQLITE_(FULL|IOERR|CANTOPEN|READONLY|BUSY|LOCKED|PROTOCOL).*)$/.test(code));
}

/** The file goes first: a journal without its file is seen as a lost store, and a file without its journal as a whole one. */
async function setAside(storeFile: string, clock: Clock): Promise<string | undefined> {
  const present: string[] = [];
  for (const ending of ['', '-wal', '-shm'])
    if ((await bytesOf(`${storeFile}${ending}`)) !== undefined) present.push(`${storeFile}${ending}`);
  if (present.length === 0) return undefined;
  const aside = join(setAsideFolder(storeFile), await freeName(storeFile, setAsideFolder(storeFile), clock.now()));
  await mkdir(aside, { recursive: true });
  try {
    for (const file of present) await rename(file, join(aside, basename(file)));
  } catch (cause) {
    for (const file of present) await rename(join(aside, basename(file)), file).catch(() => undefined); // was not moved
    throw storeBusy(cause);
  }
  return aside;
}

async function toDisk(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a new name last through a power cut; Windows has no such call, and keeps names in a journal. */
async function folderToDisk(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
