/** The gates before the transaction, at each door that takes text: what they refuse is stored nowhere. */
import assert from 'node:assert/strict';
import { rowCounts, sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { aBench, aProposal, codeOf, type Bench } from '../../support/store';

describe('the gates', () => {
  let bench: Bench;
  let shell: SqlShell;
  let id: string;
  before(async () => {
    bench = await aBench();
    id = await bench.stand({});
    shell = await sqlShell(bench.storeFile);
  });
  after(async () => {
    await shell.close();
    await bench.close();
  });

  const secret = ['AKIA', 'Q3EGRU7XLBHS5V2M'].join('');
  const turned = 'The answer is \u202Eon.';
  const draft = (rationale: string) => ({ kind: 'fact', title: 'A fact', statement: `It holds, ${Math.random()}.`, rationale });
  const evidence = [{ kind: 'issue' as const, ref: '#1' }];

  const secrets: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
    'what an agent proposes': (text) => bench.agent.propose(aProposal({ rationale: text })),
    'what an agent doubts': (text) => bench.agent.contest({ id, reason: text, evidence }),
    'what a person saves': (text) => bench.person.save(draft(text), 'test', bench.key),
    'the reason of a person’s act': (text) => bench.decide('contest', id, text),
  };
  for (const [what, say] of Object.entries(secrets))
    it(`let no secret into ${what}, and let the same through without it`, async () => {
      const text = `the key is ${secret}`;
      assert.equal(await say(text).then(() => 'stored', codeOf), 'secret_refused');
      for (const table of ['memories', 'challenges', 'reasons', 'events'])
        assert.doesNotMatch(JSON.stringify(await shell.all(`SELECT * FROM ${table}`)), new RegExp(secret));
      assert.equal(await say(`the key is in the vault, ${Math.random()}`).then(() => 'stored', codeOf), 'stored');
    });

  it('let no hidden character into what an agent says, name it, and show it to a person who writes one', async () => {
    const { memories } = await rowCounts(shell);
    await assert.rejects(bench.agent.propose(aProposal({ rationale: turned })), { code: 'hidden_characters', message: /U\+202E/ });
    await assert.rejects(bench.agent.contest({ id, reason: turned, evidence }), { code: 'hidden_characters' });
    assert.equal((await rowCounts(shell))['memories'], memories);
    assert.equal((await bench.agent.propose(aProposal({ rationale: 'The answer is 👩‍🚀.' }))).state, 'pending');
    assert.equal((await bench.person.save(draft(turned), 'test', bench.key)).state, 'active');
  });

  it('do not let an agent say where a memory comes from or in which state it is', async () => {
    for (const field of [{ provenance: { tag: 'stated', surface: 'x', at: 'y' } }, { state: 'active' }, { salt: 'a' }])
      assert.equal(await bench.agent.propose({ ...aProposal(), ...field }).then(() => 'stored', codeOf), 'invalid_input');
    const { id: proposed } = await bench.agent.propose(aProposal());
    assert.equal((await bench.person.one(proposed))?.memory?.content.provenance.tag, 'inferred');
  });
});
