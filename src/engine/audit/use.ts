/** What agents say of the memories they were given. It is shown to the person and read by nothing that ranks, serves or decides. */
import { noSuchRecall } from '../errors';
import type { Statements } from '../store/database';
import type { ReportUse } from './exposure-query';

/** What the agent has said of one recall so far. */
export interface UseCounts {
  readonly recallId: string;
  /** How many of its memories were used; of those, how many helped and how many did not. */
  readonly used: number;
  readonly helped: number;
  readonly notHelped: number;
}

/**
 * Keeps the report; an earlier one on the same memory gives way.
 * @throws `not_found` unless the recall is this session's and held all of the ids.
 */
export async function recordUse(tx: Statements, session: string, report: ReportUse, at: string): Promise<UseCounts> {
  const recall = await tx.get('SELECT seq, scope FROM recalls WHERE id = ? AND session = ?', report.recallId, session);
  if (recall === undefined) throw noSuchRecall();
  const ids = [...new Set(report.ids)];
  const { changes } = await tx.run(
    `INSERT INTO uses (recall, memory, scope, helped, at)
     SELECT d.recall, d.memory, d.scope, ?, ? FROM recalled d
     WHERE d.recall = ? AND d.withdrawn = 0 AND d.memory IN (SELECT seq FROM memories WHERE id IN (SELECT value FROM json_each(?)))
     ON CONFLICT (recall, memory) DO UPDATE SET helped = excluded.helped, at = excluded.at`,
    report.helped === undefined ? null : Number(report.helped),
    at,
    recall['seq'] ?? null,
    JSON.stringify(ids),
  );
  if (changes !== ids.length) throw noSuchRecall();
  const counts = await tx.get(
    'SELECT count(*) AS used, total(helped = 1) AS helped, total(helped = 0) AS not_helped FROM uses WHERE recall = ?',
    recall['seq'] ?? null,
  );
  return {
    recallId: report.recallId,
    used: Number(counts?.['used']),
    helped: Number(counts?.['helped']),
    notHelped: Number(counts?.['not_helped']),
  };
}
