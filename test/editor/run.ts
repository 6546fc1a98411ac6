import { createVSIX } from '@vscode/vsce';
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDesktop } from '../../scripts/editor/desktop';
import { findEditor } from '../../scripts/editor/find-editor';
import { madePackage, makePackage } from '../../scripts/package';
import { asMain, inProject, projectFolder } from '../../scripts/project';
import { ordersVariable, resultsVariable, type Orders } from './driver/orders';
import { openEditor, quietSettings, until } from './harness/index';
import { signalGroup } from './harness/process-group';
import { quietly } from './harness/quietly';
import { noTotals, ResultsReader, type Totals } from './results';

const usage = `Runs the tests in a real VS Code.
  --no-build      use the package that is in out/ already
  --suites-only   only test/editor/suites: inside the extension host
  --pages-only    only test/editor/pages: mocha in Node, driving the window
  --grep TEXT     only tests whose full title holds TEXT
  --vsix FILE     test this package instead of Stet's own
  --desktop       run the suites in a desktop VS Code (needs a display and an installed or downloadable VS Code)`;

const suitesTimeoutMs = 10 * 60_000;
const testTimeoutMs = 60_000;

interface Wishes {
  build: boolean;
  suites: boolean;
  pages: boolean;
  desktop: boolean;
  grep: string | undefined;
  vsix: string | undefined;
}

