import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pinKeys } from '../support/keys';
import { aProposal } from '../support/store';
import { handshake, startRaw, startWith, type RawServer } from './support/raw';
import { aRoom, search, type Room } from './support/room';

const longest = 10 * 1024 * 1024;

describe('a server that is started', () => {
  let room: Room;
  beforeEach(async () => void (room = await aRoom()));
  afterEach(() => room.close());

  for (const flag of ['--help', '-h'])
    it(`with ${flag} says how to start it, on stderr alone, and touches nothing`, async () => {
      const store = join(room.folder, 'never', 'memory.db');
      const server = await startWith(['--store', store, '--root', room.root, flag]);
      assert.equal(await server.ended(), 0);
      assert.deepEqual(server.lines(), []);
      for (const option of ['--store FILE', '--root FOLDER', '--user-store FILE', '--keys FILE', '--name NAME'])
        assert.ok(server.stderr().includes(option), option);
      assert.ok(!existsSync(join(room.folder, 'never')));
    });

  it('with a user store that has no name ends with 2 and one sentence', async () => {
    const server = await startWith(['--store', 'memory.db', '--root', '.', '--user-store', '']);
    assert.equal(await server.ended(), 2);
    assert.match(server.stderr(), /^stet: --user-store names no file\. [^\n]+\n$/);
  });

  it('with a file of keys that is not there says so once, and works once it is', async () => {
    const keys = join(room.folder, 'mistyped', 'keys.json');
    const id = await room.stand({ statement: 'The harbour is open.' });
    const agent = await room.connect({ keys });
    assert.deepEqual(await search(agent, 'harbour'), []);
    assert.deepEqual(await search(agent, 'harbour'), []);
    assert.equal(agent.stderr(), `stet: There is no file of keys at ${keys}, so nothing is recalled until there is one\n`);
    const control = await room.connect();
    assert.deepEqual(await search(control, 'harbour'), [id]);
    assert.equal(control.stderr(), '');
  });
});

describe('a message longer than a server reads', () => {
  let room: Room;
  let server: RawServer;
  beforeEach(async () => {
    room = await aRoom();
    pinKeys(room.keysFile, room.key);
    server = await startRaw({ store: room.storeFile, root: room.root, keys: room.keysFile });
    await server.ask(0, 'initialize', handshake());
    server.send({ method: 'notifications/initialized' });
  });
  afterEach(async () => {
    server.process.stdin.end();
    await server.ended();
    await room.close();
  });

  const padding = 'x'.repeat(longest);
  const name = 'memory_propose';

  it('is answered under its id with an error, wherever the id stands, and the server goes on', async () => {
    server.send(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { statement: padding, id: 77 } } }),
    );
    server.send(
      JSON.stringify({ method: 'tools/call', params: { name, arguments: { statement: padding, id: 78 } }, jsonrpc: '2.0', id: 2 }),
    );
    for (const id of [1, 2]) {
      const { error } = await server.reply(id);
      assert.equal(error?.code, -32600);
      assert.match(error.message, /longer than 10485760 bytes/);
    }
    const { result } = await server.ask(3, 'tools/call', { name, arguments: aProposal() });
    assert.equal((result?.['structuredContent'] as { state: string }).state, 'pending');
    assert.equal((await room.person.overview()).counts.pending, 1);
  });

  it('that has no id to be found is told in the log and gets no answer', async () => {
    server.send(padding + padding);
    server.send({ id: 1, method: 'ping' });
    assert.ok((await server.reply(1)).result);
    assert.equal(server.lines().length, 2);
    assert.match(server.stderr(), /longer than 10485760 bytes/);
  });

  it('is told from one that just fits, which is read', async () => {
    const head = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"';
    const tail = '"}}}';
    server.send(`${head}${'x'.repeat(longest - head.length - tail.length)}${tail}`);
    const { result } = await server.reply(1);
    assert.equal((result?.['structuredContent'] as { error: { code: string } }).error.code, 'too_large');
  });
});
