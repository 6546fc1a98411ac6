/** A file's text as numbered lines with LF between them, so that a checkout with other line ends hashes to the same. */
import { isUtf8 } from 'node:buffer';

export interface Lines {
  /** UTF-8, with LF as line ends. */
  readonly text: Buffer;
  /** How many lines there are; a line end at the end of the text begins no further one. */
  readonly count: number;
  /** Where each line begins in the text, and after the last line's the end of the text. */
  readonly starts: readonly number[];
}

/** Takes a text apart, once for all that is looked up in it. */
export function linesOf(bytes: Buffer): Lines {
  const text = isUtf8(bytes) && !bytes.includes('\r\n') ? bytes : Buffer.from(bytes.toString('utf8').replace(/\r\n/g, '\n'));
  const starts = [0];
  for (let at = 0; at < text.length; at += 1) if (text[at] === newline) starts.push(at + 1);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return { text, count: starts.length - 1, starts };
}

/** The lines from `first` to `last` (from 1, both included), without the last one's line end; of lines that are not there, nothing. */
export function excerptOf({ text, count, starts }: Lines, first: number, last: number): Buffer {
  const from = starts[Math.min(first - 1, count)] ?? text.length;
  const to = starts[Math.min(last, count)] ?? text.length;
  return text.subarray(from, to > from && text[to - 1] === newline ? to - 1 : to);
}

/** Which lines a pointer names: one without lines names the whole file, one with a single number that line, or all up to it. */
export function namedLines(pointer: { readonly startLine?: number | undefined; readonly endLine?: number | undefined }) {
  const { startLine, endLine } = pointer;
  if (startLine === undefined && endLine === undefined) return undefined;
  return { first: startLine ?? 1, last: endLine ?? startLine ?? 1 };
}

const newline = 10;
