/** A look at the bytes that lie below a folder. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/** 32 characters that are one word to an index, and nowhere else. */
export const aCanary = (): string => crypto.randomUUID().replaceAll('-', '');

/** The files anywhere below the folder whose bytes hold the text, by their path from it. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(text))
    .map((name) => name.split(sep).join('/'))
    .sort();
}
