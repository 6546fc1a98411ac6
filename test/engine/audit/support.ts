/** A record of what sessions saw over a bench's store, on connections of its own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Found } from '../../../src/engine';
import type { Recall } from '../../../src/engine/audit/answer';
import { exposureRecord, type ExposureParts, type ExposureRecord } from '../../../src/engine/audit/exposure';
import type { Clock } from '../../../src/engine/ports';
import { grantFor, type Grant } from '../../../src/engine/scope/grant';
import { Database } from '../../../src/engine/store/database';
import { exposureSchema } from '../../../src/engine/store/migrations/exposure-tables';
import { systemClock } from '../../../src/engine/system';
import { sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { aBench, type Bench } from '../../support/store';

export interface Desk {
  readonly bench: Bench;
  readonly grant: Grant;
  /** The connection that the record writes on. */
  readonly side: Database;
  /** The connection that answers are read from. */
  readonly reading: Database;
  readonly shell: SqlShell;
  record(parts?: Partial<ExposureParts>): ExposureRecord;
  seqOf(id: string): Promise<number>;
  /** An answer as the engine would note it, with these memories. */
  answer(parts: Partial<Recall> & { ids?: readonly string[] }): Promise<Recall>;
  close(): Promise<void>;
}

export const aSession = (client = 'test-client') => ({
  id: crypto.randomUUID(),
  client,
  clientVersion: '1.0.0',
  startedAt: '2026-01-01T00:00:00.000Z',
});

export async function aDesk(clock: Clock = systemClock): Promise<Desk> {
  const bench = await aBench({ 'src/a.ts': 'a\n' }, clock);
  const nothing = () => Promise.resolve();
  const side = await Database.open(bench.storeFile, nothing);
  const reading = await Database.open(bench.storeFile, nothing);
  if ((await side.read.get("SELECT 1 FROM sqlite_schema WHERE name = 'recalls'")) === undefined)
    await side.transaction((tx) => tx.exec(exposureSchema));
  const shell = await sqlShell(bench.storeFile);
  const records: ExposureRecord[] = [];
  const grant = grantFor(bench.engine.storeId, '');
  const seqOf = async (id: string) => Number((await shell.all('SELECT seq FROM memories WHERE id = ?', id))[0]?.['seq']);
  return {
    bench,
    grant,
    side,
    reading,
    shell,
    seqOf,
    record: (parts) => {
      const record = exposureRecord({
        side: (work) => side.transaction(work),
        mask: (text) => Promise.resolve(text),
        newestEvent: async () => Number((await reading.read.get('SELECT max(seq) AS n FROM events'))?.['n'] ?? 0),
        clock,
        ...parts,
      });
      records.push(record);
      return record;
    },
    answer: async ({ ids = [], ...parts }) => ({
      id: crypto.randomUUID(),
      session: aSession(),
      surface: 'search',
      scope: 'workspace',
      mode: 'lexical',
      tokens: 40,
      items: await Promise.all(ids.map(async (id) => ({ seq: await seqOf(id), id, tokens: 20, shortened: false }))),
      withdrawn: [],
      leftOut: 0,
      ...parts,
    }),
    close: async () => {
      for (const record of records) record.stop();
      await shell.close();
      await side.close();
      await reading.close();
      await bench.close();
    },
  };
}

/** Another process that holds the store's write lock until it is told to let go. */
export async function lockHolder(file: string): Promise<{ release(): Promise<void> }> {
  const script = `
    const sqlite = require('@vscode/sqlite3');
    const database = new sqlite.Database(process.argv[1]);
    const run = (sql, then) => database.exec(sql, (error) => { if (error) throw error; then(); });
    run('BEGIN IMMEDIATE', () => console.log('held'));
    process.stdin.once('data', () => run('COMMIT', () => database.close(() => process.exit(0))));`;
  const holder = spawn(process.execPath, ['-e', script, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(holder, 'exit');
  const [said] = (await once(holder.stdout, 'data')) as [Buffer];
  assert.equal(said.toString().trim(), 'held');
  return {
    release: async () => {
      holder.stdin.write('go\n');
      await ended;
    },
  };
}

/** The answer's data without its name, which differs each time. */
export const withoutName = (found: Found): string => JSON.stringify({ ...found, recallId: '' });
