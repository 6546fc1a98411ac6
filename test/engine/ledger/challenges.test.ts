/** What agents doubt waits for a person; until then readers see a number. */
import assert from 'node:assert/strict';
import { aBench, aProposal, codeOf, seen, type Bench } from '../../support/store';

describe('a challenge', () => {
  let bench: Bench;
  let [id, other] = ['', ''];
  const evidence = [{ kind: 'quote' as const, speaker: 'the log', text: 'it said otherwise' }];
  beforeEach(async () => {
    bench = await aBench();
    id = await bench.stand({ title: 'Queue', statement: 'The queue is drained hourly.' });
    other = await bench.stand({ title: 'Drain', statement: 'Draining is done on demand.' });
  });
  afterEach(() => bench.close());

  const item = async () => (await bench.agent.search({ query: 'drained hourly queue' })).items.find((one) => one.id === id);
  const contest = (more: object = {}) => bench.agent.contest({ id, reason: 'The secret canary reason', evidence, ...more });

  it('changes nothing by itself: readers see how many wait, and no word of them', async () => {
    await contest();
    await bench.agent.requestRetire({ id, reason: 'The secret canary reason' });
    const found = await item();
    assert.deepEqual([found?.state, found?.challenges], ['active', 2]);
    assert.doesNotMatch(JSON.stringify([found, await bench.agent.get({ id }), await bench.agent.history({ id })]), /canary/);
    const waiting = await bench.person.challenges();
    assert.deepEqual(waiting.map((one) => [one.memory, one.wants, one.reason]), [[id, 'contest', 'The secret canary reason'], [id, 'retire', 'The secret canary reason']]); // prettier-ignore
  });

  it('accepted, contests the two, which travel together', async () => {
    const receipt = await contest({ with: other });
    await bench.person.decide({ act: 'accept', ...(await bench.seen(id)), challenge: receipt.id }, bench.key);
    assert.deepEqual((await item())?.contestedWith, [other]);
    assert.equal((await seen(bench.person, other)).state, 'contested');
    assert.deepEqual(await bench.person.challenges(), []);
  });

  it('accepted without a counterpart, disputes it for the reason that was accepted', async () => {
    const receipt = await contest();
    await bench.person.decide({ act: 'accept', ...(await bench.seen(id)), challenge: receipt.id }, bench.key);
    const found = await item();
    assert.deepEqual([found?.state, found?.disputed, found?.challenges], ['contested', 'The secret canary reason', undefined]);
  });

  it('accepted, retires what it asked to retire', async () => {
    const receipt = await bench.agent.requestRetire({ id, reason: 'It runs daily now.' });
    await bench.person.decide({ act: 'accept', ...(await bench.seen(id)), challenge: receipt.id }, bench.key);
    assert.equal((await seen(bench.person, id)).state, 'retired');
  });

  it('declined, is not asked again, but new evidence or another counterpart is a new question', async () => {
    const receipt = await contest();
    assert.equal((await contest()).duplicate, true);
    await bench.person.decide({ act: 'decline', ...(await bench.seen(id)), challenge: receipt.id, reason: 'we saw it' }, bench.key);
    await assert.rejects(contest({ reason: 'Said in other words' }), /answered exactly this.*we saw it/);
    assert.equal((await item())?.challenges, undefined);
    assert.equal((await contest({ with: other })).duplicate, false);
    assert.equal((await contest({ evidence: [{ kind: 'url', url: 'https://example.org/log' }] })).duplicate, false);
  });

  it('is only for what the agent can read, and needs evidence', async () => {
    const { id: pending } = await bench.agent.propose(aProposal());
    const tries = [
      bench.agent.contest({ id: pending, reason: 'no', evidence }),
      bench.agent.contest({ id, reason: 'no', evidence, with: pending }),
      bench.agent.contest({ id, reason: 'no', evidence: [] }),
      bench.agent.requestRetire({ id: crypto.randomUUID(), reason: 'no' }),
      bench.agent.contest({ id, reason: 'no', evidence, with: id }),
    ];
    const codes = await Promise.all(tries.map((one) => one.then(() => 'done', codeOf)));
    assert.deepEqual(codes, ['not_found', 'not_found', 'invalid_input', 'not_found', 'invalid_input']);
    assert.deepEqual(await bench.person.challenges(), []);
    await contest();
    assert.equal((await bench.person.challenges()).length, 1);
  });

  it('goes with the memory it is about', async () => {
    await contest();
    await bench.decide('retire', id);
    assert.deepEqual(await bench.person.challenges(), []);
  });
});
