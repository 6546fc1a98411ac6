import { context, build as bundle, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { asMain, inProject, projectFolder } from './project';

/** Every program and page of the extension: its source, and what it becomes in `dist/`. */
const bundles = [
  { from: 'src/extension.ts', to: 'extension', runs: 'in Node' },
  { from: 'src/mcp/main.ts', to: 'mcp', runs: 'in Node' },
  { from: 'webview-ui/sidebar.ts', to: 'webview/sidebar', runs: 'in a page' },
  { from: 'webview-ui/page.ts', to: 'webview/page', runs: 'in a page' },
] as const;

export interface BuildSettings {
  /** Readable code with source maps, instead of small code without. */
  readonly dev: boolean;
  /** Where the sources are; another folder only when trying the build itself. */
  readonly from?: string;
  readonly to?: string;
}

/** Bundles everything into `dist/`, which then runs without node_modules. */
export async function build(settings: BuildSettings): Promise<void> {
  const dist = settings.to ?? inProject('dist');
  for (const { from } of bundles) requireSource(join(settings.from ?? projectFolder, from));
  await rm(dist, { recursive: true, force: true });
  await copyNative(dist);
  const built = await Promise.all(bundlings(settings, dist).map((options) => bundle({ ...options, metafile: true })));
  for (const { metafile } of built) requireLateDatabase(metafile);
}

/** Builds, and builds again on each change until the process ends. */
export async function watch(settings: BuildSettings): Promise<void> {
  await build(settings);
  for (const options of bundlings(settings, settings.to ?? inProject('dist'))) await (await context(options)).watch();
}

function requireSource(file: string): void {
  if (!existsSync(file)) throw new Error(`${file} is missing. Write it, or take it out of the table in scripts/build.ts.`);
}

function bundlings(settings: BuildSettings, dist: string): BuildOptions[] {
  return [
    { ...common(settings, dist, 'in Node'), ...inNode },
    { ...common(settings, dist, 'in a page'), ...inPage },
  ];
}

function common(settings: BuildSettings, dist: string, runs: (typeof bundles)[number]['runs']): BuildOptions {
  const wanted = bundles.filter((each) => each.runs === runs);
  return {
    entryPoints: wanted.map(({ from, to }) => ({ in: join(settings.from ?? projectFolder, from), out: to })),
    outdir: dist,
    absWorkingDir: projectFolder,
    bundle: true,
    minify: !settings.dev,
    sourcemap: settings.dev,
    legalComments: 'none',
    logLevel: 'warning',
  };
}

// Stack traces go to a log that people may be asked for, so names are kept.
const inNode: BuildOptions = {
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  keepNames: true,
  external: ['vscode'],
  plugins: [nativeDatabase()],
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
};

const inPage: BuildOptions = { platform: 'browser', format: 'iife', target: 'es2022' };

const nativeFile = 'native/vscode-sqlite3.node';

/** The database's binding is loaded from beside the bundle, since node_modules is not shipped. */
function nativeDatabase(): Plugin {
  return {
    name: 'native-database',
    setup(to) {
      to.onLoad({ filter: /@vscode[\\/]sqlite3[\\/]lib[\\/]sqlite3-binding\.js$/ }, () => ({
        contents: `module.exports = require("./${nativeFile}");`,
      }));
      to.onResolve({ filter: /^\.\/native\/.*\.node$/ }, ({ path }) => ({ path, external: true }));
    },
  };
}

/** Activation must not wait for the database's native part, so the extension may reach it through `import()` only. */
function requireLateDatabase({ inputs }: Metafile): void {
  const start = Object.keys(inputs).find((path) => path.endsWith('src/extension.ts'));
  const chain = start === undefined ? undefined : loadedAtOnce(inputs, [start]);
  if (chain)
    throw new Error(`The extension loads the database while it starts:\n  ${chain.join('\n  ')}\nPut an import() into this chain.`);
}

function loadedAtOnce(inputs: Metafile['inputs'], chain: readonly string[], seen = new Set<string>()): readonly string[] | undefined {
  const here = chain.at(-1)!;
  if (here.endsWith('sqlite3-binding.js')) return chain;
  if (seen.has(here)) return undefined;
  seen.add(here);
  const next = inputs[here]?.imports.filter(({ kind, external }) => kind !== 'dynamic-import' && !external) ?? [];
  return next.map(({ path }) => loadedAtOnce(inputs, [...chain, path], seen)).find((found) => found !== undefined);
}

async function copyNative(dist: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const built = join(require.resolve('@vscode/sqlite3/package.json'), '../build/Release/vscode-sqlite3.node');
  if (!existsSync(built)) {
    throw new Error(
      `The database's native part was not built (${built}).\nInstall a C++ compiler and Python 3, then run "npm rebuild @vscode/sqlite3".`,
    );
  }
  await mkdir(join(dist, 'native'), { recursive: true });
  await copyFile(built, join(dist, nativeFile));
}

asMain(import.meta.url, async () => {
  const settings = { dev: process.argv.includes('--dev') };
  if (process.argv.includes('--watch')) await watch(settings);
  else await build(settings);
});
