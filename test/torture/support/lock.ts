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
    const { code } = error as { code?: string };
    // Whoever was stopped while it made or recovered the journal keeps all others out of it, and is in no transaction yet.
    if (code === 'SQLITE_PROTOCOL') return false;
    if (code !== 'SQLITE_BUSY') throw error;
    return true;
  } finally {
    await shell.close();
  }
}
