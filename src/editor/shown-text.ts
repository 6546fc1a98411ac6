/** Texts of others as they are shown: what could hide or reorder words becomes visible. */

/** A text in pieces: words to show as they are, and hidden characters by their code point. */
export type Shown = readonly (string | { readonly hidden: string })[];

/**
 * Controls but line feed and tab, format characters (bidi, zero-width, tags), line and paragraph separators, lone surrogates, private
 * use, and letters and marks that draw nothing.
 */
const hiding = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}|\p{Co}|[\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** How far around a character it is looked to judge it. */
const near = 12;

/** The text with its hidden characters marked, but for those that belong where they stand. */
export function shown(text: string): Shown {
  const pieces: (string | { hidden: string })[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(hiding)) {
    if (belongs(character, text.slice(Math.max(0, index - near), index), text.slice(index + character.length, index + near))) continue;
    if (index > from) pieces.push(text.slice(from, index));
    pieces.push({ hidden: codePoint(character) });
    from = index + character.length;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

/** The same for places that show plain text only. */
export const shownLine = (text: string): string =>
  shown(text)
    .map((piece) => (typeof piece === 'string' ? piece : `[${piece.hidden}]`))
    .join('')
    .replace(/\s*\n\s*/g, ' ');

/** Line ends, and what emoji and scripts are written with. */
function belongs(character: string, before: string, after: string): boolean {
  switch (character) {
    case '\n':
    case '\t':
      return true;
    case '\r':
      return after.startsWith('\n');
    case '\uFE0F':
      return /\p{Extended_Pictographic}$/u.test(before) || (/[\d#*]$/.test(before) && after.startsWith('\u20E3'));
    case '\u200D':
      return (
        (/\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]*$/u.test(before) && /^\p{Extended_Pictographic}/u.test(after)) ||
        joins(before, after)
      );
    case '\u200C':
      return joins(before, after);
    default:
      return false;
  }
}

/** Scripts whose letters change their form beside each other, so that writers need the joiners. */
const joining =
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}]';
const endsJoining = new RegExp(`${joining}$`, 'u');
const startsJoining = new RegExp(`^${joining}`, 'u');
const joins = (before: string, after: string) => endsJoining.test(before) && startsJoining.test(after);

const codePoint = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
