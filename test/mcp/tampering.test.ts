import assert from 'node:assert/strict';
import { canonicalJson } from '../../src/engine/domain/canonical';
import { eventHash, signedBytes, type EventBody } from '../../src/engine/domain/events';
import type { Tampering } from '../../src/engine';
import { pinKeys, testKey } from '../support/keys';
import { aProposal } from '../support/store';
import type { Connection } from './support/client';
import { aRoom, everywhere, met, nowhere, propose, type Room } from './support/room';
import { dropTriggers, sqlShell, type SqlShell } from './support/sql-shell';

const path = 'src/billing/invoice.ts';
const query = 'harbour lighthouse';

interface Attack {
  readonly what: string;
  readonly reason: Tampering;
  /** How far a person has taken the memory; approved unless said. */
  readonly state?: 'pending' | 'retired';
  readonly run: (shell: SqlShell, seq: number) => Promise<unknown>;
}

/** Sets the present state, and moves the text to where agents search, as somebody would who knows the schema. */
const setActive = async (shell: SqlShell, seq: number) => {
  await shell.run("UPDATE statuses SET state = 'active' WHERE memory = ? AND known_to IS NULL", seq);
  await shell.run('INSERT INTO served_index (rowid, title, body) SELECT rowid, title, body FROM waiting_index WHERE rowid = ?', seq);
  await shell.run('DELETE FROM waiting_index WHERE rowid = ?', seq);
};

const change = (sql: string) => (shell: SqlShell, seq: number) => shell.run(sql, seq);

/** Rewrites the approval, with a hash that fits what was written. */
const rewriteApproval =
  (rewrite: (body: Extract<EventBody, { type: 'decided' }>) => EventBody | Promise<EventBody>) => async (shell: SqlShell, seq: number) => {
    const [event] = await shell.all(
      'SELECT e.seq, e.body FROM events e JOIN memories m ON m.id = e.memory WHERE m.seq = ? AND e.body LIKE \'%"decided"%\'',
      seq,
    );
    assert.ok(event);
    const body = canonicalJson(await rewrite(JSON.parse(String(event['body'])) as Extract<EventBody, { type: 'decided' }>));
    await shell.run('UPDATE events SET body = ?, hash = ? WHERE seq = ?', body, eventHash(body), event['seq']);
  };

const forger = testKey();

