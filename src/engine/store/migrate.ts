/** Brings a store's schema up to date: numbered steps, each applied once, all of them in one transaction, after a backup. */
import { backupFailed, StetError, storeNewer, storeUnusable } from '../errors';
import type { Clock, Ids } from '../ports';
import { backUp } from './backup';
import { busyTimeoutMs, inTransaction, type Database, type Statements } from './database';
import { applicationId, schemaOf } from './header';
import { memorySchema } from './migrations/0001-memory';
import { beliefs } from './migrations/0002-beliefs';

/** What a step gets besides the transaction. */
export interface StepContext {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** One step of the schema: statements, or a function for what has to be worked out from the rows that are there. */
export type Step = string | ((tx: Statements, context: StepContext) => Promise<void>);

/** The steps in order; a store's `user_version` is the number of those it has. A released step is never edited. */
const released: readonly Step[] = [memorySchema, beliefs];

type Reads = Pick<Statements, 'get'>;

/**
 * Looks whether the file is a store that this Stet can use, or empty; changes nothing.
 * @returns the number of steps it has.
 * @throws `store_newer` for a store of a later Stet, `store_unusable` for a database that is not a store.
 */
export async function inspect(read: Reads, steps: readonly Step[] = released): Promise<number> {
  const found = await schemaOf(read);
  if (found === 'foreign') throw storeUnusable('The file is a database of another program.');
  if (found > steps.length) throw storeNewer(found, steps.length);
  return found;
}

/**
 * Applies what is missing, and names the store where it is new. A store that holds anything is backed up first. Of several
 * processes that start together one does it; the others wait as for any transaction.
 * @param identity what a new store belongs to.
 * @param before what is done first where the store holds anything, while nobody else can write.
 * @throws `backup_failed` before anything is changed; `store_busy`, which can be tried again; `store_unusable` when a step failed,
 *   after which the store is as it was.
 */
export async function migrate(
  database: Database,
  identity: string,
  clock: Clock,
  ids: Ids,
  steps: readonly Step[] = released,
  before: () => Promise<void> = () => backUpFirst(database, clock),
): Promise<void> {
  if ((await inspect(database.read, steps)) < steps.length) await bringUpToDate(database, identity, { clock, ids }, steps, before);
  database.expectSchema(steps.length);
}

async function bringUpToDate(
  database: Database,
  identity: string,
  { clock, ids }: StepContext,
  steps: readonly Step[],
  before: () => Promise<void>,
): Promise<void> {
  await database.alone(async (writer) => {
    // Steps may rebuild tables that others refer to. The switch has no effect inside a transaction.
    await writer.exec('PRAGMA foreign_keys=OFF');
    try {
      await inTransaction(writer, busyTimeoutMs, async (tx) => {
        const version = await inspect(tx, steps); // once more: another process may have been faster
        if (version === steps.length) return;
        if (version > 0) await before();
        await advance(tx, steps.slice(version), { clock, ids });
        if (version === 0) await nameStore(tx, identity, clock, ids);
        await tx.exec(`PRAGMA application_id=${applicationId}; PRAGMA user_version=${steps.length};`);
      });
    } finally {
      await writer.exec('PRAGMA foreign_keys=ON');
    }
  });
}

/** The write lock is held meanwhile, so the copy is of exactly what the steps begin with. */
async function backUpFirst(database: Database, clock: Clock): Promise<void> {
  await backUp(database, clock).catch((cause: unknown) => {
    throw backupFailed('The store has to be brought up to date, and the backup that comes first could not be made.', cause);
  });
}

async function advance(tx: Statements, missing: readonly Step[], context: StepContext): Promise<void> {
  const before = await rowsOf(tx);
  try {
    for (const step of missing) await (typeof step === 'string' ? tx.exec(step) : step(tx, context));
  } catch (error) {
    throw error instanceof StetError ? error : notAdvanced(error);
  }
  const after = await rowsOf(tx);
  if (before !== undefined && (after?.memories !== before.memories || after.events !== before.events)) throw notAdvanced('rows were lost');
  if ((after?.dangling ?? 0) > (before?.dangling ?? 0)) throw notAdvanced('rows refer to what is gone');
}

const notAdvanced = (cause: unknown) => storeUnusable('The memory store could not be brought up to date, and is as it was.', cause);

/** @returns undefined while there are no tables. */
async function rowsOf(tx: Statements): Promise<{ memories: number; events: number; dangling: number } | undefined> {
  if ((await tx.get(`SELECT 1 FROM sqlite_schema WHERE name = 'memories'`)) === undefined) return undefined;
  const counts = await tx.get('SELECT (SELECT count(*) FROM memories) AS memories, (SELECT count(*) FROM events) AS events');
  const dangling = await tx.all('PRAGMA foreign_key_check');
  return { memories: Number(counts?.['memories']), events: Number(counts?.['events']), dangling: dangling.length };
}

async function nameStore(tx: Statements, identity: string, clock: Clock, ids: Ids): Promise<void> {
  await tx.run(
    'INSERT INTO store (one, id, salt, identity, created_at) VALUES (1, ?, ?, ?, ?)',
    ids.id(),
    ids.salt(),
    identity,
    clock.now().toISOString(),
  );
}
