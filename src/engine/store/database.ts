/**
 * The only file that knows the SQLite driver. A database has a connection for writing, whose transactions run one after the other;
 * one for reading, so that a read neither waits for a writer nor sees half of what it does; and, once it is asked for, one for
 * side records, which wait for nobody.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import sqlite from '@vscode/sqlite3';
import { StetError, storeBusy, storeDamaged, storeNewer, storeUnusable } from '../errors';
import type { SqlValue } from '../ports';
import { cutJournal, Journal, journalLimitBytes, type JournalHealth } from './journal';
import { bytesOf, hasBackups, presenceOf } from './places';

export type Row = Record<string, SqlValue>;

/** Statements on one connection. */
export interface Statements {
  all(sql: string, ...values: readonly SqlValue[]): Promise<Row[]>;
  get(sql: string, ...values: readonly SqlValue[]): Promise<Row | undefined>;
  /** @returns the number of changed rows and the last inserted rowid. */
  run(sql: string, ...values: readonly SqlValue[]): Promise<{ changes: number; rowid: number }>;
  /** Several statements without parameters. */
  exec(sql: string): Promise<void>;
}

type Inspect = (read: Pick<Statements, 'get'>) => Promise<unknown>;

/** How long a transaction waits for another process's lock. */
export const busyTimeoutMs = 5_000;

/** A connection that writes leaves the journal to {@link Journal}, and the waiting for locks to {@link inTransaction}. */
const ownCare = `PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=${journalLimitBytes}; PRAGMA busy_timeout=0;`;

/** How long a side record waits for it: what is worth less than an answer is given up sooner. */
const sideTimeoutMs = 100;

export class Database {
  readonly #writes = new Queue();
  readonly #sides = new Queue();
  readonly #journal: Journal;
  #side: Connection | undefined;
  #schema: number | undefined;
  #closed = false;

  private constructor(
    /** The store's file. */
    readonly file: string,
    private readonly identity: string,
    private readonly writer: Connection,
    private readonly reader: Connection,
  ) {
    this.#journal = new Journal(file, () => this.#betweenTransactions(cutJournal));
  }

  /**
   * Opens the file, and creates it with its folder where it is missing and none was there before.
   * @param inspect looks at the file before anything in it is changed; what it throws leaves the file as it is, to the byte.
   * @param how `anew` when a person wants a new store where one was lost.
   * @throws `store_unusable` when it cannot be opened, or cannot keep a write-ahead log (a network folder, say); `store_damaged`.
   */
  static async open(file: string, inspect: Inspect, how: { readonly anew: boolean } = { anew: false }): Promise<Database> {
    await mkdir(dirname(file), { recursive: true }).catch((cause: unknown) => {
      throw storeUnusable('The folder of the memory store cannot be made.', cause);
    });
    await lookBeforeOpening(file, inspect, how.anew);
    try {
      return await Database.#connect(file, inspect);
    } catch (error) {
      // Bytes that are no database at all, and never were backed up, may as well be another program's.
      if (isNoDatabase(error) && !(await hasBackups(file))) throw storeUnusable('The memory store is damaged, or is not a store.', error);
      throw error;
    }
  }

