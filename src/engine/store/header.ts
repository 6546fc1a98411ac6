/** What SQLite's header says of a file: whose it is, and how far its schema has come. */
import type { Statements } from './database';

/** `Stet` in ASCII: marks the file as Stet's, in SQLite's header. */
export const applicationId = 0x53746574;

/** @returns the number of migration steps the store has, 0 for an empty database; `foreign` for one of another program. */
export async function schemaOf(read: Pick<Statements, 'get'>): Promise<number | 'foreign'> {
  // One statement, so one moment: a store that another process is making is seen before or after, not in between.
  const found = await read.get(
    `SELECT a.application_id AS identity, u.user_version AS version, (SELECT count(*) FROM sqlite_schema) AS tables
     FROM pragma_application_id a, pragma_user_version u`,
  );
  const [identity, version, tables] = [Number(found?.['identity']), Number(found?.['version']), Number(found?.['tables'])];
  return identity !== applicationId && (identity !== 0 || version !== 0 || tables > 0) ? 'foreign' : version;
}
