import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../../support/git';
import { aBench, aProposal, codeOf, lines, seen, type Bench } from '../../support/store';

describe('evidence in a repository', () => {
  let bench: Bench;
  let commit: string;
  before(async () => {
    bench = await aBench({
      'src/a.ts': lines(10),
      'src/ключ.ts': lines(3),
      'notes/build.log': lines(3),
      '.gitignore': '*.log\nbuilt/\n',
      'built/out.ts': lines(3),
      '.env': 'TOKEN=1\n',
      '.env.example': 'TOKEN=\n',
      'deploy.pem': 'x\n',
      'crlf.ts': 'one\r\ntwo\r\n',
    });
    git(bench.root, 'init', '-q');
    git(bench.root, 'add', '-A');
    git(bench.root, 'commit', '-q', '-m', 'first');
    commit = git(bench.root, 'rev-parse', 'HEAD');
    writeFileSync(join(bench.folder, 'outside.ts'), 'secret\n');
    symlinkSync(join(bench.folder, 'outside.ts'), join(bench.root, 'src/link.ts'));
    symlinkSync(join(bench.root, '.env'), join(bench.root, 'src/plain.ts'));
    symlinkSync(join(bench.root, 'src/a.ts'), join(bench.root, 'src/inside.ts'));
    mkdirSync(join(bench.root, 'sub'));
  });
  after(() => bench.close());

  const file = (path: string, lines: object = {}) => ({ evidence: [{ kind: 'file' as const, path, ...lines }] });

  const table: [string, Parameters<typeof aProposal>[0], string][] = [
    ['a file that git ignores', file('notes/build.log'), 'path_refused'],
    ['a file in a folder that git ignores', file('built/out.ts'), 'path_refused'],
    ['a file of secrets by its name', file('.env'), 'path_refused'],
    ['a key by its name', file('deploy.pem'), 'path_refused'],
    ["git's own file", file('.git/config'), 'path_refused'],
    ['a link that leads outside', file('src/link.ts'), 'path_refused'],
    ['a link to a file of secrets', file('src/plain.ts'), 'path_refused'],
    ['a commit that is not there', { evidence: [{ kind: 'commit', sha: 'deadbeefdeadbeef' }] }, 'evidence_unresolved'],
    ['a commit that is an option', { evidence: [{ kind: 'commit', sha: '--help' }] }, 'invalid_input'],
    ['an ordinary file', file('src/a.ts'), 'pending'],
    ['a name in another script', file('src/ключ.ts', { startLine: 3, endLine: 3 }), 'pending'],
    ['a link that stays inside', file('src/inside.ts'), 'pending'],
    ['an example of a file of secrets', file('.env.example'), 'pending'],
  ];
  for (const [what, parts, outcome] of table)
    it(`answers ${outcome} to ${what}`, async () => {
      assert.equal(await bench.agent.propose(aProposal(parts)).then((receipt) => receipt.state, codeOf), outcome);
    });

  it('takes a commit by the start of its id and keeps the whole of it', async () => {
    const { id } = await bench.agent.propose(aProposal({ evidence: [{ kind: 'commit', sha: commit.slice(0, 8).toUpperCase() }] }));
    assert.deepEqual((await seen(bench.person, id)).memory?.content.evidence, [{ kind: 'commit', sha: commit }]);
  });

  it('stores a path from the work tree, the commit it stood on and a hash that depends on the lines only', async () => {
    const inSub = await bench.reopen({ root: join(bench.root, 'src') });
    const session = { id: crypto.randomUUID(), client: 'c', clientVersion: '1', startedAt: new Date().toISOString() };
    const { id } = await inSub
      .forAgent(() => session)
      .propose(aProposal({ ...file('a.ts', { startLine: 2, endLine: 3 }), anchors: [{ file: 'a.ts' }, { glob: '*.ts' }] }));
    const { memory } = await seen(bench.person, id);
    assert.ok(memory);
    const [pointer] = memory.content.evidence;
    assert.ok(pointer?.kind === 'file');
    assert.deepEqual([pointer.path, pointer.commit, pointer.excerptHash.length], ['src/a.ts', commit, 64]);
    assert.deepEqual(memory.content.anchors, [{ file: 'src/a.ts' }, { glob: 'src/*.ts' }]);
    assert.equal(memory.content.scope, 'path:src/');
    assert.equal(
      await inSub
        .forAgent(() => session)
        .propose(aProposal(file('../crlf.ts')))
        .catch(codeOf),
      'outside_root',
    );
  });

  it('is not led elsewhere by the environment of the agent', async () => {
    process.env['GIT_DIR'] = '/nowhere';
    try {
      assert.equal(await bench.agent.propose(aProposal(file('notes/build.log'))).catch(codeOf), 'path_refused');
    } finally {
      delete process.env['GIT_DIR'];
    }
  });
});
