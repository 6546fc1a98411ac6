/** The transition table through the person's door: what each act does from each state, and in whose name nothing is done. */
import assert from 'node:assert/strict';
import { states, type PersonAct, type State } from '../../../src/engine';
import { aBench, aProposal, codeOf, seen, type Bench } from '../../support/store';
import { inState } from '../../support/states';

/** Where each act leads from each state; what is not named here is refused. */
const table: Readonly<Record<string, Partial<Record<State, State>>>> = {
  approve: { pending: 'active', expired: 'active' },
  amend: { pending: 'amended', expired: 'amended' },
  reject: { pending: 'rejected', active: 'rejected', contested: 'rejected', superseded: 'rejected', retired: 'rejected', amended: 'rejected', expired: 'rejected' }, // prettier-ignore
  lapse: { pending: 'expired' },
  retire: { active: 'retired', contested: 'retired' },
  supersede: { active: 'superseded', contested: 'superseded' },
  limit: { active: 'active', contested: 'contested' },
  contest: { active: 'contested', contested: 'contested' },
  restore: { retired: 'active', superseded: 'active' },
  lift: { rejected: 'rejected', forgotten: 'forgotten' },
  forget: { pending: 'forgotten', active: 'forgotten', contested: 'forgotten', superseded: 'forgotten', retired: 'forgotten', rejected: 'forgotten', amended: 'forgotten', expired: 'forgotten' }, // prettier-ignore
};

