import assert from 'node:assert/strict';
import { shown } from '../../../src/editor/shown-text';
import { hiddenIn } from '../../../src/engine/domain/hidden-text';

describe('the characters that an agent may not send', () => {
  it('are all shown to a person, alone, between words and beside an emoji', () => {
    let refused = 0;
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const character = String.fromCodePoint(point);
      for (const text of [character, `a${character}b`, `👩${character}`, `1${character}`, `ب${character}`]) {
        const hidden = hiddenIn(text);
        if (hidden.length === 0) continue;
        refused += 1;
        const chips = shown(text).flatMap((piece) => (typeof piece === 'string' ? [] : [piece.hidden]));
        assert.deepEqual(
          chips,
          hidden.map(({ codePoint }) => codePoint),
        );
      }
    }
    assert.ok(refused > 500_000);
  });

  it('leave what both keep', () => {
    const text = 'می\u200Cخواهم 👩‍💻 ❤️ 1️⃣';
    assert.deepEqual(hiddenIn(text), []);
    assert.deepEqual(shown(text), [text]);
  });
});
