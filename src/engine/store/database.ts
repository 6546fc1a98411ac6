/**
 * The only file that knows the SQLite driver. A database has two connections: one for writing, whose transactions run one after
 * the other, and one for reading, so that a read neither waits for a writer nor sees half of what it does.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sqlite from '@vscode/sqlite3';
import { StetError, storeBusy, storeUnusable } from '../errors';
import type { SqlValue } from '../ports';

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

/** How long a statement waits for another process's lock. */
export const busyTimeoutMs = 5_000;

export class Database {
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(
    private readonly file: string,
    private readonly identity: string,
    private readonly writer: Connection,
    private readonly reader: Connection,
  ) {}

  /**
   * Opens the file, and creates it with its folder where it is missing.
   * @param inspect looks at the file before anything in it is changed; what it throws leaves a foreign file untouched.
   * @throws `store_unusable` when it cannot be opened, or cannot keep a write-ahead log (a network folder, say).
   */
  static async open(file: string, inspect: (read: Pick<Statements, 'get'>) => Promise<unknown>): Promise<Database> {
    await mkdir(dirname(file), { recursive: true }).catch((cause: unknown) => {
      throw storeUnusable('The folder of the memory store cannot be made.', cause);
    });
    const writer = await Connection.open(file);
    try {
      await inspect(writer);
      await enterWriteAheadLog(writer);
      const reader = await Connection.open(file);
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
   * @throws `store_busy` when another process held the write lock all that time.
   */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const result = this.#queue.then(() => this.#unit(work));
    this.#queue = result.catch(() => undefined); // the caller has the error; the queue only waits
    return result;
  }

  async #unit<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    if (this.#closed) throw storeUnusable('The memory store is closed.');
    await this.checkInPlace();
    await this.writer.exec('BEGIN IMMEDIATE');
    try {
      const result = await work(this.writer);
      await this.writer.exec('COMMIT');
      return result;
    } catch (error) {
      await this.writer.exec('ROLLBACK').catch(() => undefined); // SQLite has rolled back by itself after some errors
      throw error;
    }
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
    await this.#queue;
    await this.reader.close();
    await this.writer.close();
  }
}

/** Which file lies at a path; `''` when none does. */
async function identityOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined); // deleted
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

/** The switch needs the file for itself for a moment and does not wait for it by itself, so processes that start together retry. */
async function enterWriteAheadLog(connection: Connection): Promise<void> {
  const deadline = Date.now() + busyTimeoutMs;
  for (;;) {
    try {
      const mode = (await connection.get('PRAGMA journal_mode=WAL'))?.['journal_mode'];
      if (mode === 'wal') return;
      throw storeUnusable('The memory store lies on a file system that cannot share it between processes.');
    } catch (error) {
      if (!(error instanceof StetError && error.code === 'store_busy') || Date.now() > deadline) throw error;
      await delay(10 + Math.random() * 40);
    }
  }
}

class Connection implements Statements {
  private constructor(private readonly driver: sqlite.Database) {}

  static async open(file: string): Promise<Connection> {
    const driver = await new Promise<sqlite.Database>((resolve, reject) => {
      const opened: sqlite.Database = new sqlite.Database(file, sqlite.OPEN_READWRITE | sqlite.OPEN_CREATE, (error) => {
        if (error) reject(asStoreError(error));
        else resolve(opened);
      });
    });
    driver.configure('busyTimeout', busyTimeoutMs);
    const connection = new Connection(driver);
    try {
      // FULL: an acknowledged write survives a power cut. secure_delete: freed pages are overwritten from the first day on.
      await connection.exec('PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF; PRAGMA secure_delete=ON;');
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
  const words = unusable.find(([code]) => error.code?.startsWith(code));
  if (error.code?.startsWith('SQLITE_BUSY') === true || error.code?.startsWith('SQLITE_LOCKED') === true) return storeBusy(error);
  if (words !== undefined) return storeUnusable(words[1], error);
  return /no such (table|column)|malformed/.test(error.message) ? storeUnusable('The memory store is damaged.', error) : error;
}

/** SQLite's codes, of which the extended ones start like the plain ones. */
const unusable: readonly (readonly [code: string, what: string])[] = [
  ['SQLITE_READONLY', 'The memory store is read-only.'],
  ['SQLITE_CANTOPEN', 'The memory store cannot be opened.'],
  ['SQLITE_FULL', 'The disk is full, so the memory store cannot grow.'],
  ['SQLITE_CORRUPT', 'The memory store is damaged, or is not a store.'],
  ['SQLITE_NOTADB', 'The memory store is damaged, or is not a store.'],
  ['SQLITE_IOERR', 'The memory store cannot be read or written.'],
];
