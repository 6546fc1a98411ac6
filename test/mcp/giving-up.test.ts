import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { aProposal } from '../support/store';
import type { Connection } from './support/client';
import { handshake, startRaw } from './support/raw';
import { aRoom, search, type Room } from './support/room';
import { dropTriggers, sqlShell } from './support/sql-shell';

describe('a running server whose store', () => {
  let room: Room;
  let id = '';
  beforeEach(async () => {
    room = await aRoom();
    id = await room.stand({ statement: 'The harbour is open.' });
  });
  afterEach(() => room.close());

  const code = async (agent: Connection) => (await agent.call('memory_search', { query: 'harbour' })).error?.code;

  it('is taken away makes no new one, says so at each call, and serves again when it is put back', async () => {
    const agent = await room.connect();
    assert.deepEqual(await search(agent, 'harbour'), [id]);
    await room.engine.close();
    renameSync(room.storeFile, `${room.storeFile}.away`);
    assert.equal(await code(agent), 'store_unusable');
    assert.equal(await code(agent), 'store_missing');
    assert.equal((await agent.call('memory_propose', { ...aProposal() })).error?.code, 'store_missing');
    assert.ok(!existsSync(room.storeFile));
    renameSync(`${room.storeFile}.away`, room.storeFile);
    assert.deepEqual(await search(agent, 'harbour'), [id]);
  });

  it('lacks what was signed serves nothing, and serves again without being opened anew when it is whole', async () => {
    const agent = await room.connect();
    assert.deepEqual(await search(agent, 'harbour'), [id]);
    const shell = await sqlShell(room.storeFile);
    await dropTriggers(shell);
    const [last] = await shell.all('SELECT seq, hash, body, memory FROM events ORDER BY seq DESC LIMIT 1');
    assert.ok(last);
    await shell.run('PRAGMA foreign_keys = OFF');
    await shell.run('DELETE FROM events WHERE seq = ?', last['seq']);
    for (let call = 0; call < 3; call += 1) assert.equal(await code(agent), 'store_behind');
    await shell.run('INSERT INTO events (seq, hash, body, memory) VALUES (?, ?, ?, ?)', ...Object.values(last));
    await shell.close();
    assert.deepEqual(await search(agent, 'harbour'), [id]);
    assert.equal(agent.stderr(), '');
  });

  describe('is to keep what the session saw', () => {
    const saw = async () => {
      const server = await startRaw({ store: room.storeFile, root: room.root, keys: room.keysFile });
      await server.ask(0, 'initialize', handshake());
      server.send({ method: 'notifications/initialized' });
      const { result } = await server.ask(1, 'tools/call', { name: 'memory_search', arguments: { query: 'harbour' } });
      assert.equal((result?.['structuredContent'] as { items: unknown[] }).items.length, 1);
      return server;
    };
    const seen = async () => (await room.person.sessionsSeen({ limit: 10, offset: 0 })).length;
    const within5s = <T>(outcome: Promise<T>): Promise<T> =>
      Promise.race([
        outcome,
        delay(5_000, undefined, { ref: false }).then(() => {
          throw new Error('the server still runs after 5 seconds');
        }),
      ]);

    it('has it when the server has ended', async () => {
      const server = await saw();
      server.process.stdin.end();
      assert.equal(await within5s(server.ended()), 0);
      assert.equal(await seen(), 1);
    });

    it('does without it where somebody holds the lock, and the server ends in time', async () => {
      const shell = await sqlShell(room.storeFile);
      await shell.run('BEGIN IMMEDIATE');
      const server = await saw();
      server.process.stdin.end();
      assert.equal(await within5s(server.ended()), 0);
      await shell.run('ROLLBACK');
      await shell.close();
      assert.equal(await seen(), 0);
      const control = await saw();
      control.process.stdin.end();
      await control.ended();
      assert.equal(await seen(), 1);
    });
  });
});
