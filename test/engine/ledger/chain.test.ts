import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../../src/engine/domain/canonical';
import { eventHash, type EventBody } from '../../../src/engine/domain/events';
import { walkChain } from '../../../src/engine/ledger/chain';
import { headKeeper } from '../../../src/engine/ledger/heads';
import { keyRing } from '../../../src/engine/ledger/keyring';
import { verifyStore, type StoreState, type Watch } from '../../../src/engine/ledger/verify';
import { Database } from '../../../src/engine/store/database';
import { inspect } from '../../../src/engine/store/migrate';
import { dropTriggers, sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { pinKeys, testKey } from '../../support/keys';
import { aBench, aProposal, type Bench } from '../../support/store';

describe('verifying a store', () => {
  let bench: Bench;
  let database: Database;
  let shell: SqlShell;
  beforeEach(async () => {
    bench = await aBench();
    mkdirSync(join(bench.folder, 'apart'));
    database = await Database.open(bench.storeFile, inspect);
    shell = await sqlShell(bench.storeFile);
    await dropTriggers(shell);
  });
  afterEach(async () => {
    await shell.close();
    await database.close();
    await bench.close();
  });

  const keysNow = () => keyRing(bench.keysFile).trusted();
  /** Heads of its own, apart from the one that each act of the person signs. */
  const keeper = () => headKeeper(join(bench.folder, 'apart', 'keys.json'), bench.engine.storeId);
  const advance = async () =>
    keeper().advance({ read: database.read, storeFile: bench.storeFile, at: new Date().toISOString() }, bench.key, await keysNow());
  const verify = async (watch?: Watch): Promise<StoreState> => {
    const keys = await keysNow();
    return verifyStore({ read: database.read, id: bench.engine.storeId, keys, head: await keeper().read(keys) }, watch);
  };

  /** Events 1 to 6: three memories, each proposed and approved. */
  const aHistory = async () => {
    for (let count = 0; count < 3; count += 1) await bench.stand({});
  };

  const bodyAt = async (seq: number) =>
    JSON.parse(String((await shell.all('SELECT body FROM events WHERE seq = ?', seq))[0]?.['body'])) as EventBody;
  /** Rewrites an event and every link after it, as somebody would who knows how events are hashed. */
  const rewriteFrom = async (seq: number, rewrite: (body: EventBody) => EventBody) => {
    let prev: string | undefined;
    for (const row of await shell.all('SELECT seq FROM events WHERE seq >= ? ORDER BY seq', seq)) {
      const present = await bodyAt(Number(row['seq']));
      const body = canonicalJson(prev === undefined ? rewrite(present) : { ...present, prev });
      prev = eventHash(body);
      await shell.run('UPDATE events SET body = ?, hash = ? WHERE seq = ?', body, prev, row['seq']);
    }
  };
  const redecide =
    (edit: { readonly at: string } | { readonly store: string } | { readonly memory: string }) =>
    (body: EventBody): EventBody => {
      assert.ok(body.type === 'decided' && body.statement.version === 2);
      return { ...body, statement: { ...body.statement, ...edit } };
    };

  it('finds one that nobody touched intact, with and without a head, and says how much of it is signed', async () => {
    const sound = { is: 'intact', unknownKeys: { count: 0, first: undefined } };
    assert.deepEqual(await verify(), { ...sound, length: 0, signed: undefined });
    await aHistory();
    assert.deepEqual(await verify(), { ...sound, length: 6, signed: undefined });
    await advance();
    await bench.agent.propose(aProposal());
    assert.deepEqual(await verify(), { ...sound, length: 7, signed: 6 });
  });

  const faults: readonly (readonly [what: string, work: () => Promise<unknown>, found: StoreState])[] = [
    ['an event that is missing', () => shell.run('DELETE FROM events WHERE seq = 3'), { is: 'broken', at: 3, why: 'missing' }],
    ['a first event that is missing', () => shell.run('DELETE FROM events WHERE seq = 1'), { is: 'broken', at: 1, why: 'missing' }],
    [
      'an event that was altered',
      () => shell.run("UPDATE events SET body = replace(body, 'pending', 'retired') WHERE seq = 4"),
      { is: 'broken', at: 4, why: 'altered' },
    ],
    ['a body that is none', () => shell.run("UPDATE events SET body = '' WHERE seq = 4"), { is: 'broken', at: 4, why: 'altered' }],
    [
      'an event that was altered under a hash that fits',
      async () => {
        const body = canonicalJson({ ...(await bodyAt(3)), at: '2020-01-01T00:00:00.000Z' });
        await shell.run('UPDATE events SET body = ?, hash = ? WHERE seq = 3', body, eventHash(body));
      },
      { is: 'broken', at: 4, why: 'unlinked' },
    ],
    [
      'two events that changed places',
      async () => {
        await shell.run('UPDATE events SET seq = 99 WHERE seq = 3');
        await shell.run('UPDATE events SET seq = 3 WHERE seq = 5');
        await shell.run('UPDATE events SET seq = 5 WHERE seq = 99');
      },
      { is: 'broken', at: 3, why: 'unlinked' },
    ],
    [
      'an event before the first',
      () => shell.run("INSERT INTO events (seq, hash, body, memory) SELECT -7, 'x' || hash, body, memory FROM events WHERE seq = 1"),
      { is: 'broken', at: -7, why: 'altered' },
    ],
    [
      'an event that is filed under another memory',
      () => shell.run('UPDATE events SET memory = (SELECT memory FROM events WHERE seq = 1) WHERE seq = 4'),
      { is: 'broken', at: 4, why: 'misfiled' },
    ],
    [
      'an act that is not the signed one, in a chain that fits',
      () => rewriteFrom(4, redecide({ at: '2020-01-01T00:00:00.000Z' })),
      { is: 'broken', at: 4, why: 'signature_invalid' },
    ],
    [
      'an act for another store, in a chain that fits',
      () => rewriteFrom(4, redecide({ store: crypto.randomUUID() })),
      { is: 'broken', at: 4, why: 'other_store' },
    ],
    [
      'an act on another memory, in a chain that fits',
      () => rewriteFrom(4, redecide({ memory: crypto.randomUUID() })),
      { is: 'broken', at: 4, why: 'misfiled' },
    ],
    [
      'a chain that was written anew up to the signed event and beyond',
      () => rewriteFrom(5, (body) => ({ ...body, at: '2020-01-01T00:00:00.000Z' })),
      { is: 'forked', at: 6 },
    ],
    ['a tail that was cut off', () => shell.run('DELETE FROM events WHERE seq > 4'), { is: 'truncated', length: 4, signed: 6 }],
    ['a store without any of its events', () => shell.run('DELETE FROM events'), { is: 'truncated', length: 0, signed: 6 }],
    [
      'a tail that was cut off with SQLite’s own note of it, as in an older copy',
      async () => {
        await shell.run('DELETE FROM events WHERE seq > 4');
        await shell.run("UPDATE sqlite_sequence SET seq = 4 WHERE name = 'events'");
      },
      { is: 'rolled_back', length: 4, signed: 6 },
    ],
  ];
  for (const [what, work, found] of faults)
    it(`names ${what}`, async () => {
      await aHistory();
      await advance();
      assert.equal((await verify()).is, 'intact');
      await shell.run('PRAGMA foreign_keys=OFF');
      await work();
      assert.deepEqual(await verify(), found);
    });

  it('names the first of several faults', async () => {
    await aHistory();
    await advance();
    await shell.run('DELETE FROM events WHERE seq = 6');
    await shell.run("UPDATE events SET body = '' WHERE seq = 4");
    await shell.run("UPDATE events SET memory = 'x' WHERE seq = 2");
    assert.deepEqual(await verify(), { is: 'broken', at: 2, why: 'misfiled' });
  });

  it('names a tail that was cut off before any head was signed', async () => {
    await aHistory();
    assert.equal((await verify()).is, 'intact');
    await shell.run('DELETE FROM events WHERE seq > 4');
    assert.deepEqual(await verify(), { is: 'truncated', length: 4, signed: 6 });
  });

  it('counts acts whose key is not trusted apart from faults, and none once it is', async () => {
    await aHistory();
    const other = testKey();
    pinKeys(bench.keysFile, other);
    assert.deepEqual(await verify(), { is: 'intact', length: 6, signed: undefined, unknownKeys: { count: 3, first: 2 } });
    pinKeys(bench.keysFile, other, bench.key);
    assert.deepEqual(await verify(), { is: 'intact', length: 6, signed: undefined, unknownKeys: { count: 0, first: undefined } });
  });

  describe('with many events', () => {
    beforeEach(async () => {
      for (let count = 0; count < 250; count += 1) await bench.agent.propose(aProposal());
    });

    it('says how far it is, to the end', async () => {
      const told: [number, number][] = [];
      const state = await verify({ progress: (done, total) => told.push([done, total]) });
      assert.deepEqual([state.is, told], ['intact', [[100, 250], [200, 250], [250, 250]]]); // prettier-ignore
    });

    it('stops where it is cancelled, and answers whole when it is not', async () => {
      const stop = new AbortController();
      const cancelled = await verify({ signal: stop.signal, progress: () => { stop.abort(); } }); // prettier-ignore
      assert.deepEqual(cancelled, { is: 'cancelled', done: 100 });
      assert.equal((await verify({ signal: new AbortController().signal })).is, 'intact');
    });

    it('lets others work, and counts what they append meanwhile', async () => {
      let appended: Promise<unknown> | undefined;
      const state = await verify({ progress: () => void (appended ??= bench.agent.propose(aProposal())) });
      await appended;
      assert.equal(state.is, 'intact');
      assert.deepEqual(await walkChain(database.read).then((chain) => chain.intact && chain.length), 251);
    });
  });
});
