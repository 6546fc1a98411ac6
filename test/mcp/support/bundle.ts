/** The server as it ships, built once for all tests of a run and removed with it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../../scripts/build';

let built: Promise<string> | undefined;

/** @returns the path of `mcp.js`. */
export const serverFile = (): Promise<string> => (built ??= builtServer());

async function builtServer(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'stet-test-dist-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  await build({ dev: false, to: folder });
  return join(folder, 'mcp.js');
}
