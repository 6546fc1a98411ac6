import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canonicalText, claimText, lengthPrefixed, objectKey, slotKey, valueDigests } from '../../../src/engine/domain/value-key';

const salt = 'a1'.repeat(32);
const shifted = (text: string, by: number) =>
  text.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) - 0x61 + by));

const between = (text: string, put: string) => Array.from(text).join(put);

/** Ways to write the same words so that they look, or read, the same. */
const disguises: Readonly<Record<string, (text: string) => string>> = {
  'capital letters': (text) => text.toUpperCase(),
  'full-width letters': (text) => text.replace(/[!-~]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
  'mathematical letters': (text) => shifted(text, 0x1d41a),
  'circled letters': (text) => shifted(text, 0x24d0),
  'decomposed letters': (text) => text.normalize('NFD'),
  'Cyrillic letters': (text) =>
    text.replaceAll('a', 'а').replaceAll('e', 'е').replaceAll('o', 'о').replaceAll('p', 'р').replaceAll('c', 'с'),
  'Cyrillic capitals': (text) => text.toUpperCase().replaceAll('T', 'Т').replaceAll('M', 'М').replaceAll('N', 'Ν').replaceAll('I', 'І'),
  'Greek letters': (text) => text.replaceAll('o', 'ο').replaceAll('a', 'α').replaceAll('p', 'ρ'),
  'no-break spaces': (text) => ` ${text.replaceAll(' ', '\u00A0')}\u3000`,
  'other spaces and lines': (text) => `\r\n\t${text.replaceAll(' ', '\u2009\n')}`,
  'zero-width joiners': (text) => between(text, '\u200D'),
  'zero-width spaces': (text) => `\uFEFF${between(text, '\u200B')}`,
  'bidi controls': (text) => `\u202E${text}\u202C\u2066\u2069`,
  'variation selectors': (text) => between(text, '\uFE0F'),
  'far variation selectors': (text) => between(text, '\u{E0101}'),
  'tag characters': (text) => `${text}\u{E0041}\u{E0042}\u{E007F}`,
  'soft hyphens': (text) => between(text, '\u00AD'),
  fillers: (text) => between(text, '\u3164\u2800'),
  controls: (text) => between(text, '\u0007'),
  'closing marks': (text) => `${text} ...!`,
  'a closing ellipsis': (text) => `${text}…`,
  'a closing ideographic stop': (text) => `${text}。！`,
  'strong type': (text) => `**${text}**`,
  'emphasis of a part': (text) => text.replace(/(?<!\S)\p{L}{2,}(?!\S)/u, (word) => `_${word}_`),
  'emphasis within a word': (text) => text.replace(/\p{L}{4,}/u, (word) => `${word.slice(0, 2)}**${word.slice(2)}**`),
  'a heading': (text) => `## ${text} ##`,
  'an underlined heading': (text) => `${text}\n---`,
  'a bullet': (text) => `* ${text}`,
  'a quote': (text) => `> > ${text}`,
  'inline code': (text) => text.replace(/\p{L}+/u, (word) => `\`${word}\``),
  'a code block': (text) => `\`\`\`sh\n${text}\n\`\`\``,
  escapes: (text) => text.replaceAll('.', '\\.').replaceAll('-', '\\-'),
  'character references': (text) => text.replaceAll('a', '&#97;'),
};

describe('the canonical form of a value', () => {
  const values = [
    'Use pnpm for packages, not npm 1.2',
    'The build must call sops -d',
    '2026-11-30',
    '1.2',
    '#ff0000',
    '-L',
    'Грош и 数え',
    '设备清单',
    'ship it 🚀',
  ];
  for (const [disguise, put] of Object.entries(disguises))
    it(`is one in ${disguise}`, () => {
      for (const value of values)
        if (/\p{L}.*\p{L}/u.test(value) || !/type|part|heading|bullet|quote/.test(disguise))
          assert.equal(canonicalText(put(value)), canonicalText(value), put(value));
    });

  const same: readonly (readonly [string, string])[] = [
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ', 'οδος'],
    ['Город', 'Гoрод'],
    ['don’t say “no”', `don't say "no"`],
    ['−1 – 2', '-1 - 2'],
    ['١٢ ๓', '12 3'],
    ['½', '1/2'],
    ['2⁵', '2^5'],
    ['Promise&lt;T&gt;', 'Promise<T>'],
    ['`*args` and `-L`', '*args and -L'],
    ['<https://pnpm.io>', 'https://pnpm.io'],
    ['[https://pnpm.io](https://pnpm.io)', 'https://pnpm.io'],
    ['snake\\_case', 'snake_case'],
    ['日本語です。', '日本語です'],
    ['ﾃﾞｰﾀ', 'データ'],
    ['❤️', '❤'],
  ];
  for (const [one, other] of same)
    it(`is one for ${JSON.stringify(one)} and ${JSON.stringify(other)}`, () => {
      assert.equal(canonicalText(one), canonicalText(other));
    });

  const different: readonly (readonly string[])[] = [
    ['1.2', '12', '1,2', '1 2', 'v1.2', '1.2.0'],
    ['-1', '1', '- 1', '+1', '> 1', '>= 1', '~1', '1%'],
    ['+', '-', '*', '=', '>', '<', '#', '/'],
    ['2⁵', '25', '2₅', '2 5', '2⁵³', '2⁵3'],
    ['1½', '11/2', '½', '12'],
    ['2①', '21', '①②', '12'],
    ['x²', 'x2', 'x₂'],
    ['10⁻⁵', '10-5', '10⁵'],
    ['1', 'l', 'I'],
    ['0', 'O', 'б0', '60'],
    ['m', 'rn'],
    ['C#', 'C', 'C++'],
    ['-L', 'L', '--L'],
    ['2*3*4', '234', '2 3 4'],
    ['src/*/test/*', 'src//test/'],
    ['`__init__`', 'init'],
    ['snake_case', 'snakecase'],
    ['1. Use pnpm', '2. Use pnpm', 'Use pnpm'],
    ['Promise<T>', 'Promise', 'Promise<U>'],
    ['[docs](https://a.example)', '[docs](https://b.example)', 'docs'],
    ['~~Use pnpm~~', 'Use pnpm'],
    ['2026-11-30', '2026-11-03', '20261130'],
    ['#ff0000', 'ff0000', '#f0f000'],
    ['设备', '清单', '設備', ''],
    ['第一', '第二', '第'],
    ['σε', 'οε', 'συ', 'ου', 'εσ'],
    ['кот', 'код', 'ток', 'тү', 'ту'],
    ['בן', 'בו', 'ון', 'וו'],
    ['اب', 'هب', 'ات'],
    ['हिन्दी', 'हिंदू', 'हद'],
    ['한국', '중국', '일본'],
    ['カ', '力', 'ロ', '口', 'か'],
    ['🚀', '🚢', '🇨🇭', '🇩🇪'],
    ['naïve', 'naive'],
    ['.', '!', ''],
  ];
  for (const texts of different)
    it(`stays apart for ${texts.map((text) => JSON.stringify(text)).join(', ')}`, () => {
      assert.equal(new Set(texts.map((text) => canonicalText(text))).size, texts.length);
    });

  const pieces = [
    '*',
    '_',
    '`',
    '```',
    '[',
    '](',
    ')',
    '<',
    '>',
    '&amp;',
    'lt;',
    '&#42;',
    '\\',
    '#',
    '- ',
    '+',
    '=',
    '~',
    '!',
    '.',
    ' ',
    '\n',
    'a',
    'b1',
    '2',
  ];
  const scripts = ['²', '½', '①', 'р', 'Т', 'ж', 'ν', 'σ', '\u200B', 'ﬁ', '。', 'ß', 'Σ', 'İ', 'ا', 'ו', '力', '"', 'é', '👩‍💻'];
  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom(...pieces, ...scripts), maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.toWellFormed()),
  );

  it('taken again is the same', () => {
    fc.assert(
      fc.property(texts, (text) => {
        assert.equal(canonicalText(canonicalText(text)), canonicalText(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it('is one for any words in any disguise', () => {
    const words = fc
      .array(fc.constantFrom('use', 'pnpm', 'not', 'npm', 'Город', 'λόγος', '設備', 'build', 'v1.2', '42', 'C++', 'naïve', '🚀'), {
        minLength: 2,
        maxLength: 8,
      })
      .map((list) => ['keep', ...list, 'here'].join(' '));
    fc.assert(
      fc.property(words, fc.constantFrom(...Object.values(disguises)), (text, put) => {
        assert.equal(canonicalText(put(text)), canonicalText(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('settles for layers upon layers of escapes and marks', () => {
    for (const layered of [
      `&${'amp;'.repeat(1_900)}lt;`,
      '\\'.repeat(8_000),
      '*'.repeat(8_000),
      '[a]('.repeat(2_000),
      '> '.repeat(4_000),
      '`'.repeat(4_000),
    ]) {
      const form = canonicalText(layered);
      assert.notEqual(form, '');
      assert.equal(canonicalText(form), form);
    }
  });
});

describe('the keys of a value', () => {
  const claim = { subject: 'package manager', predicate: 'is', object: 'pnpm' };
  const digests = (statement: string, of?: typeof claim, under = salt) =>
    valueDigests(under, { statement, ...(of !== undefined && { claim: of }) });

  it('are there in every form, for the statement and for the claim', () => {
    assert.deepEqual(
      digests('Use pnpm', claim).map(({ kind, form }) => `${kind} ${form}`),
      ['statement 1', 'claim 1', 'statement 2', 'claim 2'],
    );
    assert.equal(new Set(digests('Use pnpm', claim).map(({ digest }) => digest)).size, 4);
    assert.ok(digests('Use pnpm', claim).every(({ digest }) => /^[0-9a-f]{64}$/.test(digest)));
  });

  it('are one for disguises, and others for other values and other stores', () => {
    const at = (statement: string, under = salt) => digests(statement, undefined, under).find(({ form }) => form === 2)?.digest;
    assert.equal(at('**Use** рnpm!'), at('use pnpm'));
    assert.notEqual(at('use npm'), at('use pnpm'));
    assert.notEqual(at('use pnpm', 'b2'.repeat(32)), at('use pnpm'));
  });

  it('of the first form never change', () => {
    assert.equal(canonicalText('Use  **pnpm**!', 1), 'use **pnpm**');
    assert.deepEqual(
      digests('Use pnpm').filter(({ form }) => form === 1),
      digests(' use\u200b PNPM.').filter(({ form }) => form === 1),
    );
  });

  it('of a slot and of what fills it are one for disguises, and not joined from other parts', () => {
    assert.equal(slotKey(salt, 'Package Manager', 'is'), slotKey(salt, 'package\u00A0manager', '`is`'));
    assert.notEqual(slotKey(salt, 'package', 'manager is'), slotKey(salt, 'package manager', 'is'));
    assert.notEqual(slotKey(salt, 'is', 'pnpm'), slotKey(salt, 'pnpm', 'is'));
    assert.equal(objectKey(salt, '１.２'), objectKey(salt, '1.2'));
    assert.notEqual(objectKey(salt, '12'), objectKey(salt, '1.2'));
    assert.equal(claimText('**pnpm**'), claimText('PNPM'));
  });

  it('rest on a joint form that no other list of texts has', () => {
    const lists = fc.array(fc.string({ unit: fc.constantFrom('1', '2', ':', 'a', ''), maxLength: 4 }), { maxLength: 4 });
    fc.assert(
      fc.property(lists, lists, (one, other) => {
        assert.equal(lengthPrefixed(one) === lengthPrefixed(other), JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 2_000 },
    );
  });
});
