import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StetError } from '../../../src/engine';
import {
  backUp,
  backUpIfDue,
  listBackups,
  pruneBackups,
  removeLeftovers,
  restoreFrom,
  rewriteBackups,
} from '../../../src/engine/store/backup';
import { onFile, type Database, type Statements } from '../../../src/engine/store/database';
import { codeOf } from '../../support/store';
import { aCanary, aRoom, countOf, erase, firstSchema, remember, type Room } from './support';

describe('backups of a store', () => {
  let room: Room;
  let database: Database;
  beforeEach(async () => {
    room = aRoom();
    database = await room.open();
    await database.transaction((tx) => remember(tx, 'the first'));
  });
  afterEach(() => room.leave());

  const folder = () => join(room.folder, 'backups');
  const files = () => readdirSync(folder()).filter((name) => !name.startsWith('memory.lock'));
  const listed = async () => (await listBackups(room.file)).map(({ file }) => basename(file));
  const memoriesIn = (file: string) =>
    onFile(file, 'look', async (read) => Number((await read.get('SELECT count(*) AS n FROM memories'))?.['n']));
  const backUpAt = async (iso: string) => {
    room.clock.set(iso);
    return backUp(database, room.clock);
  };

  it('are whole stores of one file, newest first, with their time, size and schema', async () => {
    const first = await backUpAt('2026-03-01T12:00:00.123Z');
    await database.transaction((tx) => remember(tx, 'the second'));
    const second = await backUpAt('2026-03-01T12:00:00.456Z');
    assert.deepEqual(files().sort(), ['memory-20260301T120000Z-1.db', 'memory-20260301T120000Z-2.db']);
    assert.deepEqual([await memoriesIn(first.file), await memoriesIn(second.file)], [1, 2]);
    const backups = await listBackups(room.file);
    assert.deepEqual(
      backups.map(({ file, takenAt, bytes, schema }) => [file, takenAt.toISOString(), bytes, schema]),
      [second, first].map(({ file }) => [file, '2026-03-01T12:00:00.000Z', readFileSync(file).length, 1]),
    );
    assert.deepEqual(files().length, 2, 'looking makes no files');
  });

  it('are consistent while another program writes all the time', async () => {
    const writing = await room.otherProgram('PRAGMA busy_timeout=5000');
    const done = new AbortController();
    const writes = (async () => {
      for (let n = 0; !done.signal.aborted; n += 1)
        await writing.run(`INSERT INTO events (hash, body, memory) VALUES ('theirs ${n}', '{}', 'm')`);
    })();
    for (let n = 0; n < 5; n += 1) assert.equal(await memoriesIn((await backUp(database, room.clock)).file), 1);
    done.abort();
    await writes;
    assert.equal(files().length, 5);
  });

  it('are not made of a damaged store, and leave nothing behind', async () => {
    for (let row = 0; row < 200; row += 1) await database.transaction((tx) => remember(tx, `row ${row} `.repeat(50)));
    const sound = await backUp(database, room.clock);
    await database.close();
    const bytes = readFileSync(room.file);
    bytes.fill(0xff, 4096 * 10, 4096 * 14);
    writeFileSync(room.file, bytes);
    database = await room.openBare();
    assert.equal(await backUp(database, room.clock).catch(codeOf), 'backup_failed');
    assert.deepEqual(files(), [basename(sound.file)]);
  });

  it('are made once a day, and only when something happened', async () => {
    const due = async (iso: string) => {
      room.clock.set(iso);
      return (await backUpIfDue(database, room.clock)) !== undefined;
    };
    const happens = () => database.transaction((tx) => remember(tx, 'another'));
    assert.equal(await due('2026-03-01T12:00:00Z'), true);
    await happens();
    assert.equal(await due('2026-03-02T11:59:59Z'), false, 'within the day');
    assert.equal(await due('2026-03-02T12:00:00Z'), true);
    assert.equal(await due('2026-03-09T12:00:00Z'), false, 'nothing happened');
    await happens();
    assert.equal(await due('2026-03-09T12:00:00Z'), true);
    await happens();
    assert.equal(await due('2026-01-01T00:00:00Z'), true, 'the clock was set right: the backups lie in the future');
  });

  it('are not made of a store in which nothing ever happened', async () => {
    const other = aRoom();
    const empty = await other.open();
    assert.equal(await backUpIfDue(empty, other.clock), undefined);
    await empty.transaction((tx) => remember(tx, 'x'));
    assert.notEqual(await backUpIfDue(empty, other.clock), undefined);
    await other.leave();
  });

  it('are made by one of two windows that find one due at the same moment', async () => {
    const second = await room.open();
    const made = await Promise.all([database, second].map((one) => backUpIfDue(one, room.clock)));
    assert.equal(made.filter((one) => one !== undefined).length, 1);
    assert.equal(files().length, 1);
  });

  it('wait for nobody who died while making one', async () => {
    mkdirSync(folder());
    const dying = await room.otherProgram(`ATTACH '${join(folder(), 'memory.lock')}' AS lock; BEGIN EXCLUSIVE;`);
    assert.equal(await backUpIfDue(database, room.clock), undefined, 'another process is at it');
    for (const name of ['memory-20260301T120000Z-1.db.tmp', 'memory-20260301T120000Z-1.db.tmp-journal', 'memory-mine.txt'])
      writeFileSync(join(folder(), name), 'half');
    await removeLeftovers(room.file);
    assert.equal(files().length, 3, 'what is in the making is left alone');
    await dying.kill();
    await removeLeftovers(room.file);
    assert.deepEqual(files(), ['memory-mine.txt']);
    assert.notEqual(await backUpIfDue(database, room.clock), undefined);
  });

  it('are thinned out: the three newest stay, one for each of the last weeks, and one of an earlier schema', async () => {
    for (const day of ['01', '02', '08', '14', '20', '21', '26', '27', '28', '29', '30']) await backUpAt(`2026-03-${day}T12:00:00Z`);
    const early = await backUpAt('2026-01-05T12:00:00Z');
    const earlier = await backUpAt('2025-12-05T12:00:00Z');
    for (const { file } of [early, earlier]) await onFile(file, 'write', (one) => one.exec('PRAGMA user_version=7'));
    for (const backup of await listBackups(room.file))
      if (backup.schema !== 7) await onFile(backup.file, 'write', (one) => one.exec('PRAGMA user_version=8'));
    room.clock.set('2026-03-30T13:00:00Z');
    const removed = await pruneBackups(room.file, room.clock);
    const days = (await listBackups(room.file)).map(({ takenAt }) => takenAt.toISOString().slice(0, 10));
    // Weeks count back from now: 24 to 30, 17 to 23, 10 to 16, 3 to 9 March.
    assert.deepEqual(days, ['2026-03-30', '2026-03-29', '2026-03-28', '2026-03-21', '2026-03-14', '2026-03-08', '2026-01-05']);
    assert.equal(removed.length, 6);
  });

  it('are thinned out also when one of them is damaged, which is listed as such', async () => {
    const { file } = await backUpAt('2026-03-01T12:00:00Z');
    await backUpAt('2026-03-02T12:00:00Z');
    truncateSync(file, 100);
    assert.deepEqual(
      (await listBackups(room.file)).map(({ schema }) => schema),
      [1, undefined],
    );
    assert.deepEqual(await pruneBackups(room.file, room.clock), []);
  });

  it('belong to their own store, where two share a folder', async () => {
    await backUp(database, room.clock);
    for (const name of ['memory-notes-20260301T120000Z-1.db', 'user-20260301T120000Z-1.db', 'memory-20260301-1.db'])
      writeFileSync(join(folder(), name), 'not mine');
    assert.deepEqual(await listed(), ['memory-20260301T120000Z-1.db']);
  });

  describe('when words are forgotten', () => {
    let canary: string;
    let twin: string;
    beforeEach(async () => {
      [canary, twin] = [aCanary(), aCanary()];
      await database.transaction(async (tx) => {
        for (const text of [canary, twin]) await remember(tx, text);
        for (let row = 0; row < 100; row += 1) await remember(tx, `filler ${row}`);
      });
    });
    const forget = (tx: Statements) => erase(tx, canary);

    it('are rewritten, and no longer hold them in any byte', async () => {
      const made = [await backUpAt('2026-03-01T12:00:00Z'), await backUpAt('2026-03-02T12:00:00Z')].map(({ file }) => basename(file));
      assert.deepEqual(
        room.filesWith(canary).filter((name) => name.startsWith('backups')),
        made.map((name) => join('backups', name)),
      );
      assert.deepEqual(await rewriteBackups(room.file, forget), { rewritten: made.reverse(), deleted: [], failed: [] });
      assert.deepEqual(
        room.filesWith(canary).filter((name) => name.startsWith('backups')),
        [],
      );
      assert.equal(room.filesWith(twin).filter((name) => name.startsWith('backups')).length, 2);
      for (const name of made) assert.equal(await memoriesIn(join(folder(), name)), 103);
      assert.equal(files().length, 2);
    });

    it('are deleted where that cannot be done: of another schema, or damaged', async () => {
      const damaged = await backUpAt('2026-03-01T12:00:00Z');
      const older = await backUpAt('2026-03-02T12:00:00Z');
      const sound = await backUpAt('2026-03-03T12:00:00Z');
      const bytes = readFileSync(damaged.file);
      bytes.fill(0xff, 4096, 4096 * 8);
      writeFileSync(damaged.file, bytes);
      await onFile(older.file, 'write', (one) => one.exec('DROP TABLE reasons'));
      assert.deepEqual(await rewriteBackups(room.file, forget), {
        rewritten: [basename(sound.file)],
        deleted: [older, damaged].map(({ file }) => basename(file)),
        failed: [],
      });
      assert.deepEqual(files(), [basename(sound.file)]);
      assert.equal(await memoriesIn(sound.file), 103);
    });

    it('stay as they are, and are named, where the disk is full', async () => {
      const { file } = await backUp(database, room.clock);
      const before = readFileSync(file);
      const tooMuch = async (tx: Statements) => {
        await tx.get('PRAGMA max_page_count=1');
        await tx.exec(
          `CREATE TABLE more AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) SELECT i FROM n`,
        );
      };
      assert.deepEqual(await rewriteBackups(room.file, tooMuch), { rewritten: [], deleted: [], failed: [basename(file)] });
      assert.deepEqual(readFileSync(file), before);
      assert.deepEqual(files(), [basename(file)]);
      assert.equal((await rewriteBackups(room.file, forget)).rewritten.length, 1);
    });

    it('are followed by the stores that were set aside, with what only their journal holds', async () => {
      const { file } = await backUp(database, room.clock);
      const late = aCanary();
      const held = await room.otherProgram('BEGIN; SELECT count(*) FROM reasons;');
      await database.transaction((tx) => remember(tx, late));
      await held.kill();
      const journal = readFileSync(`${room.file}-wal`);
      assert.ok(journal.includes(late));
      const bytes = readFileSync(room.file);
      await database.close();
      writeFileSync(room.file, bytes); // as a process leaves them that is killed
      writeFileSync(`${room.file}-wal`, journal);
      const aside = await restoreFrom(file, room.file, room.clock);
      assert.ok(aside !== undefined);
      assert.deepEqual(readdirSync(aside).sort(), ['memory.db', 'memory.db-wal']);
      const done = await rewriteBackups(room.file, async (tx) => {
        await erase(tx, canary);
        await erase(tx, late);
      });
      assert.deepEqual(done, { rewritten: [basename(file), basename(aside)], deleted: [], failed: [] });
      assert.deepEqual(
        [room.filesWith(canary), room.filesWith(late)],
        [['memory.db'], []],
        'the restored store is the caller’s to erase in',
      );
      assert.equal(room.filesWith(twin).length, 3);
      assert.equal(await memoriesIn(join(aside, 'memory.db')), 104);
      assert.deepEqual(readdirSync(aside), ['memory.db']);
    });
  });

  describe('put back', () => {
    it('take the place of a damaged store, which is set aside to the byte', async () => {
      const { file } = await backUp(database, room.clock);
      await database.transaction((tx) => remember(tx, 'after the backup'));
      await database.close();
      truncateSync(room.file, 5_000);
      const damaged = readFileSync(room.file);
      const aside = await restoreFrom(file, room.file, room.clock);
      assert.deepEqual(readFileSync(join(aside!, 'memory.db')), damaged);
      database = await room.open();
      assert.equal(await countOf(database, 'memories'), 1);
      assert.ok(existsSync(file), 'the backup stays');
      await database.close();
      const second = await restoreFrom(file, room.file, room.clock);
      assert.notEqual(second, aside);
    });

    it('are refused when they are damaged or are something else, and nothing is moved', async () => {
      const { file } = await backUp(database, room.clock);
      await database.close();
      const store = readFileSync(room.file);
      truncateSync(file, 8_192);
      const other = join(room.folder, 'other.db');
      await onFile(other, 'write', (one) => one.exec('CREATE TABLE songs (title TEXT)'));
      for (const wrong of [file, other, join(room.folder, 'gone.db')])
        assert.equal(await restoreFrom(wrong, room.file, room.clock).catch(codeOf), 'backup_failed');
      assert.deepEqual(readFileSync(room.file), store);
      assert.ok(!existsSync(join(room.folder, 'set-aside')));
      assert.equal(files().length, 1);
    });

    it('are put back again after a crash between the two moves, with a journal that was left where it was', async () => {
      const { file } = await backUp(database, room.clock);
      await database.close();
      mkdirSync(join(room.folder, 'set-aside', 'memory-20260301T120000Z-1'), { recursive: true });
      renameSync(room.file, join(room.folder, 'set-aside', 'memory-20260301T120000Z-1', 'memory.db'));
      writeFileSync(`${room.file}-wal`, 'the journal of the store that is gone');
      assert.equal(await room.open().catch(codeOf), 'store_damaged');
      const aside = await restoreFrom(file, room.file, room.clock);
      assert.deepEqual([basename(aside!), readdirSync(aside!)], ['memory-20260301T120000Z-2', ['memory.db-wal']]);
      database = await room.open(firstSchema);
      assert.equal(await countOf(database, 'memories'), 1);
    });

    it('are noticed by whoever still has the former store open', async () => {
      const { file } = await backUp(database, room.clock);
      await restoreFrom(file, room.file, room.clock);
      const refused = await database.transaction((tx) => remember(tx, 'lost')).catch((error: unknown) => error);
      assert.ok(refused instanceof StetError && refused.code === 'store_unusable');
      const again = await room.open();
      await again.transaction((tx) => remember(tx, 'kept'));
      assert.equal(await countOf(again, 'memories'), 2);
    });
  });

  it('fail by name when there is no place for them', async () => {
    writeFileSync(folder(), 'a file');
    assert.equal(await backUp(database, room.clock).catch(codeOf), 'backup_failed');
    rmSync(folder());
    assert.equal((await backUp(database, room.clock)).schema, 1);
  });
});
