import assert from 'node:assert/strict';
import { fromPage } from '../../../src/editor/page-messages';
import { fromSidebar } from '../../../src/editor/sidebar-messages';

describe('what the host hears from a page', () => {
  const press = { type: 'decide', token: 'abc', key: 'approve', asked: 0, values: {} };

  it('is an act by its key under a token, with what it was said to do', () => {
    assert.ok(fromPage.safeParse(press).success);
    assert.ok(fromPage.safeParse({ ...press, key: 'retire', asked: 3, values: { reason: 'no longer', tick4: 'on' } }).success);
  });

  const refused: readonly (readonly [what: string, message: unknown])[] = [
    ['names the memory itself', { ...press, id: '0190' }],
    ['brings a version of its own', { ...press, seen: { contentHash: 'x', follows: 'y' } }],
    ['names no showing', { type: 'decide', key: 'approve', asked: 0, values: {} }],
    ['answers no question', { type: 'decide', token: 'abc', key: 'approve', values: {} }],
    ['brings an act of its own', { ...press, act: { act: 'forget', memories: [], questions: [] } }],
    ['fills a field that no form has', { ...press, values: { '__proto__ x': 'y' } }],
    ['opens a memory by its id', { type: 'open', token: 'abc', link: '0190' }],
    ['points nowhere', { type: 'follow', token: 'abc', list: 'restsOn', index: -1 }],
    ['is of no known kind', { type: 'run', command: 'x' }],
    ['is nothing', undefined],
  ];
  for (const [what, message] of refused)
    it(`is dropped when it ${what}`, () => {
      assert.ok(!fromPage.safeParse(message).success);
    });
});

describe('what the host hears from the sidebar', () => {
  it('is a card to open', () => {
    assert.ok(fromSidebar.safeParse({ type: 'open', token: 'abc', index: 0, asks: 'retire' }).success);
  });

  it('is dropped when it names a memory', () => {
    assert.ok(!fromSidebar.safeParse({ type: 'open', token: 'abc', index: 0, id: '0190' }).success);
  });
});
