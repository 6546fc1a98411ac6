/** Contested memories that hang together by a third one go together, or not at all. */
import assert from 'node:assert/strict';
import { fit } from '../../../src/engine/recall/budget';
import type { Item } from '../../../src/engine/recall/view';

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
});
