/** The log: lines on stderr, which clients keep for the person. Only for what somebody should look at. */
import { inspect } from 'node:util';

/** A cause may quote what a client sent; its beginning says enough. */
const longestCause = 500;

/** @param cause written with its message, since nobody but this machine's user reads the log. */
export function logTrouble(what: string, cause?: unknown): void {
  const because = cause === undefined ? '' : ` (${(cause instanceof Error ? cause.message : inspect(cause)).slice(0, longestCause)})`;
  process.stderr.write(`stet: ${`${what}${because}`.replace(/\s+/gu, ' ')}\n`);
}
