import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { adoptStore, findMovedStores, locate, moveStore, openEngine, storeFile, type Engine } from '../../../src/engine';
import { systemClock } from '../../../src/engine/system';
import { git } from '../../support/git';
import { pinKeys, testKey, type TestKey } from '../../support/keys';
import { agentOf, aProposal, codeOf, lines, seen } from '../../support/store';

describe('a folder that has moved', () => {
  let folder: string;
  let stores: string;
  let keysFile: string;
  let key: TestKey;
  const opened: Engine[] = [];

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'stet-moved-')));
    stores = join(folder, 'stores');
    keysFile = join(folder, 'keys.json');
    key = testKey();
    pinKeys(keysFile, key);
  });
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const repository = (name: string) => {
    const root = join(folder, name);
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'a.ts'), lines(5) + name);
    git(root, 'init');
    git(root, 'add', '.');
    git(root, 'commit', '-m', 'first');
    return root;
  };
  const fileOf = (root: string) => storeFile(stores, locate(root));
  const open = async (root: string) => {
    const engine = await openEngine({ storeFile: fileOf(root), root, keysFile });
    opened.push(engine);
    return engine;
  };
  const remember = async (root: string) => {
    const engine = await open(root);
    const { id } = await agentOf(engine, 'x').propose(aProposal({ evidence: [{ kind: 'file', path: 'a.ts', startLine: 2 }] }));
    const saw = (await seen(engine.forPerson(), id)).seen ?? assert.fail();
    await engine.forPerson().decide({ act: 'approve', id, seen: saw }, key);
    await engine.forPerson().backUpIfDue();
    await engine.close();
    return id;
  };

  it('is offered its old store, the one of its own history first; stores of folders that are there are not', async () => {
    const [mine, other, there] = [repository('team/app'), repository('elsewhere/app'), repository('here')];
    for (const root of [other, mine, there]) await remember(root);
    const moved = join(folder, 'renamed');
    renameSync(mine, moved);
    rmSync(other, { recursive: true });
    const found = await findMovedStores(stores, moved);
    assert.deepEqual(
      found.map((store) => [store.folder, store.sameHistory, store.sameName, store.memories]),
      [
        [mine, true, false, 1],
        [other, false, false, 1],
      ],
    );
    renameSync(moved, join(folder, 'app'));
    assert.deepEqual(
      (await findMovedStores(stores, join(folder, 'app'))).map(({ sameName }) => sameName),
      [true, true],
    );
    assert.deepEqual(await findMovedStores(join(folder, 'no-such-folder'), moved).catch(codeOf), 'no_folder');
  });

  it('has its memory again once a person adopts it, with its backups, and nobody else’s', async () => {
    const mine = repository('app');
    const id = await remember(mine);
    const old = fileOf(mine);
    const moved = join(folder, 'renamed');
    renameSync(mine, moved);
    // An agent has been there first: a store without events lies in the new place.
    await (await open(moved)).close();
    const place = fileOf(moved);
    assert.notEqual(place, old);
    await moveStore(old, place, systemClock);
    assert.equal(existsSync(dirname(old)), false);
    await assert.rejects(open(moved), (error) => codeOf(error) === 'other_folder');
    await adoptStore({ storeFile: place, root: moved, keysFile, signer: key });
    const engine = await open(moved);
    assert.equal((await agentOf(engine, 'x').get({ id })).id, id);
    assert.deepEqual([(await engine.verify()).is, await engine.forPerson().integrity()], ['intact', []]);
    assert.equal((await engine.forPerson().backups()).length, 1);
    assert.equal((await engine.forPerson().audit({ limit: 1 }))[0]?.detail, 'the folder has moved');
    assert.deepEqual(await findMovedStores(stores, moved), []);
  });

  it('does not take the store of a folder that is still there, nor the place of one with memories', async () => {
    const [mine, copy] = [repository('app'), join(folder, 'copy')];
    await remember(mine);
    mkdirSync(copy);
    await assert.rejects(adoptStore({ storeFile: fileOf(mine), root: copy, keysFile, signer: key }), (error) => codeOf(error) === 'other_folder'); // prettier-ignore
    const taken = repository('taken');
    await remember(taken);
    const before = readFileSync(fileOf(taken));
    await assert.rejects(moveStore(fileOf(mine), fileOf(taken), systemClock), (error) => codeOf(error) === 'store_unusable');
    assert.deepEqual(readFileSync(fileOf(taken)), before);
    assert.ok(existsSync(fileOf(mine)));
  });

  it('cannot be adopted without a person’s key', async () => {
    const mine = repository('app');
    const id = await remember(mine);
    const moved = join(folder, 'renamed');
    renameSync(mine, moved);
    await moveStore(fileOfOld(mine), fileOf(moved), systemClock);
    await assert.rejects(adoptStore({ storeFile: fileOf(moved), root: moved, keysFile, signer: testKey() }), (error) => codeOf(error) === 'untrusted_key'); // prettier-ignore
    await assert.rejects(open(moved), (error) => codeOf(error) === 'other_folder');
    await adoptStore({ storeFile: fileOf(moved), root: moved, keysFile, signer: key });
    assert.equal((await agentOf(await open(moved), 'x').get({ id })).id, id);
  });
  /** The place of the store of a repository that is gone. */
  const fileOfOld = (root: string) => storeFile(stores, { workTree: root, identity: join(root, '.git'), gitDirectory: undefined });

  it('work trees of one repository share its store, and another repository of the same name does not', async () => {
    const [mine, other] = [repository('a/app'), repository('b/app')];
    const linked = join(folder, 'linked');
    git(mine, 'worktree', 'add', linked);
    const id = await remember(mine);
    assert.equal(fileOf(linked), fileOf(mine));
    assert.equal((await agentOf(await open(linked), 'x').get({ id })).id, id);
    assert.notEqual(fileOf(other), fileOf(mine));
    await assert.rejects(agentOf(await open(other), 'x').get({ id }), (error) => codeOf(error) === 'not_found');
  });
});
