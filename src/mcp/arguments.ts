import { parseArgs } from 'node:util';
import type { EngineOptions } from '../engine';

const usage = 'Start it with --store FILE --root FOLDER [--keys FILE] [--name NAME].';

export interface ServerOptions extends EngineOptions {
  /** What the server calls itself to clients, which name its tools after it. */
  readonly name: string;
}

/** Clients make identifiers of it. */
const namePattern = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** The command line as options, or one sentence about what is wrong with it. */
export function readArguments(args: readonly string[]): ServerOptions | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: { store: { type: 'string' }, root: { type: 'string' }, keys: { type: 'string' }, name: { type: 'string', default: 'stet' } },
    });
    const { store, root, keys, name } = values;
    if (!store) return { wrong: `--store FILE is missing. ${usage}` };
    if (!root) return { wrong: `--root FOLDER is missing. ${usage}` };
    if (keys === '') return { wrong: `--keys names no file. ${usage}` };
    if (!namePattern.test(name)) return { wrong: `--name takes small letters, digits and hyphens. ${usage}` };
    return { storeFile: store, root, keysFile: keys, name };
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/, 1);
    return { wrong: `${sentence ?? ''}. ${usage}` };
  }
}
