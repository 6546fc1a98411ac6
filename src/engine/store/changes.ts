/** One change signal: this process's own commits at once, other processes' within a poll. */
import { StetError } from '../errors';
import type { Database } from './database';

/** How often other processes' commits are looked for. A look reads one counter and touches no table. */
const pollMs = 400;

export interface ChangeSignal {
  /** Called after every change, and once more when several came together. @returns what stops it. */
  subscribe(listener: () => void): () => void;
  /** Says that this process has changed something. */
  tell(): void;
  stop(): void;
}

/** @param onError is told once when the store can no longer be read, after which the signal is silent. */
export function changeSignal(database: Database, onError: (error: unknown) => void): ChangeSignal {
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let seen: number | undefined;
  let stopped = false;
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const poll = async () => {
    try {
      const version = await database.dataVersion();
      if (stopped) return;
      if (seen !== undefined && version !== seen) tell();
      seen = version;
    } catch (error) {
      if (stopped) return;
      // Another process has the file for itself for a moment, after a crash for example.
      if (!(error instanceof StetError && error.code === 'store_busy')) {
        onError(error);
        return;
      }
    }
    timer = setTimeout(() => void poll(), pollMs);
  };
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      if (timer === undefined && seen === undefined) void poll();
      return () => listeners.delete(listener);
    },
    tell,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      listeners.clear();
    },
  };
}
