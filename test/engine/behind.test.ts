/** A store that lacks what was signed as its newest event is closed to agents, whose own processes notice; its twin is open. */
import assert from 'node:assert/strict';
import { dropTriggers, sqlShell } from '../mcp/support/sql-shell';
import { aBench, aProposal, codeOf, type Bench } from '../support/store';

describe('a store behind its signed head', () => {
  let [cut, twin]: Bench[] = [];
  before(async () => {
    [cut, twin] = [await aBench(), await aBench()];
  });
  after(async () => {
    await cut?.close();
    await twin?.close();
  });

  it('is read and written by no agent once its newest events are cut off, and is while it is whole', async () => {
    assert.ok(cut !== undefined && twin !== undefined);
    const asked = async (bench: Bench, id: string) => [
      await bench.agent.search({ query: 'windmill' }).then(({ items }) => items.length, codeOf),
      await bench.agent.get({ id }).then(() => 'given', codeOf),
      await bench.agent.history({ id }).then(() => 'given', codeOf),
      await bench.agent.propose(aProposal()).then(() => 'taken', codeOf),
      await bench.agent.requestRetire({ id, reason: `it stands still, ${Math.random()}` }).then(() => 'taken', codeOf),
    ];
    const ids: string[] = [];
    for (const bench of [cut, twin]) {
      ids.push(await bench.stand({ statement: 'The windmill turns.' }));
      await bench.decide('retire', await bench.stand({ statement: 'The watermill turns.' }));
    }
    const [id, twinId] = ids as [string, string];
    assert.deepEqual(await asked(cut, id), [1, 'given', 'given', 'taken', 'taken']);
    const shell = await sqlShell(cut.storeFile);
    await dropTriggers(shell);
    await shell.run('PRAGMA foreign_keys = OFF');
    await shell.run('DELETE FROM events WHERE seq > (SELECT max(seq) FROM events) - 3');
    await shell.close();
    assert.deepEqual(await asked(cut, id), Array(5).fill('store_behind'));
    const retire = (bench: Bench, of: string) => bench.decide('retire', of).then(({ state }) => state, codeOf);
    assert.equal(await retire(cut, id), 'store_behind');
    assert.equal((await cut.person.one(id))?.state, 'active', 'a person adds nothing to it either');
    assert.deepEqual(await asked(twin, twinId), [1, 'given', 'given', 'taken', 'taken']);
    assert.equal(await retire(twin, twinId), 'retired');
  });
});
