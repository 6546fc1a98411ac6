/** A person's act is done only under a trusted signature over exactly what is done, at the moment in which it is done. */
import assert from 'node:assert/strict';
import type { Signer } from '../../../src/engine';
import { testKey } from '../../support/keys';
import { aBench, aProposal, codeOf, seen, type Bench } from '../../support/store';

describe('signing', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await aBench()));
  afterEach(() => bench.close());

  const strangers: Readonly<Record<string, (own: Signer) => Signer>> = {
    'a key that is not pinned': () => testKey(),
    'the person’s name without their key': (own) => ({ ...testKey(), keyId: own.keyId }),
  };
  const refused = ['untrusted_key', 'signature_invalid'];

  for (const [what, as] of Object.entries(strangers)) {
    it(`refuses a decision under ${what}, and nothing has changed`, async () => {
      const { id } = await bench.agent.propose(aProposal());
      const approve = async (signer: Signer) =>
        bench.person.decide({ act: 'approve', ...(await bench.seen(id)) }, signer).then(({ state }) => state, codeOf);
      const code = await approve(as(bench.key));
      assert.ok(refused.includes(code), code);
      assert.equal((await seen(bench.person, id)).state, 'pending');
      assert.equal(await approve(bench.key), 'active');
    });

    it(`refuses a rule under ${what}, and nothing has changed`, async () => {
      const code = await bench.person.pause(true, as(bench.key)).then(() => 'laid', codeOf);
      assert.ok(refused.includes(code), code);
      assert.equal(await bench.person.paused(), false);
      await bench.person.pause(true, bench.key);
      assert.equal(await bench.person.paused(), true);
    });
  }

  it('refuses an act when anything that it touches changes while it is signed', async () => {
    const old = await bench.stand({});
    const { id } = await bench.agent.propose(aProposal({ replaces: [old] }));
    const other = (await bench.reopen()).forPerson();
    let meanwhile: (() => Promise<unknown>) | undefined = async () => {
      const { seen: saw } = await seen(other, old);
      assert.ok(saw);
      await other.decide({ act: 'limit', id: old, seen: saw, bounds: { scope: 'path:src/' }, reason: 'only there' }, bench.key);
    };
    const slow: Signer = {
      ...bench.key,
      sign: async (bytes) => {
        const first = meanwhile;
        meanwhile = undefined;
        await first?.();
        return bench.key.sign(bytes);
      },
    };
    const approve = async () => bench.person.decide({ act: 'approve', ...(await bench.seen(id)) }, slow).then(({ state }) => state, codeOf);
    assert.equal(await approve(), 'changed_meanwhile');
    assert.deepEqual([(await seen(bench.person, id)).state, (await seen(bench.person, old)).state], ['pending', 'active']);
    assert.equal(await approve(), 'active');
    assert.deepEqual([(await seen(bench.person, old)).state, (await seen(bench.person, old)).tampering], ['superseded', undefined]);
  });
});
