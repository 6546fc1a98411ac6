import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from '../../scripts/project';
import { openEngine } from '../../src/engine';
import { aBench, agentOf, aProposal, codeOf } from '../support/store';

describe('npm run seed', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stet-seed-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const seed = (lines: readonly unknown[], more: { store?: string; keys?: string } = {}) => {
    const from = join(folder, 'from.jsonl');
    writeFileSync(from, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
    const { store = join(folder, 'memory.db'), keys = join(folder, 'keys.json') } = more;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', inProject('scripts/seed.ts'), '--store', store, '--root', folder, '--keys', keys, '--from', from],
      { cwd: inProject(), encoding: 'utf8' },
    );
    const answers = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { id?: string; state?: string; error?: { code: string } });
    return { status, answers, stderr };
  };

  /** Where each act leads. */
  const states = {
    propose: 'pending',
    approve: 'active',
    reject: 'rejected',
    lapse: 'expired',
    retire: 'retired',
    contest: 'contested',
    forget: 'forgotten',
  };

  it('brings each line into its state, so that a server with its keys serves what stands and nothing else', async () => {
    const { status, answers } = seed(Object.keys(states).map((act) => ({ ...aProposal({ statement: `Harbour rule of ${act}.` }), act })));
    assert.deepEqual([status, answers.map((answer) => answer.state)], [0, Object.values(states)]);
    const engine = await openEngine({ storeFile: join(folder, 'memory.db'), root: folder, keysFile: join(folder, 'keys.json') });
    const { items } = await agentOf(engine, 'reader').search({ query: 'harbour rule' });
    assert.deepEqual(
      items.map((item) => item.id).sort(),
      answers.flatMap(({ id = '', state }) => (state === 'active' || state === 'contested' ? [id] : [])).sort(),
    );
    await engine.close();
  });

  it('says which line is wrong and goes on with the others', () => {
    const { status, answers } = seed([{ ...aProposal(), act: 'bless' }, 'nonsense', { ...aProposal(), act: 'approve' }]);
    assert.deepEqual(
      [status, answers.map((answer) => answer.error?.code ?? answer.state)],
      [1, ['invalid_input', 'invalid_input', 'active']],
    );
  });

  it('adds to what it made', () => {
    seed([{ ...aProposal(), act: 'approve' }]);
    assert.equal(seed([{ ...aProposal(), act: 'approve' }]).status, 0);
  });

  it('touches no store and no keys that it did not make', async () => {
    const bench = await aBench();
    await bench.engine.close();
    const before = [readFileSync(bench.storeFile), readFileSync(bench.keysFile)];
    const line = { ...aProposal(), act: 'approve' };
    for (const more of [{ store: bench.storeFile }, { keys: bench.keysFile }, { store: bench.storeFile, keys: bench.keysFile }]) {
      const { status, answers, stderr } = seed([line], more);
      assert.deepEqual([status, answers.length], [2, 0]);
      assert.match(stderr, /did not make/);
    }
    seed([line]); // a key pair of its own
    assert.equal(seed([line], { store: bench.storeFile }).status, 2);
    assert.deepEqual([readFileSync(bench.storeFile), readFileSync(bench.keysFile)], before);
    assert.equal(existsSync(`${bench.keysFile}.development-secret`), false);
    await bench.close();
  });

  it('makes a key that no store of the editor trusts', async () => {
    const { answers } = seed([{ ...aProposal({ statement: 'Signed for development.' }), act: 'approve' }]);
    const bench = await aBench(); // pins another key, as the editor does
    const engine = await openEngine({ storeFile: join(folder, 'memory.db'), root: folder, keysFile: bench.keysFile });
    const id = answers[0]?.id ?? '';
    assert.equal(await agentOf(engine, 'reader').get({ id }).catch(codeOf), 'not_found');
    assert.equal((await engine.forPerson().one(id))?.tampering, 'key_unknown');
    const own = await bench.stand({ statement: 'Signed by the person.' });
    assert.equal((await bench.agent.get({ id: own })).id, own);
    await engine.close();
    await bench.close();
  });
});
