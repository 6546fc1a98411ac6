import assert from 'node:assert/strict';
import { states, type State } from '../../../src/engine';
import { dropTriggers, sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { aProposal, codeOf, type Bench } from '../../support/store';
import { aBenchOfEverything, everything, rowsOf, type Everything } from './everything';

describe('rebuilding from content and events', () => {
  let bench: Bench;
  let made: Everything;
  let shell: SqlShell;

  beforeEach(async () => {
    bench = await aBenchOfEverything();
    made = await everything(bench);
    shell = await sqlShell(bench.storeFile);
  });
  afterEach(async () => {
    await shell.close();
    await bench.close();
  });

  const seqOf = async (id: string | undefined) => Number((await shell.all('SELECT seq FROM memories WHERE id = ?', id))[0]?.['seq']);

  it('comes out equal, row for row, on a store with every state, and finds nothing to put right', async () => {
    const { counts } = await bench.person.overview();
    assert.deepEqual(
      states.filter((state: State) => counts[state] === 0),
      [],
      'every state is there',
    );
    const before = await rowsOf(shell);
    assert.deepEqual(await bench.person.integrity(), []);
    assert.deepEqual(await bench.person.rebuild(), { memories: Object.keys(made).length, repaired: {}, left: [], lost: [] });
    assert.deepEqual(await rowsOf(shell), before);
    assert.equal((await bench.engine.verify()).is, 'intact');
  });

  const damages: Record<string, { sql: string[]; tables: string[] }> = {
    'status rows flipped, backdated and removed': {
      sql: [
        `UPDATE statuses SET state = 'active' WHERE state = 'retired'`,
        `UPDATE statuses SET valid_from = NULL, scope = 'workspace' WHERE scope = 'path:pkg/'`,
        `DELETE FROM statuses WHERE state = 'contested'`,
        `UPDATE statuses SET known_to = '2026-01-01' WHERE state = 'forgotten'`,
      ],
      tables: ['statuses'],
    },
    'index rows removed, altered, moved and added': {
      sql: [
        `DELETE FROM served_index WHERE rowid % 2 = 0`,
        `UPDATE waiting_index SET body = 'something else'`,
        `INSERT INTO served_index (rowid, title, body) VALUES (4711, 'nobody', 'nothing')`,
        `INSERT INTO served_index (rowid, title, body) SELECT rowid, title, body FROM waiting_index LIMIT 1`,
      ],
      tables: ['served_index', 'waiting_index'],
    },
    'slots, claims, keys and rulings removed or altered': {
      sql: [
        `DELETE FROM slots WHERE cardinality = 'many'`,
        // What the forgotten one said of its slot is told by nothing any more, so that row is left out here.
        `UPDATE slots SET cardinality = 'many' WHERE event IN (SELECT e.seq FROM events e JOIN memories m ON m.id = e.memory WHERE m.erased IS NULL)`,
        `DELETE FROM claims WHERE memory % 2 = 0`,
        `UPDATE claims SET object = 'another'`,
        `UPDATE memories SET value_key = 'another' WHERE erased IS NULL`,
        `DELETE FROM rulings WHERE event = (SELECT max(event) FROM rulings)`,
        `INSERT INTO verdicts (question, event) SELECT 'nobody asked', seq FROM events WHERE memory = ''`,
      ],
      tables: ['claims', 'memories', 'rulings', 'slots', 'verdicts'],
    },
    'tombstones removed, disarmed and armed': {
      sql: [
        `DELETE FROM tombstones WHERE memory IN (SELECT seq FROM memories WHERE erased IS NULL) AND digest < '8'`,
        `UPDATE tombstones SET lifted = event WHERE lifted IS NULL`,
      ],
      tables: ['tombstones'],
    },
    'answers and verdicts removed or made up': {
      sql: [`UPDATE challenges SET answer = CASE WHEN answer IS NULL THEN event ELSE NULL END`, `DELETE FROM verdicts`],
      tables: ['challenges', 'verdicts'],
    },
  };
  for (const [what, { sql, tables }] of Object.entries(damages))
    it(`puts right ${what}`, async () => {
      const before = await rowsOf(shell);
      await dropTriggers(shell);
      for (const statement of sql) await shell.run(statement);
      assert.notDeepEqual(await rowsOf(shell), before);
      assert.notDeepEqual(await bench.person.integrity(), [], 'it is named');
      const { repaired, left, lost } = await bench.person.rebuild();
      assert.deepEqual([Object.keys(repaired).sort(), left, lost], [tables, [], []]);
      assert.deepEqual(await rowsOf(shell), before);
      assert.deepEqual(await bench.person.integrity(), []);
    });

  it('names a memory whose status was removed, which no list shows, and brings it back', async () => {
    const id = made['active'] ?? '';
    await shell.run('DELETE FROM statuses WHERE memory = ? AND known_to IS NULL', await seqOf(id));
    assert.equal(await bench.person.one(id), undefined);
    assert.deepEqual(await bench.person.integrity(), [
      { is: 'hidden', id },
      { is: 'differs', id, tables: ['statuses'] },
    ]);
    await bench.person.rebuild();
    assert.equal((await bench.person.one(id))?.tampering, undefined);
    assert.equal((await bench.agent.get({ id })).id, id);
  });

  it('arms a tombstone again that was marked as lifted with a SQL shell', async () => {
    const { statement, claim, kind } = (await bench.person.one(made['rejected'] ?? ''))?.memory?.content ?? {};
    const again = aProposal({ kind, statement, claim } as object);
    await shell.run('UPDATE tombstones SET lifted = event WHERE memory = ?', await seqOf(made['rejected']));
    await bench.person.rebuild();
    await assert.rejects(bench.agent.propose(again), (error) => codeOf(error) === 'rejected_before');
    const lifted = (await bench.person.one(made['lifted'] ?? ''))?.memory?.content.statement ?? '';
    assert.equal((await bench.agent.propose(aProposal({ statement: lifted }))).state, 'pending', 'what a person lifted stays lifted');
  });

  it('leaves what is not sound as it is and says which, and puts right what lies beside it', async () => {
    const [bad, good] = [made['active'] ?? '', made['retired'] ?? ''];
    await dropTriggers(shell);
    await shell.run(`UPDATE memories SET statement = 'Something nobody signed.' WHERE id = ?`, bad);
    await shell.run(
      `UPDATE statuses SET state = 'rejected' WHERE known_to IS NULL AND memory IN (?, ?)`,
      await seqOf(bad),
      await seqOf(good),
    );
    assert.deepEqual(await bench.person.integrity(), [
      { is: 'tampered', id: bad, why: 'content_altered' },
      { is: 'differs', id: good, tables: ['statuses'] },
    ]);
    const { left, repaired } = await bench.person.rebuild();
    assert.deepEqual([left, repaired], [[{ id: bad, why: 'content_altered' }], { statuses: 1 }]);
    assert.equal((await bench.person.one(bad))?.state, 'rejected');
    assert.equal((await bench.person.one(good))?.state, 'retired');
  });

  it('does not make a memory stand that no key of a person signed', async () => {
    const id = made['pending'] ?? '';
    await shell.run(`UPDATE statuses SET state = 'active' WHERE known_to IS NULL AND memory = ?`, await seqOf(id));
    await bench.person.rebuild();
    assert.equal((await bench.person.one(id))?.state, 'pending');
    await assert.rejects(bench.agent.get({ id }), (error) => codeOf(error) === 'not_found');
  });

  it('names what cannot come back: the tombstone of forgotten words, and a memory that only events tell of', async () => {
    const [forgotten, gone] = [made['forgottenLifted'] ?? '', made['lapsed'] ?? ''];
    await dropTriggers(shell);
    await shell.run('DELETE FROM tombstones WHERE memory = ?', await seqOf(forgotten));
    const seq = await seqOf(gone);
    for (const table of ['statuses', 'evidence', 'anchors', 'claims']) await shell.run(`DELETE FROM ${table} WHERE memory = ?`, seq);
    await shell.run('DELETE FROM memories WHERE seq = ?', seq);
    const expected = [
      { is: 'unburied', id: forgotten, restorable: false },
      { is: 'differs', id: '', tables: ['waiting_index'] },
      { is: 'gone', id: gone },
    ];
    assert.deepEqual(await bench.person.integrity(), expected);
    assert.deepEqual((await bench.person.rebuild()).lost.toSorted(), [forgotten, gone].sort());
    assert.deepEqual(
      (await bench.person.integrity()).map(({ id }) => id),
      [forgotten, gone],
    );
  });
});
