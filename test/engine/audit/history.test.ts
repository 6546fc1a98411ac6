/** Two clocks: what was believed on a day, about another day, each to the instant. */
import assert from 'node:assert/strict';
import { aBench, codeOf, type Bench } from '../../support/store';

describe('the history of a memory', () => {
  let bench: Bench;
  let now = new Date('2026-03-01T00:00:00.000Z');
  let id: string;
  /** When it was approved, and when it was retired. */
  let [approved, retired] = ['', ''];
  const at = (iso: string, plusMs: number) => new Date(Date.parse(iso) + plusMs).toISOString();
  const told = async (asked: object) => {
    const { memories, omitted } = await bench.agent.history({ id, ...asked });
    return memories.length === 0 ? Object.keys(omitted) : memories.map(({ state }) => state);
  };

  before(async () => {
    bench = await aBench(undefined, { now: () => (now = new Date(now.getTime() + 1_000)) });
    id = await bench.stand({ statement: 'The ferry sails.', validFrom: '2020-01-01', validTo: '2030-01-01' });
    approved = (await bench.person.one(id))?.stateSince ?? '';
    await bench.person.decide({ act: 'retire', ...(await bench.seen(id)), reason: 'sold', effective: '2025-01-01' }, bench.key);
    retired = (await bench.person.one(id))?.stateSince ?? '';
  });
  after(() => bench.close());

  it('tells what was believed then, from the instant it was known and up to the one it no longer was', async () => {
    assert.deepEqual(await told({}), ['retired']);
    assert.deepEqual(await told({ knownAt: at(approved, -1) }), ['notYetKnown']);
    assert.deepEqual(await told({ knownAt: approved }), ['active']);
    assert.deepEqual(await told({ knownAt: at(retired, -1) }), ['active']);
    assert.deepEqual(await told({ knownAt: retired }), ['retired']);
    const { memories } = await bench.agent.history({ id, knownAt: retired });
    assert.deepEqual(memories[0]?.beliefs.map(({ state }) => state), ['retired'], 'one thing is believed at one instant'); // prettier-ignore
  });

  it('asks it about another day: a fact that was recorded later holds for the days before it was recorded', async () => {
    const known = { knownAt: approved };
    assert.ok('2020-01-01' < approved);
    assert.deepEqual(await told({ ...known, validAt: '2019-12-31T23:59:59.999Z' }), ['notYetValid']);
    assert.deepEqual(await told({ ...known, validAt: '2020-01-01' }), ['active']);
    assert.deepEqual(await told({ ...known, validAt: '2029-12-31T23:59:59.999Z' }), ['active']);
    assert.deepEqual(await told({ ...known, validAt: '2030-01-01' }), ['noLongerValid']);
    assert.deepEqual(await told({ validAt: '2026-01-01' }), ['noLongerValid'], 'what is known now says that it ended in 2025');
    assert.deepEqual(await told({ ...known, validAt: '2026-01-01' }), ['active'], 'what was known then did not');
  });

  it('tells of what was rejected that it was, without its words, and of what nobody let stand nothing', async () => {
    const wrong = await bench.stand({ title: 'Zeppelin', statement: 'The zeppelin sails.' });
    await bench.decide('reject', wrong);
    const { memories } = await bench.agent.history({ id: wrong });
    assert.deepEqual(memories.map(({ state, text }) => [state, text]), [['rejected', undefined]]); // prettier-ignore
    assert.doesNotMatch(JSON.stringify(memories), /zeppelin/i);
    const { id: waiting } = await bench.agent.propose({
      kind: 'fact',
      title: 'x',
      statement: 'y',
      evidence: [{ kind: 'issue', ref: '#1' }],
    });
    assert.equal(await bench.agent.history({ id: waiting }).then(() => 'told', codeOf), 'not_found');
  });
});
