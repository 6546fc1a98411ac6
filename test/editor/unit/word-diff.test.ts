import assert from 'node:assert/strict';
import { changesBetween } from '../../../src/editor/word-diff';

const marked = (before: string, after: string) =>
  changesBetween(before, after)
    .map(({ is, text }) => {
      const words = text.map((piece) => (typeof piece === 'string' ? piece : `‹${piece.hidden}›`)).join('');
      return is === 'same' ? words : is === 'added' ? `{+${words}+}` : `[-${words}-]`;
    })
    .join('');

describe('what changes between two wordings', () => {
  it('is told word by word, with all of both to be read', () => {
    assert.equal(marked('Port 80 is open.', 'Port 443 is open.'), 'Port [-80-]{+443+} is open.');
  });

  it('is nothing between the same', () => {
    assert.equal(marked('Port 80 is open.', 'Port 80 is open.'), 'Port 80 is open.');
  });

  it('shows hidden characters that come in', () => {
    assert.match(marked('Port 80 is open.', 'Port 80 is\u200B open.'), /‹U\+200B›/);
  });
});
