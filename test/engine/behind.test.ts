/** A store that lacks what was signed as its newest event serves nothing to agents, whose own processes notice; its twin serves. */
import assert from 'node:assert/strict';
import { dropTriggers, sqlShell } from '../mcp/support/sql-shell';
import { aBench, codeOf, type Bench } from '../support/store';

describe('a store behind its signed head', () => {
  let [cut, twin]: Bench[] = [];
  before(async () => {
    [cut, twin] = [await aBench(), await aBench()];
  });
  after(async () => {
    await cut?.close();
    await twin?.close();
  });

  it('is read by no agent once its newest event is cut off, and is while it is whole', async () => {
    assert.ok(cut !== undefined && twin !== undefined);
    const asked = async (bench: Bench, id: string) => [
      await bench.agent.search({ query: 'windmill' }).then(({ items }) => items.length, codeOf),
      await bench.agent.get({ id }).then(() => 'given', codeOf),
      await bench.agent.history({ id }).then(() => 'given', codeOf),
    ];
    const ids: string[] = [];
    for (const bench of [cut, twin]) {
      ids.push(await bench.stand({ statement: 'The windmill turns.' }));
      await bench.decide('retire', await bench.stand({ statement: 'The watermill turns.' }));
    }
    const [id, twinId] = ids as [string, string];
    assert.deepEqual(await asked(cut, id), [1, 'given', 'given']);
    const shell = await sqlShell(cut.storeFile);
    await dropTriggers(shell);
    await shell.run('PRAGMA foreign_keys = OFF');
    await shell.run('DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)');
    await shell.close();
    assert.deepEqual(await asked(cut, id), ['store_behind', 'store_behind', 'store_behind']);
    assert.deepEqual(await asked(twin, twinId), [1, 'given', 'given']);
  });
});
