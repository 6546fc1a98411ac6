/** Every byte that lies in a folder. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const filesIn = (folder: string): { readonly name: string; readonly bytes: Buffer }[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
