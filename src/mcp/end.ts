/** The end of the process: with its input, its output, its parent or a signal, and never before what was asked is answered. */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { logTrouble } from './log';
import type { McpServer } from './server';
import type { Store } from './store';

/** How often it is looked whether the parent lives; its pipes may be held open by others. */
const parentPollMs = 1_000;

/**
 * How long calls that are being answered are waited for, and then the store, which writes for two seconds at most what agents saw. With
 * the look for the parent they stay below five seconds, and without it below the four after which clients kill.
 */
const [callsGraceMs, storeGraceMs] = [1_000, 2_500];

/** Ends this process when nobody needs it any more. */
export function endWith(server: McpServer, store: Store): void {
  let ending = false;
  const end = (code: number) => {
    if (ending) return;
    ending = true;
    void leave(code);
  };
  const leave = async (code: number) => {
    await Promise.race([server.idle().then(answersSent), delay(callsGraceMs)]);
    // A store that cannot be closed in time is left as it is: SQLite recovers a file whose process is gone.
    await Promise.race([
      store.close().catch((error: unknown) => {
        logTrouble('The store was not closed', error);
      }),
      delay(storeGraceMs),
    ]);
    process.exit(code);
  };
  const finish = () => {
    end(0);
  };

  process.stdin.on('end', finish).on('close', finish).on('error', finish);
  process.stdout.on('error', finish); // EPIPE: nobody reads the answers
  process.stderr.on('error', () => undefined); // the log has no reader; the answers may still have one
  server.protocol.onclose = finish;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, finish);
  watchParent(finish);
  process.on('uncaughtException', (error) => {
    logTrouble('Stet failed in a way it did not foresee and ends', error);
    end(1);
  });
}

function watchParent(gone: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent || !isAlive(parent)) gone();
  }, parentPollMs).unref();
}

/** On Windows a process keeps its parent's id when the parent ends, so the id itself is asked. */
function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'; // another user's process, say, lives and may not be asked
  }
}

/** Resolves once the answers have left the process, which takes a while where stdout is a pipe on Windows. */
async function answersSent(): Promise<void> {
  await nextTurn(); // an answered call is written a few promises later
  await new Promise<void>((resolve) => {
    process.stdout.write('', () => {
      resolve();
    });
  });
}