  static async #connect(file: string, inspect: Inspect): Promise<Database> {
    const writer = await Connection.open(file, 'write', busyTimeoutMs);
    try {
      await inspect(writer);
      await enterWriteAheadLog(writer);
      await writer.exec(ownCare);
      const reader = await Connection.open(file, 'write', busyTimeoutMs);
      await reader.exec('PRAGMA query_only=ON');
      return new Database(file, await identityOf(file), writer, reader);
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  /** For reading, outside of transactions. */
  get read(): Pick<Statements, 'all' | 'get'> {
    return this.reader;
  }

  /**
   * Runs a unit of work in one immediate transaction: all of it happens, or none. Units of one process run one after the other;
   * other processes wait for up to {@link busyTimeoutMs}.
   * @throws `store_busy` when another process held the write lock all that time; `store_newer` when the schema was changed meanwhile.
   */
  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const result = await this.#writes.run(async () => {
      await this.#checkOpen();
      return inTransaction(this.writer, busyTimeoutMs, (tx) => this.#inSchema(tx, work));
    });
    this.#journal.grown();
    return result;
  }

  /**
   * Like {@link transaction}, for records beside the memories, such as what a session was shown: on a connection and in a queue of
   * its own, waiting a tenth of a second at most. A power cut can lose the last ones, and nothing of the rest.
   * @throws `store_busy` when the write lock was held; the record is then best given up.
   */
  async sideTransaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const result = await this.#sides.run(async () => {
      await this.#checkOpen();
      this.#side ??= await openSide(this.file);
      return inTransaction(this.#side, sideTimeoutMs, (tx) => this.#inSchema(tx, work));
    });
    this.#journal.grown();
    return result;
  }

  /**
   * Hands out the writing connection between transactions, for what cannot run inside one. The work ends what it begins. Statements
   * here do not wait for other processes: a held lock is `store_busy` at once.
   */
  async alone<T>(work: (writer: Statements) => Promise<T>): Promise<T> {
    const result = await this.#betweenTransactions(work);
    this.#journal.grown();
    return result;
  }

  #betweenTransactions<T>(work: (writer: Statements) => Promise<T>): Promise<T> {
    return this.#writes.run(async () => {
      await this.#checkOpen();
      return work(this.writer);
    });
  }

  /** The length of the write-ahead log. */
  walBytes(): Promise<number> {
    return this.#journal.bytes();
  }

  /** The length of the write-ahead log, and whether somebody keeps it from being cut. */
  journalHealth(): Promise<JournalHealth> {
    return this.#journal.health();
  }

  /** From now on transactions are refused once a later Stet has brought the store to another schema than this one. */
  expectSchema(schema: number): void {
    this.#schema = schema;
  }

  async #inSchema<T>(tx: Statements, work: (statements: Statements) => Promise<T>): Promise<T> {
    if (this.#schema !== undefined) {
      const found = Number((await tx.get('PRAGMA user_version'))?.['user_version']);
      if (found !== this.#schema) throw storeNewer(found, this.#schema);
    }
    return work(tx);
  }

  async #checkOpen(): Promise<void> {
    if (this.#closed) throw storeUnusable('The memory store is closed.');
    await this.checkInPlace();
  }

  /**
   * Sees that the file is still the one that was opened: what is written to a deleted file is acknowledged and lost.
   * @throws `store_unusable` when it was deleted or replaced.
   */
  async checkInPlace(): Promise<void> {
    if ((await identityOf(this.file)) !== this.identity) throw storeUnusable('The memory store was deleted or replaced while it was open.');
  }

  /** A number that changes when another connection has committed. */
  async dataVersion(): Promise<number> {
    await this.checkInPlace();
    return Number((await this.reader.get('PRAGMA data_version'))?.['data_version']);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#journal.stop();
    await Promise.all([this.#writes.idle(), this.#sides.idle()]);
    await this.#side?.close();
    await this.reader.close();
    await this.writer.close();
  }
}

/** Runs one piece of work after the other, in the order they came. */
class Queue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined); // the caller has the error; the queue only waits
    return result;
  }

  async idle(): Promise<void> {
    await this.#last;
  }
}

/**
 * Runs work in one immediate transaction on a connection.
 * @param waitMs how long another process's lock is waited for. The wait is here and not in SQLite, whose waiting keeps a thread of
 *   the pool and grows too coarse for several writers.
 * @throws `store_busy`.
 */
export async function inTransaction<T>(connection: Statements, waitMs: number, work: (statements: Statements) => Promise<T>): Promise<T> {
  await retryWhileBusy(waitMs, () => connection.exec('BEGIN IMMEDIATE'));
  try {
    const result = await work(connection);
    await connection.exec('COMMIT');
    return result;
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => undefined); // SQLite has rolled back by itself after some errors
    throw error;
  }
}

async function retryWhileBusy<T>(waitMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const left = deadline - performance.now();
      if (!(error instanceof StetError && error.code === 'store_busy') || left <= 0) throw error;
      await delay(Math.min(left, Math.random() * Math.min(tries, 10))); // others hold it for a millisecond or two, mostly
    }
  }
}

export type FileAccess =
  /** As the bytes lie there, without locks and without a journal; makes no file beside it. For a file that nobody is writing to. */
  | 'look'
  | 'read'
  /** Creates the file where it is missing. */
  | 'write';

