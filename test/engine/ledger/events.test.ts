/** The event of each act is written in the transaction that does it: what cannot be recorded is not done. */
import assert from 'node:assert/strict';
import { sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { aBench, aProposal, type Bench } from '../../support/store';

describe('an act and its event', () => {
  let bench: Bench;
  let shell: SqlShell;
  let [standing, pending] = ['', ''];
  beforeEach(async () => {
    let now = new Date('2026-01-01T00:00:00Z');
    bench = await aBench(undefined, { now: () => (now = new Date(now.getTime() + 1_000)) });
    shell = await sqlShell(bench.storeFile);
    standing = await bench.stand({ statement: 'The bridge opens at noon.' });
    ({ id: pending } = await bench.agent.propose(aProposal({ statement: 'The bridge is painted green.' })));
    await bench.person.setSlot('bridge', 'colour', 'one', bench.key); // the last event is about none of them
  });
  afterEach(async () => {
    await shell.close();
    await bench.close();
  });

  const evidence = [{ kind: 'issue' as const, ref: '#1' }];
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    proposed: () => bench.agent.propose(aProposal()),
    supported: () => bench.agent.propose(aProposal({ statement: 'the bridge is painted GREEN' })),
    'decided, on a memory that is there': () => bench.decide('approve', pending),
    'decided, by saving': () => bench.person.save({ kind: 'fact', title: 'Bridge', statement: 'It has two lanes.' }, 'test', bench.key),
    challenged: () => bench.agent.contest({ id: standing, reason: 'it opened at one', evidence }),
    expired: async () => {
      const lapsed = await bench.person.expireWaiting(-1);
      assert.deepEqual(lapsed, [pending]);
    },
    ruled: () => bench.person.pause(true, bench.key),
  };

  /** Everything that memory is, row by row. */
  const rows = async () => {
    const tables = ['memories', 'statuses', 'challenges', 'rulings', 'tombstones', 'receipts', 'served_index', 'waiting_index', 'events'];
    return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await shell.all(`SELECT * FROM ${table}`)] as const)));
  };

  for (const [what, act] of Object.entries(acts))
    it(`are there together or not at all: ${what}`, async () => {
      const before = await rows();
      await shell.run("CREATE TRIGGER closed BEFORE INSERT ON events BEGIN SELECT RAISE (ABORT, 'closed'); END");
      const outcome = await act().then(
        () => 'done',
        () => 'refused',
      );
      assert.deepEqual([outcome, await rows()], ['refused', before]);

      await shell.run('DROP TRIGGER closed');
      await act();
      const [newest] = await bench.person.audit({ limit: 1 });
      const type = what.split(',')[0];
      assert.equal(type === 'decided' ? (newest?.who ?? '') : newest?.what, type === 'decided' ? bench.key.keyId : type);
      assert.equal((await bench.engine.verify()).is, 'intact');
    });

  it('are the record of a refusal too, which is refused whether it can be recorded or not', async () => {
    await bench.decide('reject', pending);
    const restate = () => bench.agent.propose(aProposal({ statement: 'The bridge is painted green' }));
    await assert.rejects(restate(), { code: 'rejected_before' });
    const [newest] = await bench.person.audit({ limit: 1 });
    assert.deepEqual([newest?.what, newest?.memory, newest?.detail], ['refused', pending, 'propose: rejected_before']);
    await shell.run("CREATE TRIGGER closed BEFORE INSERT ON events BEGIN SELECT RAISE (ABORT, 'closed'); END");
    await assert.rejects(restate(), { code: 'rejected_before' });
  });
});
