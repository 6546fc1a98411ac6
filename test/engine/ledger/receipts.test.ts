/** A receipt is replayed to the client that made the call, under the grant it made it with, and for the same payload. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../../support/git';
import { agentOf, aBench, aProposal, codeOf, type Bench } from '../../support/store';

describe('a receipt', () => {
  let bench: Bench;
  before(async () => {
    bench = await aBench();
    git(bench.root, 'init', '-q');
    mkdirSync(join(bench.root, 'src'), { recursive: true });
  });
  after(() => bench.close());

  const outcome = (asked: Promise<{ replayed: boolean; duplicate: boolean }>) =>
    asked.then(({ replayed, duplicate }) => (replayed ? 'replayed' : duplicate ? 'supported' : 'new'), codeOf);

  it('is its own client’s: under the same command id another client makes a call of its own', async () => {
    const proposal = aProposal({ commandId: 'one' });
    assert.equal(await outcome(bench.agent.propose(proposal)), 'new');
    assert.equal(await outcome(bench.agent.propose(proposal)), 'replayed');
    const other = bench.agentNamed('another-client');
    assert.equal(await outcome(other.propose(proposal)), 'supported');
    assert.equal(await outcome(other.propose(aProposal({ commandId: 'one' }))), 'command_id_reused');
  });

  it('is its own grant’s: the same client elsewhere makes a call of its own', async () => {
    const proposal = aProposal({ commandId: 'two', scope: 'workspace' });
    assert.equal(await outcome(bench.agent.propose(proposal)), 'new');
    const inSource = agentOf(await bench.reopen({ root: join(bench.root, 'src') }), 'test-client');
    assert.equal(await outcome(inSource.propose(proposal)), 'supported');
    assert.equal(await outcome(inSource.propose(proposal)), 'replayed');
  });

  it('is for its own payload: with another the id is refused, and nothing is stored', async () => {
    const proposal = aProposal({ commandId: 'three' });
    await bench.agent.propose(proposal);
    const { counts } = await bench.person.overview();
    assert.equal(await outcome(bench.agent.propose({ ...proposal, title: 'Another' })), 'command_id_reused');
    assert.deepEqual((await bench.person.overview()).counts, counts);
    assert.equal(await outcome(bench.agent.propose(proposal)), 'replayed');
  });

  it('is as if it had never been once its memory is elsewhere: the same call proposes anew', async () => {
    const inSource = agentOf(await bench.reopen({ root: join(bench.root, 'src') }), 'test-client');
    const proposal = aProposal({ commandId: 'four', scope: 'workspace' });
    const { id } = await inSource.propose(proposal);
    await bench.decide('approve', id);
    await bench.person.decide(
      { act: 'limit', ...(await bench.seen(id)), bounds: { scope: 'path:other/' }, reason: 'only there' },
      bench.key,
    );
    assert.equal(await outcome(inSource.propose(proposal)), 'new');
    assert.equal(await outcome(inSource.propose(proposal)), 'replayed');
  });
});
