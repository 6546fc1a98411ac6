import { spawn, type ChildProcess } from 'node:child_process';

/**
 * A small process that outlives its parent by a moment, only to tidy up: when the parent ends in whatever way,
 * even killed, it ends the process groups and removes the folders that were entrusted to it and not released since.
 */
export class Keeper {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    // A keeper that is gone cannot be written to; the handle's own close() still tidies up.
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
    (this.#child.stdin as unknown as { unref?(): void }).unref?.();
  }

  keepGroup = (pid: number): void => {
    this.#say('+group', pid);
  };
  releaseGroup = (pid: number): void => {
    this.#say('-group', pid);
  };
  keepFolder = (path: string): void => {
    this.#say('+folder', path);
  };
  releaseFolder = (path: string): void => {
    this.#say('-folder', path);
  };

  dismiss(): void {
    this.#child.stdin?.end();
  }

  #say(verb: string, subject: number | string): void {
    this.#child.stdin?.write(`${JSON.stringify([verb, subject])}\n`);
  }
}

const script = `
const { rmSync } = require('node:fs');
const kept = { group: new Set(), folder: new Set() };
let text = '';
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.stdin.on('data', (more) => {
  const lines = (text += more).split('\\n');
  text = lines.pop();
  for (const line of lines) {
    const [verb, subject] = JSON.parse(line);
    if (verb[0] === '+') kept[verb.slice(1)].add(subject);
    else kept[verb.slice(1)].delete(subject);
  }
});
process.stdin.on('end', () => {
  for (const pid of kept.group) try { process.kill(-pid, 'SIGKILL'); } catch {}
  setTimeout(() => { for (const path of kept.folder) rmSync(path, { recursive: true, force: true, maxRetries: 5 }); }, kept.group.size ? 300 : 0);
});
`;
