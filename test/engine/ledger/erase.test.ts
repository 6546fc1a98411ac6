/** The words of a forgotten memory leave every table, the bytes below the tables and the backups; its twin's words stay. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { erasures } from '../../../src/engine/ledger/erase';
import { sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { aBench, aProposal, seen, type Bench } from '../../support/store';
import { until } from '../store/support';

/** 32 characters that are one word. */
const aCanary = () => crypto.randomUUID().replaceAll('-', '');

describe('forgetting', () => {
  let bench: Bench;
  let shell: SqlShell;
  let [canary, twin] = ['', ''];
  /** The memories that carry the canary: one that stands, and one that was only proposed. */
  let ids: string[] = [];

  const withWord = (word: string) => ({
    kind: 'workflow' as const,
    title: `Title ${word}`,
    statement: `Statement ${word}.`,
    rationale: `because ${word}`,
    alternatives: [`or ${word}`],
    tags: [word],
    appliesWhen: `when ${word}`,
    steps: [`do ${word}`],
    claim: { subject: `subject ${word}`, predicate: 'is', object: word },
    anchors: [{ folder: `src/${word}` }],
    evidence: [{ kind: 'quote' as const, speaker: 'the team', text: `said ${word}` }],
    commandId: `command-${word}`,
  });
  /** One that stands, was challenged and doubted with reasons, and one that waits. */
  const remember = async (word: string) => {
    const { id } = await bench.agent.propose(aProposal(withWord(word)));
    await bench.decide('approve', id);
    const { id: waiting } = await bench.agent.propose(aProposal({ statement: `Another ${word}.`, commandId: `waiting-${word}` }));
    await bench.agent.contest({ id, reason: `doubt ${word}`, evidence: [{ kind: 'issue', ref: `#${word}` }] });
    await bench.decide('contest', id, `reason ${word}`);
    return [id, waiting];
  };
  const forget = async (questions: readonly string[] = []) =>
    bench.person.decide({ act: 'forget', memories: await Promise.all(ids.map((id) => bench.seen(id))), questions }, bench.key);
  /** The files anywhere in the bench's folder whose bytes hold a word. */
  const filesWith = (word: string) =>
    readdirSync(bench.folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => statSync(join(bench.folder, name)).isFile() && readFileSync(join(bench.folder, name)).includes(word),
    );

  beforeEach(async () => {
    bench = await aBench();
    shell = await sqlShell(bench.storeFile);
    [canary, twin] = [aCanary(), aCanary()];
    ids = await remember(canary);
    await remember(twin);
  });
  afterEach(async () => {
    await shell.close();
    await bench.close();
  });

  describe('takes the words out of', () => {
    /** How many rows of a table are about the forgotten memories and still hold something. */
    const held = async (table: keyof typeof erasures, of: readonly string[]) => {
      const word = of === ids ? canary : twin;
      const memories = `SELECT seq FROM memories WHERE id IN (SELECT value FROM json_each('${JSON.stringify(of)}'))`;
      const keyed: Readonly<Partial<Record<keyof typeof erasures, string>>> = {
        claims: `memory IN (${memories})`,
        receipts: `memory IN (${memories})`,
      };
      const where = keyed[table];
      const rows = await shell.all(where === undefined ? `SELECT * FROM ${table}` : `SELECT * FROM ${table} WHERE ${where}`);
      return where === undefined ? rows.filter((row) => JSON.stringify(row).includes(word)).length : rows.length;
    };
    for (const table of Object.keys(erasures) as (keyof typeof erasures)[])
      it(`the table ${table}`, async () => {
        const before = await held(table, ids);
        assert.ok(before > 0, 'they are there to begin with');
        await forget();
        assert.equal(await held(table, ids), 0);
        assert.ok((await shell.all(`SELECT * FROM ${table}`)).some((row) => JSON.stringify(row).includes(twin)) || table === 'claims');
        for (const id of ids) assert.deepEqual([(await seen(bench.person, id)).state, (await seen(bench.person, id)).tampering], ['forgotten', undefined]); // prettier-ignore
      });
  });

  it('takes them out of every byte of the store, and leaves the twin’s', async () => {
    assert.notDeepEqual(filesWith(canary), []);
    const receipt = await forget();
    assert.equal(receipt.erased, 'done');
    assert.deepEqual(filesWith(canary), []);
    assert.notDeepEqual(filesWith(twin), []);
  });

  it('takes them out of the backups', async () => {
    assert.ok(await bench.person.backUpIfDue());
    assert.equal(filesWith(canary).filter((name) => name.includes('backup')).length, 1);
    await forget();
    assert.deepEqual(filesWith(canary), []);
    assert.equal(filesWith(twin).filter((name) => name.includes('backup')).length, 1);
  });

  describe('takes out of the record of what agents saw', () => {
    const asked = async () => {
      const [session] = await bench.person.sessionsSeen({ limit: 10, offset: 0 });
      return session === undefined ? [] : bench.person.recallsOf(session.session, { limit: 20, offset: 0 });
    };
    const ask = async (...queries: string[]) => {
      for (const query of queries) await bench.agent.search({ query });
      await until(async () => (await asked()).length >= queries.length);
    };
    const questions = async () => (await asked()).map(({ question }) => question).reverse();

    it('the questions that it answered or that hold its words', async () => {
      await ask(`what of ${canary}`, `what of ${twin}`, 'what else is there');
      await forget();
      assert.deepEqual(await questions(), [undefined, `what of ${twin}`, 'what else is there']);
    });

    it('the questions that the person ticked', async () => {
      await ask('who is it about', 'what else is there');
      const ticked = (await asked()).find(({ question }) => question === 'who is it about');
      assert.ok(ticked);
      await forget([ticked.id]);
      assert.deepEqual(await questions(), [undefined, 'what else is there']);
    });

    it('in a backup, every question', async () => {
      await ask(`what of ${canary}`);
      assert.ok(await bench.person.backUpIfDue());
      await forget();
      assert.deepEqual(filesWith(`what of ${canary}`), []);
    });
  });
});
