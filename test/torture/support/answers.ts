/** What may be wrong with an answer, whatever was asked. */
import { readFileSync } from 'node:fs';
import { inProject } from '../../../scripts/project';
import type { Answer } from './speaker';

/** The stable codes, as the engine lists them. */
const codes = new Set(
  [
    ...(/export type ErrorCode =([^;]+);/.exec(readFileSync(inProject('src/engine/errors.ts'), 'utf8'))?.[1] ?? '').matchAll(/'(\w+)'/g),
  ].map(([, code]) => code),
);

/** Codes that say that Stet failed, and not the caller. */
const ownFailures = new Set([
  'internal',
  'store_busy',
  'store_unusable',
  'store_newer',
  'store_damaged',
  'store_missing',
  'store_behind',
  'head_unreadable',
  'backup_failed',
  'keys_unreadable',
  'no_folder',
  'other_folder',
  'tampered',
]);

/** What no answer may hold, unless the caller said it first. */
const leaks: readonly RegExp[] = [
  /SQLITE_\w+/,
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|PRAGMA|UNION|MATCH)\b/,
  /fts5/i,
  /syntax error/i,
  /no such (?:table|column)/i,
  /constraint failed/i,
  /\b(?:served_index|waiting_index|statuses|value_key|sqlite_\w+)\b/,
  /node_modules/,
  /\bat [\w.<>]+ \(/,
  /\bat (?:file|node):/,
  /\bundefined\b/,
  /\[object/,
  /\bNaN\b/,
  /(?<![\w.:/<])\/(?:[\w@~+-][\w.@~+-]*\/)*[\w@~+-][\w.@~+-]*\w/,
  /\b[A-Za-z]:[\\/]+[\w.\\/-]+/,
];

/** A reply that repeats what was sent costs an agent its context. */
const longestError = 1_200;

/**
 * @param sent the texts that the caller sent.
 * @returns what is wrong with the answer to a call of a tool; undefined when nothing is.
 */
export function faultOf({ line, text, error, rejected }: Answer, sent: readonly string[]): string | undefined {
  if (rejected !== undefined) {
    // Only a tool that does not exist is refused by the protocol; everything else is told to the agent.
    if (rejected.code !== -32_602) return `rejected with ${rejected.code}`;
    return leakIn(rejected.message, sent);
  }
  if (error === undefined) return line.includes('"structuredContent"') ? leakIn(text, sent) : 'an answer without data';
  const { code, message, hint } = error;
  if (!codes.has(code)) return `the code ${code} is not in the list`;
  if (ownFailures.has(code)) return `failed by itself: ${code}`;
  if (typeof message !== 'string' || !/\w/.test(message)) return 'an error without a message';
  if (typeof hint !== 'string' || !/\w.*\.$/s.test(hint)) return 'an error without a hint';
  if (text !== `${message} ${hint} (${code})`) return 'the text says something else than the data';
  if (text.length > longestError) return `an error of ${text.length} characters`;
  return leakIn(`${message} ${hint}`, sent);
}

function leakIn(said: string, sent: readonly string[]): string | undefined {
  for (const leak of leaks) {
    const found = leak.exec(said)?.[0];
    if (found !== undefined && !sent.some((text) => saidBy(text, found))) return `holds ${JSON.stringify(found)}, which nobody sent`;
  }
  return undefined;
}

/** Whether a piece of a message repeats a text that was sent, as it is, quoted, or with other slashes. */
const saidBy = (text: string, found: string): boolean => [text, JSON.stringify(text)].some((form) => plain(form).includes(plain(found)));
const plain = (text: string) => text.replace(/[\\/]+/g, '/').replace(/\/\.(?=\/)/g, '');
