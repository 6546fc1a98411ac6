/** Claims that cannot both hold, the five shapes of contradiction, and how a person settles them. */
import assert from 'node:assert/strict';
import type { PersonAct } from '../../../src/engine';
import { aBench, aProposal, seen, type Bench } from '../../support/store';

describe('contradictions', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await aBench()));
  afterEach(() => bench.close());

  const manager = (object: string, more: object = {}) => ({
    title: `Package manager ${object}`,
    statement: `The package manager of the repository is ${object}.`,
    claim: { subject: 'repository', predicate: 'package manager', object, cardinality: 'one' as const },
    ...more,
  });
  const found = async (query = 'package manager', more: object = {}) =>
    (await bench.agent.search({ query, ...more })).items.map((item) => [item.title, item.state]);
  const stateOf = async (id: string) => (await seen(bench.person, id)).state;
  const decide = (act: PersonAct) => bench.person.decide(act, bench.key);

  describe('the five shapes', () => {
    it('replacement: the new value stands, the old one is history with a closed interval', async () => {
      const npm = await bench.stand(manager('npm'));
      const between = new Date().toISOString();
      const pnpm = await bench.stand(manager('pnpm', { replaces: [npm] }));
      assert.deepEqual(await found(), [['Package manager pnpm', 'active']]);
      const { memories } = await bench.agent.history({ claim: { subject: 'repository', predicate: 'package manager' } });
      assert.deepEqual(memories.map(({ id, state }) => [id, state]), [[npm, 'superseded'], [pnpm, 'active']]); // prettier-ignore
      const last = memories[0]?.beliefs.at(-1);
      assert.deepEqual([last?.others, typeof last?.validTo], [[pnpm], 'string']);
      const then = await bench.agent.history({ id: npm, knownAt: between });
      assert.equal(then.memories[0]?.state, 'active');
      assert.deepEqual((await bench.agent.search({ query: 'package manager' })).omitted, { superseded: 1 });
    });

    it('polarity flip: the same words with the other sign replace, and the old ones are not recalled', async () => {
      const slot = { subject: 'exports', predicate: 'default exports' };
      const use = await bench.stand({
        title: 'Exports',
        statement: 'Use default exports.',
        claim: { ...slot, object: 'use', cardinality: 'one' },
      });
      await bench.stand({ title: 'Exports', statement: 'Never use default exports.', claim: { ...slot, object: 'never' }, replaces: [use] }); // prettier-ignore
      assert.deepEqual((await bench.agent.search({ query: 'default exports' })).items.map(({ statement }) => statement), ['Never use default exports.']); // prettier-ignore
    });

    it('retraction: what was wrong is gone without a successor, and its sibling stays', async () => {
      const redis = await bench.stand({ title: 'Staging', statement: 'Staging uses Redis for queues.' });
      const sibling = await bench.stand({ title: 'Staging host', statement: 'Staging runs on one host.' });
      await bench.decide('reject', redis, 'that was wrong');
      assert.deepEqual((await bench.agent.search({ query: 'staging' })).items.map(({ id }) => id), [sibling]); // prettier-ignore
      await assert.rejects(bench.agent.propose(aProposal({ statement: 'staging uses redis for queues' })), /that was wrong/);
    });

    it('partial supersession: one slot is replaced and the other left', async () => {
      const owner = { subject: 'auth', predicate: 'owner', cardinality: 'one' as const };
      const place = await bench.stand({ title: 'Auth place', statement: 'Auth lives in svc-a.', claim: { subject: 'auth', predicate: 'place', object: 'svc-a', cardinality: 'one' } }); // prettier-ignore
      const kim = await bench.stand({ title: 'Auth owner', statement: 'Auth is owned by Kim.', claim: { ...owner, object: 'Kim' } });
      const lee = await bench.stand({ title: 'Auth owner', statement: 'Auth is owned by Lee.', claim: { ...owner, object: 'Lee' }, replaces: [kim] }); // prettier-ignore
      assert.deepEqual((await bench.agent.search({ query: 'auth' })).items.map(({ id }) => id).sort(), [place, lee].sort()); // prettier-ignore
    });

    it('bounded validity: inside its interval it is found, by default it is not, and the end is not inside', async () => {
      const node = await bench.stand({ title: 'Node 16', statement: 'We run Node 16.', validFrom: '2022-01-01', validTo: '2024-06-01' });
      const at = async (validAt?: string) =>
        (await bench.agent.search({ query: 'node', ...(validAt !== undefined && { validAt }) })).items.map(({ id }) => id);
      assert.deepEqual(await at(), []);
      assert.deepEqual(await at('2022-01-01'), [node]);
      assert.deepEqual(await at('2024-05-31T23:59:59.999Z'), [node]);
      assert.deepEqual(await at('2024-06-01'), []);
      assert.deepEqual((await bench.agent.search({ query: 'node' })).omitted, { noLongerValid: 1 });
    });
  });

  it('contests undated values of one slot, and never settles them by which came first', async () => {
    const npm = await bench.stand(manager('npm'));
    const yarn = await bench.stand(manager('yarn'));
    assert.deepEqual([await stateOf(npm), await stateOf(yarn)], ['contested', 'contested']);
    const { items } = await bench.agent.search({ query: 'package manager yarn', k: 2 });
    assert.deepEqual(items.map(({ contestedWith }) => contestedWith), [[npm], [yarn]]); // prettier-ignore
    assert.deepEqual(await found('package manager', { k: 1 }), []);
  });

  it('keeps apart what does not overlap in time: an older value that is learned later is history', async () => {
    const now = await bench.stand(manager('pnpm', { validFrom: '2025-01-01' }));
    const before = await bench.stand(manager('npm', { validFrom: '2020-01-01', validTo: '2025-01-01' }));
    assert.deepEqual([await stateOf(now), await stateOf(before)], ['active', 'active']);
    assert.deepEqual(await found(), [['Package manager pnpm', 'active']]);
    assert.deepEqual(await found('package manager', { validAt: '2024-12-31' }), [['Package manager npm', 'active']]);
    const overlapping = await bench.stand(manager('yarn', { validFrom: '2024-12-31', validTo: '2025-01-02' }));
    assert.deepEqual([await stateOf(now), await stateOf(before), await stateOf(overlapping)], ['contested', 'contested', 'contested']);
  });

  it('lets many values be in a slot that is not one of one, in other scopes, and the same value twice', async () => {
    const tag = (object: string, more: object = {}) => ({ claim: { subject: 'repo', predicate: 'tag', object }, ...more });
    const ids = [await bench.stand(tag('a')), await bench.stand(tag('b'))];
    const scoped = [await bench.stand(manager('npm')), await bench.stand(manager('yarn', { scope: 'path:src/' }))];
    const same = await bench.stand(manager('npm', { statement: 'npm installs everything here.' }));
    for (const id of [...ids, ...scoped, same]) assert.equal(await stateOf(id), 'active');
  });

  it('holds a slot to what a person says of it', async () => {
    const value = (object: string) => ({ claim: { subject: 'API', predicate: 'style', object } });
    await bench.stand(value('REST'));
    await bench.person.setSlot('api', 'Style', 'one', bench.key);
    assert.equal(await bench.person.slot('API', 'style'), 'one');
    const rpc = await bench.stand(value('RPC'));
    assert.equal(await stateOf(rpc), 'contested');
  });

  it('tells a proposal what it contradicts and which slots are near, without a word that nobody reviewed', async () => {
    const npm = await bench.stand(manager('npm'));
    await bench.agent.propose(
      aProposal({ ...manager('bun'), claim: { subject: 'repository', predicate: 'package tool', object: 'hidden' } }),
    );
    const receipt = await bench.agent.propose(aProposal(manager('yarn')));
    assert.deepEqual(receipt.conflicts.map(({ id, title }) => [id, title]), [[npm, 'Package manager npm']]); // prettier-ignore
    assert.deepEqual(receipt.slots, [{ subject: 'repository', predicate: 'package manager' }]);
    assert.doesNotMatch(JSON.stringify(receipt), /package tool|bun/);
  });

  describe('resolving', () => {
    let [a, b] = ['', ''];
    beforeEach(async () => {
      a = await bench.stand(manager('npm'));
      b = await bench.stand(manager('yarn'));
    });
    const resolve = async (outcome: Extract<PersonAct, { act: 'resolve' }>['outcome']) =>
      decide({
        act: 'resolve',
        members: [await bench.seen(a), await bench.seen(b)],
        outcome,
        reason: 'we looked',
        surface: 'memory page',
      });

    it('keeps one, and the other held once', async () => {
      await resolve({ is: 'keep', id: b, neverRight: false });
      assert.deepEqual([await stateOf(a), await stateOf(b)], ['superseded', 'active']);
      assert.deepEqual(await found(), [['Package manager yarn', 'active']]);
    });

    it('keeps one, and the other was never right: it cannot come back', async () => {
      await resolve({ is: 'keep', id: a, neverRight: true });
      assert.deepEqual([await stateOf(a), await stateOf(b)], ['active', 'rejected']);
      await assert.rejects(bench.agent.propose(aProposal(manager('yarn', { statement: 'Use yarn.' }))), { code: 'rejected_before' });
    });

    it('lets both hold, remembers it for exactly these two, and asks anew for a third', async () => {
      await resolve({ is: 'all' });
      assert.deepEqual([await stateOf(a), await stateOf(b)], ['active', 'active']);
      await bench.decide('retire', b);
      await decide({ act: 'restore', ...(await bench.seen(b)), successor: 'reverse' });
      assert.deepEqual([await stateOf(a), await stateOf(b)], ['active', 'active']);
      const third = await bench.stand(manager('bun'));
      assert.deepEqual([await stateOf(a), await stateOf(b), await stateOf(third)], ['contested', 'contested', 'contested']);
    });

    it('lets both hold in narrower bounds', async () => {
      const bounds = { [a]: { scope: 'path:src/' }, [b]: { scope: 'workspace', validFrom: '2026-01-01' } };
      await resolve({ is: 'all', bounds });
      const { items } = await bench.agent.search({ query: 'package manager' });
      assert.deepEqual(Object.fromEntries(items.map((item) => [item.id, [item.scope, item.validFrom]])), {
        [a]: ['path:src/', undefined],
        [b]: ['workspace', '2026-01-01T00:00:00.000Z'],
      });
    });

    it('lets neither hold', async () => {
      await resolve({ is: 'none', neverRight: false });
      assert.deepEqual([await stateOf(a), await stateOf(b)], ['retired', 'retired']);
      assert.deepEqual(await found(), []);
    });

    it('puts a third text in their place', async () => {
      const draft = aProposal(manager('npm', { title: 'Third', statement: 'npm builds, yarn publishes.' }));
      const { id } = await resolve({ is: 'third', draft: { ...draft, claim: undefined } });
      assert.deepEqual([await stateOf(a), await stateOf(b)], ['superseded', 'superseded']);
      assert.deepEqual((await seen(bench.person, id)).memory?.content.derivedFrom, [a, b].sort());
      assert.deepEqual(await found('npm yarn'), [['Third', 'active']]);
    });

    it('settles the other when one of two leaves by any way, and keeps it contested by a third', async () => {
      const c = await bench.stand(manager('bun'));
      await bench.decide('retire', a);
      assert.deepEqual([await stateOf(b), await stateOf(c)], ['contested', 'contested']);
      await bench.person.decide({ act: 'forget', memories: [await bench.seen(c)], questions: [] }, bench.key);
      assert.equal(await stateOf(b), 'active');
    });
  });

  it('contests two by a person’s word, tells them apart from a dispute, and serves neither alone', async () => {
    const [x, y] = [await bench.stand({ title: 'X', statement: 'Logs go to stdout.' }), await bench.stand({ title: 'Y', statement: 'Logs go to a file.' })]; // prettier-ignore
    await decide({ act: 'contest', ...(await bench.seen(x)), with: await bench.seen(y), reason: 'they differ' });
    const both = await bench.agent.search({ query: 'stdout' });
    assert.deepEqual(both.items.map(({ title, disputed }) => [title, disputed]), [['X', undefined], ['Y', undefined]]); // prettier-ignore
    assert.deepEqual((await bench.agent.search({ query: 'stdout', k: 1 })).items, []);
    const z = await bench.stand({ title: 'Z', statement: 'Metrics go to statsd.' });
    await bench.decide('contest', z, 'nobody has seen them there');
    const alone = await bench.agent.search({ query: 'statsd' });
    assert.deepEqual(alone.items.map(({ title, state, disputed }) => [title, state, disputed]), [['Z', 'contested', 'nobody has seen them there']]); // prettier-ignore
  });

  it('restores a superseded memory on both sides, or contests the two', async () => {
    for (const [successor, states] of [
      ['reverse', ['active', 'superseded']],
      ['contest', ['contested', 'contested']],
    ] as const) {
      // prettier-ignore
      const old = await bench.stand({ statement: `Old way, ${successor}.` });
      const young = await bench.stand({ statement: `New way, ${successor}.`, replaces: [old] });
      await decide({ act: 'restore', ...(await bench.seen(old)), successor });
      assert.deepEqual([await stateOf(old), await stateOf(young)], states);
      assert.equal((await seen(bench.person, old)).memory?.bounds.validTo, undefined);
    }
  });

  it('labels a restated withdrawn value, and lets it wait like any other', async () => {
    const id = await bench.stand({ kind: 'fact', statement: 'The port is 8080.' });
    await bench.decide('retire', id);
    const receipt = await bench.agent.propose(aProposal({ kind: 'fact', statement: 'the port is 8080' }));
    assert.equal(receipt.state, 'pending');
    assert.deepEqual(receipt.replacedBefore.map((hint) => [hint.id, hint.state, hint.title]), [[id, 'retired', undefined]]); // prettier-ignore
  });
});
