import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/**
 * Asks again and again until the answer is neither undefined nor false, and returns it.
 * `what` completes the sentence "waited N s for ..."; it may be a function that says how far things came.
 */
export async function until<T>(
  what: string | (() => string),
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 30_000, everyMs = 100 }: UntilOptions = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs / 1000} s for ${typeof what === 'string' ? what : what()}.`);
    await pause(everyMs);
  }
}
