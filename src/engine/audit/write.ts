/** Noted answers as rows. */
import type { Statements } from '../store/database';
import type { Recall } from './answer';

/** An answer on its way to the record. */
export interface NotedRecall extends Omit<Recall, 'question'> {
  readonly at: string;
  /** Null where there was none or it may not be kept. */
  question: string | null;
  masked: boolean;
}

/**
 * How long before a forgetting is written it may have been signed, in milliseconds. Questions that were asked up to then and are written
 * only now have escaped the look that it took at the record, so they are not kept.
 */
const forgettingMs = 10_000;

/**
 * Writes answers; one that is there already is left as it is.
 * @param lost how many answers before the first of these could not be recorded.
 */
export async function writeRecalls(tx: Statements, recalls: readonly NotedRecall[], lost: number): Promise<void> {
  const escaped = await lastForgetting(tx);
  for (const [index, recall] of recalls.entries()) {
    const question = escaped === undefined || Date.parse(recall.at) > escaped + forgettingMs ? recall.question : null;
    await writeRecall(tx, { ...recall, question }, index === 0 ? lost : 0);
  }
}

async function lastForgetting(tx: Statements): Promise<number | undefined> {
  const row = await tx.get("SELECT max(known_from) AS at FROM statuses WHERE state = 'forgotten' AND known_to IS NULL");
  return typeof row?.['at'] === 'string' ? Date.parse(row['at']) : undefined;
}

async function writeRecall(tx: Statements, recall: NotedRecall, lost: number): Promise<void> {
  const { changes, rowid } = await tx.run(
    `INSERT INTO recalls (id, session, client, surface, at, scope, question, mode, tokens, left_out, lost)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    recall.id,
    recall.session.id,
    recall.session.client,
    recall.surface,
    recall.at,
    recall.scope,
    recall.question,
    recall.mode ?? null,
    recall.tokens,
    recall.leftOut,
    lost,
  );
  if (changes === 0) return;
  await tx.run(
    `INSERT OR IGNORE INTO recalled (recall, memory, scope, withdrawn, position, tokens, shortened)
     SELECT ?, value ->> 'seq', ?, value ->> 'withdrawn', key, value ->> 'tokens', value ->> 'shortened' FROM json_each(?)`,
    rowid,
    recall.scope,
    JSON.stringify([
      ...recall.items.map(({ seq, tokens, shortened }) => ({ seq, tokens, shortened: Number(shortened), withdrawn: 0 })),
      ...recall.withdrawn.map(({ seq }) => ({ seq, tokens: 0, shortened: 0, withdrawn: 1 })),
    ]),
  );
}
