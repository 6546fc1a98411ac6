/** What a person rejected stays out: whoever says it again, in whatever spelling, through whichever writer. */
import assert from 'node:assert/strict';
import { aBench, aProposal, seen, type Bench } from '../../support/store';

describe('a rejected value', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await aBench({ 'a/b/x.ts': 'x\n', 'c/y.ts': 'y\n' })));
  afterEach(() => bench.close());

  const value = { statement: 'Sessions are kept in Redis 7.2.' };
  const rows = async () => (await bench.person.list({ states: ['pending', 'active'], limit: 100, offset: 0 })).length;

  async function reject(more: object = {}): Promise<string> {
    const { id } = await bench.agent.propose(aProposal({ ...value, ...more }));
    await bench.decide('reject', id, 'we never did');
    return id;
  }

  it('is refused with date and reason, makes no second memory, and the refusal is an event about the first', async () => {
    const id = await reject();
    const before = await rows();
    await assert.rejects(bench.agentNamed('another').propose(aProposal(value)), (error: Error & { code: string }) => {
      assert.equal(error.code, 'rejected_before');
      assert.match(error.message, /\d{4}-\d\d-\d\d.*we never did/);
      return true;
    });
    assert.equal(await rows(), before);
    const [refused] = await bench.person.audit({ limit: 1 });
    assert.deepEqual(
      [refused?.what, refused?.memory, refused?.detail, refused?.who],
      ['refused', id, 'propose: rejected_before', 'another'],
    );
    assert.equal((await bench.agent.propose(aProposal({ statement: 'Sessions are kept in Postgres.' }))).state, 'pending');
  });

  it('cannot be laundered: not by another value in its slot, other clients, support, or an old pending copy', async () => {
    const claim = { subject: 'sessions', predicate: 'kept in', cardinality: 'one' as const };
    const { id: copy } = await bench.agent.propose(aProposal({ statement: 'Redis it is.', claim: { ...claim, object: 'Redis' } }));
    await reject({ claim: { ...claim, object: 'redis' } });
    const other = await bench.stand({ statement: 'Sessions are kept in memory.', claim: { ...claim, object: 'memory' } });
    for (const client of ['two', 'three'])
      await assert.rejects(bench.agentNamed(client).propose(aProposal({ claim: { ...claim, object: 'REDIS' } })), {
        code: 'rejected_before',
      });
    await assert.rejects(bench.decide('approve', copy), { code: 'rejected_before' });
    assert.equal((await seen(bench.person, copy)).state, 'pending');
    assert.equal((await seen(bench.person, other)).state, 'active');
    await bench.decide('reject', other);
    await assert.rejects(bench.agent.propose(aProposal(value)), { code: 'rejected_before' });
  });

  it('is refused from the person’s own writers too, until they lift it', async () => {
    const id = await reject();
    const draft = aProposal(value);
    await assert.rejects(bench.person.save(draft, 'save form', bench.key), { code: 'rejected_before' });
    const { id: host } = await bench.agent.propose(aProposal());
    const amend = { act: 'amend', draft, surface: 'memory page' } as const;
    await assert.rejects(bench.person.decide({ ...amend, ...(await bench.seen(host)) }, bench.key), { code: 'rejected_before' });
    assert.equal((await seen(bench.person, host)).state, 'pending');
    await bench.decide('lift', id);
    assert.equal((await bench.person.decide({ ...amend, ...(await bench.seen(host)) }, bench.key)).state, 'active');
  });

  it('comes back by no restoring and no undoing', async () => {
    const first = await bench.stand({ ...value, kind: 'fact' });
    await bench.decide('retire', first);
    const { id } = await bench.agent.propose(aProposal(value));
    await bench.decide('reject', id);
    await assert.rejects(bench.person.decide({ act: 'restore', ...(await bench.seen(first)), successor: 'reverse' }, bench.key), {
      code: 'rejected_before',
    });
    await assert.rejects(bench.decide('undo', first), { code: 'rejected_before' });
    await bench.decide('undo', id); // the rejection itself may be taken back
    await bench.person.decide({ act: 'restore', ...(await bench.seen(first)), successor: 'reverse' }, bench.key);
    assert.equal((await seen(bench.person, first)).state, 'active');
  });

  it('is refused in its scope and inside it; beside and around it, it waits and is marked', async () => {
    await reject({ scope: 'path:a/' });
    for (const scope of ['path:a/', 'path:a/b/'])
      await assert.rejects(bench.agent.propose(aProposal({ ...value, scope })), { code: 'rejected_before' });
    for (const scope of ['path:c/', 'workspace']) {
      const receipt = await bench.agent.propose(aProposal({ ...value, scope }));
      assert.deepEqual([receipt.state, receipt.rejectedElsewhere], ['pending', ['path:a/']]);
      assert.deepEqual((await bench.person.nearby(receipt.id))?.rejectedIn, ['path:a/']);
    }
  });

  it('is refused wherever it was said to hold, also when it had been narrowed before it was rejected', async () => {
    const id = await bench.stand(value);
    await bench.person.decide({ act: 'limit', ...(await bench.seen(id)), bounds: { scope: 'path:a/' }, reason: 'only here' }, bench.key);
    assert.equal((await bench.agent.propose(aProposal({ ...value, scope: 'path:c/' }))).state, 'pending');
    await bench.decide('reject', id);
    await assert.rejects(bench.agent.propose(aProposal(value)), { code: 'rejected_before' });
    assert.deepEqual(await bench.person.integrity(), []);
  });

  it('is not what merely resembles it, which is told', async () => {
    const id = await reject();
    const receipt = await bench.agent.propose(aProposal({ statement: 'Sessions are kept in Redis 7.4.' }));
    assert.deepEqual(receipt.resembles.map((hint) => [hint.id, hint.state, hint.title]), [[id, 'rejected', undefined]]); // prettier-ignore
    assert.deepEqual(
      (await bench.person.nearby(receipt.id))?.resembles.map((near) => near.id),
      [id],
    );
  });

  it('stays out when the memory is forgotten, without its words, and a person can allow it again', async () => {
    const id = await reject();
    await bench.person.decide({ act: 'forget', memories: [await bench.seen(id)], questions: [] }, bench.key);
    await assert.rejects(bench.agent.propose(aProposal({ statement: 'sessions are kept in redis 7.2' })), (error: Error) => {
      assert.doesNotMatch(error.message, /never did/);
      return error.message.includes('not to be remembered');
    });
    await bench.decide('lift', id);
    assert.equal((await bench.agent.propose(aProposal(value))).state, 'pending');
  });

  it('is not a "not now", nor anything that expired, was superseded or retired', async () => {
    const { id } = await bench.agent.propose(aProposal(value));
    await bench.decide('lapse', id);
    assert.equal((await bench.agent.propose(aProposal(value))).state, 'pending');
  });
});
