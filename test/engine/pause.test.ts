/** While a person has paused memory here, no agent reads, proposes, doubts or reports; what they knew is there when it goes on. */
import assert from 'node:assert/strict';
import { canonicalJson } from '../../src/engine/domain/canonical';
import { eventHash, type EventBody } from '../../src/engine/domain/events';
import { sqlShell } from '../mcp/support/sql-shell';
import { testKey } from '../support/keys';
import { aBench, aProposal, codeOf, type Bench } from '../support/store';

type Ruled = Extract<EventBody, { type: 'ruled' }>;

describe('a paused memory', () => {
  let bench: Bench;
  let id: string;
  before(async () => {
    bench = await aBench();
    id = await bench.stand({ statement: 'The mill grinds on Mondays.', anchors: [{ folder: 'src' }] });
  });
  after(() => bench.close());

  const doors: Readonly<Record<string, () => Promise<unknown>>> = {
    search: () => bench.agent.search({ query: 'mill' }),
    forFile: () => bench.agent.forFile({ path: 'src/billing/invoice.ts' }),
    get: () => bench.agent.get({ id }),
    history: () => bench.agent.history({ id }),
    propose: () => bench.agent.propose(aProposal()),
    contest: () => bench.agent.contest({ id, reason: 'no', evidence: [{ kind: 'issue', ref: `#${Math.floor(Math.random() * 1e9)}` }] }),
    requestRetire: () => bench.agent.requestRetire({ id, reason: 'no' }),
    reportUse: async () => {
      const { recallId } = await bench.agent.search({ query: 'mill' }).catch(() => ({ recallId: crypto.randomUUID() }));
      return bench.agent.reportUse({ recallId, ids: [id] });
    },
  };
  const codes = async () => Object.fromEntries(await Promise.all(Object.entries(doors).map(async ([door, ask]) => [door, await ask().then(() => 'done', codeOf)] as const))); // prettier-ignore
  const all = (code: string) => Object.fromEntries(Object.keys(doors).map((door) => [door, code]));

  it('is closed at each of an agent’s doors, open to the person, and open again afterwards', async () => {
    assert.deepEqual(Object.keys(doors).sort(), Object.keys(bench.agent).sort(), 'every door is here');
    assert.deepEqual(await codes(), all('done'));
    await bench.person.pause(true, bench.key);
    assert.deepEqual(await codes(), all('paused'));
    assert.equal((await bench.person.one(id))?.state, 'active');
    await bench.person.pause(false, bench.key);
    assert.deepEqual(await codes(), all('done'));
  });

  for (const [what, forge] of [
    ['that no person signed', (body: Ruled) => ({ ...body, signature: 'AAAA' })],
    ['under a key that nobody pinned', (body: Ruled) => ({ ...body, key: testKey().keyId })],
  ] as const)
    it(`is not opened by a ruling ${what}`, async () => {
      await bench.person.pause(true, bench.key);
      const shell = await sqlShell(bench.storeFile);
      const [last] = await shell.all('SELECT hash, body FROM events ORDER BY seq DESC LIMIT 1');
      const ruling = JSON.parse(String(last?.['body'])) as Ruled;
      const open = { ...ruling, prev: last?.['hash'], statement: { ...ruling.statement, rule: { is: 'paused', paused: false } } };
      const body = canonicalJson(forge(open as Ruled));
      await shell.run("INSERT INTO events (hash, body, memory) VALUES (?, ?, '')", eventHash(body), body);
      await shell.run("INSERT INTO rulings (event, subject) SELECT max(seq), 'paused' FROM events");
      await shell.close();
      assert.equal(await bench.agent.search({ query: 'mill' }).then(() => 'done', codeOf), 'paused');
      await bench.person.pause(false, bench.key);
      assert.equal(await bench.agent.search({ query: 'mill' }).then(() => 'done', codeOf), 'done');
    });
});
