import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyId, restoreBackup, type Engine, type PersonAct, type Proposal } from '../../../src/engine';
import { saltedHash } from '../../../src/engine/domain/canonical';
import { declaredTexts } from '../../../src/engine/domain/declared-texts';
import { contentHash } from '../../../src/engine/domain/events';
import { erasures } from '../../../src/engine/ledger/erase';
import { sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { aCanary, filesWith } from '../../support/bytes';
import { aBench, agentOf, aProposal, lines, seen, type Bench } from '../../support/store';

let bench: Bench;
let canary: string;
let twin: string;

beforeEach(() => {
  [canary, twin] = [aCanary(), aCanary()];
});

const aForgettingBench = async () => {
  // The words are in the names of files, too, since anchors and evidence name them.
  bench = await aBench({ [`src/${canary}.ts`]: lines(20), [`src/${twin}.ts`]: lines(20) });
};

/** A proposal with the word in every field that takes words. */
const everywhere = (word: string, parts: Partial<Proposal> = {}): Proposal => ({
  kind: 'workflow',
  title: `Title ${word}`,
  statement: `Statement ${word} of the matter.`,
  rationale: `Rationale ${word}`,
  alternatives: [`Alternative ${word}`],
  tags: [word],
  appliesWhen: `When ${word}`,
  steps: [`Step ${word}`, 'and then'],
  claim: { subject: `subject ${word}`, predicate: `predicate ${word}`, object: `object ${word}`, cardinality: 'one' },
  anchors: [{ file: `src/${word}.ts` }, { file: `src/${word}.ts`, symbol: word }, { glob: `src/${word}/**` }, { folder: `lib/${word}` }],
  evidence: [
    { kind: 'file', path: `src/${word}.ts`, startLine: 2 },
    { kind: 'url', url: `https://example.org/${word}` },
    { kind: 'issue', ref: `#${word}` },
    { kind: 'quote', speaker: word, text: `so said ${word}` },
  ],
  commandId: `command ${word}`,
  ...parts,
});

/** Whatever a word can get into: a memory in full, an edited original, a quoting memory, challenges, reasons, questions. @returns their ids. */
async function spread(word: string): Promise<string[]> {
  const { agent, person, key } = bench;
  const decide: Bench['decide'] = (act, id, reason) => bench.decide(act, id, reason);
  const act = async (id: string, decision: object) => person.decide({ ...decision, ...(await bench.seen(id)) } as PersonAct, key);
  const main = (await agent.propose(everywhere(word))).id;
  await decide('approve', main);
  const other = await bench.stand({ statement: `Another one, beside ${word.slice(0, 3)}.` });
  const evidence = [{ kind: 'quote', speaker: word, text: word }];
  const contested = (await agent.contest({ id: main, reason: `Doubt ${word}`, evidence })).id;
  await act(main, { act: 'decline', challenge: contested, reason: `No doubt ${word}` });
  await agent.contest({ id: other, with: main, reason: `It contradicts ${word}`, evidence });
  await agent.requestRetire({ id: main, reason: `Retire ${word}` });
  await agent.search({ query: `what of ${word}` });
  await agent.forFile({ path: `src/${word}.ts` });
  const original = (await agent.propose(everywhere(word, { statement: `First wording ${word}.`, claim: { subject: 'a', predicate: 'b', object: word }, commandId: `edit ${word}` }))).id; // prettier-ignore
  const draft = { kind: 'fact', title: `Edited ${word}`, statement: `Edited wording ${word}.`, evidence };
  const edited = (await act(original, { act: 'amend', draft, surface: 'test' })).id;
  const quoting = await bench.stand({
    statement: `As was written: "Statement ${word} of the matter."`,
    evidence: [{ kind: 'memory', id: main }],
  });
  const rejected = (await agent.propose(aProposal({ statement: `Rejected ${word}` }))).id;
  await decide('reject', rejected, `Never ${word}`);
  const waiting = (await agent.propose(aProposal({ statement: `Waiting ${word}` }))).id;
  const lapsed = (await agent.propose(aProposal({ statement: `Lapsed ${word}` }))).id;
  await decide('lapse', lapsed, `Not now ${word}`);
  await bench.reopen().then((engine) => engine.close()); // the record of what was asked is written by the end of a process
  return [main, original, edited, quoting, rejected, waiting, lapsed];
}

async function forget(ids: readonly string[], engine: Engine = bench.engine) {
  const person = engine.forPerson();
  const memories = [];
  for (const id of ids) memories.push({ id, seen: (await seen(person, id)).seen ?? assert.fail() });
  return person.decide({ act: 'forget', memories, questions: [] }, bench.key);
}

/** Files of Stet with the word; the work tree is the person's own. */
const files = (word: string) => filesWith(bench.folder, word).filter((name) => !name.startsWith('work/'));

describe('declared texts', () => {
  let shell: SqlShell;
  beforeEach(async () => {
    bench = await aBench();
    shell = await sqlShell(bench.storeFile);
  });
  afterEach(async () => {
    await shell.close();
    await bench.close();
  });

  /** Every column that can hold text, of tables and of indexes. */
  const textColumns = async (): Promise<string[]> =>
    (
      await shell.all(
        `SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT GLOB 'sqlite_*' AND t.name NOT GLOB '*_index_*' AND (c.type IN ('TEXT', 'ANY', 'BLOB') OR t.sql LIKE 'CREATE VIRTUAL%')`,
      )
    ).map((row) => String(row['name']));
  const declared = () => Object.entries(declaredTexts).flatMap(([table, columns]) => Object.keys(columns).map((column) => `${table}.${column}`)); // prettier-ignore

  it('are all the columns of the store that can hold text', async () => {
    assert.deepEqual((await textColumns()).toSorted(), declared().sort());
    await shell.run('ALTER TABLE reasons ADD COLUMN remark TEXT');
    assert.deepEqual((await textColumns()).filter((name) => !declared().includes(name)), ['reasons.remark'], 'a new one is noticed'); // prettier-ignore
  });

  it('are reached by a statement of forgetting where they say so', () => {
    for (const [table, columns] of Object.entries(declaredTexts)) {
      const statement = (erasures as Readonly<Record<string, string>>)[table];
      for (const [column, { forgetting }] of Object.entries(columns))
        if (forgetting === 'erased')
          assert.ok(statement?.startsWith('DELETE') === true || new RegExp(`\\b${column} = `).test(statement ?? ''), `${table}.${column}`);
    }
  });
});

describe('forgetting, on the bytes', () => {
  beforeEach(aForgettingBench);
  afterEach(() => bench.close());

  it('takes a canary out of every declared field that is erased, and only there', async () => {
    const ids = await spread(canary);
    await spread(twin);
    const shell = await sqlShell(bench.storeFile);
    const holding = async (word: string) => {
      const found: string[] = [];
      for (const [table, columns] of Object.entries(declaredTexts))
        for (const column of Object.keys(columns))
          if ((await shell.all(`SELECT 1 FROM ${table} WHERE instr(${column}, ?) > 0 LIMIT 1`, word)).length > 0) found.push(`${table}.${column}`); // prettier-ignore
      return found.sort();
    };
    for (const word of [canary, twin])
      while (!(await holding(word)).includes('recalls.question')) await new Promise((resolve) => setTimeout(resolve, 20));
    const words = Object.entries(declaredTexts).flatMap(([table, columns]) =>
      Object.entries(columns).flatMap(([column, text]) =>
        text.of === 'caller' && text.forgetting !== 'stays' ? [`${table}.${column}`] : [],
      ),
    );
    // Ids of other memories, and what a client calls itself, are no words; the person's own copy is tried elsewhere.
    const noWords = ['memories.replaces', 'memories.copy_of', 'receipts.client'];
    assert.deepEqual(await holding(canary), words.filter((name) => !noWords.includes(name)).sort(), 'it was in every one of them');
    assert.equal((await forget(ids)).erased, 'done');
    assert.deepEqual(await holding(canary), []);
    assert.deepEqual((await holding(twin)).length, words.length - noWords.length);
    assert.deepEqual(files(canary), []);
    assert.notDeepEqual(files(twin), []);
    await shell.close();
    for (const id of ids) assert.equal((await seen(bench.person, id)).state, 'forgotten');
    assert.deepEqual([await bench.person.integrity(), (await bench.engine.verify()).is], [[], 'intact']);
  });

  it('lists what quotes or derives from it, to be ticked, and leaves what is not ticked', async () => {
    const [main, original, edited, quoting] = await spread(canary);
    const listed = (await bench.person.leavings([main ?? ''])).memories.map(({ id }) => id);
    for (const id of [original, edited, quoting]) assert.ok(listed.includes(id ?? ''));
    await forget([main ?? '']);
    assert.notDeepEqual(files(canary), [], 'the others still hold it');
    assert.equal((await seen(bench.person, quoting ?? '')).state, 'active');
  });

  it('takes its words out of what was written about others, in the backups too, and leaves the rest of that', async () => {
    const [about, forgotten] = [await bench.stand({}), await bench.stand({ statement: `It is ${canary}.` })];
    for (const word of [canary, twin])
      await bench.agent.contest({
        id: about,
        reason: `It is said to be ${word}.`,
        evidence: [{ kind: 'quote', speaker: 'a note', text: word }],
      });
    const retired = await bench.stand({});
    await bench.decide('retire', retired, `since it is ${canary}`);
    const kept = await bench.stand({});
    await bench.decide('retire', kept, `since it is ${twin}`);
    await bench.person.backUpIfDue();
    assert.equal((await bench.person.leavings([forgotten])).challenges, 1);
    await forget([forgotten]);
    assert.deepEqual(files(canary), []);
    assert.ok(files(twin).some((name) => name.includes('backups')) && files(twin).length > 1);
    assert.deepEqual([...(await bench.person.reasons(kept)).values()], [`since it is ${twin}`]);
    assert.deepEqual((await bench.person.challenges()).map(({ reason }) => reason.includes(twin)), [false, true]); // prettier-ignore
    assert.deepEqual(await bench.person.integrity(), []);
  });

  it('reaches backups and what was set aside', async () => {
    const ids = await spread(canary);
    await spread(twin);
    const backup = (await bench.person.backUpIfDue())?.file ?? assert.fail();
    await bench.engine.close();
    await restoreBackup({ storeFile: bench.storeFile, root: bench.root, keysFile: bench.keysFile, backupFile: backup, signer: bench.key });
    const places = (word: string) => new Set(files(word).map((name) => name.split('/')[1]));
    assert.deepEqual(places(canary), new Set(['memory.db', 'backups', 'set-aside']));
    const engine = await bench.reopen();
    assert.equal((await forget(ids, engine)).erased, 'done');
    assert.deepEqual(files(canary), []);
    assert.deepEqual(places(twin), new Set(['memory.db', 'backups', 'set-aside']));
  });

  it('is held while another process reads, and done by itself once that has ended', async () => {
    const ids = await spread(canary);
    await spread(twin);
    const engine = await bench.reopen(); // tries again by itself
    const reader = await sqlShell(bench.storeFile);
    await reader.run('BEGIN');
    await reader.all('SELECT count(*) FROM memories');
    assert.equal((await forget(ids)).erased, 'held');
    assert.deepEqual((await agentOf(engine, 'x').search({ query: canary })).items, [], 'nobody is served it meanwhile');
    assert.notDeepEqual(files(canary), []);
    await reader.run('COMMIT');
    await reader.close();
    await bench.reopen();
    while (files(canary).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.notDeepEqual(files(twin), []);
    while ((await bench.person.finishErasures()) === 'held') await new Promise((resolve) => setTimeout(resolve, 20)); // others are at it
  });

  it('reaches free pages of a file that grew before freed bytes were overwritten', async () => {
    const ids = await spread(canary);
    await spread(twin);
    await bench.engine.close();
    const careless = await sqlShell(bench.storeFile);
    await careless.run('PRAGMA secure_delete=OFF');
    await careless.run('CREATE TABLE scratch (text TEXT)');
    for (let row = 0; row < 200; row += 1) await careless.run('INSERT INTO scratch VALUES (?)', `${canary} ${'x'.repeat(500)}`);
    await careless.run('DELETE FROM scratch');
    await careless.run('PRAGMA wal_checkpoint(TRUNCATE)');
    await careless.run('DROP TABLE scratch');
    await careless.close();
    const engine = await bench.reopen();
    assert.equal((await forget(ids, engine)).erased, 'done');
    assert.deepEqual(files(canary), []);
    assert.notDeepEqual(files(twin), []);
  });

  it('is whole or has not begun after kill -9 at any moment of it, and is finished when the store is opened again', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const der = publicKey.export({ format: 'der', type: 'spki' });
    const pin = { id: keyId(der), publicKey: der.toString('base64'), since: '2026-01-01T00:00:00.000Z' };
    writeFileSync(bench.keysFile, JSON.stringify({ version: 1, keys: [bench.key.pin, pin] }));
    const temp = join(bench.folder, 'temp');
    mkdirSync(temp);
    await spread(twin);
    for (let row = 0; row < 60; row += 1) await bench.stand({ rationale: 'filler '.repeat(200) });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const where = { storeFile: bench.storeFile, root: bench.root, keysFile: bench.keysFile };
    /** @returns how long the forgetting took, if it came to its end. */
    const run = async (ids: readonly string[], killAfterMs: number) => {
      const child = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'forgetter.ts'), JSON.stringify({ ...where, key: pem, ids })], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: temp } }); // prettier-ignore
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      const began = performance.now();
      const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      await ended;
      clearTimeout(timer);
      return performance.now() - began;
    };
    const rounds = 6;
    const word = aCanary();
    const whole = await run([await bench.stand({ statement: `It is ${word}.` })], 60_000);
    assert.deepEqual(files(word), []);
    let [begun, notBegun] = [0, 0];
    // A busy machine is later every time: the kills come later until one has met a forgetting that had begun.
    for (let round = 0; round < rounds || (begun === 0 && round < 5 * rounds); round += 1) {
      const secret = aCanary();
      const forgotten = await bench.stand({ statement: `It is ${secret}.` });
      if (round === 0) await bench.person.backUpIfDue();
      await run([forgotten], (whole * (round + Math.random())) / rounds);
      const engine = await bench.reopen();
      const { state, memory } = await seen(engine.forPerson(), forgotten);
      if (state === 'forgotten') begun += 1;
      else {
        notBegun += 1;
        assert.deepEqual([state, memory?.content.statement], ['active', `It is ${secret}.`]);
        await forget([forgotten], engine);
      }
      while (files(secret).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      assert.deepEqual([(await engine.verify()).is, await engine.forPerson().integrity()], ['intact', []]);
      while ((await engine.forPerson().finishErasures()) === 'held') await new Promise((resolve) => setTimeout(resolve, 20));
      await engine.close();
    }
    assert.ok(begun > 0, `${notBegun} of ${notBegun} were killed before they began`);
    assert.notDeepEqual(files(twin), []);
  });
});

