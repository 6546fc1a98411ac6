import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join, resolve } from 'node:path';

/** The checkout's top folder, whatever folder a script was started from. */
export const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)));

/** A path inside the checkout. */
export const inProject = (...parts: string[]): string => join(projectFolder, ...parts);

/**
 * Where the downloaded test editor and browser live. Git ignores it.
 * STET_EDITOR_DIR shares one folder between several checkouts.
 */
export const editorFolder = resolve(process.env['STET_EDITOR_DIR'] ?? inProject('.editor'));

/**
 * Runs `work` when `module` (its `import.meta.url`) is the file that Node was started with.
 * A failure is shown as its message alone, and as exit code 1.
 */
export function asMain(module: string, work: () => Promise<void>): void {
  if (process.argv[1] === undefined || fileURLToPath(module) !== realpathSync(process.argv[1])) return;
  work().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
