/** Whether somebody is inside a write transaction on a store, asked from outside. */
import { existsSync } from 'node:fs';
import { sqlShell } from '../../mcp/support/sql-shell';

/** Tries to begin a transaction of its own, and does not wait. */
export async function lockIsHeld(storeFile: string): Promise<boolean> {
  if (!existsSync(storeFile)) return false;
  const shell = await sqlShell(storeFile);
  try {
    await shell.run('PRAGMA busy_timeout=0');
    await shell.run('BEGIN IMMEDIATE');
    await shell.run('ROLLBACK');
    return false;
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    return true;
  } finally {
    await shell.close();
  }
}
