import assert from 'node:assert/strict';
import type { ChallengeReceipt, Found, Whole } from '../../src/engine';
import { aProposal } from '../support/store';
import type { Connection } from './support/client';
import { aRoom, byId, search, type Room } from './support/room';

const path = 'src/billing/invoice.ts';
const quote = [{ kind: 'quote', speaker: 'the team', text: 'it is seven now' }];

describe('over MCP, what is in doubt', () => {
  let room: Room;
  let agent: Connection;
  beforeEach(async () => {
    room = await aRoom();
    agent = await room.connect();
  });
  afterEach(() => room.close());

  const harbour = (hour: string) =>
    room.stand(aProposal({ title: `Harbour at ${hour}`, statement: `The harbour opens at ${hour} each day.`, anchors: [{ file: path }] }));
  const contest = async (id: string, other: string, reason = 'Two hours are named.') =>
    room.person.decide({ act: 'contest', ...(await room.seen(id)), with: await room.seen(other), reason }, room.key);

  describe('by another memory', () => {
    let [six, seven, lighthouse] = ['', '', ''];
    beforeEach(async () => {
      six = await harbour('six');
      seven = await harbour('seven');
      lighthouse = await room.stand({ statement: 'The lighthouse of the harbour is red.' });
      await contest(six, seven);
    });
    const pair = () => [six, seven].sort();

    it('is read with it, both marked, however either is found', async () => {
      for (const [tool, asked] of [
        ['memory_search', { query: 'harbour opens six' }],
        ['memory_search', { query: 'seven' }],
        ['memory_for_file', { path }],
      ] as const) {
        const { data, text } = await agent.call(tool, asked);
        const items = (data as unknown as Found).items.filter(({ state }) => state === 'contested');
        assert.deepEqual(items.map(({ id }) => id).sort(), pair(), tool);
        for (const item of items) assert.deepEqual(item.contestedWith, pair().filter((id) => id !== item.id)); // prettier-ignore
        assert.equal(text.match(/CONTESTED with/g)?.length, 2);
      }
    });

    it('is read by id together with its counterpart, under a recall that use can be reported for', async () => {
      const { data, text } = await agent.call('memory_get', { id: six });
      const whole = data as unknown as Whole & { recallId: string };
      assert.deepEqual([whole.id, whole.state, whole.contestedWith], [six, 'contested', [seven]]);
      assert.deepEqual(
        whole.counterparts?.map(({ id, contestedWith }) => ({ id, contestedWith })),
        [{ id: seven, contestedWith: [six] }],
      );
      assert.match(text, /at six each day[\s\S]*Contested with:[\s\S]*at seven each day/);
      await agent.ask('memory_report_use', { recallId: whole.recallId, ids: [six, seven], helped: true });
    });

    it('is left out with it where only one has room, and counted; what stands alone has the place', async () => {
      const one = await agent.ask<Found>('memory_search', { query: 'harbour opens six', k: 1 });
      assert.deepEqual([one.items.map(({ id }) => id), one.omitted], [[lighthouse], { contestedBeyondK: 2 }]);
      const file = await agent.ask<Found>('memory_for_file', { path, k: 1 });
      assert.deepEqual([file.items, file.omitted['contestedBeyondK']], [[], 2]);
      const three = await search(agent, 'harbour', { k: 3 });
      assert.deepEqual(three.sort(), [...pair(), lighthouse].sort());
    });

    it('is left out with it where the tokens are for one, and both are named', async () => {
      let parted = 0;
      for (let maxTokens = 200; maxTokens <= 600; maxTokens += 25) {
        const { items, overBudget, omitted } = await agent.ask<Found>('memory_search', { query: 'harbour', maxTokens });
        const served = items.filter(({ state }) => state === 'contested').length;
        assert.ok(served === 0 || served === 2, `${served} of the pair at ${maxTokens} tokens`);
        if (served === 0) {
          parted += 1;
          const unnamed = omitted['overBudget'] ?? 0;
          assert.equal(items.length + overBudget.length + unnamed, 3);
        }
      }
      assert.ok(parted > 0);
    });

    it('stands alone again once a person has settled it', async () => {
      const members = [await room.seen(six), await room.seen(seven)];
      const outcome = { is: 'keep', id: seven, neverRight: false } as const;
      await room.person.decide({ act: 'resolve', members, outcome, reason: 'The sign says seven.', surface: 'test' }, room.key);
      assert.deepEqual((await search(agent, 'harbour opens')).sort(), [seven, lighthouse].sort());
      assert.deepEqual([await byId(agent, six), await byId(agent, seven)], ['not_found', 'active']);
    });
  });

  it('by itself is read alone, with the person’s reason, and its twin without', async () => {
    const six = await harbour('six');
    const twin = await room.stand({ statement: 'The lighthouse of the harbour is red.' });
    await room.decide('contest', six, 'The sign was painted over.');
    const { data, text } = await agent.call('memory_search', { query: 'harbour' });
    const found = data as unknown as Found;
    assert.deepEqual(
      new Map(found.items.map(({ id, state, disputed, contestedWith }) => [id, [state, disputed, contestedWith]])),
      new Map([
        [six, ['contested', 'The sign was painted over.', undefined]],
        [twin, ['active', undefined, undefined]],
      ]),
    );
    assert.match(text, /DISPUTED: The sign was painted over\./);
  });

  describe('by an agent', () => {
    let six = '';
    let seven = '';
    beforeEach(async () => {
      six = await harbour('six');
      seven = await harbour('seven');
    });
    const challenge = (more: object = {}) => ({ id: six, reason: 'A sailor says so, quite secretly.', evidence: quote, ...more });

    it('stands on with a count, and no word of the doubt reaches an agent', async () => {
      const { data, text } = await agent.call('memory_contest', challenge({ with: seven }));
      const receipt = data as unknown as ChallengeReceipt;
      assert.deepEqual(receipt, { id: receipt.id, memory: six, state: 'waiting', duplicate: false });
      assert.ok(text.includes(receipt.id) && text.includes(six));
      await agent.ask('memory_request_retire', { id: six, reason: 'A gull says so, quite secretly.' });

      const other = await room.connect({ client: 'other-client' });
      for (const [tool, asked] of [
        ['memory_search', { query: 'harbour sailor gull secretly' }],
        ['memory_for_file', { path }],
        ['memory_get', { id: six }],
        ['memory_history', { id: six }],
      ] as const) {
        const reply = await other.call(tool, asked);
        assert.doesNotMatch(JSON.stringify(reply), /secretly|sailor|gull|it is seven now/, tool);
        if (tool === 'memory_history') continue;
        const items = tool === 'memory_get' ? [reply.data as unknown as Whole] : (reply.data as unknown as Found).items;
        const counts = new Map(items.map(({ id, challenges, state }) => [id, [state, challenges]]));
        assert.deepEqual(counts.get(six), ['active', 2], tool);
        if (tool !== 'memory_get') assert.deepEqual(counts.get(seven), ['active', undefined], tool);
        assert.match(reply.text, /2 unreviewed challenges/);
      }
    });

    it('waits once however often it is said, and is contested when the person accepts', async () => {
      const first = await agent.ask<ChallengeReceipt>('memory_contest', challenge({ with: seven }));
      const again = await agent.ask<ChallengeReceipt>('memory_contest', challenge({ with: seven, reason: 'As I said.' }));
      assert.deepEqual(again, { ...first, duplicate: true });
      await room.person.decide({ act: 'accept', ...(await room.seen(six)), challenge: first.id }, room.key);
      assert.deepEqual([await byId(agent, six), await byId(agent, seven)], ['contested', 'contested']);
      const { items } = await agent.ask<Found>('memory_search', { query: 'harbour' });
      assert.deepEqual(items.map(({ challenges }) => challenges), [undefined, undefined]); // prettier-ignore
    });

    it('is retired when the person accepts that, and answered for good when they decline', async () => {
      const retire = await agent.ask<ChallengeReceipt>('memory_request_retire', { id: six, reason: 'It closed.' });
      const doubt = await agent.ask<ChallengeReceipt>('memory_contest', challenge({ id: seven }));
      await room.person.decide({ act: 'accept', ...(await room.seen(six)), challenge: retire.id }, room.key);
      await room.person.decide({ act: 'decline', ...(await room.seen(seven)), challenge: doubt.id, reason: 'I looked.' }, room.key);
      assert.deepEqual([await byId(agent, six), await byId(agent, seven)], ['not_found', 'active']);
      const { error } = await agent.call('memory_contest', challenge({ id: seven }));
      assert.equal(error?.code, 'answered_before');
      assert.match(error.message, /I looked\./);
      const other = await agent.call('memory_contest', challenge({ id: seven, evidence: [{ kind: 'issue', ref: 'harbour#12' }] }));
      assert.equal(other.data['state'], 'waiting');
    });

    const unknownId = '0b8f6a52-0d5e-4d55-9a4f-7d3f4f0f8a11';
    for (const [what, tool, asked, code, names] of [
      ['a doubt without evidence', 'memory_contest', { evidence: [] }, 'invalid_input', /evidence/],
      ['a doubt without a reason', 'memory_contest', { reason: ' ' }, 'invalid_input', /reason/],
      ['a doubt with an unknown field', 'memory_contest', { state: 'retired' }, 'invalid_input', /"state"/],
      ['a doubt about nothing', 'memory_contest', { id: unknownId }, 'not_found', /memory/],
      ['a doubt beside nothing', 'memory_contest', { with: unknownId }, 'not_found', /memory/],
      [
        'a doubt that rests on a file that is gone',
        'memory_contest',
        { evidence: [{ kind: 'file', path: 'gone.ts' }] },
        'evidence_unresolved',
        /gone/,
      ],
      ['a wish without a reason', 'memory_request_retire', { reason: undefined, evidence: undefined }, 'invalid_input', /reason/],
      ['a wish with evidence', 'memory_request_retire', {}, 'invalid_input', /"evidence"/],
      ['a wish about nothing', 'memory_request_retire', { id: unknownId, evidence: undefined }, 'not_found', /memory/],
    ] as const)
      it(`leaves no challenge where it is refused as ${code}: ${what}`, async () => {
        const { error } = await agent.call(tool, challenge(asked));
        assert.equal(error?.code, code);
        assert.match(error.message, names);
        assert.deepEqual(await room.person.challenges(), []);
      });

    it('cannot be about what waits, nor beside it', async () => {
      const { id } = await room.agent.propose(aProposal());
      for (const asked of [challenge({ id }), challenge({ with: id })]) {
        assert.equal((await agent.call('memory_contest', asked)).error?.code, 'not_found');
      }
      assert.equal((await agent.call('memory_request_retire', { id, reason: 'It waits.' })).error?.code, 'not_found');
      assert.equal((await agent.call('memory_contest', challenge({ with: six }))).error?.code, 'invalid_input');
    });
  });
});
