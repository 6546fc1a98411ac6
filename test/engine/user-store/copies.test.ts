import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openEngine, type Engine, type PersonAccess } from '../../../src/engine';
import { sqlShell } from '../../mcp/support/sql-shell';
import { aCanary, filesWith } from '../../support/bytes';
import { aBench, agentOf, aProposal, codeOf, seen, type Bench } from '../../support/store';

describe('a person’s copies in the user store', () => {
  let bench: Bench;
  let engine: Engine;
  let here: PersonAccess;
  let everywhere: PersonAccess;
  let canary: string;
  let twin: string;

  beforeEach(async () => {
    bench = await aBench();
    await bench.engine.close();
    engine = await openEngine({
      storeFile: bench.storeFile,
      root: bench.root,
      keysFile: bench.keysFile,
      userStoreFile: join(bench.folder, 'user', 'memory.db'),
    });
    here = engine.forPerson();
    everywhere = engine.forPersonEverywhere() ?? assert.fail();
    [canary, twin] = [aCanary(), aCanary()];
  });
  afterEach(async () => {
    await engine.close();
    await bench.close();
  });

  const draft = (statement: string) => ({ kind: 'decision', title: 'A habit', statement, evidence: [{ kind: 'quote', speaker: 'me', text: 'so I work' }] }); // prettier-ignore
  const saved = async (person: PersonAccess, statement: string, copyOf?: string) =>
    (await person.save(draft(statement), 'test', bench.key, copyOf)).id;
  const on = async (person: PersonAccess, id: string) => ({ id, seen: (await seen(person, id)).seen ?? assert.fail() });
  const forget = async (person: PersonAccess, id: string) =>
    person.decide({ act: 'forget', memories: [await on(person, id)], questions: [] }, bench.key);
  const found = async (word: string) => (await agentOf(engine, 'reader').search({ query: word })).items.map(({ id }) => id);

  it('show what they are copies of, and are found from the workspace as what holds everywhere', async () => {
    const original = await saved(here, `We indent by ${canary}.`);
    const copy = await saved(everywhere, `We indent by ${canary}.`, `${engine.storeId}/${original}`);
    const { memory, tampering } = await seen(everywhere, copy);
    assert.deepEqual([memory?.content.copyOf, memory?.bounds.scope, tampering], [`${engine.storeId}/${original}`, 'user', undefined]);
    assert.ok((await found(canary)).includes(copy));
    await assert.rejects(saved(everywhere, 'Something.', 'a text that names nothing'), (error) => codeOf(error) === 'invalid_input');
  });

  it('are offered when the original is forgotten, and the original when a copy is; untouched ones are not', async () => {
    const original = await saved(here, `We indent by ${canary}.`);
    await saved(here, `We line up by ${twin}.`);
    const copy = await saved(everywhere, `I always indent with the key ${canary}.`, `${engine.storeId}/${original}`);
    const quoting = await saved(everywhere, `As somebody wrote: ${canary}.`);
    await saved(everywhere, `I line up by ${twin}.`);
    const told = async (person: PersonAccess, id: string) => {
      const { memories, elsewhere } = await person.leavings([id]);
      return [memories, elsewhere].map((list) => list.map(({ id: left, because, scope }) => [left, because, scope]));
    };
    assert.deepEqual(await told(here, original), [
      [],
      [
        [copy, 'copy', 'user'],
        [quoting, 'quotes', 'user'],
      ],
    ]);
    assert.deepEqual(await told(everywhere, copy), [[[quoting, 'quotes', 'user']], [[original, 'original', 'workspace']]]);
  });

  it('leave every byte when both are forgotten, and the twin stays', async () => {
    const original = await saved(here, `We indent by ${canary}.`);
    await saved(here, `We line up by ${twin}.`);
    const copy = await saved(everywhere, `We indent by ${canary}.`, `${engine.storeId}/${original}`);
    await saved(everywhere, `We line up by ${twin}, everywhere.`);
    await forget(here, original);
    assert.deepEqual(await found(canary), [copy], 'a copy is a memory of its own until it is forgotten, too');
    assert.notDeepEqual(filesWith(bench.folder, canary), []);
    assert.equal((await forget(everywhere, copy)).erased, 'done');
    assert.deepEqual([await found(canary), filesWith(bench.folder, canary)], [[], []]);
    assert.equal((await found(twin)).length, 2);
    assert.deepEqual(filesWith(bench.folder, twin).filter((name) => name.endsWith('.db')), ['store/memory.db', 'user/memory.db']); // prettier-ignore
  });

  it('refuse a value in every workspace once it is rejected or forgotten in the user store; others are let in', async () => {
    const [never, gone] = [await saved(everywhere, 'Tabs are eight wide.'), await saved(everywhere, 'Lines end in spaces.')];
    const agent = agentOf(engine, 'proposer');
    const waiting = (await agent.propose(aProposal({ kind: 'decision', statement: 'Tabs are eight wide.' }))).id;
    await everywhere.decide({ act: 'reject', ...(await on(everywhere, never)), reason: 'nobody does' }, bench.key);
    await forget(everywhere, gone);
    for (const statement of ['Tabs  are EIGHT wide', 'Lines end in **spaces**.'])
      await assert.rejects(agent.propose(aProposal({ statement })), (error) => codeOf(error) === 'rejected_before');
    await assert.rejects(here.decide({ act: 'approve', ...(await on(here, waiting)) }, bench.key), (error) => codeOf(error) === 'rejected_before'); // prettier-ignore
    await assert.rejects(saved(here, 'Tabs are eight wide.'), (error) => codeOf(error) === 'rejected_before');
    assert.equal((await agent.propose(aProposal({ statement: 'Tabs are four wide.' }))).state, 'pending');
  });

  it('are out of reach of agents: no scope of theirs names the user store', async () => {
    await assert.rejects(agentOf(engine, 'x').propose(aProposal({ scope: 'user' })), (error) => codeOf(error) === 'outside_grant');
    assert.equal((await agentOf(engine, 'x').propose(aProposal({ scope: 'workspace' }))).state, 'pending');
  });

  it('finish a forgetting in the user store that a reader held, after it is opened again', async () => {
    const copy = await saved(everywhere, `We indent by ${canary}.`);
    const reader = await sqlShell(join(bench.folder, 'user', 'memory.db'));
    await reader.run('BEGIN');
    await reader.all('SELECT count(*) FROM memories');
    assert.equal((await forget(everywhere, copy)).erased, 'held');
    await engine.close();
    await reader.run('COMMIT');
    await reader.close();
    engine = await openEngine({ storeFile: bench.storeFile, root: bench.root, keysFile: bench.keysFile, userStoreFile: join(bench.folder, 'user', 'memory.db') }); // prettier-ignore
    while (filesWith(bench.folder, canary).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const user = await sqlShell(join(bench.folder, 'user', 'memory.db'));
    while ((await user.all('SELECT 1 FROM erasures WHERE swept_at IS NULL')).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await user.close();
  });
});
