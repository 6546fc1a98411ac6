import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StetError } from '../../../src/engine';
import { listBackups } from '../../../src/engine/store/backup';
import { onFile, type Database, type Statements } from '../../../src/engine/store/database';
import type { Step } from '../../../src/engine/store/migrate';
import { codeOf } from '../../support/store';
import { aRoom, countOf, firstSchema, remember, type Room } from './support';

/** Rebuilds a table that others refer to, as SQLite's manual describes it, and fills a column from the rows. */
const rebuilding: Step = async (tx: Statements, { clock }) => {
  await tx.exec('CREATE TABLE events_new (seq INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT, body TEXT, memory TEXT, moved TEXT) STRICT');
  for (const row of await tx.all('SELECT seq, hash, body, memory FROM events'))
    await tx.run(
      'INSERT INTO events_new VALUES (?, ?, ?, ?, ?)',
      ...['seq', 'hash', 'body', 'memory'].map((name) => row[name] ?? null),
      clock.now().toISOString(),
    );
  await tx.exec('DROP TRIGGER events_kept; DROP TABLE events; ALTER TABLE events_new RENAME TO events;');
};
const adding = 'CREATE TABLE beliefs (memory INTEGER REFERENCES memories (seq))';

describe('bringing a store up to date', () => {
  let room: Room;
  let database: Database;
  beforeEach(async () => {
    room = aRoom();
    database = await room.open();
    await database.transaction(async (tx) => {
      for (let row = 0; row < 20; row += 1) await remember(tx, `row ${row}`);
    });
    await database.close();
  });
  afterEach(() => room.leave());

  const version = async () => Number((await onFile(room.file, 'read', (read) => read.get('PRAGMA user_version')))?.['user_version']);
  const failing = async (step: Step) => {
    const error = await room.open([...firstSchema, adding, step]).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof StetError, String(error));
    assert.equal(await version(), 1);
    const again = await room.open();
    assert.deepEqual([await countOf(again, 'memories'), await countOf(again, 'events'), await countOf(again, 'reasons')], [20, 20, 20]);
    assert.equal(await again.read.get("SELECT 1 FROM sqlite_schema WHERE name = 'beliefs'"), undefined);
    await again.close();
    return error;
  };

  it('runs statements and functions in one transaction, after a backup of what was there', async () => {
    database = await room.open([...firstSchema, adding, rebuilding]);
    assert.equal(await version(), 3);
    assert.equal((await database.read.get('SELECT moved FROM events WHERE seq = 20'))?.['moved'], '2026-03-01T12:00:00.000Z');
    const backups = await listBackups(room.file);
    assert.deepEqual(
      backups.map(({ schema }) => schema),
      [1],
    );
    const held = await onFile(backups[0]!.file, 'look', (read) => read.get('SELECT count(*) AS n FROM memories'));
    assert.equal(held?.['n'], 20);
  });

  it('keeps references in force afterwards, also after a step that failed', async () => {
    const dangling = (one: Database) => one.transaction((tx) => tx.run("INSERT INTO reasons VALUES (999, 'of nothing')"));
    await assert.rejects(room.open([...firstSchema, 'CREATE TABLE wrong (']));
    database = await room.openBare();
    await assert.rejects(dangling(database), /FOREIGN KEY/);
    await database.close();
    database = await room.open([...firstSchema, rebuilding]);
    await assert.rejects(dangling(database), /FOREIGN KEY/);
    await database.transaction((tx) => remember(tx, 'in order'));
    assert.equal(await countOf(database, 'reasons'), 21);
  });

  it('leaves a store as it was when a step fails, loses rows or leaves references to nothing', async () => {
    for (const step of [
      'CREATE TABLE wrong (',
      () => Promise.reject(new Error('meant')),
      'DROP TRIGGER events_kept; DELETE FROM reasons WHERE event = 20; DELETE FROM events WHERE seq = 20;',
      'DROP TRIGGER memories_kept; DELETE FROM memories WHERE seq = 3;',
      "INSERT INTO reasons VALUES (999, 'of nothing')",
    ] satisfies Step[])
      assert.equal((await failing(step)).code, 'store_unusable');
    database = await room.open([...firstSchema, adding]);
    assert.equal(await version(), 2);
  });

  it('does not begin without a backup, and says so', async () => {
    writeFileSync(join(room.folder, 'backups'), 'in the way');
    let began = false;
    const error = await room
      .open([
        ...firstSchema,
        () => {
          began = true;
          return Promise.resolve();
        },
      ])
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof StetError && error.code === 'backup_failed');
    assert.match(error.message, /backup/);
    assert.deepEqual([began, await version()], [false, 1]);
    rmSync(join(room.folder, 'backups'));
    await room.open([...firstSchema, adding]);
    assert.equal(await version(), 2);
  });

  it('makes no backup of a store that is new', async () => {
    const other = aRoom();
    await other.open([...firstSchema, adding]);
    assert.ok(!readdirSync(other.folder).includes('backups'));
    await other.leave();
  });

  it('is done once when several start together', async () => {
    let times = 0;
    const counting: Step = (tx) => {
      times += 1;
      return tx.exec(adding);
    };
    const all = await Promise.all(Array.from({ length: 4 }, () => room.open([...firstSchema, counting])));
    assert.equal(times, 1);
    assert.equal((await listBackups(room.file)).length, 1);
    for (const [index, one] of all.entries()) await one.transaction((tx) => remember(tx, `after ${index}`));
    assert.equal(await countOf(all[0]!, 'memories'), 24);
  });

  it('waits for another program that writes', async () => {
    const writing = await room.otherProgram("BEGIN IMMEDIATE; UPDATE store SET salt = 'theirs';");
    const opening = room.open([...firstSchema, adding]);
    await writing.run('COMMIT');
    database = await opening;
    assert.deepEqual([await version(), (await database.read.get('SELECT salt FROM store'))?.['salt']], [2, 'theirs']);
  });

  it('ends the writing of a process that has opened the store before and knows the former schema', async () => {
    const former = await room.open();
    await former.transaction((tx) => remember(tx, 'in time'));
    database = await room.open([...firstSchema, adding]);
    for (const late of [former.transaction((tx) => remember(tx, 'late')), former.sideTransaction((tx) => remember(tx, 'late'))])
      assert.equal(await late.catch(codeOf), 'store_newer');
    await database.transaction((tx) => remember(tx, 'in the new one'));
    assert.equal(await countOf(database, 'memories'), 22);
  });
});