/** Runs work on a database file other than the open store (a backup, say), on a connection of its own. */
export async function onFile<T>(file: string, access: FileAccess, work: (statements: Statements) => Promise<T>): Promise<T> {
  const connection = await Connection.open(file, access, busyTimeoutMs);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Reads a store that this process has not open: its journal counts, if it has one, and no file is made beside one that has none. */
export async function onUnopened<T>(file: string, work: (read: Statements) => Promise<T>): Promise<T> {
  return onFile(file, ((await bytesOf(`${file}-wal`)) ?? 0) > 0 ? 'read' : 'look', work);
}

/**
 * Takes a lock that one process has at a time. The lock is one of SQLite's on a file of its own, so the system frees it when its
 * holder dies, and none is ever stale.
 * @returns what frees it.
 * @throws `store_busy` when it was held for `waitMs`.
 */
export async function takeLock(lockFile: string, waitMs: number): Promise<() => Promise<void>> {
  const holder = await retryWhileBusy(waitMs, () => lock(lockFile));
  return () => holder.close();
}

async function lock(lockFile: string): Promise<Connection> {
  const connection = await Connection.open(lockFile, 'write', 0);
  try {
    await connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Refuses what must not be opened for writing at all, since that alone can change it: its journal is moved into the file, say. */
async function lookBeforeOpening(file: string, inspect: Inspect, anew: boolean): Promise<void> {
  const presence = await presenceOf(file);
  if (presence === 'folder') throw storeUnusable('A folder lies where the memory store should be.');
  if (presence === 'lost' && !anew) throw storeDamaged('The memory store is gone or empty, and one was here before.');
  if (presence !== 'present') return;
  try {
    await onUnopened(file, inspect);
  } catch (error) {
    // A refusal by `inspect` has no cause. What the driver cannot do here, it does or names when the file is opened.
    if (error instanceof StetError && error.cause === undefined) throw error;
  }
}

/** Which file lies at a path; `''` when none does. */
async function identityOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined); // deleted
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

/** The switch needs the file for itself for a moment and does not wait for it by itself, so processes that start together retry. */
async function enterWriteAheadLog(connection: Connection): Promise<void> {
  const mode = (await retryWhileBusy(busyTimeoutMs, () => connection.get('PRAGMA journal_mode=WAL')))?.['journal_mode'];
  if (mode !== 'wal') throw storeUnusable('The memory store lies on a file system that cannot share it between processes.');
}

async function openSide(file: string): Promise<Connection> {
  const side = await Connection.open(file, 'write', sideTimeoutMs);
  await side.exec(`PRAGMA synchronous=NORMAL; ${ownCare}`);
  return side;
}

class Connection implements Statements {
  private constructor(private readonly driver: sqlite.Database) {}

  /** @param waitMs how long a single statement waits for a lock. */
  static async open(file: string, access: FileAccess, waitMs: number): Promise<Connection> {
    const name = access === 'look' ? `${pathToFileURL(file).href}?immutable=1` : file;
    const mode = {
      look: sqlite.OPEN_READONLY | sqlite.OPEN_URI,
      read: sqlite.OPEN_READONLY,
      write: sqlite.OPEN_READWRITE | sqlite.OPEN_CREATE,
    }[access];
    const driver = await new Promise<sqlite.Database>((resolve, reject) => {
      const opened: sqlite.Database = new sqlite.Database(name, mode, (error) => {
        if (error) reject(asStoreError(error));
        else resolve(opened);
      });
    });
    driver.configure('busyTimeout', waitMs);
    const connection = new Connection(driver);
    try {
      // FULL: an acknowledged write survives a power cut. secure_delete: freed pages are overwritten from the first day on.
      // temp_store: words are not left in temporary files.
      await connection.exec(
        'PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY;',
      );
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  all(sql: string, ...values: readonly SqlValue[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.driver.all(sql, values, (error: Error | null, rows: Row[]) => {
        if (error) reject(asStoreError(error));
        else resolve(rows);
      });
    });
  }

  get(sql: string, ...values: readonly SqlValue[]): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      this.driver.get(sql, values, (error: Error | null, row: Row | undefined) => {
        if (error) reject(asStoreError(error));
        else resolve(row);
      });
    });
  }

  run(sql: string, ...values: readonly SqlValue[]): Promise<{ changes: number; rowid: number }> {
    return new Promise((resolve, reject) => {
      this.driver.run(sql, values, function (error) {
        if (error) reject(asStoreError(error));
        else resolve({ changes: this.changes, rowid: this.lastID });
      });
    });
  }

  exec(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.driver.exec(sql, (error) => {
        if (error) reject(asStoreError(error));
        else resolve();
      });
    });
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.driver.close((error) => {
        if (error) reject(asStoreError(error));
        else resolve();
      });
    });
  }
}

/** The driver's error in Stet's words; what the engine should have prevented rises as it is and ends as `internal`. */
function asStoreError(error: Error & { code?: string }): Error {
  if (error instanceof StetError) return error;
  const is = (code: string) => error.code?.startsWith(code) === true; // the extended codes start like the plain ones
  // PROTOCOL: whoever makes or recovers the journal keeps all others out of it, and did not finish in time.
  if (is('SQLITE_BUSY') || is('SQLITE_LOCKED') || is('SQLITE_PROTOCOL')) return storeBusy(error);
  if (is('SQLITE_CORRUPT') || is('SQLITE_NOTADB') || error.message.includes('malformed'))
    return storeDamaged('The memory store is damaged.', error);
  const words = unusable.find(([code]) => is(code));
  if (words !== undefined) return storeUnusable(words[1], error);
  return /no such (table|column)/.test(error.message) ? storeUnusable('The memory store lacks a part that it had.', error) : error;
}

const isNoDatabase = (error: unknown): boolean =>
  error instanceof StetError && (error.cause as { code?: string } | undefined)?.code?.startsWith('SQLITE_NOTADB') === true;

const unusable: readonly (readonly [code: string, what: string])[] = [
  ['SQLITE_READONLY', 'The memory store is read-only.'],
  ['SQLITE_CANTOPEN', 'The memory store cannot be opened.'],
  ['SQLITE_FULL', 'The disk is full, so the memory store cannot grow.'],
  ['SQLITE_IOERR', 'The memory store cannot be read or written.'],
];
