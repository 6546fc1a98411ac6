import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { mayRead, grantFor, readPredicate, writeScope } from '../../../src/engine/scope/grant';
import { git } from '../../support/git';
import { aBench, agentOf, aProposal, codeOf, type Bench } from '../../support/store';

describe('a grant', () => {
  it('compiles to a predicate that is never empty', () => {
    assert.equal(readPredicate({ ...grantFor('s', ''), read: [] }, 'm.scope').sql, '0');
    for (const folder of ['', 'a', 'a/b']) assert.notEqual(readPredicate(grantFor('s', folder), 'm.scope').sql, '');
  });

  const table: [string, string, boolean, boolean][] = [
    // folder of the session, scope, may read, may write
    ['', 'workspace', true, true],
    ['', 'path:a/', true, true],
    ['a/b', 'workspace', true, true],
    ['a/b', 'path:a/', true, false],
    ['a/b', 'path:a/b/', true, true],
    ['a/b', 'path:a/b/c/', true, true],
    ['a/b', 'path:a/bc/', false, false],
    ['a/b', 'path:a/x/', false, false],
    ['a/b', 'path:c/', false, false],
    ['a/b', 'user', false, false],
  ];
  for (const [folder, scope, read, write] of table)
    it(`${read ? 'reads' : 'does not read'} and ${write ? 'writes' : 'does not write'} ${scope} from ${folder || 'the root'}`, () => {
      const grant = grantFor('s', folder);
      const writes = () => {
        try {
          return writeScope(grant, scope) === scope;
        } catch (error) {
          return codeOf(error) !== 'outside_grant';
        }
      };
      assert.deepEqual([mayRead(grant, scope), writes()], [read, write]);
    });
});

describe('a session in a package', () => {
  let bench: Bench;
  before(async () => {
    bench = await aBench({ 'packages/web/a.ts': 'a\n', 'packages/api/a.ts': 'a\n' });
    git(bench.root, 'init', '-q');
    mkdirSync(join(bench.root, 'packages/web/src'), { recursive: true });
  });
  after(() => bench.close());

  it('neither finds nor reads nor counts what belongs to the package beside it, and the root finds both', async () => {
    const statement = (name: string) => ({
      statement: `The ${name} package validates forms on the server.`,
      anchors: [{ glob: 'packages/*/a.ts' }],
    });
    const web = await bench.stand({ ...statement('web'), scope: 'path:packages/web/' });
    const api = await bench.stand({ ...statement('api'), scope: 'path:packages/api/' });
    const whole = await bench.stand(statement('whole'));
    const engine = await bench.reopen({ root: join(bench.root, 'packages/web') });
    const inWeb = agentOf(engine, 'client');
    const ids = (found: { items: readonly { id: string }[] }) => found.items.map((item) => item.id).sort();

    assert.deepEqual(ids(await inWeb.search({ query: 'validates forms' })), [web, whole].sort());
    assert.deepEqual(ids(await inWeb.forFile({ path: 'a.ts' })), [web, whole].sort());
    assert.equal(await inWeb.get({ id: api }).catch(codeOf), 'not_found');
    assert.equal(await inWeb.get({ id: crypto.randomUUID() }).catch(codeOf), 'not_found');
    assert.equal(await inWeb.propose(aProposal({ evidence: [{ kind: 'memory', id: api }] })).catch(codeOf), 'evidence_unresolved');
    assert.equal((await inWeb.propose(aProposal({ evidence: [{ kind: 'memory', id: web }] }))).state, 'pending');

    assert.deepEqual(ids(await bench.agent.search({ query: 'validates forms' })), [web, api, whole].sort());
    assert.equal((await bench.agent.get({ id: api })).id, api);
  });
});

describe('paths of a session in a folder', () => {
  it('are shown as they can be given back, also in folders with letters beyond the first plane', async () => {
    const bench = await aBench({ 'pkg/📦x/sub/a.ts': 'a\n' });
    git(bench.root, 'init', '-q');
    const engine = await bench.reopen({ root: join(bench.root, 'pkg/📦x') });
    const agent = agentOf(engine, 'client');
    const { id } = await agent.propose(
      aProposal({ scope: 'path:pkg/📦x/sub/', anchors: [{ file: 'sub/a.ts' }], evidence: [{ kind: 'file', path: 'sub/a.ts' }] }),
    );
    await bench.decide('approve', id);
    const whole = await agent.get({ id });
    assert.deepEqual([whole.anchors, whole.evidence.map(({ source }) => source)], [[{ file: 'sub/a.ts' }], ['sub/a.ts']]);
    assert.deepEqual(
      (await agent.forFile({ path: 'sub/a.ts' })).items.map((item) => item.id),
      [id],
    );
    await bench.close();
  });
});
