import assert from 'node:assert/strict';
import { fromPage } from '../../../src/editor/page-messages';
import { fromSidebar } from '../../../src/editor/sidebar-messages';

describe('what the host hears from a page', () => {
  it('is a decision under a token', () => {
    assert.ok(fromPage.safeParse({ type: 'decide', token: 'abc', decision: 'approve' }).success);
  });

  const refused: readonly (readonly [what: string, message: unknown])[] = [
    ['names the memory itself', { type: 'decide', token: 'abc', decision: 'approve', id: '0190' }],
    ['brings a version of its own', { type: 'decide', token: 'abc', decision: 'approve', seen: { contentHash: 'x', follows: 'y' } }],
    ['names no showing', { type: 'decide', decision: 'approve' }],
    ['asks for an act that is none', { type: 'decide', token: 'abc', decision: 'forget' }],
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
