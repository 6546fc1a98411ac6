import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StetError } from '../../../src/engine';
import { backUp } from '../../../src/engine/store/backup';
import type { Database } from '../../../src/engine/store/database';
import { quickCheck } from '../../../src/engine/store/health';
import { codeOf } from '../../support/store';
import { aRoom, countOf, firstSchema, remember, stateOf, type Room } from './support';

describe('a store on a bad day', () => {
  let room: Room;
  let database: Database;
  beforeEach(async () => {
    room = aRoom();
    database = await room.open();
    await database.transaction(async (tx) => {
      for (let row = 0; row < 300; row += 1) await remember(tx, `row ${row} `.repeat(50));
    });
  });
  afterEach(() => room.leave());

  const everything = async (one: Database) => {
    for (const table of ['memories', 'reasons', 'events']) await one.read.all(`SELECT * FROM ${table}`);
    await one.read.all(`SELECT * FROM served_index WHERE served_index MATCH 'row'`);
  };
  const names = () => readdirSync(room.folder).sort();

  describe('with a damaged page', () => {
    let damaged: Buffer;
    beforeEach(async () => {
      await backUp(database, room.clock);
      await database.close();
      damaged = readFileSync(room.file);
      for (let page = Math.floor(damaged.length / 4096 / 2); page < damaged.length / 4096; page += 1)
        damaged.fill(0xff, page * 4096, page * 4096 + 200);
      writeFileSync(room.file, damaged);
    });

    it('is named by whoever touches it, with what to do, and nothing is overwritten', async () => {
      database = await room.open();
      const error = await everything(database).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof StetError && error.code === 'store_damaged');
      assert.match(error.hint, /Restore from Backup/);
      await database.close();
      assert.deepEqual(readFileSync(room.file), damaged);
    });

    it('is found by a check in the background, which a sound one passes', async () => {
      database = await room.open();
      const health = await quickCheck(database);
      assert.ok(!health.sound && health.faults.length > 0);
      await database.close();
      const other = aRoom();
      const sound = await other.open();
      await sound.transaction((tx) => remember(tx, 'x'));
      assert.deepEqual(await quickCheck(sound), { sound: true });
      await other.leave();
    });
  });

  it('checks without being in the way of reading and writing', async () => {
    const [health] = await Promise.all([
      quickCheck(database),
      database.transaction((tx) => remember(tx, 'meanwhile')),
      everything(database),
    ]);
    assert.deepEqual([health, await countOf(database, 'memories')], [{ sound: true }, 301]);
  });

  it('is damaged, and left as it is, when it was cut short', async () => {
    await database.close();
    for (const length of [4096 * 12 + 100, 4096, 100, 20]) {
      truncateSync(room.file, length);
      const before = readFileSync(room.file);
      const code = await room
        .open()
        .then(async (one) => {
          await everything(one).finally(() => one.close());
          return 'opened';
        })
        .catch(codeOf);
      // Too short to be known as a database at all, it may be anything, as long as nothing beside it says otherwise.
      assert.equal(code, length >= 100 ? 'store_damaged' : 'store_unusable', `${length} bytes`);
      assert.deepEqual(readFileSync(room.file), before);
    }
  });

  it('is damaged also when no byte of a database is left, if it was backed up', async () => {
    await backUp(database, room.clock);
    await database.close();
    const text = 'these are no longer the bytes of a database\n'.repeat(300);
    writeFileSync(room.file, text);
    assert.equal(await room.open().catch(codeOf), 'store_damaged');
    assert.equal(readFileSync(room.file, 'utf8'), text);
  });

  it('is never replaced by an empty one where it was before', async () => {
    await backUp(database, room.clock);
    await database.close();
    truncateSync(room.file, 0);
    assert.equal(await room.open().catch(codeOf), 'store_damaged');
    assert.equal(statSync(room.file).size, 0);
    rmSync(room.file);
    assert.equal(await room.open().catch(codeOf), 'store_damaged');
    assert.ok(!existsSync(room.file));
    rmSync(join(room.folder, 'backups'), { recursive: true });
    writeFileSync(`${room.file}-wal`, '');
    for (const present of [false, true]) {
      if (present) writeFileSync(room.file, '');
      assert.equal(await room.open().catch(codeOf), 'store_damaged', 'a journal is left of it');
    }
    rmSync(`${room.file}-wal`);
    database = await room.open();
    assert.equal(await countOf(database, 'memories'), 0, 'an empty file with nothing beside it is new');
  });

  it('is unusable, and says so, when a folder lies in its place', async () => {
    await database.close();
    rmSync(room.file);
    mkdirSync(room.file);
    const error = await room.open().catch((thrown: unknown) => thrown);
    assert.ok(error instanceof StetError && error.code === 'store_unusable');
    assert.match(error.message, /folder/);
    assert.deepEqual(names(), ['memory.db']);
  });

  /** Root may write where the mode says no; there, only a file system that knows an immutable mark can refuse. */
  const protect = (path: string): (() => void) | undefined => {
    const mode = statSync(path).mode;
    chmodSync(path, mode & 0o555);
    const undo = () => {
      chmodSync(path, mode);
    };
    if (process.getuid?.() !== 0) return process.platform === 'win32' && statSync(path).isDirectory() ? undefined : undo;
    undo();
    try {
      execFileSync('chattr', ['+i', path], { stdio: 'ignore' });
      return () => execFileSync('chattr', ['-i', path]);
    } catch {
      return undefined; // not such a file system
    }
  };

  it('still answers when its file is read-only, and refuses what would be lost', async function () {
    await database.close();
    const undo = protect(room.file);
    if (undo === undefined) return this.skip();
    try {
      const before = readFileSync(room.file);
      database = await room.open();
      assert.equal(await countOf(database, 'memories'), 300);
      const error = await database.transaction((tx) => remember(tx, 'lost')).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof StetError && error.code === 'store_unusable');
      assert.match(error.message, /read-only/);
      await database.close();
      assert.deepEqual(readFileSync(room.file), before);
    } finally {
      undo();
    }
    database = await room.open();
    await database.transaction((tx) => remember(tx, 'kept'));
    assert.equal(await countOf(database, 'memories'), 301);
  });

  it('is unusable, and left as it is, when its folder is read-only', async function () {
    await database.close();
    const undo = protect(room.folder);
    if (undo === undefined) return this.skip();
    try {
      const before = readFileSync(room.file);
      assert.equal(await room.open().catch(codeOf), 'store_unusable');
      assert.deepEqual([readFileSync(room.file), names()], [before, ['memory.db']]);
    } finally {
      undo();
    }
    database = await room.open();
    assert.equal(await countOf(database, 'memories'), 300);
  });

  it('refuses a write for which it has no pages left, keeps what it had and goes on when there is room', async () => {
    const pages = Number((await database.read.get('PRAGMA page_count'))?.['page_count']);
    await database.alone((writer) => writer.get(`PRAGMA max_page_count=${pages}`));
    const much = (one: Database) =>
      one.transaction(async (tx) => {
        for (let row = 0; row < 200; row += 1) await remember(tx, 'too much '.repeat(200));
      });
    const error = await much(database).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof StetError && error.code === 'store_unusable');
    assert.match(error.message, /disk is full/);
    assert.equal(await countOf(database, 'memories'), 300);
    await database.alone((writer) => writer.get('PRAGMA max_page_count=1073741823'));
    await much(database);
    assert.equal(await countOf(database, 'memories'), 500);
    assert.deepEqual(await quickCheck(database), { sound: true });
  });

  it('refuses a write on a disk that is full, keeps what it had and goes on when there is room', async function () {
    // A small disk of its own needs the right to mount one.
    const disk = join(room.folder, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      return this.skip();
    }
    const small = aRoom(join(disk, 'store', 'memory.db'));
    try {
      const one = await small.open();
      await one.transaction((tx) => remember(tx, 'first'));
      let kept = 1;
      const failed = await (async () => {
        for (;;) {
          await one.transaction((tx) => remember(tx, 'much '.repeat(2_000)));
          kept += 1;
        }
      })().catch((thrown: unknown) => thrown);
      assert.ok(failed instanceof StetError && failed.code === 'store_unusable', String(failed));
      assert.equal(await countOf(one, 'memories'), kept);
      assert.equal(await backUp(one, small.clock).catch(codeOf), 'backup_failed');
      execFileSync('mount', ['-o', 'remount,size=8m', disk]);
      await one.transaction((tx) => remember(tx, 'there is room'));
      assert.equal(await countOf(one, 'memories'), kept + 1);
      assert.deepEqual(await quickCheck(one), { sound: true });
    } finally {
      await small.leave();
      execFileSync('umount', [disk]);
    }
  });

  describe('of a newer version', () => {
    const newer = [...firstSchema, 'CREATE TABLE later (x)'];
    const past = new Date('2026-01-01T00:00:00Z');

    it('is refused and not changed in a byte or a time, and nothing is made beside it', async () => {
      await database.close();
      await (await room.open(newer)).close();
      rmSync(join(room.folder, 'backups'), { recursive: true });
      utimesSync(room.file, past, past);
      const before = stateOf(room.file);
      assert.equal(await room.open().catch(codeOf), 'store_newer');
      assert.deepEqual([stateOf(room.file), names()], [before, ['memory.db']]);
      database = await room.open(newer);
      assert.equal(await countOf(database, 'memories'), 300);
    });

    it('is refused and not changed also where its process died before the journal was moved into the file', async () => {
      const dying = await room.otherProgram('PRAGMA wal_autocheckpoint=0; PRAGMA user_version=2; CREATE TABLE later (x);');
      await dying.kill();
      const left = ['', '-wal'].map((ending) => [room.file + ending, readFileSync(room.file + ending)] as const);
      await database.close();
      for (const [file, bytes] of left) {
        writeFileSync(file, bytes);
        utimesSync(file, past, past);
      }
      const before = stateOf(room.file);
      assert.equal(await room.open().catch(codeOf), 'store_newer');
      assert.deepEqual(stateOf(room.file), before);
      database = await room.open(newer);
      assert.equal(await countOf(database, 'later'), 0);
    });
  });
});
