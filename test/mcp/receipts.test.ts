import assert from 'node:assert/strict';
import type { Receipt } from '../../src/engine';
import { aProposal } from '../support/store';
import type { Connection } from './support/client';
import { aRoom, type Room } from './support/room';

const opens = (object: string, more: object = {}) =>
  aProposal({
    title: `Harbour at ${object}`,
    statement: `The harbour on the north shore opens for every ship at ${object}.`,
    claim: { subject: 'harbour', predicate: 'opens at', object, cardinality: 'one' },
    ...more,
  });

describe('over MCP, the receipt of a proposal', () => {
  let room: Room;
  let agent: Connection;
  beforeEach(async () => {
    room = await aRoom();
    agent = await room.connect();
  });
  afterEach(() => room.close());

  const propose = async (proposal: object) => {
    const { data, text } = await agent.call('memory_propose', { ...proposal });
    return { receipt: data as unknown as Receipt, text };
  };

  it('names what it contradicts and the slot in use, with the title of what stands, between fences', async () => {
    const six = await room.stand(opens('six'));
    const { receipt, text } = await propose(opens('seven'));
    const [conflict] = receipt.conflicts;
    assert.deepEqual([conflict?.id, conflict?.state, conflict?.title], [six, 'active', 'Harbour at six']);
    assert.deepEqual(receipt.slots, [{ subject: 'harbour', predicate: 'opens at' }]);
    assert.ok(text.startsWith(`Proposed: ${receipt.id}; it waits for a person`));
    assert.match(text, /\n<stet-memories ([0-9a-f]{12})>\n[\s\S]*\n<\/stet-memories \1>$/);
    assert.ok(text.includes(`conflicts with: ${six} · active since ${conflict?.date} · Harbour at six`), text);
    assert.ok(text.includes('slot in use: harbour | opens at'));
  });

  it('names what said the same and was replaced or retired, by id, state and date and without its title', async () => {
    const six = await room.stand(opens('six'));
    await room.decide('retire', six, 'It was a secret harbour.');
    const { receipt, text } = await propose(opens('six'));
    const [before] = receipt.replacedBefore;
    assert.deepEqual([receipt.state, before?.id, before?.state, before?.title], ['pending', six, 'retired', undefined]);
    assert.ok(text.includes(`replaced before: ${six} · retired since ${before?.date}`), text);
    assert.doesNotMatch(text, /secret|Harbour at six/);
  });

  it('names what it resembles, with a title only where that stands, and nothing that waits', async () => {
    const statement = (end: string) => `Every ship that enters the north harbour pays its toll to the master ${end}.`;
    const standing = await room.stand({ title: 'The toll', statement: statement('in cash') });
    const gone = await room.agent.propose(aProposal({ title: 'The secret toll', statement: statement('in gold') }));
    await room.decide('reject', gone.id, 'Nobody pays in gold.');
    const waiting = await room.agent.propose(aProposal({ title: 'The waiting toll', statement: statement('in salt') }));
    const { receipt, text } = await propose(aProposal({ statement: statement('in tea') }));
    assert.deepEqual(
      new Map(receipt.resembles.map(({ id, state, title }) => [id, [state, title]])),
      new Map([
        [standing, ['active', 'The toll']],
        [gone.id, ['rejected', undefined]],
      ]),
    );
    assert.ok(text.includes(`resembles: ${standing} · active`) && text.includes(`resembles: ${gone.id} · rejected`), text);
    assert.doesNotMatch(`${text}${JSON.stringify(receipt)}`, new RegExp(`secret|waiting toll|gold|${waiting.id}`));
  });

  it('names the scopes beside it in which the value was rejected, and inside them refuses', async () => {
    const proposal = opens('six');
    const rejected = await room.agent.propose({ ...proposal, scope: 'path:src/' });
    await room.decide('reject', rejected.id, 'Not in src.');
    const { receipt, text } = await propose(proposal);
    assert.deepEqual([receipt.state, receipt.rejectedElsewhere], ['pending', ['path:src/']]);
    assert.match(text, /rejected in path:src\//);
    const inside = await agent.call('memory_propose', { ...proposal, scope: 'path:src/billing/' });
    assert.equal(inside.error?.code, 'rejected_before');
    assert.match(inside.error.message, /Not in src\./);
  });

  it('is one line where nothing is near', async () => {
    const { receipt, text } = await propose(opens('six'));
    assert.equal(text, `Proposed: ${receipt.id}; it waits for a person and is not recalled until they let it stand.`);
  });
});
