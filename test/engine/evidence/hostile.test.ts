import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { locate } from '../../../src/engine';
import { matchesGlob } from '../../../src/engine/domain/globs';
import { git } from '../../support/git';
import { aBench, agentOf, aProposal, codeOf, lines, type Bench } from '../../support/store';

describe('a hostile folder', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await aBench({ 'src/a.ts': lines(10), 'pkg/a/a.ts': lines(3), 'pkg/b/b.ts': lines(3) });
  });
  afterEach(() => bench.close());

  const file = (path: string) => aProposal({ evidence: [{ kind: 'file', path }] });
  /** A program that leaves a mark when anybody runs it. */
  const trap = () => {
    const mark = join(bench.folder, 'it-ran');
    const program = join(bench.root, 'trap.sh');
    writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\nexit 1\n`);
    chmodSync(program, 0o755);
    return { program, ran: () => existsSync(mark) };
  };

  it('runs no program that its git configuration names', async () => {
    git(bench.root, 'init', '-q');
    git(bench.root, 'add', '-A');
    git(bench.root, 'commit', '-q', '-m', 'first');
    const { program, ran } = trap();
    for (const [key, value] of [
      ['core.fsmonitor', program],
      ['core.alternateRefsCommand', program],
      ['core.sshCommand', program],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.url', bench.folder],
      ['remote.origin.uploadpack', program],
    ] as const)
      git(bench.root, 'config', key, value);
    assert.equal((await bench.agent.propose(file('src/a.ts'))).state, 'pending');
    const missing = aProposal({ evidence: [{ kind: 'commit', sha: 'd'.repeat(40) }] });
    assert.equal(await bench.agent.propose(missing).catch(codeOf), 'evidence_unresolved');
    assert.equal(ran(), false);
  });

  it('is not taken for a bare repository because it looks like one', async () => {
    const { program, ran } = trap();
    for (const folder of ['refs', 'objects']) mkdirSync(join(bench.root, folder));
    writeFileSync(join(bench.root, 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(bench.root, 'config'), `[core]\n\tbare = true\n\tfsmonitor = ${program}\n`);
    assert.equal((await bench.agent.propose(file('src/a.ts'))).state, 'pending');
    assert.equal(ran(), false);
  });

  it('does not get another repository by pointing to it', () => {
    const victim = join(bench.folder, 'victim');
    mkdirSync(victim);
    git(victim, 'init', '-q');
    const own = locate(bench.root).identity;
    writeFileSync(join(bench.root, '.git'), `gitdir: ${join(victim, '.git')}\n`);
    assert.equal(locate(bench.root).identity, own);
    rmSync(join(bench.root, '.git'));
    symlinkSync(join(victim, '.git'), join(bench.root, '.git'));
    assert.equal(locate(bench.root).identity, own);
    rmSync(join(bench.root, '.git'));
    mkdirSync(join(bench.root, '.git/objects'), { recursive: true });
    writeFileSync(join(bench.root, '.git/commondir'), join(victim, '.git'));
    assert.notEqual(locate(bench.root).identity, locate(victim).identity);
  });

  it('does not widen a grant by a repository planted in a package', async () => {
    git(bench.root, 'init', '-q');
    const repository = await aBenchOfSameRoot();
    const open = () => repository.open(join(bench.root, 'pkg/a'));
    const inside = await open();
    assert.equal(
      await agentOf(inside, 'c')
        .propose(aProposal({ scope: 'path:pkg/b/' }))
        .catch(codeOf),
      'outside_grant',
    );
    await inside.close();
    mkdirSync(join(bench.root, 'pkg/a/.git/objects'), { recursive: true });
    assert.equal(await open().catch(codeOf), 'other_folder');
    rmSync(join(bench.root, 'pkg/a/.git'), { recursive: true });
    await (await open()).close();
  });

  /** A store that was made for the repository as it is now. */
  async function aBenchOfSameRoot() {
    const { openEngine } = await import('../../../src/engine');
    const storeFile = join(bench.folder, 'of-repository.db');
    await (await openEngine({ storeFile, root: bench.root, keysFile: bench.keysFile })).close();
    return { open: (root: string) => openEngine({ storeFile, root, keysFile: bench.keysFile }) };
  }

  it('cannot have its ignored files looked at by way of a link', async () => {
    git(bench.root, 'init', '-q');
    mkdirSync(join(bench.root, 'build'));
    writeFileSync(join(bench.root, 'build/out.txt'), 'built\n');
    writeFileSync(join(bench.root, '.gitignore'), 'build/\n');
    symlinkSync(join(bench.root, 'build/out.txt'), join(bench.root, 'link.txt'));
    symlinkSync(join(bench.root, 'src/a.ts'), join(bench.root, 'fine.ts'));
    assert.equal(await bench.agent.propose(file('link.txt')).catch(codeOf), 'path_refused');
    assert.equal((await bench.agent.propose(file('fine.ts'))).state, 'pending');
  });

  it('is told apart from a folder that cannot be asked about', async () => {
    git(bench.root, 'init', '-q');
    writeFileSync(join(bench.root, '.git/config'), 'no configuration at all [');
    assert.equal(await bench.agent.propose(file('src/a.ts')).catch(codeOf), 'evidence_unresolved');
    assert.equal((await bench.agent.propose(aProposal())).state, 'pending');
  });

  it('reads a large file once, and no huge one', async () => {
    writeFileSync(join(bench.root, 'large.txt'), '\n'.repeat(4_000_000));
    writeFileSync(join(bench.root, 'huge.txt'), '\n'.repeat(5_000_000));
    const many = (path: string) =>
      aProposal({ evidence: Array.from({ length: 50 }, (_, index) => ({ kind: 'file' as const, path, startLine: index + 1 })) });
    assert.equal((await bench.agent.propose(many('large.txt'))).state, 'pending');
    assert.equal(await bench.agent.propose(many('huge.txt')).catch(codeOf), 'evidence_unresolved');
  });
});

describe('a glob', () => {
  it('is refused where matching it could take for ever, and taken where it cannot', async () => {
    const bench = await aBench();
    const anchored = (glob: string) => bench.agent.propose(aProposal({ anchors: [{ glob }] })).then((receipt) => receipt.state, codeOf);
    for (const glob of [
      'src/([a-z/]+)+/index.ts',
      '(a+)+b',
      '(?!x)',
      '*a*a*a*a*b',
      '**/*-*-*-*.md',
      '**/a/**/a/**/a/**/b',
      '{a,aa}{a,aa}{a,aa}',
      '{1..9999999}',
      '!a',
    ])
      assert.equal(await anchored(glob), 'invalid_input', glob);
    for (const glob of ['**/*.ts', 'src/**/test/**/*.{spec,test}.ts', 'packages/*/src/**', '[!a]*.md', 'src/*-*.ts', '*.ts'])
      assert.equal(await anchored(glob), 'pending', glob);
    await bench.close();
  });

  it('matches what it should within a second, whatever the path', () => {
    for (const glob of ['**/a/**/b', '*a*b', '**/*a*/**/*b*', '{*a,*b}*c'])
      for (const path of ['a/'.repeat(450) + 'c', 'a'.repeat(900), 'ab/'.repeat(300)])
        assert.equal(typeof matchesGlob(glob, path), 'boolean');
    assert.deepEqual(
      ['src/a/b.ts', 'src/b.ts', 'lib/b.ts'].map((path) => matchesGlob('src/**/*.ts', path)),
      [true, true, false],
    );
    assert.equal(matchesGlob('(a+)+b', 'aab'), false);
  });

  it('of a session in a folder with special letters applies there', async () => {
    const bench = await aBench({ 'app/[id]/{x}/page.ts': 'a\n', 'app/i/x/page.ts': 'a\n' });
    git(bench.root, 'init', '-q');
    const engine = await bench.reopen({ root: join(bench.root, 'app/[id]/{x}') });
    const { id } = await agentOf(engine, 'c').propose(aProposal({ anchors: [{ glob: '*.ts' }] }));
    await bench.decide('approve', id);
    const found = async (path: string) => (await bench.agent.forFile({ path })).items.map((item) => item.id);
    assert.deepEqual(
      [await found('app/[id]/{x}/page.ts'), await found('app/i/x/page.ts')],
      [[], []].map((_, index) => (index === 0 ? [id] : [])),
    );
    const inside = (await agentOf(engine, 'c').forFile({ path: 'page.ts' })).items[0];
    assert.deepEqual(inside?.anchors, [{ glob: '*.ts' }]);
  });
});

describe('a store that was deleted while it was open', () => {
  it('acknowledges nothing and serves nothing', async () => {
    const bench = await aBench();
    const id = await bench.stand({ statement: 'Harbours are deep.' });
    assert.equal((await bench.agent.get({ id })).id, id);
    for (const ending of ['', '-wal', '-shm']) rmSync(`${bench.storeFile}${ending}`, { force: true });
    assert.equal(await bench.agent.propose(aProposal()).catch(codeOf), 'store_unusable');
    assert.equal(await bench.agent.search({ query: 'harbours' }).catch(codeOf), 'store_unusable');
    assert.equal(await bench.agent.get({ id }).catch(codeOf), 'store_unusable');
    await bench.close();
  });
});
