/** The writers by which a buried value could come back and that are not in `tombstones.test.ts`: each of them asks first. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openEngine } from '../../../src/engine';
import { agentOf, aBench, aProposal, codeOf, seen, type Bench } from '../../support/store';

describe('a buried value', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await aBench()));
  afterEach(() => bench.close());

  const value = { statement: 'Sessions are kept in Redis 7.2.' };
  const reject = async () => {
    const { id } = await bench.agent.propose(aProposal(value));
    await bench.decide('reject', id, 'we never did');
    return id;
  };
  const draftOf = (parts: object): object => aProposal(parts); // without a command id it has the form of a draft

  it('does not come back as the third text that settles a contest; another text does', async () => {
    await reject();
    const [a, b] = [
      await bench.stand({ statement: 'They are kept in memory.' }),
      await bench.stand({ statement: 'They are kept on disk.' }),
    ];
    await bench.person.decide({ act: 'contest', ...(await bench.seen(a)), with: await bench.seen(b), reason: 'they differ' }, bench.key);
    const settle = async (draft: object) =>
      bench.person
        .decide(
          {
            act: 'resolve',
            members: [await bench.seen(a), await bench.seen(b)],
            outcome: { is: 'third', draft },
            reason: 'we looked',
            surface: 'test',
          },
          bench.key,
        )
        .then(({ state }) => state, codeOf);
    assert.equal(await settle(draftOf(value)), 'rejected_before');
    assert.deepEqual([(await seen(bench.person, a)).state, (await seen(bench.person, b)).state], ['contested', 'contested']);
    assert.equal(await settle(draftOf({ statement: 'They are kept in Postgres.' })), 'active');
  });

  it('does not come back by taking back an act that ended it before it was buried; what was not buried does', async () => {
    const [first, other] = [await bench.stand({ ...value, kind: 'fact' }), await bench.stand({})];
    for (const id of [first, other]) await bench.decide('retire', id);
    await reject();
    assert.equal(await bench.decide('undo', first).then(({ state }) => state, codeOf), 'rejected_before');
    assert.equal((await seen(bench.person, first)).state, 'retired');
    assert.equal(await bench.decide('undo', other).then(({ state }) => state, codeOf), 'active');
  });

  it('does not come back by restoring, and what was not buried does', async () => {
    const [first, other] = [await bench.stand({ ...value, kind: 'fact' }), await bench.stand({})];
    for (const id of [first, other]) await bench.decide('retire', id);
    await reject();
    const restore = async (id: string) =>
      bench.person
        .decide({ act: 'restore', ...(await bench.seen(id)), successor: 'reverse' }, bench.key)
        .then(({ state }) => state, codeOf);
    assert.deepEqual([await restore(first), await restore(other)], ['rejected_before', 'active']);
  });

  it('does not come back by approving a copy that waited since before, by saving, or by editing a proposal', async () => {
    const { id: copy } = await bench.agent.propose(aProposal({ ...value, kind: 'fact' }));
    const { id: host } = await bench.agent.propose(aProposal());
    await reject();
    assert.equal(await bench.decide('approve', copy).then(({ state }) => state, codeOf), 'rejected_before');
    assert.equal(await bench.person.save(draftOf(value), 'test', bench.key).then(({ state }) => state, codeOf), 'rejected_before');
    const amend = async (draft: object) =>
      bench.person
        .decide({ act: 'amend', ...(await bench.seen(host)), draft, surface: 'test' }, bench.key)
        .then(({ state }) => state, codeOf);
    assert.equal(await amend(draftOf(value)), 'rejected_before');
    assert.equal(await amend(draftOf({ statement: 'Another one.' })), 'active');
  });

  it('is refused where it was buried and inside it; beside it, it waits', async () => {
    const { id } = await bench.agent.propose(aProposal({ ...value, scope: 'path:a/' }));
    await bench.decide('reject', id);
    const outcomes = ['path:a/', 'path:a/b/', 'path:ab/', 'workspace'].map((scope) =>
      bench.agent.propose(aProposal({ ...value, scope })).then(({ state }) => state, codeOf),
    );
    assert.deepEqual(await Promise.all(outcomes), ['rejected_before', 'rejected_before', 'pending', 'pending']);
  });

  it('that was forgotten is refused, in another spelling too, without a word of it', async () => {
    const id = await bench.stand(value);
    await bench.person.decide({ act: 'forget', memories: [await bench.seen(id)], questions: [] }, bench.key);
    await assert.rejects(bench.agent.propose(aProposal({ statement: '**sessions** are kept in redis 7.2' })), (error: Error) => {
      assert.equal(codeOf(error), 'rejected_before');
      assert.doesNotMatch(error.message, /redis/i);
      return true;
    });
    assert.equal((await bench.agent.propose(aProposal({ statement: 'Sessions are kept in Redis 7.4.' }))).state, 'pending');
  });

  it('in the store of what holds everywhere, is refused in every workspace; in a workspace’s own, only there', async () => {
    const userStoreFile = join(bench.folder, 'user', 'memory.db');
    const engine = await openEngine({ storeFile: bench.storeFile, root: bench.root, keysFile: bench.keysFile, userStoreFile });
    try {
      const everywhere = engine.forPersonEverywhere();
      assert.ok(everywhere);
      const { id } = await everywhere.save(draftOf({ ...value, scope: 'user' }), 'test', bench.key);
      const agent = agentOf(engine, 'client');
      const propose = (parts: object) => agent.propose(aProposal(parts)).then(({ state }) => state, codeOf);
      const { seen: saw } = (await everywhere.one(id)) ?? {};
      assert.ok(saw);
      await everywhere.decide({ act: 'reject', id, seen: saw, reason: 'never' }, bench.key);
      assert.equal(await propose({ statement: 'sessions are kept in REDIS 7.2' }), 'rejected_before');
      assert.equal(await propose({ statement: 'Sessions are kept in Postgres.' }), 'pending');

      const { id: own } = await agent.propose(aProposal({ statement: 'Only here it is wrong.' }));
      await bench.decide('reject', own);
      assert.equal(await propose({ statement: 'Only here it is wrong.' }), 'rejected_before');
      assert.equal(
        (await everywhere.save(draftOf({ statement: 'Only here it is wrong.', scope: 'user' }), 'test', bench.key)).state,
        'active',
      );
    } finally {
      await engine.close();
    }
  });
});
