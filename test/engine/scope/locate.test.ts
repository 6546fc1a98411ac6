import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locate, storeFile } from '../../../src/engine';
import { git } from '../../support/git';
import { codeOf } from '../../support/store';

describe('the store of a folder', () => {
  let top: string;
  before(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'stet-locate-')));
    for (const folder of ['x/acme/app', 'x/other/app', 'x/acme-app', 'plain/deep']) mkdirSync(join(top, folder), { recursive: true });
    for (const folder of ['x/acme/app', 'x/other/app']) {
      git(join(top, folder), 'init', '-q');
      writeFileSync(join(top, folder, 'a.txt'), 'a\n');
      git(join(top, folder), 'add', '-A');
      git(join(top, folder), 'commit', '-q', '-m', 'first');
    }
    mkdirSync(join(top, 'x/acme/app/packages/web'), { recursive: true });
    git(join(top, 'x/acme/app'), 'worktree', 'add', '-q', join(top, 'x/branch'));
    symlinkSync(join(top, 'x/acme/app'), join(top, 'link'));
    mkdirSync(join(top, 'broken'));
    writeFileSync(join(top, 'broken/.git'), 'gitdir: nowhere\n');
  });
  after(() => {
    rmSync(top, { recursive: true, force: true });
  });

  const store = (folder: string) => storeFile('/stores', locate(join(top, folder)));

  it('is one for a repository, from whichever folder or work tree of it, and by whichever link', () => {
    const own = store('x/acme/app');
    assert.deepEqual(['x/acme/app/packages/web', 'x/branch', 'link', 'link/packages'].map(store), [own, own, own, own]);
    assert.deepEqual(
      ['x/acme/app/packages/web', 'x/branch'].map((folder) => locate(join(top, folder)).workTree),
      [join(top, 'x/acme/app'), join(top, 'x/branch')],
    );
  });

  it('is another one for every other folder, however alike the names (A9)', () => {
    const stores = ['x/acme/app', 'x/other/app', 'x/acme-app', 'plain', 'plain/deep', 'broken'].map(store);
    assert.equal(new Set(stores).size, stores.length);
  });

  it('does not exist for a folder that does not', () => {
    for (const folder of ['gone', 'x/acme/app/a.txt'])
      assert.throws(
        () => locate(join(top, folder)),
        (error) => codeOf(error) === 'no_folder',
      );
  });
});
