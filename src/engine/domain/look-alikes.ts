/**
 * Letters and signs of other scripts that look like ASCII ones, folded by Unicode's own table of confusables (kept by `unhomoglyph`).
 * ASCII itself is never folded, so `1`, `l` and `I` stay three things, and neither is a letter to a digit nor a sign to a letter.
 */
import confusables from 'unhomoglyph/data.json';

/**
 * A text with its disguises taken off. Words of one script keep their meaning: one is taken for Latin only when all its letters have
 * a Latin twin of their own, so two different words of a script never become one. In a word of two scripts the look-alikes are the
 * disguise: Latin when all of the other script's letters could be, and otherwise that script. CJK text is left alone.
 * Expects NFKC; returns NFC.
 */
export function withoutLookAlikes(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text
    .normalize('NFD')
    .replace(/\p{Nd}/gu, decimal)
    .replace(/(?=[^\0-\x7f])[\p{P}\p{S}]/gu, sign)
    .replace(/(?:(?!\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Bopomofo})[\p{L}\p{M}])+/gu, word)
    .normalize('NFC');
}

const table: Readonly<Record<string, string | undefined>> = confusables;

/** Decimal digits of all scripts come in runs of ten that begin with their zero. */
function decimal(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value += 1;
  return point < 0x80 ? digit : String(value);
}

function sign(character: string): string {
  const twin = table[character];
  if (twin === undefined || !/\p{Script=Common}/u.test(character)) return character;
  if (twin === table['"']) return '"';
  return /^[!-/:-@[-`{-~]$/.test(twin) ? twin : character;
}

function word(letters: string): string {
  if (!/[^\0-\x7f]/.test(letters)) return letters;
  const each = Array.from(letters);
  const foreign = each.filter((letter) => /(?!\p{Script=Latin})\p{L}/u.test(letter));
  const stubborn = foreign.find((letter) => latin(letter) === undefined);
  if (foreign[0] !== undefined && !/\p{Script=Latin}/u.test(letters)) {
    const { toLatin } = twins(foreign[0]);
    const isLatin = foreign.every((letter) => toLatin.has(lower(letter)));
    return isLatin ? each.map((letter) => toLatin.get(lower(letter)) ?? letter).join('') : letters;
  }
  if (stubborn === undefined) return each.map((letter) => latin(letter) ?? letter).join('');
  const { fromLatin } = twins(stubborn);
  return each.map((letter) => fromLatin.get(latin(letter) ?? lower(letter)) ?? letter).join('');
}

const lower = (letter: string) => letter.toLowerCase();
const otherCase = (letter: string) => (letter === lower(letter) ? letter.toUpperCase() : lower(letter));

/** The ASCII letter, in lower case, that a letter looks like as it is written, or else in its other case. */
const latin = (letter: string): string | undefined => asWritten(letter) ?? asWritten(otherCase(letter));

function asWritten(letter: string): string | undefined {
  if (/^[A-Za-z]$/.test(letter)) return undefined;
  const twin = table[letter];
  // The table has one entry for the upright strokes of I, l, 1 and |; a capital one is an I.
  if (twin === 'l' && letter !== lower(letter)) return 'i';
  return twin !== undefined && /^[A-Za-z]$/.test(twin) ? lower(twin) : undefined;
}

interface Twins {
  readonly toLatin: ReadonlyMap<string, string>;
  readonly fromLatin: ReadonlyMap<string, string>;
}

/** Alphabets whose whole words can pass for Latin ones. Words of other scripts are never taken for Latin. */
const alphabets = [
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
] as const;
const none: Twins = { toLatin: new Map(), fromLatin: new Map() };
const known = new Map<RegExp, Twins>();

/** A script's letters paired one to one with Latin ones, in lower case. Made once, when it is first needed. */
function twins(letter: string): Twins {
  const alphabet = alphabets.find((script) => script.test(letter));
  if (alphabet === undefined) return none;
  const made = known.get(alphabet) ?? pair(Object.keys(table).filter((source) => alphabet.test(source) && /\p{L}/u.test(source)));
  known.set(alphabet, made);
  return made;
}

/** Letters that look alike in both cases come first, then those that do as capitals, then the rest; each group by code point. */
function pair(sources: readonly string[]): Twins {
  const letters = [...new Set(sources.map(lower))].sort();
  const small = (letter: string) => asWritten(letter);
  const capital = (letter: string) => asWritten(letter.toUpperCase());
  const toLatin = new Map<string, string>();
  const fromLatin = new Map<string, string>();
  const add = (letter: string, twin: string | undefined) => {
    if (twin === undefined || toLatin.has(letter) || fromLatin.has(twin)) return;
    toLatin.set(letter, twin);
    fromLatin.set(twin, letter);
  };
  for (const letter of letters) if (small(letter) === capital(letter)) add(letter, small(letter));
  for (const letter of letters) add(letter, capital(letter));
  for (const letter of letters) add(letter, small(letter));
  return { toLatin, fromLatin };
}
