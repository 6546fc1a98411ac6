/**
 * Scripts that are written without blanks between words. A full-text index knows words by their blanks, so each character of these
 * scripts is indexed as a word of its own, and looked for as a phrase: then any part of a text is found, from two characters on.
 */

const unspaced = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}';
const letters = new RegExp(`(?=[\\p{L}\\p{M}])[${unspaced}]`, 'u');
const each = new RegExp(`((?=\\p{L})[${unspaced}]\\p{M}*)`, 'gu');
const runs = new RegExp(`(?:(?=\\p{L})[${unspaced}]\\p{M}*)+|(?:(?!(?=\\p{L})[${unspaced}]).)+`, 'gsu');

/** A text as it is indexed: blanks around each character of these scripts, everything else as it is. */
export const spaced = (text: string): string => (letters.test(text) ? text.replace(each, ' $1 ') : text);

/** A word parted into what is of these scripts and what is not. @returns the characters of each part that is. */
export function scriptRuns(word: string): readonly { readonly text: string; readonly characters: readonly string[] }[] {
  if (!letters.test(word)) return [{ text: word, characters: [] }];
  return (word.match(runs) ?? []).map((text) => ({ text, characters: letters.test(text) ? (text.match(each) ?? []) : [] }));
}
