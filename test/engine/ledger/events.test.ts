/** The event of each act is written in the transaction that does it: what cannot be recorded is not done. */
import assert from 'node:assert/strict';
import { sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { aBench, aProposal, type Bench } from '../../support/store';

describe('an act and its event', () => {
  let bench: Bench;
  let shell: SqlShell;
  beforeEach(async () => {
    let now = new Date('2026-01-01T00:00:00Z');
    bench = await aBench(undefined, { now: () => (now = new Date(now.getTime() + 1_000)) });
    shell = await sqlShell(bench.storeFile);
  });
  afterEach(async () => {
    await shell.close();
    await bench.close();
  });

  const evidence = [{ kind: 'issue' as const, ref: '#1' }];
  const propose = async (statement?: string) => (await bench.agent.propose(aProposal(statement === undefined ? {} : { statement }))).id;
  const save = async (statement = 'It has two lanes.') =>
    (await bench.person.save({ kind: 'fact', title: 'Bridge', statement }, 'test', bench.key)).id;
  /** Each act, and what has to be there before it: made by other acts, the last of them on another memory. */
  const acts: Readonly<Record<string, { before: () => Promise<string>; act: (id: string) => Promise<unknown> }>> = {
    proposed: { before: () => save(), act: () => propose() },
    supported: { before: () => propose('The bridge is painted green.'), act: () => propose('the bridge is painted GREEN') },
    'decided, on a memory that is there': {
      before: async () => {
        const id = await propose();
        await propose();
        return id;
      },
      act: (id) => bench.decide('approve', id),
    },
    'decided, by saving': { before: () => propose(), act: () => save() },
    challenged: {
      before: async () => {
        const id = await save();
        await propose();
        return id;
      },
      act: (id) => bench.agent.contest({ id, reason: 'it has one', evidence }),
    },
    expired: {
      before: async () => {
        const id = await propose();
        await save();
        return id;
      },
      act: async (id) => {
        assert.deepEqual(await bench.person.expireWaiting(-1), [id]);
      },
    },
    ruled: { before: () => propose(), act: () => bench.person.pause(true, bench.key) },
  };

  /** Everything that memory is, row by row. */
  const rows = async () => {
    const tables = ['memories', 'statuses', 'challenges', 'rulings', 'tombstones', 'receipts', 'served_index', 'waiting_index', 'events'];
    return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await shell.all(`SELECT * FROM ${table}`)] as const)));
  };

  for (const [what, { before, act }] of Object.entries(acts))
    it(`are there together or not at all: ${what}`, async () => {
      const id = await before();
      const present = await rows();
      await shell.run("CREATE TRIGGER closed BEFORE INSERT ON events BEGIN SELECT RAISE (ABORT, 'closed'); END");
      const outcome = await act(id).then(
        () => 'done',
        () => 'refused',
      );
      assert.deepEqual([outcome, await rows()], ['refused', present]);

      await shell.run('DROP TRIGGER closed');
      await act(id);
      const [newest] = await bench.person.audit({ limit: 1 });
      const type = what.split(',')[0];
      assert.equal(type === 'decided' ? (newest?.who ?? '') : newest?.what, type === 'decided' ? bench.key.keyId : type);
      assert.equal((await bench.engine.verify()).is, 'intact');
    });

  it('are the record of a refusal too, which is refused whether it can be recorded or not', async () => {
    const id = await propose('The bridge is painted green.');
    await bench.decide('reject', id);
    const restate = () => bench.agent.propose(aProposal({ statement: 'The bridge is painted green' }));
    await assert.rejects(restate(), { code: 'rejected_before' });
    const [newest] = await bench.person.audit({ limit: 1 });
    assert.deepEqual([newest?.what, newest?.memory, newest?.detail], ['refused', id, 'propose: rejected_before']);
    await shell.run("CREATE TRIGGER closed BEFORE INSERT ON events BEGIN SELECT RAISE (ABORT, 'closed'); END");
    await assert.rejects(restate(), { code: 'rejected_before' });
  });
});
