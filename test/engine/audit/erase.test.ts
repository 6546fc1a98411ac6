import assert from 'node:assert/strict';
import { eraseQuestions, prune, questionsTouching } from '../../../src/engine/audit/erase';
import { aDesk, aSession, type Desk } from './support';

describe('forgetting in the record of what sessions saw', () => {
  let desk: Desk;
  let now: Date;
  beforeEach(async () => {
    now = new Date();
    desk = await aDesk({ now: () => now });
  });
  afterEach(() => desk.close());

  const questions = async () => (await desk.shell.all('SELECT question FROM recalls ORDER BY seq')).map(({ question }) => question);

  it('blanks each question that returned the memory or holds its words, wherever it was asked, and keeps the others and all counts', async () => {
    const [forgotten, kept] = [await desk.bench.stand({}), await desk.bench.stand({})];
    const session = aSession();
    const record = desk.record();
    record.note(await desk.answer({ session, ids: [forgotten], question: 'what about the pier' }));
    record.note(await desk.answer({ session, ids: [kept], question: 'is the CANARY of the quay loud', scope: 'path:docs/' }));
    record.note(await desk.answer({ session, ids: [kept], question: 'an ordinary question' }));
    record.note(await desk.answer({ session, ids: [kept, forgotten], surface: 'file' }));
    await record.settled();

    const sought = {
      memories: [await desk.seqOf(forgotten)],
      contains: (question: string) => question.toLowerCase().includes('canary of the quay'),
    };
    const narrow = { ...desk.grant, read: [{ scope: 'workspace' }] };
    const looked = await questionsTouching(desk.reading.read, narrow, sought);
    assert.deepEqual(
      looked.questions.map(({ question }) => question),
      ['what about the pier'],
    );
    assert.equal(looked.beyond, 1);
    assert.equal((await questions())[0], 'what about the pier', 'a preview changes nothing');

    record.note(await desk.answer({ session, question: 'the canary of the quay, asked meanwhile' }));
    record.note(await desk.answer({ session, question: 'another ordinary one' }));
    await record.settled();
    assert.equal(await desk.side.transaction((tx) => eraseQuestions(tx, narrow, sought, looked)), 3);
    assert.deepEqual(await questions(), [null, null, 'an ordinary question', null, null, 'another ordinary one']);
    assert.equal((await desk.shell.all('SELECT * FROM recalled')).length, 5);
  });

  it('looks at every question of a long record', async () => {
    const record = desk.record();
    for (let n = 0; n < 250; n++) record.note(await desk.answer({ question: `question ${n}` }));
    await record.settled();
    const sought = { memories: [], contains: (question: string) => question.endsWith('9') };
    const looked = await questionsTouching(desk.reading.read, desk.grant, sought);
    assert.equal(looked.questions.length, 25);
    assert.equal(await desk.side.transaction((tx) => eraseQuestions(tx, desk.grant, sought, looked)), 25);
    assert.equal((await questions()).filter((question) => question === null).length, 25);
  });

  it('reaches a question that was asked before it and is written after it', async () => {
    const memory = await desk.bench.stand({});
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const record = desk.record({
      side: async (work) => {
        await opened; // a lock that is held for long
        return desk.side.transaction(work);
      },
    });
    record.note(await desk.answer({ question: 'the canary of the quay' }));
    now = new Date(now.getTime() + 1_000);
    await desk.shell.run('PRAGMA ignore_check_constraints = ON');
    await desk.shell.run(
      "UPDATE statuses SET state = 'forgotten', known_from = ? WHERE memory = ? AND known_to IS NULL",
      now.toISOString(),
      await desk.seqOf(memory),
    );
    now = new Date(now.getTime() + 60_000);
    record.note(await desk.answer({ question: 'asked long after it' }));
    open();
    await record.settled();
    assert.deepEqual(await questions(), [null, 'asked long after it']);
  });

  it('prunes what is old or beyond the bound in small steps, with what belongs to it, and nothing else', async () => {
    const memory = await desk.bench.stand({});
    const session = aSession();
    const record = desk.record();
    const start = now;
    const old = await desk.answer({ session, ids: [memory] });
    record.note(old);
    await record.reportUse(session.id, { recallId: old.id, ids: [memory] });
    now = new Date(start.getTime() + 60 * 24 * 60 * 60 * 1000);
    const recent = await desk.answer({ session, ids: [memory] });
    record.note(recent);
    await record.settled();
    const pruned = () => desk.side.transaction((tx) => prune(tx, now));
    assert.equal(await pruned(), 0);
    now = new Date(start.getTime() + 91 * 24 * 60 * 60 * 1000);
    assert.equal(await pruned(), 1);
    assert.deepEqual(await desk.shell.all('SELECT id FROM recalls'), [{ id: recent.id }]);
    assert.deepEqual(
      [(await desk.shell.all('SELECT * FROM recalled')).length, (await desk.shell.all('SELECT * FROM uses')).length],
      [1, 0],
    );

    await desk.shell.run(
      `INSERT INTO recalls (id, session, client, surface, at, scope, tokens, left_out, lost)
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20300)
       SELECT 'bulk ' || n, 's', 'c', 'search', ?, 'workspace', 1, 0, 0 FROM numbers`,
      now.toISOString(),
    );
    assert.deepEqual([await pruned(), await pruned(), await pruned()], [200, 101, 0]);
    const [left] = await desk.shell.all('SELECT count(*) AS n FROM recalls');
    assert.equal(left?.['n'], 20_000);
    assert.equal((await desk.bench.agent.get({ id: memory })).id, memory);
  });
});
