import assert from 'node:assert/strict';
import { hiddenIn } from '../../../src/engine/domain/hidden-text';

const named = (text: string) => hiddenIn(text).map(({ codePoint }) => codePoint);

describe('what is hidden in a text', () => {
  const hidden: readonly (readonly [what: string, text: string, codePoints: readonly string[]])[] = [
    ['marks that turn the direction of reading', 'a\u202Eb\u2066c\u2069\u200E\u061C', ['U+202E', 'U+2066', 'U+2069', 'U+200E', 'U+061C']],
    ['characters without width', 'ad\u200Bmin\u200C\u200D\u2060\u2064', ['U+200B', 'U+200C', 'U+200D', 'U+2060', 'U+2064']],
    ['a byte order mark, also at the start', '\uFEFFUse pnpm', ['U+FEFF']],
    ['soft hyphens and joiners of graphemes', 'pn\u00ADpm\u034F\u180E', ['U+00AD', 'U+034F', 'U+180E']],
    ['letters that only machines read', 'x\u{E0041}\u{E007F}', ['U+E0041', 'U+E007F']],
    ['selectors after a letter', 'a\uFE0F b\uFE0E c\u{E0101}', ['U+FE0F', 'U+FE0E', 'U+E0101']],
    ['a selector after a digit that is no key cap', '1\uFE0F2', ['U+FE0F']],
    ['a second selector after an emoji', '❤\uFE0F\uFE0F', ['U+FE0F']],
    ['a joiner beside an emoji', '👩\u200D 💻 x\u200D👩', ['U+200D', 'U+200D']],
    ['tags behind a flag', '🏴\u{E0067}\u{E007F}', ['U+E0067', 'U+E007F']],
    ['separators that are no line ends', 'a\u2028b\u2029c', ['U+2028', 'U+2029']],
    ['controls and escapes', '\u001B[31m\u0007\b\u0085\u0000', ['U+001B', 'U+0007', 'U+0008', 'U+0085', 'U+0000']],
    ['a carriage return that goes back over the line', 'keep\rdrop', ['U+000D']],
    ['letters that draw nothing', '\u115F\u1160\u17B4\u3164\uFFA0\u2800', ['U+115F', 'U+1160', 'U+17B4', 'U+3164', 'U+FFA0', 'U+2800']],
    ['annotations and musical controls', '\uFFF9\uFFFB\u{1D173}\u{1D17A}', ['U+FFF9', 'U+FFFB', 'U+1D173', 'U+1D17A']],
    ['private use', '\uE000\u{F0000}', ['U+E000', 'U+F0000']],
    ['a lone half of a pair', 'a\uD800b', ['U+D800']],
  ];
  for (const [what, text, codePoints] of hidden)
    it(`is ${what}`, () => {
      assert.deepEqual(named(text), codePoints);
      assert.deepEqual(named(text.replace(/[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')), []);
    });

  const kept: readonly (readonly [what: string, text: string])[] = [
    ['lines and tabs', 'one\n\ttwo\r\nthree'],
    ['emoji of several parts', '👩‍💻 ❤️ 👩🏽‍🚀 1️⃣ 🏳️‍🌈 ☑️ 🇨🇭'],
    ['joiners of Persian', 'می\u200Cخواهم'],
    ['joiners of Indic scripts', 'क्\u200Dष क्\u200D ന്\u200D শ্\u200Cক'],
    ['signs before Arabic numbers', '\u0600\u0661\u0662'],
    ['spaces of all widths, which are seen', 'a\u00A0b\u2009c\u3000d\u202Fe'],
    ['other scripts', 'Грош и 数え, עברית, Ελληνικά, naïve'],
  ];
  for (const [what, text] of kept)
    it(`is not ${what}`, () => {
      assert.deepEqual(hiddenIn(text), []);
      assert.deepEqual(named(`${text}\u202E`), ['U+202E']);
    });

  it('is named with its place', () => {
    assert.deepEqual(hiddenIn('👍a\u202Eb'), [{ codePoint: 'U+202E', index: 3 }]);
  });
});
