import assert from 'node:assert/strict';
import { journalLimitBytes } from '../../../src/engine/store/journal';
import type { Database, Statements } from '../../../src/engine/store/database';
import { codeOf } from '../../support/store';
import { aRoom, countOf, remember, until, type Room } from './support';

describe('a store that several use', () => {
  let room: Room;
  let database: Database;
  beforeEach(async () => {
    room = aRoom();
    database = await room.open();
    await database.transaction((tx) => tx.exec('CREATE TABLE seen (text TEXT)'));
  });
  afterEach(() => room.leave());

  const write = async (rows: number) => {
    for (let row = 0; row < rows; row += 100)
      await database.transaction(async (tx) => {
        for (let n = 0; n < 100; n += 1) await tx.run('INSERT INTO seen VALUES (?)', `A small row ${row + n}, `.repeat(20));
      });
  };
  const short = async () => (await database.walBytes()) <= journalLimitBytes;

  it('has a journal that comes back under its limit after a reader held it, and says so while it does (A14)', async () => {
    const reading = await room.otherProgram('BEGIN; SELECT count(*) FROM seen;');
    await write(20_000);
    await until(async () => (await database.journalHealth()).held);
    assert.ok((await database.journalHealth()).bytes > journalLimitBytes);
    await reading.end();
    await write(100);
    await until(short);
    assert.equal((await database.journalHealth()).held, false);
    assert.equal(await countOf(database, 'seen'), 20_100);
  });

  it('has a short journal where nobody holds it', async () => {
    await write(20_000);
    await until(short);
    assert.equal((await database.journalHealth()).held, false);
  });

  it('waits with a transaction for another program that writes, and gives a side record up', async () => {
    const writing = await room.otherProgram("BEGIN IMMEDIATE; INSERT INTO seen VALUES ('theirs');");
    const waiting = database.transaction((tx) => remember(tx, 'mine'));
    const side = (tx: Statements) => tx.run("INSERT INTO seen VALUES ('beside')");
    assert.equal(await database.sideTransaction(side).catch(codeOf), 'store_busy');
    assert.equal(await countOf(database, 'seen'), 0, 'reading does not wait');
    await writing.run('COMMIT');
    await waiting;
    await database.sideTransaction(side);
    assert.deepEqual(
      (await database.read.all('SELECT text FROM seen')).map((row) => row['text']),
      ['theirs', 'beside'],
    );
    assert.equal(await countOf(database, 'memories'), 1);
  });

  it('says that it is busy, and can be tried again, when another program writes for too long', async () => {
    const writing = await room.otherProgram("BEGIN IMMEDIATE; INSERT INTO seen VALUES ('theirs');");
    assert.equal(await database.transaction((tx) => remember(tx, 'mine')).catch(codeOf), 'store_busy');
    await writing.end();
    await database.transaction((tx) => remember(tx, 'mine'));
    assert.deepEqual([await countOf(database, 'memories'), await countOf(database, 'seen')], [1, 0]);
  });

  it('takes side records while its own transactions queue, and keeps the two apart', async () => {
    let letGo: () => void = () => undefined;
    const occupied = database.alone(() => new Promise<void>((resolve) => (letGo = resolve)));
    const queued = database.transaction((tx) => remember(tx, 'queued'));
    await database.sideTransaction((tx) => tx.run("INSERT INTO seen VALUES ('beside')"));
    assert.deepEqual([await countOf(database, 'seen'), await countOf(database, 'memories')], [1, 0]);
    letGo();
    await occupied;
    await queued;
    assert.equal(await countOf(database, 'memories'), 1);
  });

  it('keeps nothing of a transaction or side record that failed, and goes on', async () => {
    const failing = async (tx: Statements) => {
      await tx.run("INSERT INTO seen VALUES ('half')");
      throw new Error('meant');
    };
    await assert.rejects(database.transaction(failing), /meant/);
    await assert.rejects(database.sideTransaction(failing), /meant/);
    await database.transaction((tx) => tx.run("INSERT INTO seen VALUES ('whole')"));
    assert.equal(await countOf(database, 'seen'), 1);
  });

  it('finishes what is under way when it is closed, and refuses what comes later', async () => {
    const under = [
      database.transaction((tx) => remember(tx, 'one')),
      database.sideTransaction((tx) => tx.run("INSERT INTO seen VALUES ('x')")),
    ];
    await Promise.all(under);
    await database.close();
    for (const late of [
      database.transaction(() => Promise.resolve()),
      database.sideTransaction(() => Promise.resolve()),
      database.alone(() => Promise.resolve()),
    ])
      assert.equal(await late.catch(codeOf), 'store_unusable');
    const again = await room.open();
    assert.deepEqual([await countOf(again, 'memories'), await countOf(again, 'seen')], [1, 1]);
  });
});
