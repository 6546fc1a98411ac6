/** The second half of forgetting: once the words have left the tables, they leave the journal, the free pages and the backups. */
import { eraseEveryQuestion } from './audit/erase';
import { eraseTextsInCopy, eraseWordsInCopy, noteSwept, openErasures, textsLeft } from './ledger/erase';
import type { LedgerParts } from './ledger/parts';
import { rewriteBackups } from './store/backup';
import { sweep } from './store/sweep';
import type { Statements } from './store/database';

/**
 * Finishes every forgetting that is not finished, by whichever process began it.
 * @returns `held` while another reader keeps the journal, or a backup could not be rewritten: call again later.
 */
export async function finishErasures({ database, clock }: Pick<LedgerParts, 'database' | 'clock'>): Promise<'done' | 'held'> {
  const open = await openErasures(database.read);
  if (open.length === 0) return 'done';
  const swept = await sweep(database);
  const rows = await database.read.all('SELECT memory FROM events WHERE seq IN (SELECT value FROM json_each(?))', JSON.stringify(open));
  const left = await textsLeft(database.read);
  const { failed } = await rewriteBackups(database.file, async (tx) => {
    await forgetIn(
      tx,
      rows.map((row) => String(row['memory'])),
    );
    await eraseTextsInCopy(tx, left);
  });
  if (swept === 'held' || failed.length > 0) return 'held';
  await database.transaction((tx) => noteSwept(tx, open, clock.now().toISOString()));
  return 'done';
}

/** In a backup the forgetting itself has not happened; its words go all the same, and with them every question that was asked. */
export async function forgetIn(tx: Statements, memories: readonly string[]): Promise<void> {
  for (const id of memories) {
    const found = await tx.get('SELECT seq FROM memories WHERE id = ? AND erased IS NULL', id);
    if (found !== undefined) await eraseWordsInCopy(tx, Number(found['seq']));
  }
  await eraseEveryQuestion(tx);
}
