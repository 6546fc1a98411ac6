import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { sqlShell } from '../mcp/support/sql-shell';
import { aBench, aProposal, codeOf } from '../support/store';

/** Makes the shared index of the journal look as it does while a process is making it. Elsewhere, since closing the file here would free this process's locks. */
const spoil = `const { openSync, writeSync } = require('node:fs'); writeSync(openSync(process.argv[1], 'r+'), Buffer.alloc(96, 1), 0, 96, 0);`;

describe('a journal that another process does not finish making', function () {
  this.timeout(60_000); // SQLite tries for ten seconds

  it('is a store that is busy, and one that is read again once the other has let go', async () => {
    const bench = await aBench();
    const shell = await sqlShell(bench.storeFile);
    try {
      const id = await bench.stand({});
      await shell.run('BEGIN IMMEDIATE');
      assert.equal(spawnSync(process.execPath, ['-e', spoil, `${bench.storeFile}-shm`]).status, 0);
      assert.equal(await bench.person.one(id).then(() => 'read', codeOf), 'store_busy');
      await shell.run('ROLLBACK');
      assert.equal((await bench.person.one(id))?.state, 'active');
      await bench.agent.propose(aProposal());
      assert.equal((await bench.engine.verify()).is, 'intact');
    } finally {
      await shell.close();
      await bench.close();
    }
  });
});
