import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalJson } from '../../../src/engine/domain/canonical';
import { headKeeper, knownStore, replaceHead, standing, type Head, type HeadedStore } from '../../../src/engine/ledger/heads';
import { keyRing } from '../../../src/engine/ledger/keyring';
import type { Signer } from '../../../src/engine';
import { Database } from '../../../src/engine/store/database';
import { inspect } from '../../../src/engine/store/migrate';
import { dropTriggers, sqlShell } from '../../mcp/support/sql-shell';
import { pinKeys, testKey } from '../../support/keys';
import { aBench, aProposal, codeOf, type Bench } from '../../support/store';

describe('the signed head of a store', () => {
  let bench: Bench;
  let database: Database;
  beforeEach(async () => {
    bench = await aBench();
    database = await Database.open(bench.storeFile, inspect);
  });
  afterEach(async () => {
    await database.close();
    await bench.close();
  });

  const keysNow = () => keyRing(bench.keysFile).trusted();
  const now = (): HeadedStore => ({ read: database.read, storeFile: bench.storeFile, at: new Date().toISOString() });
  const keeper = () => headKeeper(bench.keysFile, bench.engine.storeId);
  const advance = async (signer: Signer = bench.key) => keeper().advance(now(), signer, await keysNow());
  const headFile = () => join(bench.folder, 'heads', `${bench.engine.storeId}.json`);
  const read = async () => keeper().read(await keysNow());
  const standsNow = async () => {
    const head = await read();
    assert.ok(head);
    return standing(database.read, head);
  };
  const propose = async (count = 1) => {
    for (let index = 0; index < count; index += 1) await bench.agent.propose(aProposal());
  };
  const raw = async (...statements: readonly string[]) => {
    const shell = await sqlShell(bench.storeFile);
    await dropTriggers(shell);
    for (const statement of statements) await shell.run(statement);
    await shell.close();
  };

  it('is none before it is signed, and then the newest event of the store, also of an empty one', async () => {
    assert.equal(await read(), undefined);
    assert.deepEqual([(await advance()).seq, await standsNow()], [0, 'ahead']);
    await bench.stand({});
    const head = await advance();
    assert.deepEqual([head.seq, head.store, head.key], [2, bench.engine.storeId, bench.key.keyId]);
    assert.deepEqual(await read(), head);
  });

  it('stays where it is while agents append, and is met by a keeper that has read the one before', async () => {
    const watching = keeper();
    const keys = await keysNow();
    await propose();
    await advance();
    assert.equal((await watching.read(keys))?.seq, 1);
    await propose(2);
    assert.deepEqual([(await watching.read(keys))?.seq, await standsNow()], [1, 'ahead']);
    await advance();
    assert.equal((await watching.read(keys))?.seq, 3);
  });

  it('tells no path and holds no words', async () => {
    await bench.stand({ title: 'the harbour lighthouse' });
    await advance();
    const text = readFileSync(headFile(), 'utf8');
    for (const secret of [bench.folder, basename(bench.folder), 'memory.db', 'lighthouse'])
      assert.equal(text.includes(secret), false, secret);
    assert.ok(text.includes(bench.engine.storeId));
    const lock = `${headFile()}.lock`;
    assert.deepEqual(
      readdirSync(dirname(headFile())).sort(),
      [headFile(), lock].map((file) => basename(file)),
      'no drafts are left',
    );
    assert.equal(readFileSync(lock).length, 0);
  });

  describe('shows that', () => {
    it('the newest events were cut off, to a process that has the store open', async () => {
      await propose(3);
      await advance();
      assert.equal(await standsNow(), 'ahead');
      await raw('DELETE FROM events WHERE seq > 2', "UPDATE sqlite_sequence SET seq = 2 WHERE name = 'events'");
      assert.equal(await standsNow(), 'behind');
      assert.equal(await propose().catch(codeOf), 'store_behind', 'nothing is written to it either');
      await raw(`INSERT INTO events (seq, hash, body, memory) SELECT 3, 'another', body, memory FROM events WHERE seq = 1`);
      assert.equal(await standsNow(), 'forked', 'another event has taken its place');
    });

    it('an older copy of the file was put back, while its twin with the newest event stands', async () => {
      const copy = (from: string, to: string) => {
        copyFileSync(from, to);
      };
      const closed = async (work: () => void) => {
        await database.close();
        work();
        database = await Database.open(bench.storeFile, inspect);
      };
      await propose();
      await bench.engine.close();
      await closed(() => {
        copy(bench.storeFile, `${bench.storeFile}.old`);
      });
      const again = await bench.reopen();
      await again.forAgent(() => ({ id: crypto.randomUUID(), client: 'c', clientVersion: '1', startedAt: '' })).propose(aProposal());
      await again.close();
      await advance();
      await closed(() => {
        copy(bench.storeFile, `${bench.storeFile}.new`);
      });
      assert.equal(await standsNow(), 'ahead');
      await closed(() => {
        copy(`${bench.storeFile}.old`, bench.storeFile);
      });
      assert.equal(await standsNow(), 'behind');
      await closed(() => {
        copy(`${bench.storeFile}.new`, bench.storeFile);
      });
      assert.equal(await standsNow(), 'ahead');
    });
  });

  it('is not moved for a store that is behind or forked, until a person has it replaced', async () => {
    await propose(3);
    const signed = await advance();
    await raw('DELETE FROM events WHERE seq = 3', "UPDATE sqlite_sequence SET seq = 2 WHERE name = 'events'");
    assert.equal(await advance().catch(codeOf), 'store_behind');
    assert.deepEqual(await read(), signed);

    await replaceHead(bench.keysFile, bench.engine.storeId, now(), bench.key);
    assert.deepEqual([(await read())?.seq, await standsNow()], [2, 'ahead']);
    await propose();
    assert.equal((await advance()).seq, 3);
  });

  describe('is never taken for none when its file', () => {
    const change = (edit: (head: Head) => object) => {
      writeFileSync(headFile(), JSON.stringify(edit(JSON.parse(readFileSync(headFile(), 'utf8')) as Head)));
    };
    const forger = testKey();
    const signedBy = async (signer: Signer, name: string, edit: Partial<Head>) => {
      const { version, store, seq, hash, at, place } = { ...(JSON.parse(readFileSync(headFile(), 'utf8')) as Head), ...edit };
      const statement = { version, store, seq, hash, at, place };
      const signature = Buffer.from(await signer.sign(Buffer.from(`stet-head-1\n${canonicalJson(statement)}`))).toString('base64');
      writeFileSync(headFile(), JSON.stringify({ ...statement, key: name, signature }));
    };
    const forgeries: readonly (readonly [string, () => unknown])[] = [
      ['names a lower event', () => { change((head) => ({ ...head, seq: 1 })); }],
      ['names another hash', () => { change((head) => ({ ...head, hash: 'a'.repeat(64) })); }],
      ['names another place', () => { change((head) => ({ ...head, place: 'a'.repeat(64) })); }],
      ['names another time', () => { change((head) => ({ ...head, at: '2020-01-01T00:00:00.000Z' })); }],
      ['has a field more', () => { change((head) => ({ ...head, note: 'x' })); }],
      ['has no signature', () => { change((head) => ({ ...head, signature: '' })); }],
      ['is signed by a key that is not pinned', () => signedBy(forger, forger.keyId, { seq: 1 })],
      ['is signed by another key under the pinned one’s name', () => signedBy(forger, bench.key.keyId, { seq: 1 })],
      ['is empty', () => { writeFileSync(headFile(), ''); }],
      ['is no JSON', () => { writeFileSync(headFile(), '{"version":1,'); }],
      ['is too long for a head', () => { change((head) => ({ ...head, signature: 'A'.repeat(8_000) })); }],
      ['is a folder', () => { rmSync(headFile()); mkdirSync(headFile()); }],
      ['lies in a folder that is a file', () => { rmSync(dirname(headFile()), { recursive: true }); writeFileSync(dirname(headFile()), ''); }],
    ]; // prettier-ignore
    for (const [what, forge] of forgeries)
      it(what, async () => {
        await propose(2);
        await advance();
        assert.equal((await read())?.seq, 2);
        await forge();
        assert.equal(await read().catch(codeOf), 'head_unreadable');
        const refused = await advance().catch(codeOf);
        assert.ok(refused === 'head_unreadable' || refused === 'store_unusable');
      });

    it('is another store’s head, though that is rightly signed', async () => {
      const other = await aBench();
      try {
        await propose();
        await advance();
        const storeId = other.engine.storeId;
        const twin = await headKeeper(bench.keysFile, storeId).advance(
          { ...now(), storeFile: other.storeFile },
          bench.key,
          await keysNow(),
        );
        assert.deepEqual(await headKeeper(bench.keysFile, storeId).read(await keysNow()), twin);
        copyFileSync(join(bench.folder, 'heads', `${storeId}.json`), headFile());
        assert.equal(await read().catch(codeOf), 'head_unreadable');
      } finally {
        await other.close();
      }
    });

    it('was signed by a key after that was replaced; what it signed before is read', async () => {
      await propose();
      const { at } = await advance();
      const pin = (until: string) => {
        const keys = [{ ...bench.key.pin, until }, forger.pin];
        writeFileSync(bench.keysFile, JSON.stringify({ version: 1, keys }));
      };
      pin(at);
      assert.equal((await read())?.seq, 1);
      pin(new Date(Date.parse(at) - 1).toISOString());
      assert.equal(await read().catch(codeOf), 'head_unreadable');
    });

    it('is mended only by replacing it', async () => {
      await propose(2);
      await advance();
      writeFileSync(headFile(), 'garbage');
      assert.equal(await advance().catch(codeOf), 'head_unreadable');
      await replaceHead(bench.keysFile, bench.engine.storeId, now(), bench.key);
      assert.deepEqual([(await read())?.seq, await standsNow()], [2, 'ahead']);
    });
  });

  it('is read anew by a keeper that knew it, when the keys or the file have changed', async () => {
    const watching = keeper();
    const ring = keyRing(bench.keysFile);
    await propose();
    await advance();
    assert.equal((await watching.read(await ring.trusted()))?.seq, 1);
    const other = testKey();
    pinKeys(bench.keysFile, other);
    assert.equal(await watching.read(await ring.trusted()).catch(codeOf), 'head_unreadable');
    pinKeys(bench.keysFile, other, bench.key);
    assert.equal((await watching.read(await ring.trusted()))?.seq, 1);
    rmSync(headFile());
    assert.equal(await watching.read(await ring.trusted()), undefined);
  });

  it('only ever moves forward when two windows sign it at once', async () => {
    const [second, keys] = [await Database.open(bench.storeFile, inspect), await keysNow()];
    try {
      const met: number[] = [];
      const windows = [database, second].map(async ({ read: reads }) => {
        const own = keeper();
        for (let round = 0; round < 15; round += 1) {
          await propose();
          const { seq } = await own.advance({ ...now(), read: reads }, bench.key, keys);
          const seen = await keeper().read(keys);
          assert.ok(seen !== undefined && seen.seq >= seq);
          met.push(seen.seq);
        }
      });
      await Promise.all(windows);
      assert.deepEqual(
        met,
        [...met].sort((a, b) => a - b),
      );
      assert.deepEqual([(await read())?.seq, await standsNow()], [30, 'ahead']);
    } finally {
      await second.close();
    }
  });

  const slowly = {
    'advances it': (signer: Signer) => advance(signer),
    'replaces it': (signer: Signer) => replaceHead(bench.keysFile, bench.engine.storeId, now(), signer),
  };
  for (const [what, work] of Object.entries(slowly))
    it(`is not set back by a window that ${what} slowly, with an event that is no longer the newest`, async () => {
      await propose();
      let other: Promise<Head> | undefined;
      const slow: Signer = {
        ...bench.key,
        sign: async (bytes) => {
          await propose();
          other = advance();
          await Promise.race([other, delay(300)]); // long enough for the other, if nothing made it wait
          return bench.key.sign(bytes);
        },
      };
      assert.equal((await work(slow)).seq, 1);
      assert.equal((await other)?.seq, 2);
      assert.equal((await read())?.seq, 2);
    });

  it('is left as it was when signing it fails', async () => {
    await propose();
    await advance();
    await propose();
    const failing: Signer = { ...bench.key, sign: () => Promise.reject(new Error('no key today')) };
    await assert.rejects(advance(failing), /no key today/);
    assert.equal((await read())?.seq, 1);
    assert.equal((await advance()).seq, 2);
  });

  it('is not looked for under a name that leads elsewhere', () => {
    for (const id of ['../keys', '', 'a/b', 'a.json', '..'])
      assert.throws(() => headKeeper(bench.keysFile, id), { code: 'store_unusable' }, id);
    assert.ok(headKeeper(bench.keysFile, bench.engine.storeId));
  });

  describe('remembers which store there was', () => {
    const elsewhere = () => join(bench.folder, 'store', 'another.db');

    it('at a place whose file and folder are gone, and at no other', async () => {
      assert.equal(await knownStore(bench.keysFile, bench.storeFile), undefined);
      await propose();
      await advance();
      await bench.engine.close();
      await database.close();
      rmSync(dirname(bench.storeFile), { recursive: true });
      assert.equal(existsSync(bench.storeFile), false);
      assert.deepEqual(await knownStore(bench.keysFile, bench.storeFile), { storeId: bench.engine.storeId });
      assert.equal(await knownStore(bench.keysFile, elsewhere()), undefined);
    });

    it('at its new place after it has moved there', async () => {
      await propose();
      const { seq } = await advance();
      const moved = await keeper().advance({ ...now(), storeFile: elsewhere() }, bench.key, await keysNow());
      assert.equal(moved.seq, seq);
      assert.deepEqual(await knownStore(bench.keysFile, elsewhere()), { storeId: bench.engine.storeId });
      assert.equal(await knownStore(bench.keysFile, bench.storeFile), undefined);
    });

    it('the later of two, and not by a file that is damaged or has another store’s name', async () => {
      await advance();
      const later = { ...now(), at: new Date(Date.now() + 1_000).toISOString() };
      const { store } = await headKeeper(bench.keysFile, 'a-later-one').advance(later, bench.key, await keysNow());
      assert.deepEqual(await knownStore(bench.keysFile, bench.storeFile), { storeId: store });
      copyFileSync(join(dirname(headFile()), `${store}.json`), join(dirname(headFile()), 'copied.json'));
      writeFileSync(join(dirname(headFile()), `${store}.json`), 'garbage');
      assert.deepEqual(await knownStore(bench.keysFile, bench.storeFile), { storeId: bench.engine.storeId });
    });
  });
});
