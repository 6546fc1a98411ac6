/** Makes the derived tables anew from content and events: statuses, both indexes, keys, slots, tombstones, answers, rulings. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Grant } from '../scope/grant';
import type { Statements } from '../store/database';
import type { LedgerParts } from './parts';
import { examined, memoriesWithoutRow, storeDifferences, type DerivedTable, type Difference, type Examination } from './projection';
import type { Tampering } from './replay';

export interface Rebuilt {
  /** How many memories were looked at. */
  readonly memories: number;
  /** How many rows were put right, by table. */
  readonly repaired: Readonly<Partial<Record<DerivedTable, number>>>;
  /** Memories whose content or events are not sound; nothing of them was touched. */
  readonly left: readonly { readonly id: string; readonly why: Tampering }[];
  /** Ids of memories of which rows are gone that nothing can bring back: the words, or the tombstone of words that are forgotten. */
  readonly lost: readonly string[];
}

/**
 * Rebuilds, in one transaction; rows that are right already are not written. Signatures are verified before it begins, and are
 * not verified again within it.
 * @param progress called with the number of memories looked at, and how many there are to look at, both passes counted.
 * @throws `store_busy`; the store is then as it was.
 */
export async function rebuild(
  grant: Grant,
  { database, store, keyRing }: LedgerParts,
  progress: (done: number, total: number) => void = () => undefined,
): Promise<Rebuilt> {
  const how: Examination = { grant, store, keys: await keyRing.trusted() };
  const total = 2 * Number((await database.read.get('SELECT count(*) AS n FROM memories'))?.['n']);
  let done = 0;
  const seen = (count: number) => {
    done += count;
    progress(done, Math.max(total, done));
  };
  for await (const page of examined(database.read, how)) {
    seen(page.length);
    await yieldToOthers();
  }
  return database.transaction(async (tx) => {
    // The indexes' own structure comes first: a damaged one refuses the rows that are put into it.
    for (const index of ['served_index', 'waiting_index']) await tx.exec(`INSERT INTO ${index} (${index}) VALUES ('rebuild')`);
    const repaired: Partial<Record<DerivedTable, number>> = {};
    const left: { id: string; why: Tampering }[] = [];
    const lost = await memoriesWithoutRow(tx);
    let memories = 0;
    await repairAll(tx, await storeDifferences(tx, how), repaired);
    for await (const page of examined(tx, how)) {
      memories += page.length;
      for (const { id, broken, differences } of page) {
        if (broken !== undefined) left.push({ id, why: broken });
        if (differences.some(({ repair }) => repair.length === 0)) lost.push(id);
        await repairAll(tx, differences, repaired);
      }
      seen(page.length);
    }
    return { memories, repaired, left, lost };
  });
}

async function repairAll(
  tx: Statements,
  differences: readonly Difference[],
  repaired: Partial<Record<DerivedTable, number>>,
): Promise<void> {
  for (const { table, repair } of differences) {
    for (const { sql, values } of repair) await tx.run(sql, ...values);
    if (repair.length > 0) repaired[table] = (repaired[table] ?? 0) + 1;
  }
}
