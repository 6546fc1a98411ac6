import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { openEngine, restoreBackup, startAnew, type Restored, type RestoreOptions, type Signer } from '../../../src/engine';
import { systemClock } from '../../../src/engine/system';
import { sqlShell } from '../../mcp/support/sql-shell';
import { aCanary, filesWith } from '../../support/bytes';
import { aBench, agentOf, aProposal, codeOf, seen, type Bench } from '../../support/store';

describe('restoring a backup', () => {
  let bench: Bench;
  let canary: string;
  let twin: string;
  let rejected: string;

  beforeEach(async () => {
    bench = await aBench();
    [canary, twin, rejected] = [aCanary(), aCanary(), aCanary()];
  });
  afterEach(() => bench.close());

  const options = (): RestoreOptions => ({
    storeFile: bench.storeFile,
    root: bench.root,
    keysFile: bench.keysFile,
    backupFile: '',
    signer: bench.key,
  });
  const backup = async () => (await bench.person.backUpIfDue())?.file ?? assert.fail('no backup');
  const restore = async (backupFile: string, parts: Partial<RestoreOptions> = {}): Promise<Restored> => {
    await bench.engine.close();
    return restoreBackup({ ...options(), backupFile, ...parts });
  };
  const standing = (word: string) => bench.stand({ statement: `It is ${word} that holds.` });
  const forget = async (...ids: string[]) => {
    const memories = await Promise.all(ids.map((id) => bench.seen(id)));
    return bench.person.decide({ act: 'forget', memories, questions: [] }, bench.key);
  };
  /** Opens the store again for as long as the work takes. */
  const opened = async <T>(work: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<T>): Promise<T> => {
    const engine = await openEngine({ storeFile: bench.storeFile, root: bench.root, keysFile: bench.keysFile });
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  };
  const found = (word: string) =>
    opened(async (engine) => (await agentOf(engine, 'later').search({ query: word })).items.map(({ id }) => id));

  it('brings back what the backup held, and sets the former store aside', async () => {
    const [old, retired] = [await standing(twin), await standing(canary)];
    const file = await backup();
    await bench.decide('retire', retired);
    const later = await standing(rejected);
    const restored = await restore(file);
    assert.deepEqual(restored.carriedOver, { is: 'done', forgotten: [], rejected: [], tombstones: 0, undecided: [] });
    assert.equal(restored.erased, 'done');
    assert.deepEqual([await found(twin), await found(canary), await found(rejected)], [[old], [retired], []]);
    const shell = await sqlShell(join(restored.setAside ?? '', 'memory.db'));
    assert.equal((await shell.all('SELECT 1 FROM memories WHERE id = ?', later)).length, 1);
    await shell.close();
    await opened(async (engine) => {
      assert.equal((await engine.verify()).is, 'intact');
      assert.deepEqual(await engine.forPerson().integrity(), []);
      const [last] = (await engine.forPerson().audit({ limit: 1 })).filter(({ what }) => what === 'ruled');
      assert.match(last?.detail ?? '', /^restored from a backup with \d+ events$/);
      assert.equal((await engine.forPerson().save({ kind: 'fact', title: 'After', statement: 'It goes on.', evidence: [{ kind: 'quote', speaker: 'me', text: 'yes' }] }, 'test', bench.key)).state, 'active'); // prettier-ignore
    });
  });

  it('forgets and rejects in it what was forgotten and rejected since, signed, and refuses those values', async () => {
    const [kept, gone, wrong] = [await standing(twin), await standing(canary), await standing(rejected)];
    const file = await backup();
    const late = await bench.stand({ statement: 'A late thing that is forgotten again.' });
    const lateNever = await bench.stand({ statement: 'A late thing that was never right.' });
    await forget(gone, late);
    await bench.decide('reject', wrong, 'it was never right');
    await bench.decide('reject', lateNever);
    const { carriedOver, erased } = await restore(file);
    // Of the two late ones only the keys of their values are known: four, in both forms.
    assert.deepEqual(carriedOver, { is: 'done', forgotten: [gone], rejected: [wrong], tombstones: 4 + 2, undecided: [] });
    assert.equal(erased, 'done');
    assert.deepEqual([await found(twin), await found(canary), await found(rejected)], [[kept], [], []]);
    await opened(async (engine) => {
      const person = engine.forPerson();
      assert.deepEqual([(await seen(person, gone)).state, (await seen(person, wrong)).state], ['forgotten', 'rejected']);
      assert.deepEqual([...(await person.reasons(wrong)).values()], ['it was never right']);
      const agent = agentOf(engine, 'later');
      for (const statement of [
        `It is ${canary} that holds.`,
        `It is ${rejected} that holds.`,
        'A late thing that is forgotten again.',
        'A late thing that was never right.',
      ])
        // prettier-ignore
        await assert.rejects(agent.propose(aProposal({ statement })), (error) => codeOf(error) === 'rejected_before');
      assert.equal((await agent.propose(aProposal({ statement: 'A late thing that is right.' }))).state, 'pending');
      assert.deepEqual([(await engine.verify()).is, await person.integrity()], ['intact', []]);
      assert.deepEqual((await person.rebuild()).repaired, {});
      await assert.rejects(agent.propose(aProposal({ statement: 'A late thing that was never right.' })));
    });
    assert.deepEqual(filesWith(bench.folder, canary), []);
    assert.notDeepEqual(filesWith(bench.folder, twin), []);
  });

  it('forgets it in a copy of a backup that forgetting could not reach, too, to the byte', async () => {
    const [gone] = [await standing(canary), await standing(twin)];
    const kept = join(bench.folder, 'kept-elsewhere.db');
    copyFileSync(await backup(), kept);
    await forget(gone);
    await restore(kept);
    assert.deepEqual(await found(canary), []);
    assert.equal((await found(twin)).length, 1);
    assert.deepEqual(filesWith(bench.folder, canary), ['kept-elsewhere.db'], 'which lies where Stet does not look');
    assert.ok(filesWith(bench.folder, twin).includes('store/memory.db'));
  });

  it('takes words that are forgotten later out of what was set aside', async () => {
    const [gone] = [await standing(canary), await standing(twin)];
    await restore(await backup());
    const aside = (text: string) => filesWith(bench.folder, text).filter((name) => name.includes('set-aside'));
    assert.notDeepEqual(aside(canary), []);
    await opened(async (engine) => {
      const person = engine.forPerson();
      const saw = (await seen(person, gone)).seen ?? assert.fail();
      const { erased } = await person.decide({ act: 'forget', memories: [{ id: gone, seen: saw }], questions: [] }, bench.key);
      assert.equal(erased, 'done');
    });
    assert.deepEqual(filesWith(bench.folder, canary), []);
    assert.notDeepEqual(aside(twin), []);
  });

  it('keeps memory paused, or not, as it was', async () => {
    await standing(twin);
    await bench.person.pause(true, bench.key);
    const whilePaused = await backup();
    await bench.person.pause(false, bench.key);
    await restore(whilePaused);
    assert.equal((await found(twin)).length, 1);
    await opened((engine) => engine.forPerson().pause(true, bench.key));
    await restoreBackup({ ...options(), backupFile: whilePaused });
    await assert.rejects(found(twin), (error) => codeOf(error) === 'paused');
  });

  it('never lets a polling agent see forgotten words, on an old connection or a new one', async () => {
    const [kept, gone] = [await standing(twin), await standing(canary)];
    const file = await backup();
    await forget(gone);
    await bench.engine.close();
    const words = [twin, canary];
    const reader = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'reader.ts'), JSON.stringify({ ...options(), signer: undefined, words })], { stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
    const said: { found?: string[]; refused?: string }[] = [];
    createInterface({ input: reader.stdout }).on('line', (line) => said.push(JSON.parse(line) as (typeof said)[number]));
    const answers = async (count: number) => {
      for (const before = said.length; said.length < before + count;) await once(reader.stdout, 'data');
    };
    try {
      await answers(4);
      for (let round = 0; round < 3; round += 1) {
        await restoreBackup({ ...options(), backupFile: file });
        await answers(6);
      }
    } finally {
      const ended = once(reader, 'exit');
      reader.kill('SIGKILL');
      await ended;
    }
    const ids = new Set(said.flatMap((line) => line.found ?? []));
    assert.deepEqual([...ids], [kept]);
    const codes = new Set(said.flatMap(({ refused }) => refused ?? []));
    for (const code of codes)
      assert.ok(['store_behind', 'store_unusable', 'store_missing', 'store_busy', 'store_damaged'].includes(code), code);
    assert.deepEqual(said.at(-1), { found: [kept] });
  });

  for (const head of ['there', 'lost'] as const)
    it(`serves nothing forgotten at any moment of it at which something is signed, with the head ${head}`, async () => {
      const [kept, gone] = [await standing(twin), await standing(canary)];
      const file = await backup();
      await forget(gone);
      await bench.engine.close();
      if (head === 'lost') rmSync(join(dirname(bench.keysFile), 'heads'), { recursive: true });
      const moments: string[] = [];
      const signer: Signer = {
        ...bench.key,
        sign: async (bytes) => {
          const answers = [];
          for (const word of [twin, canary])
            answers.push(await found(word).then((ids) => ids.map((id) => (id === kept ? 'twin' : 'CANARY')).join(), codeOf));
          moments.push(`${Buffer.from(bytes).toString().split('\n', 1)[0] ?? ''}: ${answers.join('|')}`);
          return bench.key.sign(bytes);
        },
      };
      await restoreBackup({ ...options(), backupFile: file, signer });
      assert.deepEqual(moments, [
        'stet-rule-1: twin|',
        'stet-act-1: twin|',
        `stet-head-1: ${head === 'there' ? 'store_behind|store_behind' : 'twin|'}`,
      ]);
      assert.deepEqual([await found(twin), await found(canary)], [[kept], []]);
    });

  it('says that nothing could be carried over where the store is damaged, or gone', async () => {
    const [kept] = [await standing(twin)];
    const file = await backup();
    await bench.engine.close();
    writeFileSync(bench.storeFile, Buffer.alloc(65_536, 7));
    for (const ending of ['-wal', '-shm']) rmSync(bench.storeFile + ending, { force: true });
    await assert.rejects(found(twin), (error) => codeOf(error) === 'store_damaged');
    const damaged = await restoreBackup({ ...options(), backupFile: file });
    assert.deepEqual(damaged.carriedOver, { is: 'nothing', because: 'unreadable' });
    assert.deepEqual(readFileSync(join(damaged.setAside ?? '', 'memory.db')), Buffer.alloc(65_536, 7), 'set aside as it was');
    assert.deepEqual(await found(twin), [kept]);
    rmSync(bench.storeFile);
    await assert.rejects(found(twin), (error) => codeOf(error) === 'store_missing');
    const missing = await restoreBackup({ ...options(), backupFile: file });
    assert.deepEqual([missing.setAside, missing.carriedOver], [undefined, { is: 'nothing', because: 'no_store' }]);
    assert.deepEqual(await found(twin), [kept]);
  });

  it('takes tombstones from a store whose indexes are damaged', async () => {
    const gone = await standing(canary);
    const file = await backup();
    await forget(gone);
    await bench.engine.close();
    const shell = await sqlShell(bench.storeFile);
    await shell.run('DROP TABLE served_index');
    await shell.run('DROP TABLE waiting_index');
    await shell.close();
    const { carriedOver } = await restoreBackup({ ...options(), backupFile: file });
    assert.ok(carriedOver.is === 'done' && carriedOver.forgotten.includes(gone));
  });

  it('does not forget for a row that only claims that a person said so', async () => {
    const [kept] = [await standing(twin)];
    const file = await backup();
    const shell = await sqlShell(bench.storeFile);
    await shell.run(`UPDATE statuses SET state = 'forgotten'`);
    await shell.close();
    await restore(file);
    assert.deepEqual(await found(twin), [kept]);
  });

  it('leaves the store as it was where the backup is not whole, or the signing fails', async () => {
    const kept = await standing(twin);
    const file = await backup();
    const broken = join(bench.folder, 'broken.db');
    writeFileSync(broken, readFileSync(file).subarray(0, 9_000));
    await assert.rejects(restore(broken), (error) => codeOf(error) === 'backup_failed');
    const refusing: Signer = { ...bench.key, sign: () => Promise.reject(new Error('the person said no')) };
    await assert.rejects(restoreBackup({ ...options(), backupFile: file, signer: refusing }), /said no/);
    assert.deepEqual(await found(twin), [kept]);
    assert.equal(existsSync(join(dirname(bench.storeFile), 'set-aside')), false);
    assert.deepEqual(
      readdirSync(join(dirname(bench.storeFile), 'backups')).filter((name) => name.includes('.tmp')),
      [],
    );
  });
});

