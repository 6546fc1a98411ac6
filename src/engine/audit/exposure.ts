/**
 * The record of what each session saw. It is kept beside the answers and never in their way: an answer is noted in the process and
 * written later, on a connection of its own, and a store that cannot be written costs the record and not the answer.
 */
import { StetError } from '../errors';
import type { Clock } from '../ports';
import type { Statements } from '../store/database';
import type { Recall } from './answer';
import type { ReportUse } from './exposure-query';
import { heldMemories, type HeldReads } from './held';
import { recordUse, type UseCounts } from './use';
import { writeRecalls, type NotedRecall } from './write';

export interface ExposureParts {
  /** Runs one transaction on a connection that no answer waits for. */
  readonly side: <T>(work: (tx: Statements) => Promise<T>) => Promise<T>;
  /** Replaces what looks like a secret. */
  readonly mask: (text: string) => Promise<string>;
  /** The sequence number of the newest event; 0 without any. */
  readonly newestEvent: () => Promise<number>;
  readonly clock: Clock;
}

export interface ExposureRecord extends HeldReads {
  /** Takes an answer into the record. Returns at once and never throws. */
  note(recall: Recall): void;
  /**
   * Keeps what an agent says of memories it was given; the last answer counts. Nothing else reads it but the editor.
   * @throws `not_found` unless the recall is this session's and held all of the ids; `store_busy` when it could not be written in time.
   */
  reportUse(session: string, report: ReportUse): Promise<UseCounts>;
  /** Writes what is waiting; gives up after {@link settleMs}. */
  settled(): Promise<void>;
  /** Ends the attempts to write. What waits then is lost. */
  stop(): void;
}

/** How many answers wait to be written; the oldest gives way. */
const longestQueue = 500;
const batchSize = 50;
/** So long an answer waits to be written: it goes out first, and its neighbours are written with it. */
const writeDelayMs = 50;
const longestBackoffMs = 15_000;
/** How long the end of a process waits for the record. */
export const settleMs = 2_000;
const settlePauseMs = 50;

export function exposureRecord(parts: ExposureParts): ExposureRecord {
  const held = heldMemories(parts);
  const queue: NotedRecall[] = [];
  /** How many at the head of the queue are being written. */
  let inFlight = 0;
  /** Answers that no row tells of yet, since there was no room for them or they could not be written as they were. */
  let lost = 0;
  let failures = 0;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const note = (recall: Recall) => {
    held.serve(recall);
    if (stopped) return;
    const { question, ...rest } = recall;
    queue.push({ ...rest, question: question ?? null, masked: false, at: parts.clock.now().toISOString() });
    if (queue.length > longestQueue) {
      queue.splice(inFlight, 1);
      lost += 1;
    }
    schedule();
  };

  const schedule = () => {
    if (stopped || timer !== undefined) return;
    const backoffMs = Math.min(longestBackoffMs, writeDelayMs * 2 ** failures) * (1 + Math.random());
    timer = setTimeout(() => {
      timer = undefined;
      // The failure is no one's answer: what waits is tried again, and what is lost is told by the next row.
      write().catch(() => {
        schedule();
      });
    }, backoffMs);
    timer.unref(); // a record is no reason to stay
  };

  /** Writes all that waits. Those who ask meanwhile share the one attempt. */
  const write = (): Promise<void> => {
    writing ??= writeQueue().finally(() => (writing = undefined));
    return writing;
  };

  const writeQueue = async () => {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize);
      const told = lost;
      inFlight = batch.length;
      try {
        await mask(batch, parts.mask);
        await parts.side((tx) => writeRecalls(tx, batch, told));
        lost -= told;
        failures = 0;
      } catch (error) {
        if (isPassing(error)) {
          failures += 1;
          inFlight = 0;
          throw error;
        }
        lost += batch.length; // it would fail again and keep what follows it from the record
      }
      inFlight = 0;
      queue.splice(0, batch.length);
    }
  };

  return {
    note,
    served: (session) => held.served(session),
    noLongerHeld: (session, read, grant) => held.noLongerHeld(session, read, grant),
    reportUse: async (session, report) => {
      await write(); // the answer that it speaks of may still be waiting
      return parts.side((tx) => recordUse(tx, session, report, parts.clock.now().toISOString()));
    },
    settled: () =>
      within(settleMs, async (isOver) => {
        while (queue.length > 0 && !isOver()) await write().catch(() => pause(settlePauseMs));
      }),
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** A question is masked once, and what was there before the mask is dropped; one that cannot be masked is not kept. */
async function mask(batch: readonly NotedRecall[], masking: ExposureParts['mask']): Promise<void> {
  for (const one of batch) {
    if (one.question !== null && !one.masked) one.question = await masking(one.question).catch(() => null);
    one.masked = true;
  }
}

/** Whether the same write may succeed later: a lock that is held, a full disk. */
const isPassing = (error: unknown): boolean =>
  error instanceof StetError && (error.code === 'store_busy' || error.code === 'store_unusable');

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for the work, but not longer. @param work is told when it is out of time. */
async function within(ms: number, work: (isOver: () => boolean) => Promise<void>): Promise<void> {
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      over = true;
      resolve();
    }, ms);
  });
  await Promise.race([work(() => over), end]);
  clearTimeout(timer);
}
