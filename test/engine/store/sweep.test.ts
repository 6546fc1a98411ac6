import assert from 'node:assert/strict';
import { onFile, type Database } from '../../../src/engine/store/database';
import { sweep } from '../../../src/engine/store/sweep';
import { aCanary, aRoom, countOf, erase, remember, type Room } from './support';

describe('sweeping a store', () => {
  let room: Room;
  let database: Database;
  let canary: string;
  let twin: string;

  beforeEach(async () => {
    room = aRoom();
    database = await room.open();
    [canary, twin] = [aCanary(), aCanary()];
    await database.transaction(async (tx) => {
      for (const text of [canary, twin]) await remember(tx, text);
      for (let row = 0; row < 300; row += 1) await remember(tx, `filler ${row}`);
    });
  });
  afterEach(() => room.leave());

  const erased = () => database.transaction((tx) => erase(tx, canary));
  const found = async (text: string) => (await database.read.all('SELECT rowid FROM served_index WHERE served_index MATCH ?', text)).length;

  it('takes erased words out of the file, the journal and the shared memory, and leaves the others', async () => {
    assert.equal(await sweep(database), 'done');
    assert.deepEqual(room.filesWith(canary), ['memory.db']);
    await erased();
    assert.notDeepEqual(room.filesWith(canary), [], 'erasing alone leaves the words in old index segments');
    assert.equal(await sweep(database), 'done');
    assert.deepEqual(room.filesWith(canary), []);
    assert.deepEqual(room.filesWith(twin), ['memory.db']);
    assert.deepEqual([await found(canary), await found(twin), await countOf(database, 'memories')], [0, 1, 302]);
    assert.equal(await database.walBytes(), 0);
  });

  it('says that it is held while another program reads, and is done once that has ended', async () => {
    const reading = await room.otherProgram('BEGIN; SELECT count(*) FROM reasons;');
    await erased();
    const before = await database.walBytes();
    assert.equal(await sweep(database), 'held');
    assert.notDeepEqual(room.filesWith(canary), []);
    assert.equal(await database.walBytes(), before, 'trying again does not make the journal longer');
    await database.transaction((tx) => remember(tx, 'written meanwhile'));
    await reading.end();
    assert.equal(await sweep(database), 'done');
    assert.deepEqual(room.filesWith(canary), []);
    assert.deepEqual(room.filesWith(twin), ['memory.db']);
    assert.equal(await found('meanwhile'), 1);
  });

  it('says so of another connection of this process, too', async () => {
    await erased();
    await onFile(room.file, 'read', async (reading) => {
      await reading.exec('BEGIN; SELECT count(*) FROM reasons;');
      assert.equal(await sweep(database), 'held');
    });
    assert.equal(await sweep(database), 'done');
    assert.deepEqual([room.filesWith(canary), room.filesWith(twin)], [[], ['memory.db']]);
  });

  it('says that it is held while another program writes', async () => {
    await erased();
    const writing = await room.otherProgram("BEGIN IMMEDIATE; UPDATE store SET salt = 'theirs';");
    assert.equal(await sweep(database), 'held');
    await writing.run('COMMIT');
    assert.equal(await sweep(database), 'done');
    assert.deepEqual([room.filesWith(canary), room.filesWith(twin)], [[], ['memory.db']]);
    assert.equal((await database.read.get('SELECT salt FROM store'))?.['salt'], 'theirs');
  });

  it('reaches what a program left in free pages that did not overwrite them', async () => {
    await database.close();
    const careless = await room.otherProgram('PRAGMA secure_delete=OFF; CREATE TABLE notes (text TEXT);');
    await careless.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO notes SELECT '${canary}' || hex(zeroblob(100)) FROM n; UPDATE reasons SET text = '' WHERE text = '${canary}';
      DELETE FROM served_index WHERE body = '${canary}'; DELETE FROM notes;`);
    await careless.end();
    database = await room.open();
    assert.deepEqual(room.filesWith(canary), ['memory.db'], 'deleted, and still in the bytes');
    assert.equal(await sweep(database), 'done');
    assert.deepEqual([room.filesWith(canary), room.filesWith(twin)], [[], ['memory.db']]);
  });

  it('runs between transactions and lets those that came meanwhile follow', async () => {
    const [, outcome] = await Promise.all([
      erased(),
      sweep(database),
      ...Array.from({ length: 20 }, (_, row) => database.transaction((tx) => remember(tx, `late ${row}`))),
    ]);
    assert.equal(outcome, 'done');
    assert.equal(await countOf(database, 'memories'), 322);
    assert.deepEqual(room.filesWith(canary), []);
  });
});
