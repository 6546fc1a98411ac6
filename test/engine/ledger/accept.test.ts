/** Going on with a store that was cut off: only on a person's word, and from then on as with any other. */
import assert from 'node:assert/strict';
import { dropTriggers, sqlShell } from '../../mcp/support/sql-shell';
import { aBench, aProposal, codeOf, type Bench } from '../../support/store';

describe('a store that was cut off', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await aBench();
    await bench.stand({ title: 'Kept' });
    await bench.agent.propose(aProposal({ title: 'Cut off' }));
    await bench.person.signHead(bench.key);
    const shell = await sqlShell(bench.storeFile);
    await dropTriggers(shell);
    await shell.run('DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)');
    await shell.close();
  });
  afterEach(() => bench.close());

  it('stays so when its head would only be signed further', async () => {
    assert.equal((await bench.person.verify()).is, 'truncated');
    assert.equal(await bench.person.signHead(bench.key).catch(codeOf), 'store_behind');
    assert.equal(await bench.agent.search({ query: 'answer' }).catch(codeOf), 'store_behind');
  });

  it('is intact from where a person accepts it, and goes on without a gap', async () => {
    await bench.person.acceptAsItIs(bench.key);
    assert.equal((await bench.person.verify()).is, 'intact');

    const { id } = await bench.agent.propose(aProposal({ title: 'After that' }));
    await bench.decide('approve', id);

    const state = await bench.person.verify();
    assert.deepEqual([state.is, state.is === 'intact' && state.length], ['intact', 4]);
    assert.equal((await bench.agent.search({ query: 'answer' })).items.length, 2);
  });
});
