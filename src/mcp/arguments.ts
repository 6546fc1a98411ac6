import { parseArgs } from 'node:util';
import type { EngineOptions } from '../engine';

const usage = 'Start it with --store FILE --root FOLDER [--keys FILE].';

/** The command line as options, or one sentence about what is wrong with it. */
export function readArguments(args: readonly string[]): EngineOptions | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: { store: { type: 'string' }, root: { type: 'string' }, keys: { type: 'string' } },
    });
    const { store, root, keys } = values;
    if (!store) return { wrong: `--store FILE is missing. ${usage}` };
    if (!root) return { wrong: `--root FOLDER is missing. ${usage}` };
    if (keys === '') return { wrong: `--keys names no file. ${usage}` };
    return { storeFile: store, root, keysFile: keys };
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/, 1);
    return { wrong: `${sentence ?? ''}. ${usage}` };
  }
}
