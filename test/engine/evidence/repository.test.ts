import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { locate } from '../../../src/engine';
import { headFrom, trackedAmong } from '../../../src/engine/evidence/git-files';
import { repositoryAt } from '../../../src/engine/evidence/repository';
import { git } from '../../support/git';

describe('a repository', () => {
  let folder: string;
  let root: string;
  beforeEach(() => {
    folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'stet-git-')));
    root = join(folder, 'work');
    mkdirSync(root);
    write('src/a.ts', 'a\n');
    git(root, 'init', '-q');
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'first');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const truth = (at = root) => git(at, 'rev-parse', 'HEAD');
  const fromFiles = (at = root) => headFrom(locate(at));

  it('names its commit from its files on a branch, packed or loose, detached, and in a linked work tree', async () => {
    assert.equal(await fromFiles(), truth());
    git(root, 'pack-refs', '--all');
    assert.equal(await fromFiles(), truth());
    git(root, 'commit', '-q', '--allow-empty', '-m', 'second');
    assert.equal(await fromFiles(), truth());
    git(root, 'checkout', '-q', '-b', 'topic/один', 'HEAD~1');
    git(root, 'pack-refs', '--all');
    git(root, 'commit', '-q', '--allow-empty', '-m', 'third');
    assert.equal(await repositoryAt(root).head(), truth());
    git(root, 'checkout', '-q', '--detach', 'main');
    assert.equal(await fromFiles(), truth());
    const linked = join(folder, 'linked');
    git(root, 'worktree', 'add', '-q', '-b', 'side', linked, 'main~1');
    assert.equal(await fromFiles(linked), truth(linked));
    assert.notEqual(truth(linked), truth());
  });

  it('leaves to git what its files do not say plainly, and is right all the same', async () => {
    const first = truth();
    git(root, 'pack-refs', '--all');
    git(root, 'commit', '-q', '--allow-empty', '-m', 'second');
    // A branch that is a link: what was packed before it must not be taken for it.
    const loose = join(root, '.git/refs/heads/main');
    writeFileSync(join(root, '.git/kept'), `${truth()}\n`);
    rmSync(loose);
    symlinkSync(join(root, '.git/kept'), loose);
    assert.equal(await fromFiles(), undefined);
    assert.equal(await repositoryAt(root).head(), truth());
    assert.notEqual(truth(), first);
    // One that names another.
    git(root, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/side');
    git(root, 'update-ref', 'refs/heads/side', first);
    writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/alias\n');
    assert.equal(await fromFiles(), undefined);
    assert.equal(await repositoryAt(root).head(), first);
    // One that leads out of the repository.
    writeFileSync(join(folder, 'elsewhere'), `${first}\n`);
    writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/../../../../elsewhere\n');
    assert.equal(await fromFiles(), undefined);
    // And one without a commit.
    git(root, 'symbolic-ref', 'HEAD', 'refs/heads/unborn');
    assert.equal(await repositoryAt(root).head(), undefined);
  });

  it('ignores what git ignores: never what is tracked, and each new rule at once', async () => {
    write('kept.log', 'k\n');
    git(root, 'add', '-f', 'kept.log');
    write('.gitignore', '*.log\n');
    write('other.log', 'o\n');
    write('src/new.ts', 'n\n');
    const repository = repositoryAt(root);
    const asked = ['kept.log', 'other.log', 'src/a.ts', 'src/new.ts', ':(top)other.log'];
    assert.deepEqual([...(await repository.ignored(asked))], ['other.log', ':(top)other.log']);
    write('src/.gitignore', 'new.ts\n');
    assert.deepEqual([...(await repository.ignored(asked))].sort(), [':(top)other.log', 'other.log', 'src/new.ts']);
    git(root, 'rm', '-q', '--cached', 'kept.log');
    assert.ok((await repository.ignored(asked)).has('kept.log'));
  });

  const formats: [string, readonly string[][]][] = [
    ['version 2', [['update-index', '--index-version', '2']]],
    ['version 3', [['add', '-N', 'later.ts']]],
    ['version 4', [['update-index', '--index-version', '4']]],
    ['a split index', [['update-index', '--split-index']]],
  ];
  for (const [what, commands] of formats)
    it(`takes for tracked exactly what is, or leaves it to git, with an index of ${what}`, async () => {
      const nested = `p/${'y'.repeat(45)}.ts`;
      for (const path of ['b.ts', 'app/b.ts', 'src/ключ.ts', 'x'.repeat(61), nested, 'later.ts']) write(path, `${path}\n`);
      git(root, 'add', '-A');
      git(root, 'reset', '-q', 'later.ts');
      for (const command of commands) git(root, ...command);
      const inGit = new Set(git(root, 'ls-files', '-z').split('\0'));
      const asked = [...new Set([...inGit, 'later.ts', 'a.ts', 'ts', nested.slice(2), 'untracked.ts'])].filter((path) => path !== '');
      const tracked = await trackedAmong(asked, join(root, '.git'));
      for (const path of tracked) assert.ok(inGit.has(path), path);
      if (what === 'version 2' || what === 'version 3')
        assert.deepEqual([...tracked].sort(), asked.filter((path) => inGit.has(path)).sort());
      write('.gitignore', '*\n');
      const ignored = await repositoryAt(root).ignored(asked);
      assert.deepEqual([...ignored].sort(), asked.filter((path) => !inGit.has(path)).sort());
    });

  it('is not believed about an index that is cut off, or none', async () => {
    const index = readFileSync(join(root, '.git/index'));
    assert.deepEqual([...(await trackedAmong(['src/a.ts'], join(root, '.git')))], ['src/a.ts']);
    for (const bytes of [index.subarray(0, 60), index.subarray(0, 11), Buffer.alloc(0), Buffer.alloc(200, 0xff)]) {
      writeFileSync(join(root, '.git/index'), bytes);
      assert.deepEqual([...(await trackedAmong(['src/a.ts'], join(root, '.git')))], []);
    }
  });
});
