/** What changes from one wording to another, word by word. */
import { diffWordsWithSpace } from 'diff';
import { shown, type Shown } from './shown-text';

/** A text in pieces: what stays, what goes and what comes. */
export type Changes = readonly { readonly is: 'same' | 'added' | 'removed'; readonly text: Shown }[];

/** Longer texts are compared as wholes, since the time it takes grows with the square of the changes. */
const mostCharacters = 20_000;

export function changesBetween(before: string, after: string): Changes {
  if (before.length + after.length > mostCharacters)
    return [
      { is: 'removed', text: shown(before) },
      { is: 'added', text: shown(after) },
    ];
  return diffWordsWithSpace(before, after).map(({ added, removed, value }) => ({
    is: added ? 'added' : removed ? 'removed' : 'same',
    text: shown(value),
  }));
}
