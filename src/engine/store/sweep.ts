/**
 * Takes words that were overwritten or deleted out of the bytes: out of old index segments, out of pages that were freed or
 * rearranged, and out of the write-ahead log.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { StetError } from '../errors';
import type { Database, Statements } from './database';
import { cutJournal } from './journal';

/** How long a sweep waits for others to let go of the journal. */
const patienceMs = 1_000;

/** Up to this size a store is rebuilt in memory. */
const rebuiltInMemoryBytes = 32 * 1024 * 1024;

/**
 * Sweeps the store, after the transaction that overwrote the words, and between transactions of this process.
 * @returns `held` while another connection keeps the journal, which may then hold the words still: sweep again later. Repeating it
 *   is cheap while it is held.
 */
export async function sweep(database: Database): Promise<'done' | 'held'> {
  const outcome = await database.alone(async (writer) => {
    // A held journal is found out first, since a rebuild that cannot be checkpointed would make it longer by the whole store.
    if (!(await cutWithPatience(writer))) return 'held';
    try {
      await rebuild(writer);
    } catch (error) {
      if (error instanceof StetError && error.code === 'store_busy') return 'held'; // another process began to write meanwhile
      throw error;
    }
    return (await cutWithPatience(writer)) ? 'done' : 'held';
  });
  await database.read.get('PRAGMA shrink_memory');
  return outcome;
}

/**
 * Merges each full-text index into one segment, which drops the words of deleted rows, and builds all pages anew, so that what lies
 * between the rows of old ones is gone, also in a file that was written before freed bytes were overwritten.
 */
export async function rebuild(writer: Statements): Promise<void> {
  const indexes = await writer.all(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'`);
  for (const { name } of indexes) await writer.exec(`INSERT INTO "${String(name)}" ("${String(name)}") VALUES ('optimize')`);
  const size = await writer.get('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size');
  // A rebuild writes what remains to a temporary place first, so no erased word comes there. A large store's is a file, since in
  // memory it would take as much as the store; SQLite deletes it as soon as it is open.
  if (Number(size?.['bytes']) > rebuiltInMemoryBytes) await writer.exec('PRAGMA temp_store=FILE');
  try {
    await writer.exec('VACUUM');
  } finally {
    await writer.exec('PRAGMA temp_store=MEMORY; PRAGMA shrink_memory;');
  }
}

async function cutWithPatience(writer: Statements): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (!(await cutJournal(writer))) {
    if (performance.now() > deadline) return false;
    await delay(10 + Math.random() * 40);
  }
  return true;
}
