import assert from 'node:assert/strict';
import type { Withdrawn } from '../../../src/engine/audit/answer';
import { recallsOf } from '../../../src/engine/audit/seen';
import type { ExposureRecord } from '../../../src/engine/audit/exposure';
import { aDesk, aSession, type Desk } from './support';

describe('what a session was given and no longer holds', () => {
  let desk: Desk;
  let now: Date;
  beforeEach(async () => {
    now = new Date();
    desk = await aDesk({ now: () => now });
  });
  afterEach(() => desk.close());

  const told = async (record: ExposureRecord, session: { id: string }, grant = desk.grant) => {
    const { named } = await record.noLongerHeld(session.id, desk.reading.read, grant);
    return named.map(({ id, state }: Withdrawn) => [id, state]);
  };
  const sorted = (pairs: readonly string[][]) => [...pairs].sort((a, b) => a.join().localeCompare(b.join()));

  it('is named once, with no more than its state, and what still stands is not', async () => {
    const { bench } = desk;
    const [standing, retired, rejected] = [await bench.stand({}), await bench.stand({}), await bench.stand({})];
    const session = aSession();
    const record = desk.record();
    record.note(await desk.answer({ session, ids: [standing, retired, rejected] }));
    assert.deepEqual(record.served(session.id), [rejected, retired, standing]);
    assert.deepEqual(await told(record, session), []);

    await bench.decide('retire', retired);
    await bench.decide('reject', rejected);
    const named = await told(record, session);
    assert.deepEqual(
      sorted(named),
      sorted([
        [retired, 'retired'],
        [rejected, 'withdrawn'],
      ]),
    );
    assert.deepEqual(await told(record, session), []);
    assert.deepEqual(await told(record, aSession()), [], 'another session was given nothing');
  });

  it('tells superseded from forgotten, and what the grant no longer reaches from neither', async () => {
    const { bench } = desk;
    const [superseded, forgotten, inDocs] = [await bench.stand({}), await bench.stand({}), await bench.stand({ scope: 'path:docs/' })];
    const session = aSession();
    const record = desk.record();
    record.note(await desk.answer({ session, ids: [superseded, forgotten, inDocs] }));
    await desk.shell.run('PRAGMA ignore_check_constraints = ON');
    for (const [id, state] of [
      [superseded, 'superseded'],
      [forgotten, 'forgotten'],
    ])
      await desk.shell.run('UPDATE statuses SET state = ? WHERE memory = ? AND known_to IS NULL', state, await desk.seqOf(id!));
    assert.deepEqual(await told(record, session, { ...desk.grant, read: [{ scope: 'workspace' }] }), [
      [inDocs, 'withdrawn'],
      [forgotten, 'withdrawn'],
      [superseded, 'superseded'],
    ]);
  });

  it('is named when its validity ends, though nobody changed anything', async () => {
    const ends = new Date(now.getTime() + 60_000).toISOString();
    const [bounded, open] = [await desk.bench.stand({ validTo: ends }), await desk.bench.stand({})];
    const session = aSession();
    const record = desk.record();
    record.note(await desk.answer({ session, ids: [bounded, open] }));
    assert.deepEqual(await told(record, session), []);
    now = new Date(ends);
    assert.deepEqual(await told(record, session), [[bounded, 'noLongerValid']]);
  });

  it('is not looked for while nothing changed', async () => {
    const memory = await desk.bench.stand({});
    const session = aSession();
    const record = desk.record();
    let looks = 0;
    const read = {
      all: (sql: string, ...values: readonly (string | number | Buffer | null)[]) => {
        looks += 1;
        return desk.reading.read.all(sql, ...values);
      },
    };
    const look = () => record.noLongerHeld(session.id, read, desk.grant);
    record.note(await desk.answer({ session, ids: [memory] }));
    await look();
    const seen = looks;
    await look();
    record.note(await desk.answer({ session, ids: [memory] }));
    await look();
    assert.equal(looks, seen);
    await desk.bench.decide('retire', memory);
    assert.equal((await look()).named.length, 1);
    assert.equal(looks, seen + 2); // what happened, and what it made of the memory
  });

  it('is named again when it was given again in between', async () => {
    const memory = await desk.bench.stand({});
    const session = aSession();
    const record = desk.record();
    record.note(await desk.answer({ session, ids: [memory] }));
    await desk.bench.decide('retire', memory);
    assert.deepEqual(await told(record, session), [[memory, 'retired']]);
    record.note(await desk.answer({ session, ids: [memory] }));
    assert.deepEqual(await told(record, session), [[memory, 'retired']]);
  });

  it('is not named of a history, which says itself that it does not hold', async () => {
    const [memory, control] = [await desk.bench.stand({}), await desk.bench.stand({})];
    const session = aSession();
    const record = desk.record();
    record.note(await desk.answer({ session, ids: [control] }));
    await desk.bench.decide('retire', memory);
    await desk.bench.decide('retire', control);
    record.note(await desk.answer({ session, ids: [memory], surface: 'history' }));
    assert.deepEqual(await told(record, session), [[control, 'retired']]);
  });

  it('is spread over several replies when there is much of it', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 25; n++) ids.push(await desk.bench.stand({}));
    const session = aSession();
    const record = desk.record();
    record.note(await desk.answer({ session, ids }));
    for (const id of ids) await desk.bench.decide('retire', id);
    const reply = () => record.noLongerHeld(session.id, desk.reading.read, desk.grant);
    const one = await reply();
    assert.deepEqual([one.named.length, one.more], [20, 5]);
    const rest = await Promise.all([reply(), reply(), reply()]);
    assert.deepEqual(
      [one, ...rest].flatMap(({ named }) => named.map(({ id }) => id)).sort(),
      [...ids].sort(),
      'each is named once, by replies at the same moment too',
    );
  });

  it('is known to the next process of the same session, with what was told already', async () => {
    const [first, second] = [await desk.bench.stand({}), await desk.bench.stand({})];
    const session = aSession('hook');
    const earlier = desk.record();
    earlier.note(await desk.answer({ session, ids: [first, second], surface: 'hook' }));
    await earlier.settled();
    await desk.bench.decide('retire', first);

    const next = desk.record();
    const { named } = await next.noLongerHeld(session.id, desk.reading.read, desk.grant);
    assert.deepEqual(
      named.map(({ id }) => id),
      [first],
    );
    next.note(await desk.answer({ session, withdrawn: named, surface: 'hook' }));
    await next.settled();
    await desk.bench.decide('retire', second);
    assert.deepEqual(await told(desk.record(), session), [[second, 'retired']]);
    const [last] = await recallsOf(desk.reading.read, desk.grant, session.id, { limit: 1, offset: 0 });
    assert.deepEqual(
      last?.items.map(({ memory, withdrawn }) => [memory, withdrawn]),
      [[first, true]],
    );
  });

  it('does not grow without bound', async () => {
    const memory = await desk.bench.stand({});
    const session = aSession();
    const record = desk.record();
    const items = Array.from({ length: 10_050 }, (_, index) => ({
      seq: index + 1_000,
      id: `unknown ${index}`,
      tokens: 1,
      shortened: false,
    }));
    record.note({ ...(await desk.answer({ session, ids: [memory] })), items });
    record.note(await desk.answer({ session, ids: [memory] }));
    assert.equal(record.served(session.id).length, 10_000);
    assert.equal(record.served(session.id)[0], memory);
  });
});
