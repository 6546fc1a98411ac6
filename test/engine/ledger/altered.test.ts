/** What was changed in the store's file by anything but the ledger is not served, each kind of it by a check of its own; its twin is. */
import assert from 'node:assert/strict';
import type { Tampering } from '../../../src/engine';
import { canonicalJson } from '../../../src/engine/domain/canonical';
import { eventHash, signedBytes, type EventBody } from '../../../src/engine/domain/events';
import { dropTriggers, sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { testKey, type TestKey } from '../../support/keys';
import { aBench, aProposal, seen, type Bench } from '../../support/store';

type Decided = Extract<EventBody, { type: 'decided' }>;

describe('a memory altered outside of the ledger is not served:', () => {
  let bench: Bench;
  let shell: SqlShell;
  let twin: string;
  beforeEach(async () => {
    bench = await aBench();
    twin = await bench.stand({ statement: 'The lighthouse of the twin is lit.' });
    shell = await sqlShell(bench.storeFile);
    await dropTriggers(shell);
  });
  afterEach(async () => {
    await shell.close();
    await bench.close();
  });

  const served = async () => (await bench.agent.search({ query: 'lighthouse' })).items.map(({ id }) => id).sort();
  const aboutLight = () => aProposal({ statement: `The lighthouse is lit, ${Math.random()}.` });

  /** The last event about a memory that is of this act, and its body. */
  const eventOf = async (id: string, act: string) => {
    const rows = await shell.all('SELECT seq, body FROM events WHERE memory = ? ORDER BY seq DESC', id);
    const found = rows.map((row) => ({ seq: Number(row['seq']), body: JSON.parse(String(row['body'])) as EventBody }));
    const event = found.find(({ body }) => (body.type === 'decided' ? body.statement.act : body.type) === act);
    assert.ok(event);
    return event;
  };
  const write = async (seq: number, body: EventBody) => {
    const text = canonicalJson(body);
    await shell.run('UPDATE events SET body = ?, hash = ? WHERE seq = ?', text, eventHash(text), seq);
  };
  const signedBy = async (key: TestKey, body: Decided, statement: Decided['statement']): Promise<Decided> => ({
    ...body,
    statement,
    signature: Buffer.from(await key.sign(signedBytes(statement))).toString('base64'),
  });

  const attacks: readonly (readonly [string, Tampering, (id: string) => Promise<unknown>])[] = [
    [
      'an approval that another key signed under the person’s name',
      'signature_invalid',
      async (id) => {
        const { seq, body } = await eventOf(id, 'approve');
        assert.ok(body.type === 'decided');
        await write(seq, await signedBy(testKey(), body, body.statement));
      },
    ],
    [
      'an approval in the name of a policy, rightly signed',
      'history_broken',
      async (id) => {
        const { seq, body } = await eventOf(id, 'approve');
        assert.ok(body.type === 'decided' && body.statement.version === 2);
        await write(seq, await signedBy(bench.key, body, { ...body.statement, authority: 'policy' }));
      },
    ],
    [
      'an event under the hash that it had before',
      'event_altered',
      async (id) => {
        const { seq, body } = await eventOf(id, 'proposed');
        assert.ok(body.type === 'proposed');
        const text = canonicalJson({ ...body, actor: { ...body.actor, session: 'another' } });
        await shell.run('UPDATE events SET body = ? WHERE seq = ?', text, seq);
      },
    ],
    [
      'the words, with their index',
      'content_altered',
      async (id) => {
        await shell.run("UPDATE memories SET statement = 'The lighthouse is dark.' WHERE id = ?", id);
        await shell.run(
          "UPDATE served_index SET body = 'The lighthouse is dark.' WHERE rowid = (SELECT seq FROM memories WHERE id = ?)",
          id,
        );
      },
    ],
    [
      'the scope it holds in',
      'state_altered',
      (id) =>
        shell.run(
          "UPDATE statuses SET scope = 'path:src/' WHERE memory = (SELECT seq FROM memories WHERE id = ?) AND known_to IS NULL",
          id,
        ),
    ],
    [
      'the text that it is found by',
      'index_altered',
      (id) => shell.run("UPDATE served_index SET body = body || ' more' WHERE rowid = (SELECT seq FROM memories WHERE id = ?)", id),
    ],
  ];
  for (const [what, reason, alter] of attacks)
    it(what, async () => {
      const { id } = await bench.agent.propose(aboutLight());
      await bench.decide('approve', id);
      await bench.person.setSlot('lighthouse', 'light', 'one', bench.key); // the newest event is signed outside, and this one is not it
      assert.deepEqual(await served(), [id, twin].sort());
      await alter(id);
      assert.deepEqual(await served(), [twin]);
      assert.equal((await seen(bench.person, id)).tampering, reason);
    });

  it('a proposal whose row was set to stand', async () => {
    const { id } = await bench.agent.propose(aboutLight());
    const seq = Number((await shell.all('SELECT seq FROM memories WHERE id = ?', id))[0]?.['seq']);
    await shell.run("UPDATE statuses SET state = 'active' WHERE memory = ?", seq);
    await shell.run('INSERT INTO served_index (rowid, title, body) SELECT rowid, title, body FROM waiting_index WHERE rowid = ?', seq);
    await shell.run('DELETE FROM waiting_index WHERE rowid = ?', seq);
    assert.deepEqual(await served(), [twin]);
    assert.equal((await seen(bench.person, id)).tampering, 'state_altered');
  });

  it('a person’s earlier act, played again after they took it back', async () => {
    const id = await bench.stand({ statement: 'The lighthouse is lit again.' });
    await bench.decide('retire', id);
    await bench.person.decide({ act: 'restore', ...(await bench.seen(id)), successor: 'reverse' }, bench.key);
    assert.deepEqual(await served(), [id, twin].sort());
    const restoring = await eventOf(id, 'restore');
    await bench.decide('retire', id);
    const [last] = await shell.all('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1');
    assert.ok(restoring.body.type === 'decided');
    const body = canonicalJson({ ...restoring.body, prev: last?.['hash'] });
    await shell.run('INSERT INTO events (hash, body, memory) VALUES (?, ?, ?)', eventHash(body), body, id);
    const seq = Number((await shell.all('SELECT seq FROM memories WHERE id = ?', id))[0]?.['seq']);
    const { statement } = restoring.body;
    await shell.run('DELETE FROM statuses WHERE memory = ? AND known_to IS NULL', seq);
    await shell.run(
      `INSERT INTO statuses (memory, state, event, known_from, scope, valid_from, valid_to, others) VALUES (?, 'active', ?, ?, ?, NULL, NULL, '[]')`,
      seq,
      Number(last?.['seq']) + 1,
      statement.at,
      statement.scope,
    );
    await shell.run('INSERT INTO served_index (rowid, title, body) SELECT rowid, title, body FROM waiting_index WHERE rowid = ?', seq);
    await shell.run('DELETE FROM waiting_index WHERE rowid = ?', seq);
    assert.deepEqual(await served(), [twin]);
    assert.equal((await seen(bench.person, id)).tampering, 'history_broken');
  });
});
