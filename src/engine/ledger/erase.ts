/** The words of a forgotten memory leave every table that holds any of them. The bytes below go with the sweep that follows. */
import type { Statements } from '../store/database';

/**
 * Every table that can hold words of a memory, with the statement that takes them out. `:seq` is the memory, `:event` the forgetting.
 * A test holds this against the schema: a column of words that is in no statement fails it.
 */
export const erasures = {
  /** In a store that was put back from a backup, the words may have gone before the forgetting. */
  memories: `UPDATE memories SET erased = :event, salt = '', value_key = '', tags = '[]', replaces = '[]', derived_from = NULL, copy_of = NULL,
    claim = NULL, title = '', applies_when = NULL, alternatives = '[]', steps = '[]', rationale = NULL, statement = '' WHERE seq = :seq AND erased IS NULL`,
  anchors: 'DELETE FROM anchors WHERE memory = :seq',
  evidence: 'DELETE FROM evidence WHERE memory = :seq',
  claims: 'DELETE FROM claims WHERE memory = :seq',
  served_index: 'DELETE FROM served_index WHERE rowid = :seq',
  waiting_index: 'DELETE FROM waiting_index WHERE rowid = :seq',
  /** The command id is the agent's own text. */
  receipts: 'DELETE FROM receipts WHERE memory = :seq',
  reasons: 'DELETE FROM reasons WHERE event IN (SELECT seq FROM events WHERE memory = (SELECT id FROM memories WHERE seq = :seq))',
  /** Also those that name it as the other side, since they quote it as likely as not. */
  challenges: `UPDATE challenges SET erased = :event, answer = coalesce(answer, :event), reason = '', evidence = '[]', salt = '', question = ''
    WHERE memory = :seq OR counterpart = :seq`,
} as const;

/** Takes a memory's words out of every table, within a transaction. */
export async function eraseWords(tx: Statements, seq: number, event: number): Promise<void> {
  for (const statement of Object.values(erasures)) {
    const values: number[] = [];
    const sql = statement.replace(/:(seq|event)\b/g, (_, name) => {
      values.push(name === 'seq' ? seq : event);
      return '?';
    });
    await tx.run(sql, ...values);
  }
}

/** The same in a copy that has no event of the forgetting. No act has answered the challenges there: the forgetting does, once it is carried over. */
export async function eraseWordsInCopy(tx: Statements, seq: number): Promise<void> {
  const last = Number((await tx.get('SELECT max(seq) AS last FROM events'))?.['last']);
  const open = await tx.all('SELECT id FROM challenges WHERE answer IS NULL AND (memory = ? OR counterpart = ?)', seq, seq);
  await eraseWords(tx, seq, last);
  const ids = JSON.stringify(open.map((row) => String(row['id'])));
  await tx.run('UPDATE challenges SET answer = NULL WHERE id IN (SELECT value FROM json_each(?))', ids);
}

/** Takes forgotten words out of what was written about other memories: the reasons of acts, and what agents doubted. */
export async function eraseTexts(tx: Statements, contains: (text: string) => boolean): Promise<void> {
  const reasons = (await tx.all('SELECT event, text FROM reasons')).filter((row) => contains(String(row['text'])));
  await tx.run('DELETE FROM reasons WHERE event IN (SELECT value FROM json_each(?))', JSON.stringify(reasons.map((row) => row['event'])));
  const challenges = (await tx.all('SELECT id, reason, evidence FROM challenges')).filter((row) =>
    contains(`${String(row['reason'])} ${String(row['evidence'])}`),
  );
  await tx.run(
    `UPDATE challenges SET reason = '', evidence = '[]' WHERE id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(challenges.map((row) => row['id'])),
  );
}

/** The texts beside the memories that a store still has: reasons by the hash of their event, challenges by id. */
export interface TextsLeft {
  readonly reasons: string;
  readonly challenges: string;
}

export async function textsLeft(read: Pick<Statements, 'all'>): Promise<TextsLeft> {
  const reasons = await read.all('SELECT e.hash FROM reasons r JOIN events e ON e.seq = r.event');
  const challenges = await read.all(`SELECT id FROM challenges WHERE reason <> ''`);
  return { reasons: JSON.stringify(reasons.map((row) => row['hash'])), challenges: JSON.stringify(challenges.map((row) => row['id'])) };
}

/** Takes out of a copy the texts that its store has no longer: only a forgetting takes one away. */
export async function eraseTextsInCopy(tx: Statements, left: TextsLeft): Promise<void> {
  await tx.run(
    'DELETE FROM reasons WHERE event NOT IN (SELECT seq FROM events WHERE hash IN (SELECT value FROM json_each(?)))',
    left.reasons,
  );
  await tx.run(`UPDATE challenges SET reason = '', evidence = '[]' WHERE id NOT IN (SELECT value FROM json_each(?))`, left.challenges);
}

/** Notes that a forgetting has left words below the tables, until a sweep says otherwise. */
export async function noteErasure(tx: Statements, event: number, at: string): Promise<void> {
  await tx.run('INSERT INTO erasures (event, at) VALUES (?, ?) ON CONFLICT DO NOTHING', event, at);
}

/** The forgettings whose bytes may still be there. */
export async function openErasures(read: Pick<Statements, 'all'>): Promise<number[]> {
  return (await read.all('SELECT event FROM erasures WHERE swept_at IS NULL ORDER BY event')).map((row) => Number(row['event']));
}

export async function noteSwept(tx: Statements, events: readonly number[], at: string): Promise<void> {
  await tx.run('UPDATE erasures SET swept_at = ? WHERE event IN (SELECT value FROM json_each(?))', at, JSON.stringify(events));
}
