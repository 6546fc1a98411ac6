/** A look at the bytes that lie below a folder. */
import { execFileSync } from 'node:child_process';
import { sep } from 'node:path';

/** 32 characters that are one word to an index, and nowhere else. */
export const aCanary = (): string => crypto.randomUUID().replaceAll('-', '');

const look = `
const { readdirSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');
const [folder, text] = process.argv.slice(1);
const holds = (name) => {
  try {
    return statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(text);
  } catch {
    return false; // removed meanwhile
  }
};
process.stdout.write(JSON.stringify(readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(holds)));
`;

/**
 * The files anywhere below the folder whose bytes hold the text, by their path from it. Another process looks: to open and close a
 * file is to give up all locks that the own process has on it, and SQLite's with them.
 */
export function filesWith(folder: string, text: string): string[] {
  const names = JSON.parse(execFileSync(process.execPath, ['-e', look, folder, text], { encoding: 'utf8' })) as string[];
  return names.map((name) => name.split(sep).join('/')).sort();
}
