import assert from 'node:assert/strict';
import { parse } from '../../../src/engine';
import { reportUseSchema } from '../../../src/engine/audit/exposure-query';
import { recallsOf } from '../../../src/engine/audit/seen';
import { codeOf } from '../../support/store';
import { aDesk, aSession, lockHolder, withoutName, type Desk } from './support';

describe('reporting use', () => {
  let desk: Desk;
  beforeEach(async () => void (desk = await aDesk()));
  afterEach(() => desk.close());

  it('is kept for the person, once for each memory, and the last answer counts', async () => {
    const [one, two] = [await desk.bench.stand({}), await desk.bench.stand({})];
    const session = aSession();
    const record = desk.record();
    const answer = await desk.answer({ session, ids: [one, two] });
    record.note(answer);
    const recallId = answer.id;
    const counts = (used: number, helped: number, notHelped: number) => ({ recallId, used, helped, notHelped });
    assert.deepEqual(await record.reportUse(session.id, { recallId, ids: [one, one], helped: true }), counts(1, 1, 0));
    assert.deepEqual(await record.reportUse(session.id, { recallId, ids: [one], helped: true }), counts(1, 1, 0));
    assert.deepEqual(await record.reportUse(session.id, { recallId, ids: [one], helped: false }), counts(1, 0, 1));
    assert.deepEqual(await record.reportUse(session.id, { recallId, ids: [two] }), counts(2, 0, 1));
    const [seen] = await recallsOf(desk.reading.read, desk.grant, session.id, { limit: 1, offset: 0 });
    assert.deepEqual(
      seen?.items.map(({ memory, use }) => [memory, use]),
      [
        [one, 'didNotHelp'],
        [two, 'used'],
      ],
    );
  });

  it('is refused for another session’s recall, and for what was not in the recall, with nothing stored', async () => {
    const [given, other] = [await desk.bench.stand({}), await desk.bench.stand({})];
    const session = aSession();
    const record = desk.record();
    const answer = await desk.answer({ session, ids: [given] });
    record.note(answer);
    const refused = (id: string, recallId: string, ids: string[]) => record.reportUse(id, { recallId, ids }).catch(codeOf);
    assert.equal(await refused(aSession().id, answer.id, [given]), 'not_found');
    assert.equal(await refused(session.id, crypto.randomUUID(), [given]), 'not_found');
    assert.equal(await refused(session.id, answer.id, [given, other]), 'not_found');
    assert.deepEqual(await desk.shell.all('SELECT * FROM uses'), []);
    assert.equal((await record.reportUse(session.id, { recallId: answer.id, ids: [given] })).used, 1);
  });

  it('is refused with a retryable error while the store is locked, and succeeds after it', async () => {
    const memory = await desk.bench.stand({});
    const session = aSession();
    const record = desk.record();
    const answer = await desk.answer({ session, ids: [memory] });
    record.note(answer);
    const report = { recallId: answer.id, ids: [memory] };
    const holder = await lockHolder(desk.bench.storeFile);
    assert.equal(await record.reportUse(session.id, report).catch(codeOf), 'store_busy');
    await holder.release();
    assert.equal((await record.reportUse(session.id, report)).used, 1);
  });

  it('changes no ranking, no state and no byte of what agents read', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await desk.bench.stand({ statement: `Harbour ${n} is closed at night.`, title: `Harbour ${n}` }));
    const session = aSession();
    const record = desk.record();
    const answer = await desk.answer({ session, ids });
    record.note(answer);
    await record.settled();
    const own = ['recalls', 'recalled', 'uses'];
    const memory = async () => {
      const tables = await desk.shell.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
      const names = tables.map(({ name }) => String(name)).filter((name) => !own.includes(name));
      return JSON.stringify(await Promise.all(names.map((name) => desk.shell.all(`SELECT * FROM "${name}"`))));
    };
    const answers = async () =>
      [
        await desk.bench.agent.search({ query: 'harbour closed' }),
        await desk.bench.agent.search({ query: 'harbour', path: 'src/a.ts', k: 2 }),
      ].map(withoutName);
    const before = [await memory(), ...(await answers())];
    assert.ok(before[1]?.includes(ids[0]!));

    await record.reportUse(session.id, { recallId: answer.id, ids: [ids[4]!], helped: true });
    await record.reportUse(session.id, { recallId: answer.id, ids: ids.slice(0, 4), helped: false });
    assert.equal((await desk.shell.all('SELECT * FROM uses')).length, 5);
    assert.deepEqual([await memory(), ...(await answers())], before);
  });

  it('takes a recall and 1 to 20 ids, and nothing else', () => {
    const recallId = crypto.randomUUID();
    const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
    assert.equal(parse(reportUseSchema, { recallId, ids: ids(20), helped: true }).ids.length, 20);
    for (const wrong of [
      { recallId, ids: [] },
      { recallId, ids: ids(21) },
      { recallId, ids: ['1'] },
      { recallId: 'last', ids: ids(1) },
      { recallId, ids: ids(1), session: 'mine' },
    ])
      assert.throws(
        () => parse(reportUseSchema, wrong),
        (error) => codeOf(error) === 'invalid_input',
      );
  });
});
