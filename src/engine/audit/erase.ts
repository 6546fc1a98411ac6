/** What leaves the record: questions, when their memory is forgotten, and old answers. Ids and counts hold no words and stay. */
import { readPredicate, type Grant } from '../scope/grant';
import type { Statements } from '../store/database';

/** What is being forgotten. */
export interface Sought {
  /** Sequence numbers. */
  readonly memories: readonly number[];
  /** Whether a question holds words that are forgotten, in whatever spelling. */
  readonly contains: (question: string) => boolean;
}

/** Questions that a forgetting reaches. */
export interface Touching {
  /** Those that the grant reads, for the preview. */
  readonly questions: readonly TouchedQuestion[];
  /** How many others there are: forgetting reaches them all the same. */
  readonly beyond: number;
  /** Sequence numbers of all of them. */
  readonly recalls: readonly number[];
  /** The last recall that was looked at. */
  readonly upTo: number;
}

export interface TouchedQuestion {
  /** The recall's id. */
  readonly id: string;
  readonly session: string;
  readonly client: string;
  readonly at: string;
  readonly question: string;
}

/** How many questions are compared without a pause. */
const stretch = 100;

/** The questions whose answer had one of the memories, or that hold forgotten words. Changes nothing. */
export async function questionsTouching(read: Pick<Statements, 'all'>, grant: Grant, sought: Sought): Promise<Touching> {
  return touchingAfter(0, read, grant, sought);
}

/**
 * Blanks the questions, wherever in the store their session ran.
 * @param looked what {@link questionsTouching} found outside of the transaction; only what came after it is compared inside.
 * @returns how many were blanked.
 */
export async function eraseQuestions(tx: Statements, grant: Grant, sought: Sought, looked: Touching): Promise<number> {
  const later = await touchingAfter(looked.upTo, tx, grant, sought);
  const { changes } = await tx.run(
    'UPDATE recalls SET question = NULL WHERE question IS NOT NULL AND seq IN (SELECT value FROM json_each(?))',
    JSON.stringify([...looked.recalls, ...later.recalls]),
  );
  return changes;
}

/** Blanks single questions that a person ticked. @param ids of recalls. */
export async function eraseNamedQuestions(tx: Statements, ids: readonly string[]): Promise<void> {
  await tx.run('UPDATE recalls SET question = NULL WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
}

/** Blanks all of them: for a copy in which nobody looks at questions, and which cannot tell what was forgotten after it was taken. */
export async function eraseEveryQuestion(tx: Statements): Promise<void> {
  await tx.run('UPDATE recalls SET question = NULL WHERE question IS NOT NULL');
}

async function touchingAfter(start: number, read: Pick<Statements, 'all'>, grant: Grant, sought: Sought): Promise<Touching> {
  const within = readPredicate(grant, 'r.scope');
  const questions: TouchedQuestion[] = [];
  const recalls: number[] = [];
  let upTo = start;
  for (;;) {
    const rows = await read.all(
      `SELECT r.seq, r.id, r.session, r.client, r.at, r.question, ${within.sql} AS readable,
         EXISTS (SELECT 1 FROM recalled d
                 WHERE d.recall = r.seq AND d.withdrawn = 0 AND d.memory IN (SELECT value FROM json_each(?))) AS returned
       FROM recalls r WHERE r.seq > ? AND r.question IS NOT NULL ORDER BY r.seq LIMIT ?`,
      ...within.values,
      JSON.stringify(sought.memories),
      upTo,
      stretch,
    );
    for (const row of rows) {
      upTo = Number(row['seq']);
      const question = String(row['question']);
      if (row['returned'] !== 1 && !sought.contains(question)) continue;
      recalls.push(upTo);
      if (row['readable'] === 1)
        questions.push({
          id: String(row['id']),
          session: String(row['session']),
          client: String(row['client']),
          at: String(row['at']),
          question,
        });
    }
    if (rows.length < stretch) return { questions, beyond: recalls.length - questions.length, recalls, upTo };
  }
}

/** The record's bounds. */
const mostRecalls = 20_000;
const longestDays = 90;
/** How many recalls one step deletes, so that nobody waits long for the lock. */
const pruneStep = 200;

/**
 * Deletes the oldest answers that are beyond the record's bounds, a step at a time.
 * @returns how many it deleted; 0 when there is nothing left to prune.
 */
export async function prune(tx: Statements, now: Date): Promise<number> {
  const oldest = new Date(now.getTime() - longestDays * 24 * 60 * 60 * 1000).toISOString();
  const rows = await tx.all(
    `SELECT seq FROM recalls
     WHERE at < ? OR seq <= (SELECT seq FROM recalls ORDER BY seq DESC LIMIT 1 OFFSET ?)
     ORDER BY seq LIMIT ?`,
    oldest,
    mostRecalls,
    pruneStep,
  );
  const recalls = JSON.stringify(rows.map((row) => Number(row['seq'])));
  await tx.run('DELETE FROM uses WHERE recall IN (SELECT value FROM json_each(?))', recalls);
  await tx.run('DELETE FROM recalled WHERE recall IN (SELECT value FROM json_each(?))', recalls);
  await tx.run('DELETE FROM recalls WHERE seq IN (SELECT value FROM json_each(?))', recalls);
  return rows.length;
}
