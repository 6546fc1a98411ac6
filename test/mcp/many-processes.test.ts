import assert from 'node:assert/strict';
import type { Receipt } from '../../src/engine';
import { aProposal } from '../support/store';
import { aRoom, propose, search, type Room } from './support/room';
import { sqlShell } from './support/sql-shell';

describe('several servers on one store', () => {
  let room: Room;
  beforeEach(async () => void (room = await aRoom()));
  afterEach(() => room.close());

  const servers = (count: number) => Promise.all(Array.from({ length: count }, (_, index) => room.connect({ client: `agent-${index}` })));

  it('that propose 20 each at once leave 40 waiting, readable by both and in the editor once approved (A4)', async () => {
    const agents = await servers(2);
    const ids = (
      await Promise.all(agents.flatMap((agent) => Array.from({ length: 20 }, () => propose(agent, aProposal({ title: 'Shared harbour' })))))
    ).map((receipt) => receipt.id);
    const waiting = await room.person.list({ states: ['pending'], limit: 100, offset: 0 });
    assert.deepEqual(waiting.map((memory) => memory.id).sort(), [...ids].sort());
    assert.deepEqual(await Promise.all(agents.map((agent) => search(agent, 'harbour'))), [[], []]);

    const approved = ids.filter((_, index) => index % 2 === 0);
    for (const id of approved) await room.decide('approve', id);
    const found = await Promise.all(agents.map((agent) => search(agent, 'harbour')));
    assert.deepEqual(
      found.map((each) => [...each].sort()),
      [approved, approved].map((each) => [...each].sort()),
    );
  });

  it('search at once while another program holds the write lock, and propose afterwards (A5)', async () => {
    const control = await room.stand({ statement: 'The harbour is closed at night.' });
    const agent = await room.connect();
    const proposal = { ...aProposal(), commandId: 'while-locked' };
    const holder = await sqlShell(room.storeFile);
    await holder.run('BEGIN IMMEDIATE');
    const held = { still: true };
    const released = new Promise<void>((resolve) => {
      setTimeout(() => {
        held.still = false;
        resolve(holder.run('COMMIT'));
      }, 6_000);
    });
    const proposed = agent.call('memory_propose', proposal);

    assert.deepEqual(await search(agent, 'harbour'), [control]);
    const latecomer = await room.connect({ client: 'late' });
    assert.deepEqual(await search(latecomer, 'harbour'), [control]);
    assert.ok(held.still, 'the searches waited for the lock');

    const { error, data } = await proposed;
    if (error !== undefined) assert.equal(error.code, 'store_busy');
    await released;
    await holder.close();
    const receipt = await propose(agent, proposal);
    assert.equal(receipt.state, 'pending');
    if (error === undefined) assert.deepEqual(receipt, { ...(data as unknown as Receipt), replayed: true });
    assert.equal((await room.person.overview()).counts.pending, 1);
  });
});
