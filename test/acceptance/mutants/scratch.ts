/** A copy of the project in which sources can be changed and tests run. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { edited, type Edit } from './mutant';

/** How a test came out; `why` is the code of its error, `ERR_ASSERTION` where an assertion failed. */
export interface TestResult {
  readonly title: string;
  readonly passed: boolean;
  readonly why: string;
}

export interface Scratch {
  /** Makes the edits. @returns false, with nothing changed, where one of them does not match exactly once. */
  edit(edits: readonly Edit[]): boolean;
  /** Puts every edited file back. */
  restore(): void;
  /**
   * Runs the tests of a spec whose titles match.
   * @returns undefined where they could not be run at all, or did not end.
   */
  run(spec: string, grep: string, bail: boolean): Promise<readonly TestResult[] | undefined>;
  remove(): void;
}

const copied = ['src', 'test', 'scripts', 'webview-ui', 'package.json', 'tsconfig.json', '.mocharc.json'];

/** A run of one spec that takes longer than this hangs. */
const longestMs = 180_000;

export function aScratch(project: string): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'stet-mutants-'));
  for (const name of copied) cpSync(join(project, name), join(folder, name), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const originals = new Map<string, string>();
  const restore = () => {
    for (const [file, text] of originals) writeFileSync(file, text);
    originals.clear();
  };
  return {
    edit: (edits) => {
      for (const edit of edits) {
        const file = join(folder, edit.file);
        if (!existsSync(file)) return false;
        const source = readFileSync(file, 'utf8');
        const changed = edited(source, edit);
        if (changed === undefined) {
          restore();
          return false;
        }
        if (!originals.has(file)) originals.set(file, source);
        writeFileSync(file, changed);
      }
      return true;
    },
    restore,
    run: async (spec, grep, bail) => {
      const report = join(folder, 'report.json');
      rmSync(report, { force: true });
      await mocha(folder, ['--spec', spec, '--grep', grep, '--reporter', 'json', '--reporter-option', `output=${report}`, ...(bail ? ['--bail'] : [])]); // prettier-ignore
      return existsSync(report) ? resultsIn(readFileSync(report, 'utf8')) : undefined;
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function mocha(folder: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    // Mocha's own program would start a second process for the loader.
    const program = JSON.stringify(pathToFileURL(join(folder, 'node_modules/mocha/lib/cli/cli.js')).href);
    const options = JSON.stringify(['--no-config', '--timeout', '60000', '--exit', ...args]);
    const child = spawn(process.execPath, ['--import', 'tsx', '-e', `import(${program}).then(({ main }) => main(${options}))`], {
      cwd: folder,
      stdio: 'ignore',
      timeout: longestMs,
      killSignal: 'SIGKILL',
    });
    child.once('error', reject);
    child.once('close', () => {
      resolve();
    });
  });
}

interface Reported {
  readonly fullTitle: string;
  readonly err: { readonly code?: string; readonly name?: string };
}

function resultsIn(report: string): TestResult[] {
  const { passes, failures } = JSON.parse(report) as { readonly passes: readonly Reported[]; readonly failures: readonly Reported[] };
  return [
    ...passes.map(({ fullTitle }) => ({ title: fullTitle, passed: true, why: '' })),
    ...failures.map(({ fullTitle, err }) => ({ title: fullTitle, passed: false, why: err.code ?? err.name ?? 'error' })),
  ];
}
