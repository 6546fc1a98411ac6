/** The rows of a store before and after, as any other program sees them. */
import { createHash } from 'node:crypto';
import type { SqlShell } from '../../mcp/support/sql-shell';

/** The hashes of all rows, by table. */
export type Rows = ReadonlyMap<string, ReadonlySet<string>>;

/** Every table there is, the full-text indexes as their text; how an index keeps it is left out. */
export async function rowsOf(shell: SqlShell): Promise<Rows> {
  const listed = await shell.all("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  const virtual = listed.filter(({ sql }) => /^CREATE VIRTUAL/i.test(String(sql))).map(({ name }) => String(name));
  const tables = listed.map(({ name }) => String(name)).filter((name) => !virtual.some((index) => name.startsWith(`${index}_`)));
  const rows = new Map<string, Set<string>>();
  for (const table of tables.filter((name) => !name.startsWith('sqlite_'))) {
    const columns = virtual.includes(table) ? 'rowid, *' : '*';
    const found = await shell.all(`SELECT ${columns} FROM "${table}"`);
    rows.set(table, new Set(found.map((row) => createHash('sha1').update(JSON.stringify(row)).digest('base64'))));
  }
  return rows;
}

/** The tables in which a row that was there is there no longer as it was. */
export const changedTables = (before: Rows, after: Rows): string[] =>
  [...before].filter(([table, rows]) => ![...rows].every((row) => after.get(table)?.has(row) === true)).map(([table]) => table);

/** How many rows each table has more; tables that did not grow are left out. */
export const growth = (before: Rows, after: Rows): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...after].map(([table, rows]) => [table, rows.size - (before.get(table)?.size ?? 0)] as const).filter(([, more]) => more !== 0),
  );
