/**
 * Characters that a reader does not see or that turn the direction of reading, and so may not stand in what an agent sends. Spaces of
 * other widths (U+00A0, U+3000 …) are not among them: they are seen as spaces, ordinary in typeset text, and one in a value's form.
 */

/** A hidden character, as `U+202E`, and where it stands, in UTF-16 units. */
export interface Hidden {
  readonly codePoint: string;
  readonly index: number;
}

/**
 * What is hidden in a text, in its order: controls but tab and line end, format and ignorable characters (bidi, zero-width, tags,
 * selectors), separators that are no line ends, private use, lone surrogates, and letters that draw nothing. U+FE0F and U+200D within
 * an emoji, and U+200C and U+200D where a script is written with them, belong to the text.
 */
export function hiddenIn(text: string): readonly Hidden[] {
  return [...text.matchAll(hiding)]
    .filter(({ 0: character, index }) => !belongs(character, text, index))
    .map(({ 0: character, index }) => ({ codePoint: codePoint(character), index }));
}

/** Without the Arabic and other signs that stand before a number: format characters that are seen. */
const hiding =
  /(?![\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** As far as an emoji's parts or a letter's marks reach, in UTF-16 units. */
const near = 12;

function belongs(character: string, text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - near), index);
  const after = text.slice(index + character.length, index + character.length + near);
  switch (character) {
    case '\t':
    case '\n':
      return true;
    case '\r':
      return after.startsWith('\n');
    case '\uFE0F':
      return /\p{Extended_Pictographic}$/u.test(before) || (/[\d#*]$/.test(before) && after.startsWith('\u20E3'));
    case '\u200D':
      return (/\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?$/u.test(before) && startsEmoji.test(after)) || joins(before, after);
    case '\u200C':
      return joins(before, after);
    default:
      return false;
  }
}

const startsEmoji = /^\p{Extended_Pictographic}/u;

/** Scripts whose letters change their form beside each other, so that writers need the joiners: between letters, or behind a virama. */
const joining = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada'],
  ...['Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');
const letters = `(?=[\\p{L}\\p{M}])[${joining}]`;
const endsJoining = new RegExp(`${letters}$`, 'u');
const startsJoining = new RegExp(`^${letters}`, 'u');
const virama = /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]$/;
const joins = (before: string, after: string) => virama.test(before) || (endsJoining.test(before) && startsJoining.test(after));

const codePoint = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
