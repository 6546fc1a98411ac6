/** A person in a process of their own, who decides on what waits as fast as they can. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inProject } from '../../../scripts/project';
import type { Orders, Said } from './deciding';

export interface PersonProcess {
  readonly pid: number;
  /** Everything it said so far. */
  said(): readonly Said[];
  /** Resolves with its first word, or at its end. */
  begun(): Promise<void>;
  /** Resolves with the exit code when the process is gone and everything it said has been read. */
  ended(): Promise<number | null>;
  /** Lets the person finish what they are about. @throws when they failed at it. */
  close(): Promise<void>;
}

export function startPerson(orders: Orders): PersonProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', inProject('test/torture/support/deciding.ts'), JSON.stringify(orders)], {
    cwd: inProject(),
  });
  const said: Said[] = [];
  let rest = '';
  let log = '';
  child.stdin.on('error', () => undefined); // a process that has ended reads no more
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    said.push(...lines.map((line) => JSON.parse(line) as Said));
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const begun = Promise.race([once(child.stdout, 'data'), ended]).then(() => undefined);
  return {
    pid: child.pid ?? 0,
    said: () => said,
    begun: () => begun,
    ended: () => ended,
    close: async () => {
      child.stdin.end();
      if ((await ended) !== 0) throw new Error(`the person's process failed: ${log}`);
    },
  };
}