const attacks: readonly Attack[] = [
  { what: 'a waiting row set to active', reason: 'state_altered', state: 'pending', run: setActive },
  { what: 'a retired row set back to active under its old approval', reason: 'state_altered', state: 'retired', run: setActive },
  {
    what: 'a retired row whose retirement was taken out of its status history',
    reason: 'state_altered',
    state: 'retired',
    run: async (shell, seq) => {
      await setActive(shell, seq);
      await shell.run('DELETE FROM statuses WHERE memory = ? AND known_to IS NULL', seq);
      await shell.run("UPDATE statuses SET known_to = NULL WHERE memory = ? AND state = 'active'", seq);
    },
  },
  {
    what: 'the statement, and its index row with it',
    reason: 'content_altered',
    run: async (shell, seq) => {
      await shell.run("UPDATE memories SET statement = 'The harbour lighthouse is dark.' WHERE seq = ?", seq);
      await shell.run("UPDATE served_index SET body = 'The harbour lighthouse is dark.' WHERE rowid = ?", seq);
    },
  },
  { what: 'the title', reason: 'content_altered', run: change("UPDATE memories SET title = 'harbour lighthouse, new' WHERE seq = ?") },
  { what: 'the rationale', reason: 'content_altered', run: change("UPDATE memories SET rationale = 'because' WHERE seq = ?") },
  { what: 'the kind', reason: 'content_altered', run: change("UPDATE memories SET kind = 'fact' WHERE seq = ?") },
  { what: 'the scope', reason: 'content_altered', run: change("UPDATE memories SET scope = 'path:src/' WHERE seq = ?") },
  {
    what: 'the client it came from',
    reason: 'content_altered',
    run: change("UPDATE sessions SET client = 'the person' WHERE id = (SELECT session FROM memories WHERE seq = ?)"),
  },
  { what: 'the model it came from', reason: 'content_altered', run: change("UPDATE memories SET model = 'another' WHERE seq = ?") },
  {
    what: 'its origin',
    reason: 'content_altered',
    run: change(
      "UPDATE memories SET origin = 'stated', surface = 'review', stated_at = recorded_at, session = NULL, model = NULL WHERE seq = ?",
    ),
  },
  {
    what: 'an anchor',
    reason: 'content_altered',
    run: change("UPDATE anchors SET kind = 'folder', path = 'src', base = 'src' WHERE memory = ?"),
  },
  {
    what: 'an anchor that is added',
    reason: 'content_altered',
    run: change("INSERT INTO anchors VALUES (?, 7, 'folder', 'src', NULL, 'src')"),
  },
  {
    what: 'the evidence',
    reason: 'content_altered',
    run: change(`UPDATE evidence SET pointer = '{"kind":"issue","ref":"#1"}' WHERE memory = ?`),
  },
  {
    what: 'the validity',
    reason: 'content_altered',
    run: change("UPDATE memories SET valid_from = '2020-01-01T00:00:00.000Z' WHERE seq = ?"),
  },
  {
    what: 'the scope in which it holds now',
    reason: 'state_altered',
    run: change("UPDATE statuses SET scope = 'path:src/' WHERE memory = ? AND known_to IS NULL"),
  },
  {
    what: 'the day from which it holds now',
    reason: 'state_altered',
    run: change("UPDATE statuses SET valid_from = '2020-01-01T00:00:00.000Z' WHERE memory = ? AND known_to IS NULL"),
  },
  {
    what: 'the memories its state is about',
    reason: 'state_altered',
    run: change(`UPDATE statuses SET others = '["another"]' WHERE memory = ? AND known_to IS NULL`),
  },
  {
    what: 'the day it was recorded',
    reason: 'content_altered',
    run: change("UPDATE memories SET recorded_at = '2020-01-01T00:00:00.000Z' WHERE seq = ?"),
  },
  {
    what: 'the index row alone',
    reason: 'index_altered',
    run: change("UPDATE served_index SET body = body || ' zeppelin' WHERE rowid = ?"),
  },
  { what: 'a row that is no memory any more', reason: 'unreadable', run: change("UPDATE memories SET tags = 'none' WHERE seq = ?") },
  {
    what: 'an event',
    reason: 'event_altered',
    run: change(
      'UPDATE events SET body = replace(body, \'"from":"pending"\', \'"from":"retired"\') WHERE memory = (SELECT id FROM memories WHERE seq = ?)',
    ),
  },
  {
    what: 'an event, under a new hash',
    reason: 'signature_invalid',
    run: rewriteApproval((body) => ({ ...body, statement: { ...body.statement, at: '2026-01-01T00:00:00.000Z' } })),
  },
  {
    what: 'a signature by another key under the trusted key’s name',
    reason: 'signature_invalid',
    run: rewriteApproval(async (body) => ({
      ...body,
      signature: Buffer.from(await forger.sign(signedBytes(body.statement))).toString('base64'),
    })),
  },
  {
    what: 'a signature by another key under its own name',
    reason: 'key_unknown',
    run: rewriteApproval(async (body) => ({
      ...body,
      key: forger.keyId,
      signature: Buffer.from(await forger.sign(signedBytes(body.statement))).toString('base64'),
    })),
  },
];