async function runEditorTests(wishes: Wishes): Promise<Totals> {
  const vsix = wishes.vsix ?? (wishes.build ? await makePackage() : madePackage());
  const scratch = await mkdtemp(join(existsSync('/tmp') ? '/tmp' : tmpdir(), 'stet-run-'));
  const totals = noTotals();
  try {
    if (wishes.suites) await runSuites(vsix, scratch, wishes, totals);
    if (wishes.pages) await runPages(vsix, scratch, wishes, totals);
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
  return totals;
}

/** The suites run inside the extension host, started there by the driver extension. */
async function runSuites(vsix: string, scratch: string, wishes: Wishes, totals: Totals): Promise<void> {
  const files = await testsIn('suites');
  if (files.length === 0) return;
  const orders: Orders = {
    mocha: inProject('node_modules/mocha/lib/mocha.cjs'),
    suites: await bundleSuites(files),
    results: join(scratch, 'suites.jsonl'),
    grep: wishes.grep,
    timeoutMs: testTimeoutMs,
  };
  const ordersFile = join(scratch, 'orders.json');
  await writeFile(ordersFile, JSON.stringify(orders));
  const setup = { folder: await workspaceIn(scratch), vsix: [vsix, await packDriver()], env: { [ordersVariable]: ordersFile } };
  const results = new ResultsReader(orders.results, totals);
  console.log(`\nIn the extension host (${files.length} files)`);
  await (wishes.desktop ? inDesktop(setup, scratch, results) : inServedEditor(setup, results));
}

interface Setup {
  readonly folder: string;
  readonly vsix: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function inServedEditor(setup: Setup, results: ResultsReader): Promise<void> {
  const editor = await openEditor(setup);
  try {
    await finished(results);
  } catch (error) {
    for (const { path, text } of await editor.logs()) console.error(`--- ${path}\n${text.split('\n').slice(-40).join('\n')}`);
    await editor.screenshot(inProject('out/suites-stuck.png'));
    throw error;
  } finally {
    await editor.close();
  }
}

// Written for machines with a display; the ones that build this project have none, so nothing runs it there.
async function inDesktop(setup: Setup, scratch: string, results: ResultsReader): Promise<void> {
  const found = await findEditor();
  if (found.kind === 'served') throw new Error(`${found.because} Run the tests without --desktop.`);
  const child = await openDesktop(found, {
    ...setup,
    userDataDir: join(scratch, 'u'),
    extensionsDir: join(scratch, 'x'),
    settings: quietSettings('dark'),
    args: ['--disable-workspace-trust', '--skip-welcome', '--skip-release-notes', '--disable-updates'],
  });
  try {
    await finished(results);
  } finally {
    if (child.pid) signalGroup(child.pid, 'SIGTERM');
  }
}

const finished = (results: ResultsReader): Promise<boolean> =>
  until(
    'the suites to end',
    () => {
      results.readOn();
      return results.ended;
    },
    { timeoutMs: suitesTimeoutMs },
  );

async function bundleSuites(files: readonly string[]): Promise<string> {
  const outfile = inProject('out/driver/suites.js');
  await build({
    stdin: { contents: files.map((file) => `import ${JSON.stringify(file)};`).join('\n'), resolveDir: projectFolder },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}

async function packDriver(): Promise<string> {
  const folder = inProject('out/driver/extension');
  const packagePath = inProject('out/driver/driver.vsix');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await copyFile(inProject('test/editor/driver/package.json'), join(folder, 'package.json'));
  await build({
    entryPoints: [inProject('test/editor/driver/extension.ts')],
    outfile: join(folder, 'extension.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    logLevel: 'warning',
  });
  await quietly(() => createVSIX({ cwd: folder, packagePath, dependencies: false, allowMissingRepository: true, skipLicense: true }));
  return packagePath;
}

/** The page tests run in plain Node; each opens an editor for itself with the package that STET_VSIX names. */
async function runPages(vsix: string, scratch: string, wishes: Wishes, totals: Totals): Promise<void> {
  const files = await testsIn('pages');
  if (files.length === 0) return;
  const file = join(scratch, 'pages.jsonl');
  const results = new ResultsReader(file, totals);
  console.log(`\nThrough the window (${files.length} files)`);
  const mocha = spawn(
    process.execPath,
    [
      ...['--import', 'tsx', inProject('node_modules/mocha/bin/mocha.js')],
      ...[
        '--reporter',
        inProject('test/editor/driver/line-reporter.ts'),
        '--timeout',
        String(2 * testTimeoutMs),
        '--exit',
        '--no-config',
        '--no-package',
      ],
      ...(wishes.grep ? ['--grep', wishes.grep] : []),
      ...files,
    ],
    { cwd: projectFolder, stdio: 'inherit', env: { ...process.env, STET_VSIX: vsix, [resultsVariable]: file } },
  );
  let exited = false;
  mocha.once('exit', () => (exited = true));
  await until(
    'the page tests to end',
    () => {
      const last = exited;
      results.readOn();
      return last;
    },
    { timeoutMs: 3 * suitesTimeoutMs },
  ).finally(() => mocha.kill());
  if (!results.ended) {
    totals.failed++;
    totals.failures.push({
      path: 'the page tests',
      problem: `Mocha ended with ${mocha.exitCode} before its tests did. What it printed is above.`,
    });
  }
}

async function testsIn(folder: string): Promise<string[]> {
  const path = inProject('test/editor', folder);
  if (!existsSync(path)) return [];
  return (await readdir(path))
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(path, name));
}

/** A copy of the folder that the tests work in, so that they may change it. */
async function workspaceIn(scratch: string): Promise<string> {
  const folder = join(scratch, 'workspace');
  const template = inProject('test/editor/workspace');
  await mkdir(folder, { recursive: true });
  if (existsSync(template)) await cp(template, folder, { recursive: true });
  return folder;
}

function conclude(totals: Totals): void {
  totals.failures.forEach(({ path, problem }, index) => {
    console.log(`\n${index + 1}) ${path}\n${problem.replace(/^/gm, '   ')}`);
  });
  console.log(`\n${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`);
  if (totals.failed > 0) process.exitCode = 1;
  if (totals.passed + totals.failed === 0) throw new Error('No test was run.');
}

function wishesFrom(args: readonly string[]): Wishes {
  const valueOf = (flag: string): string | undefined => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
  return {
    build: !args.includes('--no-build'),
    suites: !args.includes('--pages-only'),
    pages: !args.includes('--suites-only'),
    desktop: args.includes('--desktop'),
    grep: valueOf('--grep'),
    vsix: valueOf('--vsix'),
  };
}

asMain(import.meta.url, async () => {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(usage);
    return;
  }
  conclude(await runEditorTests(wishesFrom(args)));
});
