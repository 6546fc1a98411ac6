/** What a press on the page can do: exactly what the page was told that it would, or nothing. */
import assert from 'node:assert/strict';
import type { Reviewed } from '../../../src/engine';
import { actsOn, outcomesOf } from '../../../src/editor/acts';
import { Deciding } from '../../../src/editor/deciding';
import { consequences } from '../../../src/editor/foreseen';
import { aBench, aProposal, codeOf, seen, type Bench } from '../../support/store';

describe('a decision under a showing', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await aBench();
  });
  afterEach(() => bench.close());

  const proposed = async (parts = {}) => seen(bench.person, (await bench.agent.propose(aProposal(parts))).id);
  const decidingOn = async (memory: Reviewed) =>
    new Deciding(
      bench.person,
      actsOn(memory, await bench.person.nearby(memory.id), () => undefined),
      (preview) => ({ lines: consequences(preview, [memory.id], (iso) => iso.slice(0, 10)).map((line) => [line]) }),
      (thrown) => Promise.resolve(codeOf(thrown)),
    );
  const said = async (deciding: Deciding, key: string) => {
    const { lines, problem } = await deciding.foresee(key, 0, {});
    return { lines: lines.flat(), problem };
  };

  it('says what else it touches, and does that', async () => {
    const old = await bench.stand({ title: 'Old' });
    const memory = await proposed({ title: 'New', replaces: [old] });
    const deciding = await decidingOn(memory);

    assert.deepEqual(await said(deciding, 'approve'), { lines: ['This also replaces “Old”.'], problem: undefined });
    const foretold = deciding.take('approve', 0, {});
    assert.ok(foretold);
    await bench.person.decide(foretold.act, bench.key, foretold.digest);

    assert.equal((await seen(bench.person, old)).state, 'superseded');
  });

  it('is refused where it would do something else by now, and then does nothing', async () => {
    const old = await bench.stand({ title: 'Old' });
    const memory = await proposed({ title: 'New', replaces: [old] });
    const deciding = await decidingOn(memory);
    await deciding.foresee('approve', 0, {});
    await bench.decide('retire', old, 'It went first.');

    const foretold = deciding.take('approve', 0, {});
    assert.ok(foretold);
    await assert.rejects(
      () => bench.person.decide(foretold.act, bench.key, foretold.digest),
      (error) => codeOf(error) === 'changed_meanwhile',
    );

    assert.equal((await seen(bench.person, memory.id)).state, 'pending');
    assert.equal((await seen(bench.person, old)).state, 'retired');
  });

  it('takes no press for what was not foreseen, or foreseen with something else in its form', async () => {
    const deciding = await decidingOn(await seen(bench.person, await bench.stand({ title: 'It stands' })));

    assert.equal(deciding.take('retire', 0, { reason: 'no longer' }), undefined);
    await deciding.foresee('retire', 1, { effective: '2199-01-01' });
    assert.equal(deciding.take('retire', 1, { reason: 'no longer', effective: '2198-01-01' }), undefined);
    assert.equal(deciding.take('retire', 2, { reason: 'no longer', effective: '2199-01-01' }), undefined);
    assert.equal(deciding.take('unheard', 1, {}), undefined);

    const foretold = deciding.take('retire', 1, { reason: 'no longer', effective: '2199-01-01' });
    assert.ok(foretold?.act.act === 'retire');
    assert.deepEqual([foretold.act.reason, foretold.act.effective], ['no longer', '2199-01-01']);
  });

  it('is not offered where the engine would refuse it, with the reason in place of what it does', async () => {
    const rejected = await proposed({ title: 'Never', statement: 'Never do this again, please.' });
    const again = await proposed({ title: 'Another', statement: 'Do this every day of the week.' });
    await bench.decide('reject', rejected.id, 'It was wrong.');

    const deciding = await decidingOn(again);
    assert.equal((await said(deciding, 'approve')).problem, undefined);
    await bench.decide('reject', again.id, 'It was wrong as well.');
    assert.equal((await said(deciding, 'approve')).problem, 'changed_meanwhile');
    assert.equal(deciding.take('approve', 0, {}), undefined);
  });

  it('ends a contest in each of its ways', async () => {
    const ends: readonly (readonly [outcome: string, states: readonly string[]])[] = [
      ['keep0', ['active', 'superseded']],
      ['right1', ['rejected', 'active']],
      ['all', ['active', 'active']],
      ['none', ['retired', 'retired']],
      ['never', ['rejected', 'rejected']],
    ];
    for (const [outcome, states] of ends) {
      const ids = [await bench.stand({ title: `A ${outcome}` }), await bench.stand({ title: `B ${outcome}` })];
      const [a, b] = await Promise.all(ids.map((id) => bench.seen(id)));
      assert.ok(a && b);
      await bench.person.decide({ act: 'contest', ...a, with: b, reason: 'They differ.' }, bench.key);
      const members = await bench.person.several(ids);
      const deciding = new Deciding(
        bench.person,
        outcomesOf(members),
        () => ({ lines: [] }),
        (thrown) => Promise.resolve(codeOf(thrown)),
      );
      const values = { outcome, reason: 'It was looked into.' };
      assert.equal((await deciding.foresee('resolve', 1, values)).problem, undefined);
      const foretold = deciding.take('resolve', 1, values);
      assert.ok(foretold);
      await bench.person.decide(foretold.act, bench.key, foretold.digest);
      assert.deepEqual(
        (await Promise.all(ids.map((id) => seen(bench.person, id)))).map(({ state }) => state),
        states,
        outcome,
      );
    }
  });
});
