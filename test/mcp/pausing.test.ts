import assert from 'node:assert/strict';
import { aProposal } from '../support/store';
import { aRoom, search, type Room } from './support/room';

describe('over MCP, memory that a person has paused', () => {
  let room: Room;
  beforeEach(async () => void (room = await aRoom()));
  afterEach(() => room.close());

  it('answers every tool with paused, keeps nothing, and works again when it is resumed', async () => {
    const id = await room.stand({ statement: 'The harbour opens at six.' });
    const agent = await room.connect();
    const { recallId } = await agent.ask<{ recallId: string }>('memory_search', { query: 'harbour' });
    const evidence = [{ kind: 'quote', speaker: 'the team', text: 'we agreed' }];
    const calls: Readonly<Record<string, object>> = {
      memory_search: { query: 'harbour' },
      memory_for_file: { path: 'src/billing/invoice.ts' },
      memory_get: { id },
      memory_history: { id },
      memory_propose: aProposal(),
      memory_contest: { id, reason: 'It is seven.', evidence },
      memory_request_retire: { id, reason: 'It closed.' },
      memory_report_use: { recallId, ids: [id] },
    };
    const { tools } = await agent.client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(calls).sort());

    await room.person.pause(true, room.key);
    for (const [tool, asked] of Object.entries(calls)) {
      const { error, text } = await agent.call(tool, { ...asked });
      assert.equal(error?.code, 'paused', tool);
      assert.doesNotMatch(text, /six/);
    }
    const { counts, challenges } = await room.person.overview();
    assert.deepEqual([counts.pending, challenges], [0, 0]);
    assert.equal((await (await room.connect()).call('memory_search', { query: 'harbour' })).error?.code, 'paused');

    await room.person.pause(false, room.key);
    for (const [tool, asked] of Object.entries(calls)) assert.equal((await agent.call(tool, { ...asked })).error, undefined, tool);
    assert.deepEqual(await search(agent, 'harbour'), [id]);
    assert.equal(agent.stderr(), '');
  });
});
