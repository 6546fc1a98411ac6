import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { asMain, editorFolder } from '../project';
import { run } from '../run';

/** A Chromium that can be started, and what its process needs in its environment. */
export interface Browser {
  readonly executable: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The browser that shows the test editor: the one that STET_BROWSER names, else an installed Chromium, Chrome or Edge,
 * else the one inside the npm package @sparticuz/chromium, with the libraries and fonts it brings for a bare machine.
 */
export async function findBrowser(): Promise<Browser> {
  return named() ?? installed() ?? (await packaged());
}

function named(): Browser | undefined {
  const executable = process.env['STET_BROWSER'];
  if (!executable) return undefined;
  if (!runs(executable))
    throw new Error(`STET_BROWSER is ${executable}, which does not run. Give the path of a Chromium, Chrome or Edge, or unset it.`);
  return { executable, env: {} };
}

function installed(): Browser | undefined {
  const executable = usualPlaces().find((path) => existsSync(path) && runs(path));
  return executable ? { executable, env: {} } : undefined;
}

function usualPlaces(): string[] {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);
  }
  const names = ['chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser', 'microsoft-edge-stable', 'microsoft-edge'];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  // A browser in a snap cannot use profiles in the temporary folder.
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).filter((path) => !path.startsWith('/snap/'));
}

function runs(executable: string): boolean {
  try {
    accessSync(executable, constants.X_OK);
  } catch {
    return false;
  }
  return spawnSync(executable, ['--version'], { timeout: 15_000, stdio: 'ignore' }).status === 0;
}

async function packaged(): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('No browser was found. Install Chrome, Chromium or Edge, or set STET_BROWSER to the path of one.');
  }
  const home = await unpack();
  const executable = join(home, 'chromium');
  const env = { ...fontsFrom(home), ...librariesFrom(home, executable) };
  return { executable, env };
}

/** Unpacks the package's browser into the editor folder, once, and whole or not at all. */
async function unpack(): Promise<string> {
  const require = createRequire(import.meta.url);
  const packageFolder = join(require.resolve('@sparticuz/chromium'), '../../..');
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const home = join(editorFolder, `browser-${version}`);
  if (existsSync(join(home, 'chromium'))) return home;

  const partial = `${home}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    // The package unpacks into the temporary folder, and adds its libraries only where it sees this variable.
    const script = `require(${JSON.stringify(packageFolder)}).executablePath().catch((e) => { console.error(e); process.exit(1); })`;
    await run(process.execPath, ['-e', script], {
      env: { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
      timeoutMs: 120_000,
    });
    await writeFile(join(partial, 'fonts/fonts.conf'), fontSettings);
    await rename(partial, home).catch((error: unknown) => {
      if (!existsSync(join(home, 'chromium'))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return home;
}

// The package's own file names folders of the platform it was made for.
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`;

function librariesFrom(home: string, executable: string): Record<string, string> {
  if (missingLibraries(executable, {}).length === 0) return {};
  const env = { LD_LIBRARY_PATH: [join(home, 'al2023/lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':') };
  const stillMissing = missingLibraries(executable, env);
  if (stillMissing.length === 0) return env;
  throw new Error(
    `The browser from npm cannot start: ${stillMissing.join(', ')} not found.\n` +
      `Install a browser ("apt-get install -y chromium" on Debian), or set STET_BROWSER to the path of one.`,
  );
}

function missingLibraries(executable: string, env: Record<string, string>): string[] {
  const listing = spawnSync('ldd', [executable], { env: { ...process.env, ...env }, encoding: 'utf8' });
  if (listing.error) return []; // Without ldd nobody knows; starting it will tell.
  return [...listing.stdout.matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1]!);
}

/** A machine without any font would show empty boxes; the package brings one family. */
function fontsFrom(home: string): Record<string, string> {
  const has =
    existsSync('/usr/share/fonts') &&
    spawnSync('find', ['/usr/share/fonts', '-name', '*.ttf', '-print', '-quit'], { encoding: 'utf8' }).stdout;
  return has ? {} : { FONTCONFIG_PATH: join(home, 'fonts') };
}

asMain(import.meta.url, async () => {
  console.log((await findBrowser()).executable);
});