describe('what was changed with a SQL shell is not served, its twin is, and the editor says why:', () => {
  let room: Room;
  let agent: Connection;
  let shell: SqlShell;
  beforeEach(async () => {
    room = await aRoom();
    agent = await room.connect();
    shell = await sqlShell(room.storeFile);
  });
  afterEach(async () => {
    await shell.close();
    await room.close();
  });

  const aboutHarbour = () =>
    aProposal({
      title: 'harbour',
      statement: `The lighthouse of the harbour burns all night, ${Math.random()}.`,
      anchors: [{ file: path }],
    });
  const seqOf = async (id: string) => Number((await shell.all('SELECT seq FROM memories WHERE id = ?', id))[0]?.['seq']);

  for (const { what, reason, state, run } of attacks)
    it(what, async () => {
      const { id } = await propose(agent, aboutHarbour());
      if (state !== 'pending') await room.decide('approve', id);
      const twin = await room.stand(aboutHarbour());
      const seen = async () => ({ it: await met(agent, id, { query, path }), twin: await met(agent, twin, { query, path }) });
      if (state === undefined) assert.deepEqual(await seen(), { it: everywhere, twin: everywhere });
      if (state === 'retired') await room.decide('retire', id);

      await dropTriggers(shell);
      await run(shell, await seqOf(id));

      assert.deepEqual(await seen(), { it: nowhere, twin: everywhere });
      assert.deepEqual(await met(agent, id, { query: 'zeppelin dark new', path: 'src/other.ts' }), nowhere);
      const fresh = await room.connect();
      assert.deepEqual([await met(fresh, id, { query, path }), await met(fresh, twin, { query, path })], [nowhere, everywhere]);
      assert.equal((await room.person.one(id))?.tampering, reason);
      assert.equal((await room.person.one(twin))?.tampering, undefined);
    });

  it('an approval by a key that is no longer trusted', async () => {
    const other = testKey();
    pinKeys(room.keysFile, room.key, other);
    const { id } = await propose(agent, aboutHarbour());
    const proposed = (await room.person.one(id))?.seen;
    assert.ok(proposed);
    await room.person.decide({ act: 'approve', id, seen: proposed }, other);
    const twin = await room.stand(aboutHarbour());
    assert.deepEqual(await met(agent, id, { query, path }), everywhere);

    pinKeys(room.keysFile, room.key);
    assert.deepEqual(await met(agent, id, { query, path }), nowhere);
    assert.deepEqual(await met(agent, twin, { query, path }), everywhere);
    assert.equal((await room.person.one(id))?.tampering, 'key_unknown');
  });

  it('a standing memory copied from another store with its events', async () => {
    const elsewhere = await aRoom();
    const id = await elsewhere.stand(aboutHarbour());
    const twin = await room.stand(aboutHarbour());
    pinKeys(room.keysFile, room.key, elsewhere.key); // even when its key is trusted here
    await dropTriggers(shell);
    await shell.run('ATTACH ? AS other', elsewhere.storeFile);
    await shell.run('INSERT INTO sessions SELECT * FROM other.sessions');
    const columns = (await shell.all("SELECT name FROM pragma_table_info('memories') WHERE name <> 'seq'"))
      .map(({ name }) => String(name))
      .join(', ');
    await shell.run(`INSERT INTO memories (seq, ${columns}) SELECT 900, ${columns} FROM other.memories`);
    await shell.run('INSERT INTO events (seq, hash, body, memory) SELECT seq + 900, hash, body, memory FROM other.events');
    await shell.run(
      'INSERT INTO statuses SELECT 900, state, event + 900, known_from, known_to, scope, valid_from, valid_to, others FROM other.statuses',
    );
    await shell.run('INSERT INTO anchors SELECT 900, position, kind, path, symbol, base FROM other.anchors');
    await shell.run('INSERT INTO evidence SELECT 900, position, pointer FROM other.evidence');
    await shell.run('INSERT INTO served_index (rowid, title, body) SELECT 900, title, body FROM other.served_index');

    assert.deepEqual(await met(agent, id, { query, path }), nowhere);
    assert.deepEqual(await met(agent, twin, { query, path }), everywhere);
    assert.equal((await room.person.one(id))?.tampering, 'history_broken');
    await elsewhere.close();
  });
});
