import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pinKeys } from '../support/keys';
import { aProposal } from '../support/store';
import { connect } from './support/client';
import { aRoom, everywhere, met, nowhere, propose, type Room } from './support/room';

const path = 'src/billing/invoice.ts';
const query = 'how often are requests retried?';
const aboutRetries = (target: string) =>
  aProposal({
    title: `Retries of the ${target}`,
    statement: `Requests to the ${target} are retried three times.`,
    anchors: [{ file: path }],
  });

describe('over MCP, the life of a memory', () => {
  let room: Room;
  beforeEach(async () => void (room = await aRoom()));
  afterEach(() => room.close());

  it('is unseen while it waits, seen everywhere once approved, gone once retired, and its twin stays', async () => {
    const agent = await room.connect();
    const { id, state } = await propose(agent, aboutRetries('ledger'));
    const twin = await room.stand(aboutRetries('mailer'));
    const seen = async () => ({ it: await met(agent, id, { query, path }), twin: await met(agent, twin, { query, path }) });
    assert.equal(state, 'pending');
    assert.deepEqual(await seen(), { it: nowhere, twin: everywhere });

    await room.decide('approve', id);
    assert.deepEqual(await seen(), { it: everywhere, twin: everywhere });

    await room.decide('retire', id, 'The ledger retries by itself now.');
    assert.deepEqual(await seen(), { it: nowhere, twin: everywhere });

    const rejected = await propose(agent, aboutRetries('archive'));
    await room.decide('reject', rejected.id);
    assert.deepEqual(await met(agent, rejected.id, { query, path }), nowhere);
    assert.deepEqual(await met(agent, twin, { query, path }), everywhere);
  });

  it('without --keys is never served, and proposing works', async () => {
    const id = await room.stand(aboutRetries('ledger'));
    const [keyless, keyed] = await Promise.all([room.connect({ keys: undefined }), room.connect()]);
    assert.deepEqual(await met(keyless, id, { query, path }), nowhere);
    assert.deepEqual(await met(keyed, id, { query, path }), everywhere);

    const proposed = await propose(keyless, aboutRetries('mailer'));
    assert.equal((await room.person.one(proposed.id))?.state, 'pending');
  });

  it('begins to be served by a running server when the file of keys is made', async () => {
    const id = await room.stand(aboutRetries('ledger'));
    mkdirSync(join(room.folder, 'later'));
    const later = join(room.folder, 'later', 'keys.json');
    const agent = await room.connect({ keys: later });
    assert.deepEqual(await met(agent, id, { query, path }), nowhere);
    pinKeys(later, room.key);
    assert.deepEqual(await met(agent, id, { query, path }), everywhere);
  });

  it('can begin in a store that is not there yet, in a folder that is not there yet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stet-test-'));
    const store = join(folder, 'a', 'b', 'memory.db');
    const agent = await connect({ store, root: folder });
    try {
      assert.equal((await propose(agent, aboutRetries('ledger'))).state, 'pending');
      assert.ok(existsSync(store));
    } finally {
      await agent.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('carries the name the client gave in its handshake, made harmless, and none that its arguments claim', async () => {
    const agent = await room.connect({ client: '  Claude\u202E\u0000 \u200B Code\n\u001B[31m ', clientVersion: `2.${'9'.repeat(200)}` });
    const { id } = await propose(agent, aboutRetries('ledger'));
    const provenance = (await room.person.one(id))?.memory?.content.provenance;
    assert.ok(provenance?.tag === 'inferred');
    assert.equal(provenance.client, 'Claude Code [31m');
    assert.equal(provenance.clientVersion.length, 80);

    const claiming = await agent.call('memory_propose', { ...aboutRetries('mailer'), provenance: { tag: 'stated', surface: 'review' } });
    assert.ok(claiming.error);
    assert.equal(claiming.error.code, 'invalid_input');
    assert.match(claiming.error.message, /"provenance"/);
  });

  it('is of an unnamed client where the handshake names none that can be seen', async () => {
    const agent = await room.connect({ client: '\u202E\u200B ', clientVersion: '' });
    const { id } = await propose(agent, aboutRetries('ledger'));
    const provenance = (await room.person.one(id))?.memory?.content.provenance;
    assert.ok(provenance?.tag === 'inferred');
    assert.deepEqual([provenance.client, provenance.clientVersion], ['unnamed client', 'unknown']);
  });

  it('is one session per connection, whatever two servers of one client propose', async () => {
    const [first, second] = await Promise.all([room.connect(), room.connect()]);
    await propose(first, aboutRetries('ledger'));
    await propose(first, aboutRetries('mailer'));
    await propose(second, aboutRetries('archive'));
    const { sessions } = await room.person.overview();
    assert.deepEqual(sessions.map((session) => session.pending).sort(), [1, 2]);
    assert.deepEqual(new Set(sessions.map((session) => session.client)), new Set(['test-client']));
  });
});
