import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cut, estimatedTokens, fit } from '../../../src/engine/recall/budget';
import { renderItem } from '../../../src/engine/recall/render';
import type { Item } from '../../../src/engine/recall/view';

const item = (statement: string, more: Partial<Item> = {}): Item => ({
  id: '00000000-0000-4000-8000-000000000000',
  kind: 'decision',
  title: 'A title',
  statement,
  state: 'active',
  letStandBy: 'person (key 01234567)',
  letStandAt: '2026-01-01T00:00:00.000Z',
  origin: 'reported by a client',
  scope: 'workspace',
  anchors: [],
  evidence: [],
  ...more,
});
const render = (one: Item) => renderItem(one, new Date('2026-01-02T00:00:00.000Z'));
const total = (items: readonly Item[]) => items.reduce((sum, one) => sum + estimatedTokens(render(one)), 0);

describe('the token budget', () => {
  it('leaves what fits as it is', () => {
    const items = [item('Short.'), item('Also short.')];
    assert.deepEqual(fit(items, 1_500, render), { items, dropped: [] });
  });

  it('shortens before it drops, and gives what short ones leave to the long ones', () => {
    const { items, dropped } = fit([item('word '.repeat(1_000)), item('Short.'), item('word '.repeat(1_000))], 1_500, render);
    assert.deepEqual([dropped.length, items.map((one) => one.shortened)], [0, [true, undefined, true]]);
    assert.equal(items[1]?.statement, 'Short.');
    assert.ok(total(items) <= 1_500 && total(items) > 1_300, String(total(items)));
  });

  it('drops the last ones when not even their frames fit', () => {
    const { items, dropped } = fit(
      Array.from({ length: 20 }, (_, index) => item('word '.repeat(200), { title: `Title ${index}` })),
      600,
      render,
    );
    assert.equal(items.length + dropped.length, 20);
    assert.ok(items.length > 2 && items.length < 20);
    assert.equal(dropped[0]?.title, `Title ${items.length}`);
  });

  it('keeps the condition whole, and is kept for any text', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            statement: fc.string({ unit: 'grapheme', maxLength: 4_000 }),
            steps: fc.array(fc.string({ maxLength: 500 }), { maxLength: 5 }),
          }),
          { maxLength: 20 },
        ),
        fc.integer({ min: 100, max: 4_000 }),
        (texts, budget) => {
          const all = texts.map(({ statement, steps }) => item(statement, { appliesWhen: 'always', steps }));
          const { items, dropped } = fit(all, budget, render);
          assert.ok(total(items) <= budget, `${total(items)} of ${budget}`);
          assert.equal(items.length + dropped.length, all.length);
          assert.ok(items.every((one) => one.appliesWhen === 'always' && one.statement.isWellFormed()));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('cuts between characters as a reader sees them', () => {
    assert.equal(cut('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 30), '👩‍👩‍👧‍👦…');
    assert.equal(cut('alpha beta gamma delta', 20), 'alpha beta gamma…');
    assert.equal(cut('short', 14), 'short');
  });
});
