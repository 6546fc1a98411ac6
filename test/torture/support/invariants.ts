/** What must be true of every store at every moment, asked of its rows from outside. */
import { servedStates } from '../../../src/engine/domain/states';
import type { SqlShell } from '../../mcp/support/sql-shell';

const served = servedStates.map((state) => `'${state}'`).join(', ');
const present = `memories m JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL`;

/** A title without the blanks that the index has between the characters of some scripts. */
const unspaced = (table: string) => `replace(${table}.title, ' ', '')`;

/** Each query finds the rows that break the promise. */
const promises: Readonly<Record<string, string>> = {
  'a memory has one present status': `SELECT m.id FROM memories m LEFT JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     GROUP BY m.seq HAVING count(s.event) <> 1`,
  'a status belongs to an event of its memory': `SELECT s.memory, s.event FROM statuses s LEFT JOIN events e ON e.seq = s.event
     LEFT JOIN memories m ON m.seq = s.memory WHERE m.id IS NULL OR e.memory IS NOT m.id`,
  'a memory begins with an event': `SELECT id FROM memories WHERE id NOT IN (SELECT memory FROM events)`,
  'an event that tells of a memory has its memory': `SELECT seq FROM events WHERE json_extract(body, '$.type') IN ('proposed', 'supported', 'decided', 'challenged', 'expired')
     AND memory NOT IN (SELECT id FROM memories)`,
  'a served memory is in the served index and no other': `SELECT m.id FROM ${present} LEFT JOIN served_index f ON f.rowid = m.seq
     LEFT JOIN waiting_index w ON w.rowid = m.seq WHERE s.state IN (${served}) AND (${unspaced('f')} IS NOT ${unspaced('m')} OR w.rowid IS NOT NULL)`,
  'a memory that is not served is not in the served index': `SELECT m.id FROM ${present} JOIN served_index f ON f.rowid = m.seq
     WHERE s.state NOT IN (${served})`,
  'a memory that is not served is in the waiting index until it is forgotten': `SELECT m.id FROM ${present}
     LEFT JOIN waiting_index w ON w.rowid = m.seq WHERE s.state NOT IN (${served}, 'forgotten') AND ${unspaced('w')} IS NOT ${unspaced('m')}`,
  'an index row has its memory': `SELECT rowid FROM served_index WHERE rowid NOT IN (SELECT seq FROM memories)
     UNION ALL SELECT rowid FROM waiting_index WHERE rowid NOT IN (SELECT seq FROM memories)`,
  'what an agent proposed rests on evidence': `SELECT m.id FROM ${present} WHERE m.origin = 'inferred' AND s.state <> 'forgotten'
     AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.memory = m.seq)`,
  'what is forgotten, and nothing else, has lost its words': `SELECT m.id FROM ${present} WHERE (s.state = 'forgotten') <> (m.erased IS NOT NULL)
     OR (s.state = 'forgotten') <> (m.statement = '')`,
  'what is forgotten leaves nothing beside its row': `SELECT m.id FROM ${present} WHERE s.state = 'forgotten' AND (
     EXISTS (SELECT 1 FROM anchors a WHERE a.memory = m.seq) OR EXISTS (SELECT 1 FROM evidence e WHERE e.memory = m.seq)
     OR EXISTS (SELECT 1 FROM receipts r WHERE r.memory = m.seq) OR EXISTS (SELECT 1 FROM claims c WHERE c.memory = m.seq)
     OR EXISTS (SELECT 1 FROM waiting_index w WHERE w.rowid = m.seq))`,
  'what is forgotten is noted as such until it is swept': `SELECT m.id FROM ${present} WHERE s.state = 'forgotten'
     AND s.event NOT IN (SELECT event FROM erasures)`,
  'what is rejected or forgotten has a tombstone': `SELECT m.id FROM ${present} WHERE s.state IN ('rejected', 'forgotten')
     AND m.seq NOT IN (SELECT memory FROM tombstones WHERE memory IS NOT NULL)`,
  'a challenge waits beside what stands': `SELECT c.id FROM ${present} JOIN challenges c ON c.memory = m.seq
     WHERE c.answer IS NULL AND s.state NOT IN (${served})`,
  'anchors are numbered without a gap': gaps('anchors'),
  'evidence is numbered without a gap': gaps('evidence'),
  'rows point at rows that are there': `SELECT * FROM pragma_foreign_key_check`,
  'the file is sound': `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
};

function gaps(table: string): string {
  return `SELECT memory FROM ${table} GROUP BY memory HAVING max(position) <> count(*) - 1 OR min(position) <> 0`;
}

/** The promises that this store breaks, each with some of the rows that break it. */
export async function brokenPromises(shell: SqlShell): Promise<string[]> {
  const broken: string[] = [];
  for (const [promise, sql] of Object.entries(promises)) {
    const rows = await shell.all(sql);
    if (rows.length > 0) broken.push(`not so: ${promise}: ${JSON.stringify(rows.slice(0, 5))}`);
  }
  return broken;
}
