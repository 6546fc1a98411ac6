/** The store's file as any other program of this user sees it. */
import sqlite from '@vscode/sqlite3';

export interface SqlShell {
  all(sql: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]>;
  run(sql: string, ...values: readonly unknown[]): Promise<void>;
  close(): Promise<void>;
}

export async function sqlShell(file: string): Promise<SqlShell> {
  const database = await new Promise<sqlite.Database>((resolve, reject) => {
    const opened: sqlite.Database = new sqlite.Database(file, (error) => {
      if (error) reject(error);
      else resolve(opened);
    });
  });
  database.configure('busyTimeout', 5_000);
  return {
    all: (sql, ...values) =>
      new Promise((resolve, reject) => {
        database.all(sql, values, (error: Error | null, rows: Record<string, unknown>[]) => {
          if (error) reject(error);
          else resolve(rows);
        });
      }),
    run: (sql, ...values) =>
      new Promise((resolve, reject) => {
        database.run(sql, values, (error: Error | null) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    close: () =>
      new Promise((resolve, reject) => {
        database.close((error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
  };
}

/** How many rows each table has. */
export async function rowCounts(shell: SqlShell): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await shell.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")) {
    const [row] = await shell.all(`SELECT count(*) AS n FROM "${String(name)}"`);
    counts[String(name)] = Number(row?.['n']);
  }
  return counts;
}

/** Removes the triggers that keep rows as they are, as somebody would who means to change them. */
export async function dropTriggers(shell: SqlShell): Promise<void> {
  for (const { name } of await shell.all("SELECT name FROM sqlite_schema WHERE type = 'trigger'"))
    await shell.run(`DROP TRIGGER "${String(name)}"`);
}
