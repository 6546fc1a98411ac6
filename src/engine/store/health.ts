/** Looks for damage before somebody meets it. */
import { StetError } from '../errors';
import { onFile, type Database } from './database';

/** How many faults are named at most. */
const namedFaults = 10;

export type Health = { readonly sound: true } | { readonly sound: false; readonly faults: readonly string[] };

/**
 * Checks the structure of every page, on a connection of its own: reads and writes go on meanwhile, and nothing waits for it but
 * its caller. Changes nothing. The faults are SQLite's words, for a log.
 * @throws `store_unusable` when the file was deleted, replaced, or cannot be read at all.
 */
export async function quickCheck(database: Database): Promise<Health> {
  await database.checkInPlace();
  try {
    const rows = await onFile(database.file, 'read', (read) => read.all(`PRAGMA quick_check(${namedFaults})`));
    const faults = rows.map((row) => String(row['quick_check'])).filter((fault) => fault !== 'ok');
    return faults.length === 0 ? { sound: true } : { sound: false, faults };
  } catch (error) {
    if (error instanceof StetError && error.code === 'store_damaged') return { sound: false, faults: [String(error.cause)] };
    throw error;
  }
}
