import assert from 'node:assert/strict';
import { shown, shownLine } from '../../../src/editor/shown-text';

/** What each text is shown as, with `‹›` around the hidden characters' codes. */
const marked = (text: string): string =>
  shown(text)
    .map((piece) => (typeof piece === 'string' ? piece : `‹${piece.hidden}›`))
    .join('');

describe('a text of somebody else’s', () => {
  const cases: readonly (readonly [what: string, text: string, seen: string])[] = [
    ['is shown as it is', 'Amounts are whole cents.\n\tAlways.', 'Amounts are whole cents.\n\tAlways.'],
    ['keeps the line ends of Windows', 'one\r\ntwo', 'one\r\ntwo'],
    ['shows a carriage return that would go back over the line', 'keep\rdrop', 'keep‹U+000D›drop'],
    ['shows what turns the direction of reading', 'a \u202Etxet\u202C b', 'a ‹U+202E›txet‹U+202C› b'],
    ['shows isolates', '\u2066x\u2069', '‹U+2066›x‹U+2069›'],
    ['shows characters without width', 'ad\u200Bmin\uFEFF', 'ad‹U+200B›min‹U+FEFF›'],
    ['shows letters that only machines read', 'x\u{E0041}\u{E007F}', 'x‹U+E0041›‹U+E007F›'],
    ['shows controls and escape sequences', '\u001B[31m\u0007', '‹U+001B›[31m‹U+0007›'],
    ['shows separators that are no line feeds', 'a\u2028b\u2029c', 'a‹U+2028›b‹U+2029›c'],
    ['shows a lone half of a pair', 'a\uD800b', 'a‹U+D800›b'],
    ['shows letters that draw nothing', '\u3164\u115F\u2800', '‹U+3164›‹U+115F›‹U+2800›'],
    ['shows selectors after a plain letter', 'a\uFE0F b\u{E0101}', 'a‹U+FE0F› b‹U+E0101›'],
    ['leaves emoji whole', '👩‍💻 ❤️ 👩🏽‍🚀 1️⃣', '👩‍💻 ❤️ 👩🏽‍🚀 1️⃣'],
    ['shows a joiner between letters that do not join', 'ad\u200Dmin', 'ad‹U+200D›min'],
    ['leaves joiners where a script needs them', 'می\u200Cخواهم क्\u200Dष', 'می\u200Cخواهم क्\u200Dष'],
    ['leaves other scripts alone', 'Грош и 数え', 'Грош и 数え'],
  ];
  for (const [what, text, seen] of cases)
    it(what, () => {
      assert.equal(marked(text), seen);
    });

  it('becomes one line where only a line fits', () => {
    assert.equal(shownLine('one\n\n  two\u202Ethree'), 'one two[U+202E]three');
  });

  it('is shown at once when it is nothing but hidden characters', () => {
    const startedAt = performance.now();
    assert.equal(shown('\u200B'.repeat(20_000)).length, 20_000);
    assert.ok(performance.now() - startedAt < 500);
  });
});
