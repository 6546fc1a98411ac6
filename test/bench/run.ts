/**
 * `npm run bench`: what the budgets of Stet's design are measured by. Prints a table, and ends with one line and a non-zero code when
 * anything is over. Everything is measured on the built, packaged thing: the server as a process, the extension in a real editor.
 * `npm run bench -- --full` measures 100,000 memories and a simulated month of heavy use besides. The stores are grown once and kept
 * in `out/bench/`.
 */
import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePackage } from '../../scripts/package';
import { openEditor, until } from '../editor/harness';
import { measureForgetting, measureStore } from './at-size';
import { report, type Figure } from './figures';
import { grownStore, type Grown } from './grown';
import type { Files } from './ledger';
import { heavyMonth } from './month';

const isFull = process.argv.includes('--full');

async function main(): Promise<void> {
  const vsix = await makePackage();
  const figures: Figure[] = [{ what: 'VSIX', figure: statSync(vsix).size / 2 ** 20, unit: 'MB', budget: 12 }];
  for (const size of [1_000, 10_000] as const)
    await onCopy(await grownStore(size), async (grown) => figures.push(...(await measureStore(grown, size))));
  const { root } = (await grownStore(10_000)).files;
  if (isFull) {
    const grown = await grownStore(100_000);
    await onCopy(grown, async (copy) => figures.push(...(await measureStore(copy, 100_000)), ...(await measureForgetting(copy))));
    await onCopy(grown, async ({ files, signer }) => figures.push(...(await heavyMonth(files, signer))));
  }
  figures.push(await measureActivation(vsix, root));
  report(figures);
}

/** Works on a copy of a grown store, which is measured by writing to it. */
async function onCopy(grown: Grown, work: (copy: Grown) => Promise<unknown>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'stet-bench-'));
  const files: Files = { ...grown.files, store: join(folder, 'store', 'memory.db'), keys: join(folder, 'keys.json') };
  try {
    cpSync(grown.files.store, files.store);
    cpSync(grown.files.keys, files.keys);
    cpSync(join(grown.files.keys, '..', 'heads'), join(folder, 'heads'), { recursive: true });
    await work({ ...grown, files });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the editor itself measured of the extension's activation, at its second start; the first one also fills caches. */
async function measureActivation(vsix: string, folder: string): Promise<Figure> {
  process.stderr.write('starting the editor\n');
  const editor = await openEditor({ folder, vsix: [vsix] });
  try {
    await editor.openContainer('Stet');
    await editor.restart();
    await editor.openContainer('Stet');
    await editor.runCommand('Developer: Show Running Extensions');
    const row = editor.page.locator('.runtime-extensions-editor .monaco-list-row').filter({ hasText: /^\s*Stet/ });
    const text = await until(
      'the editor to say how long the activation took',
      async () => /ctivation: (\d+)ms/.exec(await row.first().innerText())?.[1],
    );
    return {
      what: 'activation in the editor',
      figure: Number(text),
      unit: 'ms',
      budget: 100,
      note: 'as its own list of running extensions says',
    };
  } finally {
    await editor.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