describe('the acts of a person', () => {
  let bench: Bench;
  before(async () => (bench = await aBench()));
  after(() => bench.close());

  for (const [act, leads] of Object.entries(table))
    for (const from of states) {
      const to = leads[from];
      it(to === undefined ? `${act} is refused for what is ${from}` : `${act} leads from ${from} to ${to}`, async () => {
        const id = await inState(bench, from);
        const before = await seen(bench.person, id);
        if (to === undefined) {
          const code = await bench.person.decide(await actOn(bench, act, id), bench.key).then(() => 'done', codeOf);
          assert.ok(['illegal_transition', 'rejected_before'].includes(code), code);
          assert.deepEqual(await seen(bench.person, id), before);
          return;
        }
        await bench.person.decide(await actOn(bench, act, id), bench.key);
        const after = await seen(bench.person, id);
        assert.equal(after.state, to);
        assert.equal(after.tampering, undefined);
      });
    }

  it('offers for each state just the acts that the table allows there', async () => {
    for (const state of states) {
      const { acts } = await seen(bench.person, await inState(bench, state));
      const allowed = Object.keys(table).filter((act) => table[act]?.[state] !== undefined);
      assert.deepEqual([...acts].filter((act) => act in table).sort(), allowed.sort(), state);
    }
  });

  it('does nothing in the name of a policy, whichever act it signs', async () => {
    const policy = { ...bench.key, authority: 'policy' as const };
    for (const [act, leads] of Object.entries(table)) {
      const [from] = Object.keys(leads) as State[];
      assert.ok(from !== undefined);
      const id = await inState(bench, from);
      await assert.rejects(bench.person.decide(await actOn(bench, act, id), policy), { code: 'not_authorised' });
      assert.equal((await seen(bench.person, id)).state, from);
    }
    const draft = aProposal();
    await assert.rejects(bench.person.save(draft, 'memory page', policy), { code: 'not_authorised' });
    await assert.rejects(bench.person.pause(true, policy), { code: 'not_authorised' });
    assert.equal(await bench.person.paused(), false);
    assert.equal((await bench.person.save(draft, 'memory page', bench.key)).state, 'active');
  });

  it('refuses an act on anything but what the person saw, and does it once they look again', async () => {
    const id = await bench.stand({});
    const stale = await bench.seen(id);
    await bench.decide('contest', id);
    await assert.rejects(bench.person.decide({ act: 'retire', ...stale, reason: 'gone' }, bench.key), { code: 'changed_meanwhile' });
    assert.equal((await seen(bench.person, id)).state, 'contested');
    await bench.decide('retire', id);
    assert.equal((await seen(bench.person, id)).state, 'retired');
  });

  it('does nothing else than what the preview said', async () => {
    const claim = { subject: 'cache', predicate: 'kind', cardinality: 'one' } as const;
    const { id } = await bench.agent.propose(aProposal({ claim: { ...claim, object: 'redis' } }));
    const { digest, steps } = await bench.person.preview({ act: 'approve', ...(await bench.seen(id)) });
    assert.deepEqual(steps.map(({ act, to }) => [act, to]), [['approve', 'active']]); // prettier-ignore
    const other = await bench.stand({ claim: { ...claim, object: 'memcached' } });
    await assert.rejects(bench.person.decide({ act: 'approve', ...(await bench.seen(id)) }, bench.key, digest), {
      code: 'changed_meanwhile',
    });
    assert.equal((await seen(bench.person, other)).state, 'active');
    const now = await bench.person.preview({ act: 'approve', ...(await bench.seen(id)) });
    await bench.person.decide({ act: 'approve', ...(await bench.seen(id)) }, bench.key, now.digest);
    assert.equal((await seen(bench.person, other)).state, 'contested');
  });

  describe('undo', () => {
    for (const [what, state, act] of [
      ['an approval', 'pending', 'approve'],
      ['a rejection', 'active', 'reject'],
      ['a "not now"', 'pending', 'lapse'],
      ['a retirement', 'active', 'retire'],
      ['a contest', 'active', 'contest'],
      ['a supersession', 'active', 'supersede'],
      ['a restoration', 'retired', 'restore'],
      ['a narrowing', 'active', 'limit'],
    ] as const)
      it(`takes back ${what}, with the validity that was before it`, async () => {
        const id = await inState(bench, state);
        const before = await seen(bench.person, id);
        await bench.person.decide(await actOn(bench, act, id), bench.key);
        await bench.decide('undo', id);
        const after = await seen(bench.person, id);
        assert.equal(after.state, state);
        assert.deepEqual(after.memory?.bounds, before.memory?.bounds);
        assert.equal(after.tampering, undefined);
      });

    it('lifts the tombstone of the rejection that it takes back, and no other', async () => {
      const statement = 'Retries stop after three attempts.';
      const { id } = await bench.agent.propose(aProposal({ statement }));
      await bench.decide('reject', id);
      await assert.rejects(bench.agent.propose(aProposal({ statement })), { code: 'rejected_before' });
      await bench.decide('undo', id);
      assert.equal((await bench.agent.propose(aProposal({ statement, kind: 'fact' }))).state, 'pending');
    });

    it('takes back what the act answered: a challenge waits again, two that were let hold are asked about again', async () => {
      const id = await bench.stand({});
      const asked = await bench.agent.requestRetire({ id, reason: 'it has ended' });
      await bench.person.decide({ act: 'accept', ...(await bench.seen(id)), challenge: asked.id }, bench.key);
      assert.deepEqual(await bench.person.challenges(), []);
      await bench.decide('undo', id);
      assert.deepEqual((await bench.person.challenges()).map((one) => one.id), [asked.id]); // prettier-ignore

      const claim = { subject: 'undo', predicate: 'asks again', cardinality: 'one' } as const;
      const [a, b] = [await bench.stand({ claim: { ...claim, object: 'a' } }), await bench.stand({ claim: { ...claim, object: 'b' } })];
      const members = [await bench.seen(a), await bench.seen(b)];
      await bench.person.decide({ act: 'resolve', members, outcome: { is: 'all' }, reason: 'both', surface: 'memory page' }, bench.key);
      await bench.decide('undo', a);
      await bench.decide('retire', b);
      await bench.person.decide({ act: 'restore', ...(await bench.seen(b)), successor: 'reverse' }, bench.key);
      assert.deepEqual([(await seen(bench.person, a)).state, (await seen(bench.person, b)).state], ['contested', 'contested']);
      assert.deepEqual(await bench.person.integrity(), []);
    });

    it('is refused once something else has happened', async () => {
      const id = await bench.stand({});
      await bench.decide('contest', id);
      await bench.decide('retire', id);
      await bench.decide('undo', id);
      await assert.rejects(bench.decide('undo', id), { code: 'not_undoable' });
      assert.equal((await seen(bench.person, id)).state, 'contested');
    });
  });

  it('keeps a memory standing until the day on which its retirement takes effect', async () => {
    const id = await bench.stand({ title: 'Freeze', statement: 'The freezing branch is protected.' });
    await bench.person.decide({ act: 'retire', ...(await bench.seen(id)), reason: 'ends', effective: '2031-01-01' }, bench.key);
    const { items } = await bench.agent.search({ query: 'freezing branch' });
    assert.deepEqual(items.map((item) => [item.id, item.validTo]), [[id, '2031-01-01T00:00:00.000Z']]); // prettier-ignore
    const after = await bench.agent.search({ query: 'freezing branch', validAt: '2031-01-01' });
    assert.deepEqual([after.items, after.omitted], [[], { noLongerValid: 1 }]);
  });

  it('records an edited approval as the person’s own memory, made from the proposal', async () => {
    const { id } = await bench.agent.propose(aProposal({ statement: 'The worked-out limit is 10.' }));
    const draft = aProposal({ statement: 'The worked-out limit is 12.' });
    const receipt = await bench.person.decide({ act: 'amend', ...(await bench.seen(id)), draft, surface: 'memory page' }, bench.key);
    const made = await seen(bench.person, receipt.id);
    assert.deepEqual([made.memory?.content.provenance.tag, made.memory?.content.derivedFrom], ['stated', [id]]);
    assert.equal((await seen(bench.person, id)).state, 'amended');
    const { items } = await bench.agent.search({ query: 'worked-out limit' });
    assert.deepEqual(items.map((item) => item.id), [receipt.id]); // prettier-ignore
  });

  it('lets what waited too long lapse in the name of the system, and nothing else', async () => {
    let now = new Date('2026-01-01T00:00:00Z');
    const timed = await aBench({}, { now: () => now });
    try {
      const { id: old } = await timed.agent.propose(aProposal());
      const standing = await timed.stand({});
      now = new Date('2026-01-25T00:00:00Z');
      const { id: young } = await timed.agent.propose(aProposal());
      now = new Date('2026-02-01T00:00:00Z');
      assert.deepEqual(await timed.person.expireWaiting(30), [old]);
      const stateOf = async (id: string) => (await seen(timed.person, id)).state;
      assert.deepEqual([await stateOf(old), await stateOf(young), await stateOf(standing)], ['expired', 'pending', 'active']);
      assert.equal((await seen(timed.person, old)).tampering, undefined);
    } finally {
      await timed.close();
    }
  });
});

/** An act in its simplest form on one memory. */
async function actOn(bench: Bench, act: string, id: string): Promise<PersonAct> {
  const at = await bench.seen(id);
  const reason = 'because it is so';
  switch (act) {
    case 'amend': {
      const draft = aProposal();
      return { act, ...at, draft, surface: 'memory page' };
    }
    case 'supersede':
      return { act, ...at, by: await bench.seen(await inState(bench, 'active')) };
    case 'limit':
      return { act, ...at, bounds: { scope: 'workspace', validTo: '2032-01-01' }, reason };
    case 'restore':
      return { act, ...at, successor: 'reverse' };
    case 'forget':
      return { act, memories: [at], questions: [] };
    default:
      return { act, ...at, ...(!['approve', 'lapse', 'undo'].includes(act) && { reason }) } as PersonAct;
  }
}
