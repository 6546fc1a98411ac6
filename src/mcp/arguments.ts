import { parseArgs } from 'node:util';
import type { EngineOptions } from '../engine';

const usage = 'Start it with --store FILE --root FOLDER [--user-store FILE] [--keys FILE] [--name NAME].';

/** What `--help` says. */
export const help = `Stet's memory for one agent, over stdin and stdout. ${usage}
  --store FILE       the memory of the folder; made when it is missing
  --root FOLDER      the folder the agent works in
  --user-store FILE  the memory of what holds everywhere, which is read beside it
  --keys FILE        the public keys of the persons whose decisions count; without it nothing is recalled
  --name NAME        what the server calls itself: small letters, digits and hyphens
`;

export interface ServerOptions extends EngineOptions {
  /** What the server calls itself to clients, which name its tools after it. */
  readonly name: string;
}

/** Clients make identifiers of it. */
const namePattern = /^[a-z0-9][a-z0-9-]{0,63}$/;

const options = {
  store: { type: 'string' },
  root: { type: 'string' },
  'user-store': { type: 'string' },
  keys: { type: 'string' },
  name: { type: 'string', default: 'stet' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The command line as options, `help`, or one sentence about what is wrong with it. */
export function readArguments(args: readonly string[]): ServerOptions | 'help' | { readonly wrong: string } {
  try {
    const { values } = parseArgs({ args: [...args], strict: true, allowPositionals: false, options });
    const { store, root, keys, name, 'user-store': userStore } = values;
    if (values.help === true) return 'help';
    if (!store) return { wrong: `--store FILE is missing. ${usage}` };
    if (!root) return { wrong: `--root FOLDER is missing. ${usage}` };
    if (userStore === '') return { wrong: `--user-store names no file. ${usage}` };
    if (keys === '') return { wrong: `--keys names no file. ${usage}` };
    if (!namePattern.test(name)) return { wrong: `--name takes small letters, digits and hyphens. ${usage}` };
    return { storeFile: store, root, keysFile: keys, name, ...(userStore !== undefined && { userStoreFile: userStore }) };
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/, 1);
    return { wrong: `${sentence ?? ''}. ${usage}` };
  }
}