describe('starting anew', () => {
  it('makes a new store on a person’s word where one was, keeps backups and what was there, and goes on', async () => {
    const bench = await aBench();
    try {
      const word = aCanary();
      await bench.stand({ statement: `It is ${word} that holds.` });
      const backup = (await bench.person.backUpIfDue())?.file ?? assert.fail();
      await bench.engine.close();
      rmSync(bench.storeFile);
      const where = { storeFile: bench.storeFile, root: bench.root, keysFile: bench.keysFile };
      await assert.rejects(openEngine(where), (error) => codeOf(error) === 'store_missing');
      await startAnew({ ...where, signer: bench.key, clock: systemClock });
      const engine = await bench.reopen();
      assert.deepEqual((await engine.forPerson().overview()).counts.active, 0);
      assert.equal((await agentOf(engine, 'later').propose(aProposal())).state, 'pending');
      assert.ok(existsSync(backup));
      await engine.close();
      // The old one can still be put back, with what the two do not share said.
      const { carriedOver } = await restoreBackup({ ...where, backupFile: backup, signer: bench.key });
      assert.deepEqual(carriedOver, { is: 'nothing', because: 'other_store' });
      const again = await bench.reopen();
      assert.equal((await agentOf(again, 'later').search({ query: word })).items.length, 1);
    } finally {
      await bench.close();
    }
  });

  it('sets a damaged store aside to the byte', async () => {
    const bench = await aBench();
    try {
      await bench.stand({});
      await bench.engine.close();
      for (const ending of ['-wal', '-shm']) rmSync(bench.storeFile + ending, { force: true });
      const damaged = Buffer.alloc(8_192, 9);
      writeFileSync(bench.storeFile, damaged);
      const where = { storeFile: bench.storeFile, root: bench.root, keysFile: bench.keysFile };
      await assert.rejects(openEngine(where));
      const { setAside } = await startAnew({ ...where, signer: bench.key });
      assert.deepEqual(readFileSync(join(setAside ?? '', 'memory.db')), damaged);
      await (await bench.reopen()).close();
    } finally {
      await bench.close();
    }
  });
});
