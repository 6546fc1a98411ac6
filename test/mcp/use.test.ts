import assert from 'node:assert/strict';
import type { Found, UseCounts, Whole } from '../../src/engine';
import { aProposal } from '../support/store';
import type { Connection } from './support/client';
import { aRoom, search, type Room } from './support/room';

const path = 'src/billing/invoice.ts';

describe('over MCP, what a session was given', () => {
  let room: Room;
  let agent: Connection;
  let [six, red] = ['', ''];
  beforeEach(async () => {
    room = await aRoom();
    agent = await room.connect();
    six = await room.stand(aProposal({ statement: 'The harbour opens at six.', anchors: [{ file: path }] }));
    red = await room.stand(aProposal({ statement: 'The lighthouse of the harbour is red.', anchors: [{ file: path }] }));
  });
  afterEach(() => room.close());

  const found = (asked: object = { query: 'harbour' }) => agent.ask<Found>('memory_search', { ...asked });

  describe('and no longer holds', () => {
    it('is named in its next reply, once, with what became of it', async () => {
      assert.deepEqual(await found().then(({ items, noLongerHolds }) => [items.length, noLongerHolds]), [2, undefined]);
      await room.decide('retire', six, 'It closed.');
      const { data, text } = await agent.call('memory_search', { query: 'lighthouse' });
      const next = data as unknown as Found;
      assert.deepEqual(next.noLongerHolds, [{ id: six, state: 'retired' }]);
      assert.deepEqual(next.items.map(({ id }) => id), [red]); // prettier-ignore
      assert.ok(text.includes(`No longer holds, though you were given it before: ${six} (retired).`));
      assert.doesNotMatch(`${text}${JSON.stringify(data)}`, /at six|It closed/);
      assert.equal((await found()).noLongerHolds, undefined);
    });

    it('is named also where the question was about a file, or nothing matches', async () => {
      await agent.ask<Found>('memory_for_file', { path });
      await room.decide('reject', six);
      const none = await agent.call('memory_search', { query: 'zeppelin' });
      assert.deepEqual((none.data as unknown as Found).noLongerHolds, [{ id: six, state: 'withdrawn' }]);
      assert.ok(none.text.includes(`${six} (withdrawn)`));
    });

    it('is not named to a session that was never given it', async () => {
      const other = await room.connect();
      await search(agent, 'harbour');
      await room.decide('retire', six);
      assert.equal((await other.ask<Found>('memory_search', { query: 'harbour' })).noLongerHolds, undefined);
      assert.deepEqual((await found()).noLongerHolds, [{ id: six, state: 'retired' }]);
    });
  });

  describe('is reported as used', () => {
    it('for a reply of each kind, the last report counting, and the person sees it', async () => {
      const { recallId } = await found();
      const report = (more: object) => agent.ask<UseCounts>('memory_report_use', { recallId, ...more });
      assert.deepEqual(await report({ ids: [six, red], helped: true }), { recallId, used: 2, helped: 2, notHelped: 0 });
      assert.deepEqual(await report({ ids: [red], helped: false }), { recallId, used: 2, helped: 1, notHelped: 1 });
      const { text } = await agent.call('memory_report_use', { recallId, ids: [six] });
      assert.equal(text, `Noted for recall ${recallId}: 2 used, 0 helped, 1 did not.`);

      const file = await agent.ask<Found>('memory_for_file', { path });
      const whole = await agent.ask<Whole & { recallId: string }>('memory_get', { id: six });
      const past = await agent.ask<Found>('memory_history', { id: six });
      for (const { recallId: of } of [file, whole, past])
        assert.equal((await agent.ask<UseCounts>('memory_report_use', { recallId: of, ids: [six] })).used, 1);
    });

    it('for its own replies alone, and only for what was in them', async () => {
      const { recallId } = await found({ query: 'six' });
      const other = await room.connect();
      const theirs = await other.ask<Found>('memory_search', { query: 'harbour' });
      for (const [who, asked] of [
        [other, { recallId, ids: [six] }],
        [agent, { recallId: theirs.recallId, ids: [six] }],
        [agent, { recallId, ids: [six, red] }],
        [agent, { recallId: crypto.randomUUID(), ids: [six] }],
      ] as const) {
        const { error } = await who.call('memory_report_use', { ...asked, ids: [...asked.ids] });
        assert.equal(error?.code, 'not_found');
        assert.match(error.message, /This session was given no such answer/);
      }
      assert.equal((await agent.ask<UseCounts>('memory_report_use', { recallId, ids: [six] })).used, 1);
    });

    for (const [what, asked, names] of [
      ['no ids', { ids: [] }, /ids/],
      ['a word for an id', { ids: ['six'] }, /ids/],
      ['a comment', { comment: 'It was good.' }, /"comment"/],
      ['half help', { helped: 'perhaps' }, /helped/],
    ] as const)
      it(`is refused as invalid_input with ${what}`, async () => {
        const { recallId } = await found();
        const { error } = await agent.call('memory_report_use', { recallId, ids: [six], ...asked });
        assert.equal(error?.code, 'invalid_input');
        assert.match(error.message, names);
      });

    it('and changes nothing of what is recalled', async () => {
      const before = await search(agent, 'harbour');
      const { recallId } = await found();
      await agent.ask('memory_report_use', { recallId, ids: [before[0]], helped: false });
      assert.deepEqual(await search(agent, 'harbour'), before);
      assert.equal((await room.person.one(before[0] ?? ''))?.state, 'active');
    });
  });
});
