import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { aProposal } from '../support/store';
import { handshake, startRaw, type RawServer } from './support/raw';
import { aRoom, type Room } from './support/room';

const toolNames = [
  'memory_search',
  'memory_for_file',
  'memory_get',
  'memory_history',
  'memory_propose',
  'memory_contest',
  'memory_request_retire',
  'memory_report_use',
];

describe('the protocol', () => {
  let room: Room;
  const raws: RawServer[] = [];
  beforeEach(async () => void (room = await aRoom()));
  afterEach(async () => {
    for (const raw of raws.splice(0)) {
      raw.process.stdin.end();
      await raw.ended();
    }
    await room.close();
  });

  const raw = async (more: { keys?: string; store?: string; env?: Record<string, string> } = {}) => {
    const server = await startRaw({ store: room.storeFile, root: room.root, keys: room.keysFile, ...more });
    raws.push(server);
    return server;
  };

  const shaken = async (more: Parameters<typeof raw>[0] = {}) => {
    const server = await raw(more);
    await server.ask(0, 'initialize', handshake());
    server.send({ method: 'notifications/initialized' });
    return server;
  };

  describe('lists the tools', () => {
    const listed = async () => (await (await shaken()).ask(1, 'tools/list')).result as { tools: Tool[] };

    it('in one order, with no way to decide anything', async () => {
      const first = await listed();
      assert.deepEqual(first, await listed());
      assert.deepEqual(
        first.tools.map((tool) => tool.name),
        toolNames,
      );
    });

    it('with hints that say what they do', async () => {
      const read = { readOnlyHint: true, openWorldHint: false };
      const write = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
      assert.deepEqual(Object.fromEntries((await listed()).tools.map((tool) => [tool.name, tool.annotations])), {
        memory_search: read,
        memory_for_file: read,
        memory_get: read,
        memory_history: read,
        memory_propose: { ...write, idempotentHint: false },
        memory_contest: { ...write, idempotentHint: true },
        memory_request_retire: { ...write, idempotentHint: true },
        memory_report_use: { ...write, idempotentHint: true },
      });
    });

    it('closed to unknown fields, and described by a first sentence that stands alone', async () => {
      for (const { name, description = '', inputSchema, outputSchema } of (await listed()).tools) {
        assert.equal(inputSchema['additionalProperties'], false, name);
        assert.equal(outputSchema?.type, 'object', name);
        const [first = ''] = description.split(/(?<=\.) /);
        assert.ok(first.length >= 40 && first.length <= 200, `${name}: ${first}`);
        assert.ok(description.length < 1_000, name);
      }
    });

    it('in few words: 2,000 tokens of what a model reads, and 16,000 characters in all', async () => {
      const { tools } = await listed();
      const told = JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
      assert.ok(told.length <= 8_400, `${told.length} characters`); // 4.2 characters make a token here
      assert.ok(JSON.stringify({ tools }).length <= 16_000);
    });

    it('and introduces itself in at most a kilobyte', async () => {
      const { result } = await (await raw()).ask(1, 'initialize', handshake());
      const instructions = String(result?.['instructions']);
      assert.ok(Buffer.byteLength(instructions) <= 1_024, `${Buffer.byteLength(instructions)} bytes`);
      assert.match(instructions, /memory_search[\s\S]*memory_propose/);
    });
  });

  for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])
    it(`is spoken in its version ${version}`, async () => {
      const server = await raw();
      const { result } = await server.ask(1, 'initialize', handshake(version));
      assert.equal(result?.['protocolVersion'], version);
      server.send({ method: 'notifications/initialized' });
      const { result: answer } = await server.ask(2, 'tools/call', { name: 'memory_propose', arguments: aProposal() });
      assert.equal((answer?.['structuredContent'] as { state: string }).state, 'pending');
    });

  it('is spoken in a version the server knows when the client asks for a later one', async () => {
    const { result } = await (await raw()).ask(1, 'initialize', handshake('2099-01-01'));
    assert.equal(result?.['protocolVersion'], '2025-11-25');
  });

  it('knows no method it does not have, also before the handshake, and goes on', async () => {
    const server = await raw();
    for (const [index, method] of ['server/discover', 'memory/approve', 'resources/list', 'prompts/list', 'constructor'].entries())
      assert.equal((await server.ask(100 + index, method)).error?.code, -32601, method);
    assert.ok((await server.ask(1, 'initialize', handshake())).result);
    assert.equal((await server.ask(2, 'server/discover')).error?.code, -32601);
    assert.ok((await server.ask(3, 'tools/list')).result);
  });

  it('answers calls that are none with what to do, and goes on', async () => {
    const server = await shaken();
    for (const [index, params] of [{ name: 'memory_approve', arguments: {} }, { name: 'constructor' }, { name: 7 }, {}].entries()) {
      const { error } = await server.ask(100 + index, 'tools/call', params);
      assert.equal(error?.code, -32602);
      assert.match(error.message, new RegExp(`^There is no tool .*${toolNames.join(', ')}\\.$`));
    }
    for (const [index, asked] of ['text', [1], null, 7, undefined].entries()) {
      const { result } = await server.ask(200 + index, 'tools/call', { name: 'memory_search', arguments: asked });
      assert.equal((result?.['structuredContent'] as { error: { code: string } }).error.code, 'invalid_input');
    }
    for (const line of [
      '',
      'hello',
      '{"jsonrpc":"2.0"',
      '[]',
      'null',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"id":{},"method":"ping","jsonrpc":"2.0"}',
    ])
      server.send(line);
    const { result } = await server.ask(1, 'tools/call', { name: 'memory_search', arguments: { query: 'anything' } });
    assert.deepEqual((result?.['structuredContent'] as { items: unknown[] }).items, []);
  });

  it('answers calls that come together, each under its own id, and none that was cancelled', async () => {
    const id = await room.stand({ statement: 'The harbour is open.' });
    const server = await shaken();
    for (let call = 1; call <= 50; call += 1)
      server.send({
        id: call,
        method: 'tools/call',
        params: { name: 'memory_search', arguments: { query: call % 2 === 0 ? 'harbour' : 'nothing' } },
      });
    server.send({ id: 99, method: 'tools/call', params: { name: 'memory_search', arguments: { query: 'harbour' } } });
    server.send({ method: 'notifications/cancelled', params: { requestId: 99, reason: 'not needed' } });
    server.send({ method: 'notifications/cancelled', params: { requestId: 12_345 } });
    for (let call = 1; call <= 50; call += 1) {
      const { result } = await server.reply(call);
      const items = (result?.['structuredContent'] as { items: { id: string }[] }).items.map((item) => item.id);
      assert.deepEqual(items, call % 2 === 0 ? [id] : []);
    }
    await server.ask(100, 'ping');
    assert.ok(!server.lines().some((line) => line.includes('"id":99')));
  });

  it('is all that stdout carries, while what goes wrong is told on stderr (A8)', async () => {
    const noKeys = join(room.folder, 'keys-as-a-folder.json');
    const noStore = join(room.folder, 'no-store.db');
    mkdirSync(noKeys);
    writeFileSync(noStore, 'not a database, but long enough to be looked at as one. '.repeat(100));
    const env = { NODE_DEBUG: 'fs,stream,net,child_process', DEBUG: '*', NODE_OPTIONS: '--trace-warnings --trace-exit' };
    for (const broken of [{ keys: noKeys }, { store: noStore }]) {
      const server = await shaken({ ...broken, env });
      await server.ask(1, 'tools/call', {
        name: 'memory_propose',
        arguments: aProposal({ evidence: [{ kind: 'file', path: 'src/billing/invoice.ts' }] }),
      });
      const { result } = await server.ask(2, 'tools/call', { name: 'memory_search', arguments: { query: 'anything' } });
      const { code } = (result?.['structuredContent'] as { error: { code: string } }).error;
      assert.equal(code, 'keys' in broken ? 'keys_unreadable' : 'store_unusable');
      server.process.stdin.end();
      await server.ended();
      for (const line of server.lines()) assert.equal((JSON.parse(line) as { jsonrpc: string }).jsonrpc, '2.0');
      assert.match(server.stderr(), new RegExp(`stet: ${code}: `));
    }
  });
});
