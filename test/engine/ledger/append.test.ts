import assert from 'node:assert/strict';
import type { PersonAct, Signer } from '../../../src/engine';
import { testKey } from '../../support/keys';
import { aBench, aProposal, codeOf, seen, type Bench } from '../../support/store';

describe('the ledger', () => {
  let bench: Bench;
  beforeEach(async () => void (bench = await aBench()));
  afterEach(() => bench.close());

  const stateOf = async (id: string) => (await seen(bench.person, id)).state;

  describe('decides only with a trusted signature over exactly what is stored', () => {
    const signers: [string, (own: Signer) => Signer, string][] = [
      ['a key that is not pinned', () => testKey(), 'untrusted_key'],
      ['a key that signs under another name', (own) => ({ ...testKey(), keyId: own.keyId }), 'signature_invalid'],
      ['a signature of nothing', (own) => ({ ...own, sign: () => Promise.resolve(new Uint8Array(64)) }), 'signature_invalid'],
      ['an empty signature', (own) => ({ ...own, sign: () => Promise.resolve(new Uint8Array(0)) }), 'signature_invalid'],
    ];
    for (const [name, signer, code] of signers)
      it(`refuses ${name}`, async () => {
        const { id } = await bench.agent.propose(aProposal());
        const approval = { act: 'approve', ...(await bench.seen(id)) } as const;
        assert.equal(await bench.person.decide(approval, signer(bench.key)).catch(codeOf), code);
        assert.equal(await bench.person.save(aProposal(), 'test', signer(bench.key)).catch(codeOf), code);
        assert.equal(await stateOf(id), 'pending');
        await bench.decide('approve', id);
        assert.equal(await stateOf(id), 'active');
      });

    it('refuses a decision on a version that the person did not see', async () => {
      const { id } = await bench.agent.propose(aProposal());
      const { id: other } = await bench.agent.propose(aProposal());
      const own = await bench.seen(id);
      const foreign = { ...(await bench.seen(other)), id };
      const decide = (act: PersonAct) => bench.person.decide(act, bench.key).then((receipt) => receipt.state, codeOf);
      assert.equal(await decide({ act: 'approve', ...foreign }), 'changed_meanwhile');
      assert.equal(await decide({ act: 'approve', ...own }), 'active');
      assert.equal(await decide({ act: 'retire', ...own, reason: 'late' }), 'changed_meanwhile');
    });

    it('lets one of two people who decide at once win, and tells the other', async () => {
      const { id } = await bench.agent.propose(aProposal());
      const shown = await bench.seen(id);
      const other = (await bench.reopen()).forPerson();
      const results = await Promise.allSettled([
        bench.person.decide({ act: 'approve', ...shown }, bench.key),
        other.decide({ act: 'reject', ...shown, reason: 'not so' }, bench.key),
      ]);
      const lost = results.filter((result) => result.status === 'rejected').map((result) => codeOf(result.reason));
      assert.deepEqual(lost, ['changed_meanwhile']);
      assert.equal((await seen(bench.person, id)).history.length, 2);
    });
  });

  describe('keeps to the transition table', () => {
    const table: [string, ('approve' | 'reject' | 'retire')[], 'approve' | 'reject' | 'retire', string][] = [
      ['a pending memory', [], 'retire', 'illegal_transition'],
      ['a standing memory', ['approve'], 'approve', 'illegal_transition'],
      // Its value is asked for before its state.
      ['a rejected memory', ['reject'], 'approve', 'rejected_before'],
      ['a rejected memory', ['reject'], 'reject', 'illegal_transition'],
      ['a retired memory', ['approve', 'retire'], 'approve', 'illegal_transition'],
      ['a retired memory', ['approve', 'retire'], 'retire', 'illegal_transition'],
      ['a retired memory', ['approve', 'retire'], 'reject', 'rejected'],
      ['a standing memory', ['approve'], 'reject', 'rejected'],
    ];
    for (const [what, before, act, outcome] of table)
      it(`answers ${outcome} when ${what} is to be ${act}d`.replace('eed', 'ed'), async () => {
        const { id } = await bench.agent.propose(aProposal());
        for (const earlier of before) await bench.decide(earlier, id);
        assert.equal(await bench.decide(act, id).then((receipt) => receipt.state, codeOf), outcome);
      });

    it('wants a reason for taking a memory out', async () => {
      const id = await bench.stand({});
      const shown = await bench.seen(id);
      for (const reason of [undefined, '', '  ']) {
        const act = { act: 'retire', ...shown, reason } as PersonAct; // a caller without types could send it
        assert.equal(await bench.person.decide(act, bench.key).catch(codeOf), 'invalid_input');
      }
      await bench.decide('retire', id, 'The service is gone.');
      assert.deepEqual([...(await bench.person.reasons(id)).values()], ['The service is gone.']);
    });
  });

  describe('recognises what it was told before', () => {
    it('replays the receipt of a command, and refuses its id for anything else', async () => {
      const proposal = aProposal({ commandId: 'one' });
      const first = await bench.agent.propose(proposal);
      assert.deepEqual(await bench.agent.propose(proposal), { ...first, replayed: true });
      assert.equal(await bench.agent.propose({ ...proposal, title: 'Another' }).catch(codeOf), 'command_id_reused');
      const foreign = await bench.agentNamed('another-client').propose(aProposal({ commandId: 'one' }));
      assert.deepEqual([foreign.replayed, foreign.id === first.id], [false, false]);
      assert.equal((await bench.person.overview()).counts.pending, 2);
    });

    it('replays even when the evidence has gone since', async () => {
      const proposal = aProposal({ commandId: 'one', evidence: [{ kind: 'file', path: 'src/billing/invoice.ts', startLine: 40 }] });
      const first = await bench.agent.propose(proposal);
      const { writeFileSync } = await import('node:fs');
      writeFileSync(`${bench.root}/src/billing/invoice.ts`, 'short now\n');
      assert.deepEqual(await bench.agent.propose(proposal), { ...first, replayed: true });
      assert.equal(await bench.agent.propose({ ...proposal, commandId: 'two' }).catch(codeOf), 'evidence_unresolved');
    });

    it('makes no second memory of the same value in other letters, and a second one of another value', async () => {
      const { id } = await bench.agent.propose(aProposal({ statement: 'Use version 1.2 of the API.' }));
      const again = await bench.agentNamed('another').propose(aProposal({ statement: '  use **VERSION** １.２ of\nthe api' }));
      assert.deepEqual([again.id, again.duplicate, again.state], [id, true, 'pending']);
      const other = await bench.agent.propose(aProposal({ statement: 'Use version 12 of the API.' }));
      assert.deepEqual([other.id === id, other.duplicate], [false, false]);
      assert.equal((await seen(bench.person, id)).support, 1);
      await bench.decide('approve', id);
      assert.equal((await bench.agent.propose(aProposal({ statement: 'Use version 1.2 of the API' }))).state, 'active');
      assert.equal(
        await bench.person.save(aProposal({ statement: 'Use version 1.2 of the API' }), 'test', bench.key).catch(codeOf),
        'already_recorded',
      );
    });
  });

  it('lets a person state a memory that stands at once, with or without evidence', async () => {
    const { id, state } = await bench.person.save(
      { kind: 'preference', title: 'Tabs', statement: 'Indent by tabs.', appliesWhen: 'writing Go' },
      'editor',
      bench.key,
    );
    assert.equal(state, 'active');
    const item = await bench.agent.get({ id });
    assert.deepEqual([item.origin, item.appliesWhen, item.letStandBy.startsWith('person')], ['stated by the person', 'writing Go', true]);
  });

  it('keeps the chain whole over every kind of event', async () => {
    const { id } = await bench.agent.propose(aProposal({ statement: 'Same.' }));
    await bench.agent.propose(aProposal({ statement: 'same' }));
    await bench.decide('approve', id);
    await bench.decide('retire', id);
    await bench.person.save(aProposal(), 'editor', bench.key);
    await bench.agent.propose({}).catch(codeOf);
    const state = await bench.engine.verify();
    assert.deepEqual(state, { is: 'intact', length: 6, signed: 5, unknownKeys: { count: 0, first: undefined } });
  });
});
