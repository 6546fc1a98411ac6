import assert from 'node:assert/strict';
import { aProposal } from '../support/store';
import type { Connection } from './support/client';
import { aRoom, propose, type Room } from './support/room';
import { rowCounts, sqlShell } from './support/sql-shell';

describe('saying it again over MCP', () => {
  let room: Room;
  let agent: Connection;
  beforeEach(async () => {
    room = await aRoom();
    agent = await room.connect();
  });
  afterEach(() => room.close());

  const memories = async () => {
    const shell = await sqlShell(room.storeFile);
    const { memories: count } = await rowCounts(shell);
    await shell.close();
    return count;
  };

  it('under the same command id replays the receipt, also after a restart of the server', async () => {
    const proposal = { ...aProposal(), commandId: 'call-1' };
    const first = await propose(agent, proposal);
    const again = await propose(agent, proposal);
    await agent.close();
    const restarted = await propose(await room.connect(), proposal);
    assert.deepEqual(first, { ...first, replayed: false, duplicate: false, state: 'pending' });
    assert.deepEqual(again, { ...first, replayed: true });
    assert.deepEqual(restarted, { ...first, replayed: true });
    assert.equal(await memories(), 1);
  });

  it('with other content under the same command id is refused, and nothing is stored', async () => {
    const first = await propose(agent, { ...aProposal(), commandId: 'call-1' });
    const { error } = await agent.call('memory_propose', { ...aProposal(), commandId: 'call-1' });
    assert.equal(error?.code, 'command_id_reused');
    assert.equal(await memories(), 1);
    const control = await propose(agent, { ...aProposal(), commandId: 'call-2' });
    assert.notEqual(control.id, first.id);
    assert.equal(await memories(), 2);
  });

  it('under a command id that another client has used is a call of its own', async () => {
    const other = await room.connect({ client: 'another-client' });
    const mine = await propose(agent, { ...aProposal(), commandId: 'call-1' });
    const theirs = await propose(other, { ...aProposal(), commandId: 'call-1' });
    assert.notEqual(mine.id, theirs.id);
    assert.deepEqual([mine.replayed, theirs.replayed], [false, false]);
    assert.equal(await memories(), 2);
  });

  it('in other letters makes no second memory, and says which one is there', async () => {
    const first = await propose(agent, aProposal({ statement: 'Amounts are kept in cents.' }));
    const again = await propose(agent, aProposal({ statement: '  AMOUNTS are   kept in ｃｅｎｔｓ  ' }));
    assert.deepEqual(again, { ...first, duplicate: true });
    assert.equal(await memories(), 1);
    const control = await propose(agent, aProposal({ statement: 'Amounts are kept in tenths of a cent.' }));
    assert.equal(control.duplicate, false);
    assert.equal(await memories(), 2);
  });

  it('three times at once with a command id and once without leaves one memory under one id (A13)', async () => {
    const proposal = aProposal();
    const storm = await Promise.all([1, 2, 3].map(() => propose(agent, { ...proposal, commandId: 'storm' })));
    const without = await propose(agent, proposal);
    assert.equal(new Set([...storm, without].map((receipt) => receipt.id)).size, 1);
    assert.deepEqual(storm.map((receipt) => receipt.replayed).sort(), [false, true, true]);
    assert.equal(without.duplicate, true);
    assert.equal(await memories(), 1);
  });
});
