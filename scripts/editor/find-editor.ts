import {
  downloadAndUnzipVSCode,
  ProgressReportStage,
  resolveCliArgsFromVSCodeExecutablePath,
  type ProgressReporter,
} from '@vscode/test-electron';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { editorFolder } from '../project';

/** A VS Code to show Stet in. */
export type FoundEditor =
  /** A desktop VS Code; `cli` is its command line, as a program and first arguments. */
  | {
      readonly kind: 'desktop';
      readonly cli: readonly [string, ...string[]];
      readonly executable: string | undefined;
      readonly version: string;
    }
  /** None can be shown here: the same workbench is served to a browser instead. */
  | { readonly kind: 'served'; readonly because: string };

export interface FindOptions {
  readonly say?: (line: string) => void;
  /** Give up on the download when no byte came for so long. */
  readonly stallMs?: number;
  readonly downloadTimeoutMs?: number;
}

/** The `code` on PATH, else a downloaded VS Code, else word that the editor must be served. Never fails. */
export async function findEditor(options: FindOptions = {}): Promise<FoundEditor> {
  const say = options.say ?? console.log;
  if (!hasDisplay()) return { kind: 'served', because: 'This machine has no display, so VS Code is served to your browser.' };
  const found = onPath() ?? (await downloaded(options, say));
  return (
    found ?? {
      kind: 'served',
      because: 'VS Code is neither installed nor can it be downloaded, so the same workbench is served to your browser.',
    }
  );
}

const hasDisplay = (): boolean => process.platform !== 'linux' || ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => process.env[name]);

function onPath(): FoundEditor | undefined {
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8', timeout: 20_000, shell: process.platform === 'win32' });
  // Version, commit, architecture: what VS Code prints and another program called "code" would not.
  const version = status === 0 ? /^(\d+\.\d+\.\d+)\S*\r?\n[0-9a-f]{40}\r?\n/.exec(stdout)?.[1] : undefined;
  return version ? { kind: 'desktop', cli: [name], executable: undefined, version } : undefined;
}

/** Downloads VS Code into the editor folder, or reuses what was downloaded. Gives up quietly when nothing arrives. */
export async function downloaded(options: FindOptions = {}, say: (line: string) => void = console.log): Promise<FoundEditor | undefined> {
  const stallMs = options.stallMs ?? 6000;
  const deadline = Date.now() + (options.downloadTimeoutMs ?? 10 * 60_000);
  const seen = { announced: false, extracting: false, givenUp: false, lastByteAt: Date.now() };
  const reporter: ProgressReporter = {
    report: ({ stage }) => {
      seen.extracting = stage === ProgressReportStage.ExtractingSynchonrously;
      if (stage !== ProgressReportStage.Downloading || seen.givenUp) return;
      seen.lastByteAt = Date.now();
      if (!seen.announced) say('Downloading VS Code (once) ...');
      seen.announced = true;
    },
    error: () => undefined,
  };
  const attempt = downloadAndUnzipVSCode({ version: 'stable', cachePath: join(editorFolder, 'desktop'), timeout: stallMs, reporter });
  // Once given up, its late failure is of no interest.
  attempt.catch(() => undefined);
  try {
    const executable = await Promise.race([
      attempt,
      rejectionWhen(() => Date.now() > deadline || (!seen.extracting && Date.now() - seen.lastByteAt > stallMs)),
    ]);
    const [program, ...args] = resolveCliArgsFromVSCodeExecutablePath(executable, { reuseMachineInstall: true });
    return program ? { kind: 'desktop', cli: [program, ...args], executable, version: 'stable' } : undefined;
  } catch {
    // Being offline is an ordinary answer here; the caller says what happens instead.
    seen.givenUp = true;
    return undefined;
  }
}

function rejectionWhen(isStalled: () => boolean): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setInterval(() => {
      if (!isStalled()) return;
      clearInterval(timer);
      reject(new Error('The download stalled.'));
    }, 250);
    timer.unref();
  });
}
