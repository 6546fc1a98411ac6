/** Cases from the field that other tests do not carry by name. */
import assert from 'node:assert/strict';
import { filesWith } from '../support/bytes';
import { aBench, agentOf, aProposal, type Bench } from '../support/store';

describe('a case from the field', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await aBench()));
  afterEach(() => bench.close());

  const waiting = async () => (await bench.person.list({ states: ['pending'], limit: 1_000, offset: 0 })).length;

  it('rejected stays rejected: other case, blanks, full-width letters and agent are refused with the reason (A10)', async () => {
    const { id } = await bench.agent.propose(aProposal({ statement: 'Deploy on Friday evenings.' }));
    await bench.decide('reject', id, 'it went wrong twice');
    for (const statement of ['DEPLOY ON FRIDAY EVENINGS', 'Deploy   on  Friday evenings .', 'Ｄｅｐｌｏｙ on Friday evenings.'])
      await assert.rejects(agentOf(bench.engine, 'another').propose(aProposal({ statement })), /it went wrong twice/);
    assert.equal(await waiting(), 0);
    await bench.agent.propose(aProposal({ statement: 'Deploy on Monday mornings.' }));
    assert.equal(await waiting(), 1);
  });

  it('a secret is refused in full and lies in no byte, and what only looks like one is kept verbatim (A15)', async () => {
    const key = `sk-live.aB3dE6gH9jK2mN5pQ8sT1vW4.x7`;
    for (const statement of [`The header is Authorization: Bearer ${key}`, `We set password=${key} there.`])
      await assert.rejects(bench.agent.propose(aProposal({ statement })), { code: 'secret_refused' });
    assert.deepEqual(filesWith(bench.folder, key), []);
    const plain = [
      'No API key in the build.',
      'Read import.meta.env.VITE_API_KEY at start.',
      'It came with 3f786850e387550fdab836ed7e6dc881de23001b.',
    ];
    for (const statement of plain) {
      const { id } = await bench.agent.propose(aProposal({ statement }));
      assert.equal((await bench.person.one(id))?.memory?.content.statement, statement);
    }
  });

  it('similarity drops nothing: 500 distinct decisions of one form are 500 that wait (A16)', async () => {
    for (let index = 0; index < 500; index += 1)
      await bench.agent.propose(aProposal({ title: `Service ${index}`, statement: `Service ${index} listens on port ${8000 + index}.` }));
    assert.equal(await waiting(), 500);
  }).timeout(60_000);

  it('without a model everything works: save, approve, search, read (A18)', async () => {
    const saved = await bench.person.save({ ...aProposal({ statement: 'Backups run at noon.' }) }, 'test', bench.key);
    const approved = await bench.stand({ statement: 'Backups are kept for a month.' });
    const found = await bench.agent.search({ query: 'how are backups kept?' });
    assert.equal(found.mode, 'lexical');
    assert.deepEqual(found.items.map(({ id }) => id).sort(), [saved.id, approved].sort()); // prettier-ignore
    assert.equal((await bench.agent.get({ id: approved })).statement, 'Backups are kept for a month.');
  });
});
