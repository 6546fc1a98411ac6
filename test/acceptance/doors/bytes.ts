/** What lies on the disk: the bytes of every file that belongs to a store, and each table and index asked by its own method. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { World } from '../world';

/** The files of the store's folder, backups and set-aside stores among them, and of the folder of temporary files, that hold the words. */
export function filesHolding(world: World, token: string): string[] {
  return [...filesOf(world), ...temporaryFiles()].filter((file) => holds(file, token));
}

/** The files of a store: database, journal, shared memory, backups, what was set aside, and the pinned keys with the signed heads. */
export const filesOf = (world: World): string[] => [
  ...filesBelow(world.folder),
  world.keysFile,
  ...filesBelow(join(dirname(world.keysFile), 'heads')),
];

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/** Plain files of the temporary folder that SQLite or Stet could have left there. */
function temporaryFiles(): string[] {
  return readdirSync(tmpdir())
    .filter((name) => /etilqs|sqlite|\.db|memory/i.test(name))
    .map((name) => join(tmpdir(), name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/** In the encodings that SQLite could keep it in. */
function holds(file: string, token: string): boolean {
  try {
    const bytes = readFileSync(file);
    return (['utf8', 'utf16le'] as const).some((encoding) => bytes.includes(Buffer.from(token, encoding)));
  } catch {
    return false; // not there, or gone meanwhile
  }
}

/** Tables whose rows hold the words in any column, and full-text indexes that find them: enumerated from the file's own schema. */
export async function tablesHolding(world: World, token: string): Promise<string[]> {
  return world.sql(async (shell) => {
    const tables = await shell.all("SELECT name, sql FROM sqlite_schema WHERE type = 'table'");
    const found: string[] = [];
    for (const table of tables) {
      const name = String(table['name']);
      if (/USING fts5/i.test(String(table['sql']))) {
        const [hit] = await shell.all(`SELECT count(*) AS n FROM "${name}" WHERE "${name}" MATCH ?`, `"${token}"`);
        if (Number(hit?.['n']) > 0) found.push(`${name} by its index`);
      }
      const columns = await shell.all(`SELECT name FROM pragma_table_info(?)`, name);
      const any = columns.map((column) => `instr(CAST("${String(column['name'])}" AS TEXT), ?) > 0`).join(' OR ');
      const [row] = await shell.all(`SELECT count(*) AS n FROM "${name}" WHERE ${any}`, ...columns.map(() => token));
      if (Number(row?.['n']) > 0) found.push(name);
    }
    return found;
  });
}
