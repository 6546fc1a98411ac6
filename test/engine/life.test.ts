import assert from 'node:assert/strict';
import { aBench, aProposal, codeOf, type Bench } from '../support/store';

describe('the life of a memory', () => {
  let bench: Bench;
  beforeEach(async () => void (bench = await aBench()));
  afterEach(() => bench.close());

  it('is found by nobody until a person lets it stand, and by nobody once it is retired', async () => {
    const { id } = await bench.agent.propose(
      aProposal({ title: 'Retries', statement: 'Requests to the ledger are retried three times.', anchors: [{ folder: 'src/billing' }] }),
    );
    const control = await bench.stand({
      statement: 'Requests to the mailer are never retried.',
      anchors: [{ file: 'src/billing/invoice.ts' }],
    });
    const found = async () => ({
      search: (await bench.agent.search({ query: 'are requests retried?' })).items.map((item) => item.id).sort(),
      file: (await bench.agent.forFile({ path: 'src/billing/invoice.ts' })).items.map((item) => item.id).sort(),
      get: await bench.agent.get({ id }).then((whole) => whole.state, codeOf),
    });
    assert.deepEqual(await found(), { search: [control], file: [control], get: 'not_found' });

    await bench.decide('approve', id);
    assert.deepEqual(await found(), { search: [control, id].sort(), file: [control, id].sort(), get: 'active' });

    await bench.decide('retire', id, 'The ledger retries by itself now.');
    assert.deepEqual(await found(), { search: [control], file: [control], get: 'not_found' });
    assert.equal((await bench.engine.verify()).is, 'intact');
  });
});
