/** Fits a list of memories into a token budget: long texts are shortened first, so that items are dropped last. */
import type { Item } from './view';

/**
 * An upper estimate of a text's tokens: a third of its UTF-8 bytes. English prose has about four bytes a token, CJK three, and
 * identifiers between, so a budget kept by this estimate is kept by the tokenizers of the clients.
 */
export const estimatedTokens = (text: string): number => Math.ceil(Buffer.byteLength(text, 'utf8') / 3);

/** The least that is worth showing of a statement, in estimated tokens. */
const leastStatement = 30;
/** Longest lists in an item of a list; `memory_get` has all of it. */
const mostPointers = 6;

export interface Fitted {
  readonly items: readonly Item[];
  readonly dropped: readonly Item[];
}

/**
 * The items that fit, best first as they came, their texts shortened so that each gets a fair part of what is left.
 * @param render an item's text as it will be sent, which is what the budget counts.
 */
export function fit(items: readonly Item[], maxTokens: number, render: (item: Item) => string): Fitted {
  const compact = items.map(trimmed);
  // The frame is everything but the text, with the word that the text was shortened.
  const frames = compact.map((item) => estimatedTokens(render({ ...withText(item, '', []), shortened: true })));
  const needs = compact.map((item, index) => Math.max(0, estimatedTokens(render(item)) - (frames[index] ?? 0)));

  let kept = compact.length;
  const least = (index: number) => (frames[index] ?? 0) + Math.min(needs[index] ?? 0, leastStatement);
  const total = (count: number) => compact.slice(0, count).reduce((sum, _, index) => sum + least(index), 0);
  while (kept > 0 && total(kept) > maxTokens) kept -= 1;
  const unit = kept < items.length ? unitAround(items, kept) : undefined;
  if (unit !== undefined) {
    // What belongs together goes together: without the whole of it, what comes after it has room.
    const rest = fit([...items.slice(0, unit.from), ...items.slice(unit.to)], maxTokens, render);
    return { items: rest.items, dropped: [...items.slice(unit.from, unit.to), ...rest.dropped] };
  }

  const free = maxTokens - frames.slice(0, kept).reduce((sum, frame) => sum + frame, 0);
  const shares = fairShares(needs.slice(0, kept), free);
  return {
    items: compact.slice(0, kept).map((item, index) => {
      const share = shares[index] ?? 0;
      return share >= (needs[index] ?? 0) ? item : shortenedTo(item, (frames[index] ?? 0) + share, share, render);
    }),
    dropped: items.slice(kept),
  };
}

/** The run of contested items that a cut at this place would tear apart. */
function unitAround(items: readonly Item[], cutAt: number): { from: number; to: number } | undefined {
  const together = (a: number, b: number) => items[a]?.contestedWith?.includes(items[b]?.id ?? '') === true;
  let [from, to, before] = [cutAt, cutAt, -1];
  // Until nothing is added: what belongs to the run may have come by before its neighbour did.
  while (before !== to - from) {
    before = to - from;
    for (let index = 0; index < items.length; index += 1)
    for (let other = index + 1; other < items.length; other += 1)
      if (together(index, other) && index < Math.max(cutAt, to) && other >= Math.min(cutAt, from)) [from, to] = [Math.min(from, index), Math.max(to, other + 1)]; // prettier-ignore
  }
  return from < cutAt && to > cutAt ? { from, to } : undefined;
}

/** Divides what is free: who needs less than an even part gets what it needs, and the rest is divided again. */
function fairShares(needs: readonly number[], free: number): number[] {
  const order = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need);
  const shares = new Array<number>(needs.length).fill(0);
  let left = free;
  order.forEach(({ need, index }, done) => {
    const share = Math.min(need, Math.floor(left / (order.length - done)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}

const withText = (item: Item, statement: string, steps: readonly string[]): Item => ({
  ...item,
  statement,
  ...(item.steps !== undefined && { steps }),
});

function trimmed(item: Item): Item {
  if (item.anchors.length <= mostPointers && item.evidence.length <= mostPointers) return item;
  return { ...item, anchors: item.anchors.slice(0, mostPointers), evidence: item.evidence.slice(0, mostPointers), shortened: true };
}

function shortenedTo(item: Item, most: number, share: number, render: (item: Item) => string): Item {
  let bytes = share * 3;
  for (;;) {
    const shortened = shortenedToBytes(item, bytes);
    if (bytes <= 0 || estimatedTokens(render(shortened)) <= most) return shortened;
    bytes = Math.floor(bytes * 0.8); // what is escaped grows when it is rendered
  }
}

function shortenedToBytes(item: Item, bytes: number): Item {
  const statement = cut(item.statement, bytes);
  let left = bytes - Buffer.byteLength(statement, 'utf8');
  const steps: string[] = [];
  for (const step of item.steps ?? []) {
    left -= Buffer.byteLength(step, 'utf8') + '\nstep 10: '.length;
    if (left < 0) break;
    steps.push(step);
  }
  return { ...withText(item, statement, steps), shortened: true };
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The start of a text within a number of UTF-8 bytes, cut between two characters as a reader sees them, at a word where one is near. */
export function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  const room = Math.max(0, maxBytes - Buffer.byteLength('…', 'utf8'));
  // As many code units as fit; a character that the bytes cut through decodes to one replacement character more.
  const fitting = bytes
    .subarray(0, room)
    .toString('utf8')
    .replace(/\uFFFD$/u, '').length;
  const end = graphemes.segment(text).containing(fitting)?.index ?? 0;
  if (end === 0) return '';
  const start = text.slice(0, end);
  const word = start.search(/\s\S*$/u);
  return `${(word > end * 0.7 ? start.slice(0, word) : start).trimEnd()}…`;
}
