import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from '@vscode/sqlite3';
import { openEngine } from '../../../src/engine';
import { aBench, agentOf, aProposal, codeOf } from '../../support/store';

describe('opening a store', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stet-open-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (file: string) => openEngine({ storeFile: join(folder, file), root: folder, keysFile: undefined });
  const sql = (file: string, text: string) =>
    new Promise<void>((resolve, reject) => {
      const database = new sqlite.Database(join(folder, file));
      database.exec(text, (error) => {
        database.close(() => {
          if (error) reject(error);
          else resolve();
        });
      });
    });

  it('makes a missing file with its folders, and finds the same store again', async () => {
    const first = await open('a/b/memory.db');
    await first.close();
    const again = await open('a/b/memory.db');
    assert.equal(again.storeId, first.storeId);
    await again.close();
  });

  it('is survived by processes that make it at the same moment', async () => {
    const engines = await Promise.all(Array.from({ length: 3 }, () => open('memory.db')));
    assert.equal(new Set(engines.map((engine) => engine.storeId)).size, 1);
    await Promise.all(engines.map((engine, index) => agentOf(engine, `client ${index}`).propose(aProposal())));
    const state = await engines[0]!.verify();
    assert.deepEqual([state.is, state.is === 'intact' && state.length], ['intact', 3]);
    for (const engine of engines) await engine.close();
  });

  it('leaves what is not a store as it is, to the byte', async () => {
    await sql('other.db', 'CREATE TABLE songs (title TEXT); PRAGMA user_version = 7;');
    writeFileSync(join(folder, 'text.db'), 'these are the notes of somebody else, and no database at all\n'.repeat(200));
    for (const file of ['other.db', 'text.db']) {
      const before = readFileSync(join(folder, file));
      assert.equal(await open(file).catch(codeOf), 'store_unusable');
      assert.deepEqual(readFileSync(join(folder, file)), before);
    }
  });

  it('refuses the store of a newer Stet and leaves it as it is', async () => {
    await (await open('memory.db')).close();
    const present = readFileSync(join(folder, 'memory.db'));
    await sql('memory.db', 'PRAGMA user_version = 99;');
    const before = readFileSync(join(folder, 'memory.db'));
    assert.equal(await open('memory.db').catch(codeOf), 'store_newer');
    assert.deepEqual(readFileSync(join(folder, 'memory.db')), before);
    writeFileSync(join(folder, 'memory.db'), present);
    await (await open('memory.db')).close();
  });

  it('says what is wrong with a folder that is not there or a place that cannot be written', async () => {
    assert.equal(
      await openEngine({ storeFile: join(folder, 'memory.db'), root: join(folder, 'gone'), keysFile: undefined }).catch(codeOf),
      'no_folder',
    );
    writeFileSync(join(folder, 'file'), '');
    assert.equal(await open('file/memory.db').catch(codeOf), 'store_unusable');
  });

  it('refuses changes to content and events from any connection that keeps the triggers', async () => {
    const bench = await aBench();
    await bench.stand({});
    await bench.engine.close();
    const change = (text: string) =>
      new Promise<string>((resolve) => {
        const database = new sqlite.Database(bench.storeFile);
        database.exec(text, (error) => {
          database.close(() => {
            resolve(error?.message ?? 'done');
          });
        });
      });
    for (const text of [
      "UPDATE memories SET statement = 'x'",
      'DELETE FROM memories',
      "UPDATE events SET body = '{}'",
      'DELETE FROM events',
      "UPDATE anchors SET path = 'x'",
    ])
      assert.match(await change(text), text.includes('anchors') ? /done|immutable/ : /immutable|kept|append-only/);
    assert.equal(await change('UPDATE sessions SET started_at = started_at'), 'done');
    await bench.close();
  });
});

describe('the change signal', () => {
  it("tells of this process's changes at once and of another's soon after, and not of reading", async () => {
    const bench = await aBench();
    const other = await bench.reopen();
    let told = 0;
    let wake: () => void = () => undefined;
    const stop = bench.engine.onChange(() => {
      told += 1;
      wake();
    });
    const next = () => new Promise<void>((resolve) => (wake = resolve));
    const own = next();
    await bench.agent.propose(aProposal());
    await own;
    await new Promise((resolve) => setTimeout(resolve, 500)); // one look at the counter, so that what is there is known
    const before = told;
    const foreign = next();
    await bench.agent.search({ query: 'answer' });
    await agentOf(other, 'another').propose(aProposal());
    await foreign;
    assert.equal(told, before + 1);
    stop();
    await bench.close();
  });
});