describe('a forgotten value', () => {
  beforeEach(aForgettingBench);
  afterEach(() => bench.close());

  it('cannot be guessed back from the events once its salt is gone, and could before', async () => {
    const statementOf = (n: number) => `The door of room ${n} is the one to use.`;
    const id = (await bench.agent.propose(aProposal({ statement: statementOf(437) }))).id;
    await bench.decide('approve', id);
    const before = (await seen(bench.person, id)).memory ?? assert.fail();
    const shell = await sqlShell(bench.storeFile);
    /** Whoever knows everything but the number, and has the file. */
    const guesses = async () => {
      const bodies = (await shell.all('SELECT body FROM events WHERE memory = ?', id)).map((row) => String(row['body']));
      const salts = new Set<string>(['']);
      for (const table of ['memories', 'store', 'challenges'])
        for (const row of await shell.all(`SELECT salt FROM ${table}`)) salts.add(String(row['salt']));
      const found = new Set<number>();
      for (const salt of salts)
        for (let n = 0; n < 1_000; n += 1) {
          const content = { ...before.content, statement: statementOf(n) };
          const marks = [contentHash({ id, salt, content }), saltedHash(salt, statementOf(n))];
          if (marks.some((mark) => bodies.some((body) => body.includes(mark)))) found.add(n);
        }
      return [...found];
    };
    assert.deepEqual(await guesses(), [437]);
    await forget([id]);
    assert.deepEqual(await guesses(), []);
    await shell.close();
  });
});
