/** Brings a store's schema up to date: numbered steps, each applied once, all of them in one transaction. */
import { storeNewer, storeUnusable } from '../errors';
import type { Clock, Ids } from '../ports';
import type { Database, Statements } from './database';
import { memorySchema } from './migrations/0001-memory';

/** `Stet` in ASCII: marks the file as Stet's, in SQLite's header. */
export const applicationId = 0x53746574;

/** The steps in order; a store's `user_version` is the number of those it has. A released step is never edited. */
const steps: readonly string[] = [memorySchema];

type Reads = Pick<Statements, 'get'>;

/**
 * Looks whether the file is a store that this Stet can use, or empty; changes nothing.
 * @returns the number of steps it has.
 * @throws `store_newer` for a store of a later Stet, `store_unusable` for a database that is not a store.
 */
export async function inspect(read: Reads): Promise<number> {
  // One statement, so one moment: a store that another process is making is seen before or after, not in between.
  const found = await read.get(
    `SELECT a.application_id AS identity, u.user_version AS version, (SELECT count(*) FROM sqlite_schema) AS tables
     FROM pragma_application_id a, pragma_user_version u`,
  );
  const [identity, version, tables] = [Number(found?.['identity']), Number(found?.['version']), Number(found?.['tables'])];
  if (identity !== applicationId && (identity !== 0 || version !== 0 || tables > 0))
    throw storeUnusable('The file is a database of another program.');
  if (version > steps.length) throw storeNewer(version, steps.length);
  return version;
}

/**
 * Applies what is missing, and names the store where it is new.
 * @param identity what a new store belongs to.
 */
export async function migrate(database: Database, identity: string, clock: Clock, ids: Ids): Promise<void> {
  if ((await inspect(database.read)) === steps.length) return;
  await database.transaction(async (tx) => {
    const version = await inspect(tx); // once more: another process may have been faster
    for (const step of steps.slice(version)) await tx.exec(step);
    if (version === 0)
      await tx.run(
        'INSERT INTO store (one, id, salt, identity, created_at) VALUES (1, ?, ?, ?, ?)',
        ids.id(),
        ids.salt(),
        identity,
        clock.now().toISOString(),
      );
    await tx.exec(`PRAGMA application_id=${applicationId}; PRAGMA user_version=${steps.length};`);
  });
}
