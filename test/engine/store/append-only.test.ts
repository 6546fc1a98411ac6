/** What the schema itself keeps: a statement that would change or delete it fails, whoever runs it. */
import assert from 'node:assert/strict';
import { sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { aBench, aProposal, type Bench } from '../../support/store';

describe('the schema', () => {
  let bench: Bench;
  let shell: SqlShell;
  before(async () => {
    bench = await aBench();
    await bench.stand({ anchors: [{ folder: 'src' }] });
    const { id } = await bench.agent.propose(aProposal());
    await bench.decide('reject', id);
    shell = await sqlShell(bench.storeFile);
  });
  after(async () => {
    await shell.close();
    await bench.close();
  });

  /** By the trigger that keeps it: a statement that it refuses, and why. */
  const kept: Readonly<Record<string, readonly [sql: string, says: RegExp]>> = {
    memories_immutable: ["UPDATE memories SET statement = 'another'", /content is immutable/],
    memories_kept: ['DELETE FROM memories', /memories are kept/],
    anchors_immutable: ["UPDATE anchors SET path = 'elsewhere'", /content is immutable/],
    evidence_immutable: ["UPDATE evidence SET pointer = '{}'", /content is immutable/],
    events_immutable: ["UPDATE events SET body = '{}'", /append-only/],
    events_kept: ['DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)', /append-only/],
    tombstones_kept: ['DELETE FROM tombstones', /tombstones are kept/],
    tombstones_immutable: ["UPDATE tombstones SET scope = 'path:elsewhere/'", /lifted, never changed/],
  };

  for (const [trigger, [sql, says]] of Object.entries(kept))
    it(`refuses what ${trigger} is there for`, async () => {
      await shell.run('PRAGMA foreign_keys = OFF'); // so that it is the trigger that refuses
      await shell.run('BEGIN');
      const refusal = await shell.run(sql).then(
        () => 'done',
        (error: unknown) => String(error),
      );
      await shell.run('ROLLBACK');
      assert.match(refusal, says);
    });

  it('has a statement here for each of its triggers', async () => {
    const triggers = await shell.all("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name");
    assert.deepEqual(
      triggers.map(({ name }) => name),
      Object.keys(kept).sort(),
    );
  });

  it('lets a tombstone be lifted once', async () => {
    await shell.run('UPDATE tombstones SET lifted = (SELECT max(seq) FROM events)');
    await assert.rejects(shell.run('UPDATE tombstones SET lifted = NULL'), /lifted, never changed/);
  });
});
