/** Contested memories that hang together by a third one go together, or not at all. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openEngine } from '../../../src/engine';
import { fit } from '../../../src/engine/recall/budget';
import type { Item } from '../../../src/engine/recall/view';
import { aBench, agentOf } from '../../support/store';

const item = (id: string, statement: string, contestedWith: readonly string[] = []): Item => ({
  id,
  kind: 'decision',
  title: id,
  statement,
  state: contestedWith.length > 0 ? 'contested' : 'active',
  letStandBy: 'person',
  letStandAt: '2026-01-01T00:00:00.000Z',
  origin: 'stated by the person',
  scope: 'workspace',
  anchors: [],
  evidence: [],
  ...(contestedWith.length > 0 && { contestedWith }),
});

describe('a chain of contested memories', () => {
  const chain = [item('a', 'x', ['b']), item('b', 'x', ['a', 'c']), item('c', 'x', ['b', 'd']), item('d', 'x', ['c'])];
  const ids = (items: readonly Item[]) => items.map(({ id }) => id);

  it('is left out of a budget as a whole, wherever the cut falls', () => {
    const render = () => 'x'.repeat(300); // 100 tokens each
    for (let fits = 0; fits <= 6; fits += 1) {
      const { items } = fit([item('s', 'x'), ...chain, item('t', 'x')], fits * 100, render);
      assert.ok([0, 4].includes(ids(items).filter((id) => 'abcd'.includes(id)).length), `${fits}: ${ids(items).join()}`);
      assert.equal(items.length, fits >= 6 ? 6 : fits === 5 ? 5 : Math.min(fits, 2), `${fits}: ${ids(items).join()}`);
    }
  });

  it('is left out as a whole where what holds everywhere takes a place of it', async () => {
    const bench = await aBench();
    const { storeFile, root, keysFile, key, person } = bench;
    const engine = await openEngine({ storeFile, root, keysFile, userStoreFile: join(bench.folder, 'user', 'memory.db') });
    try {
      const linked: string[] = [];
      for (const color of ['red', 'green', 'blue']) linked.push(await bench.stand({ statement: `The lighthouse is ${color}.` }));
      for (const [one, other] of [linked.slice(0, 2), linked.slice(1)].map((pair) => [pair[0] ?? '', pair[1] ?? ''] as const))
        await person.decide({ act: 'contest', ...(await bench.seen(one)), with: await bench.seen(other), reason: 'They differ.' }, key);
      await engine
        .forPersonEverywhere()
        ?.save({ kind: 'fact', title: 'Light', statement: 'A lighthouse is kept.', scope: 'user' }, 'test', key);
      const given = async (k: number) =>
        (await agentOf(engine, 'client').search({ query: 'lighthouse', k })).items.map(({ id }) => linked.includes(id));
      assert.deepEqual((await given(3)).filter(Boolean), []);
      assert.equal((await given(4)).filter(Boolean).length, 3);
    } finally {
      await engine.close();
      await bench.close();
    }
  });
});
