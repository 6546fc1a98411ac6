/** A look at the bytes that lie below a folder. */
import { execFileSync } from 'node:child_process';
import { sep } from 'node:path';

/** 32 characters that are one word to an index, and nowhere else. */
export const aCanary = (): string => crypto.randomUUID().replaceAll('-', '');

const look = `
const { readdirSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');
const [folder] = process.argv.slice(1);
const texts = JSON.parse(readFileSync(0, 'utf8'));
const found = texts.map(() => []);
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  try {
    if (!statSync(join(folder, name)).isFile()) continue;
    const bytes = readFileSync(join(folder, name));
    for (const [index, text] of texts.entries()) if (bytes.includes(text)) found[index].push(name);
  } catch {
    // removed meanwhile
  }
}
process.stdout.write(JSON.stringify(found));
`;

/**
 * The files anywhere below the folder whose bytes hold the text, by their path from it. Another process looks: to open and close a
 * file is to give up all locks that the own process has on it, and SQLite's with them.
 */
export const filesWith = (folder: string, text: string): string[] => filesWithEach(folder, [text])[0] ?? [];

/** The same for many texts at once, in their order. */
export function filesWithEach(folder: string, texts: readonly string[]): string[][] {
  const found = execFileSync(process.execPath, ['-e', look, folder], { input: JSON.stringify(texts), encoding: 'utf8' });
  return (JSON.parse(found) as string[][]).map((names) => names.map((name) => name.split(sep).join('/')).sort());
}
