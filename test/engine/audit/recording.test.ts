import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recallsOf, sessionsSeen, sessionsThatSaw } from '../../../src/engine/audit/seen';
import { grantFor } from '../../../src/engine/scope/grant';
import { aDesk, aSession, lockHolder, type Desk } from './support';

describe('the record of what a session saw', () => {
  let desk: Desk;
  beforeEach(async () => void (desk = await aDesk()));
  afterEach(() => desk.close());

  const page = { limit: 100, offset: 0 };
  const first = { limit: 1, offset: 0 };

  it('tells the editor which memories went to which session, for which question and at what cost', async () => {
    const [harbour, bridge] = [await desk.bench.stand({}), await desk.bench.stand({})];
    const [reader, writer] = [aSession('reader'), aSession('writer')];
    const record = desk.record();
    record.note(await desk.answer({ session: reader, ids: [bridge, harbour], question: 'who keeps it', tokens: 70, leftOut: 3 }));
    record.note(await desk.answer({ session: writer, ids: [harbour], surface: 'file', tokens: 30 }));
    record.note(await desk.answer({ session: reader, ids: [harbour], tokens: 20 }));
    await record.settled();

    const read = desk.reading.read;
    assert.deepEqual(
      (await sessionsSeen(read, desk.grant, page)).map(({ client, recalls, memories, tokens, lost }) => [
        client,
        recalls,
        memories,
        tokens,
        lost,
      ]),
      [
        ['reader', 2, 2, 90, 0],
        ['writer', 1, 1, 30, 0],
      ],
    );
    assert.deepEqual((await sessionsSeen(read, desk.grant, first)).length, 1);
    const [last, asked] = await recallsOf(read, desk.grant, reader.id, page);
    assert.deepEqual([asked?.question, asked?.mode, asked?.leftOut, last?.question], ['who keeps it', 'lexical', 3, undefined]);
    assert.deepEqual(
      asked?.items.map(({ memory }) => memory),
      [bridge, harbour],
    );
    assert.deepEqual(
      (await sessionsThatSaw(read, desk.grant, await desk.seqOf(harbour))).map(({ client, times }) => [client, times]),
      [
        ['reader', 2],
        ['writer', 1],
      ],
    );
  });

  it('is read within the grant only', async () => {
    const memory = await desk.bench.stand({});
    const record = desk.record();
    const [here, there] = [aSession('here'), aSession('there')];
    record.note(await desk.answer({ session: here, ids: [memory], scope: 'path:src/' }));
    record.note(await desk.answer({ session: there, ids: [memory], scope: 'path:docs/' }));
    await record.settled();

    const inSource = { ...grantFor('store', 'src'), read: [{ below: 'src' }] };
    const nothing = { ...inSource, read: [] };
    const read = desk.reading.read;
    const clients = (rows: readonly { client: string }[]) => rows.map(({ client }) => client).sort();
    const seq = await desk.seqOf(memory);
    assert.deepEqual(clients(await sessionsSeen(read, desk.grant, page)), ['here', 'there']);
    assert.deepEqual(clients(await sessionsSeen(read, inSource, page)), ['here']);
    assert.deepEqual(clients(await sessionsThatSaw(read, inSource, seq)), ['here']);
    assert.equal((await recallsOf(read, inSource, here.id, page)).length, 1);
    assert.deepEqual(await recallsOf(read, inSource, there.id, page), []);
    assert.deepEqual(await sessionsSeen(read, nothing, page), []);
  });

  it('neither delays nor fails an answer while another process holds the write lock, and is written once it lets go (A5)', async () => {
    const memory = await desk.bench.stand({ statement: 'The harbour is closed at night.' });
    const session = aSession();
    const answers = await Promise.all([1, 2, 3].map(() => desk.answer({ session, ids: [memory], question: 'harbour' })));
    const record = desk.record();
    const order: string[] = [];
    const holder = await lockHolder(desk.bench.storeFile);
    for (const answer of answers) {
      assert.equal((await desk.bench.agent.search({ query: 'harbour' })).items[0]?.id, memory);
      record.note(answer);
      await record.noLongerHeld(session.id, desk.reading.read, desk.grant);
      order.push('answered');
    }
    await record.settled();
    order.push('gave up waiting');
    assert.deepEqual(await desk.shell.all('SELECT id FROM recalls'), []);
    order.push('let go');
    await holder.release();
    assert.deepEqual(order, ['answered', 'answered', 'answered', 'gave up waiting', 'let go']);

    await record.settled();
    assert.deepEqual(
      (await desk.shell.all('SELECT id FROM recalls ORDER BY seq')).map(({ id }) => id),
      answers.map(({ id }) => id),
    );
  });

  it('gives up its oldest answers when too many wait, and says how many', async () => {
    const session = aSession();
    const record = desk.record();
    const holder = await lockHolder(desk.bench.storeFile);
    const answers = await Promise.all(Array.from({ length: 510 }, () => desk.answer({ session })));
    for (const answer of answers) record.note(answer);
    await holder.release();
    await record.settled();
    const rows = await desk.shell.all('SELECT id, lost FROM recalls ORDER BY seq');
    assert.deepEqual(
      rows.map(({ id }) => id),
      answers.slice(10).map(({ id }) => id),
    );
    assert.deepEqual([rows[0]?.['lost'], rows[1]?.['lost']], [10, 0]);
    assert.equal((await sessionsSeen(desk.reading.read, desk.grant, page))[0]?.lost, 10);
  });

  it('loses none of the answers that are being written when others come in', async () => {
    const gates: (() => void)[] = [];
    const record = desk.record({
      side: async (work) => {
        await new Promise<void>((resolve) => gates.push(resolve));
        return desk.side.transaction(work);
      },
    });
    const answers = await Promise.all(Array.from({ length: 560 }, () => desk.answer({})));
    for (const answer of answers.slice(0, 60)) record.note(answer);
    const settled = record.settled();
    while (gates.length === 0) await new Promise(setImmediate);
    for (const answer of answers.slice(60)) record.note(answer);
    const opening = setInterval(() => gates.shift()?.(), 1);
    await settled;
    clearInterval(opening);
    const ids = answers.map(({ id }) => id);
    const rows = await desk.shell.all('SELECT id, lost FROM recalls ORDER BY seq');
    assert.deepEqual(
      rows.map(({ id }) => id),
      [...ids.slice(0, 50), ...ids.slice(110)],
    );
    assert.equal(rows[50]?.['lost'], 60);
  });

  it('goes on after an answer that cannot be written, and counts it', async () => {
    const record = desk.record();
    const unknown = { seq: 999, id: crypto.randomUUID(), tokens: 1, shortened: false };
    record.note(await desk.answer({ items: [unknown] }));
    await record.settled();
    const sound = await desk.answer({});
    record.note(sound);
    await record.settled();
    assert.deepEqual(await desk.shell.all('SELECT id, lost FROM recalls'), [{ id: sound.id, lost: 1 }]);
  });

  it('keeps no byte of a secret in a question, and keeps the question', async () => {
    const record = desk.record({ mask: (text) => Promise.resolve(text.replaceAll('hunter2-secret', '***')) });
    const broken = desk.record({ mask: () => Promise.reject(new Error('no rules')) });
    record.note(await desk.answer({ question: 'why does hunter2-secret fail at the quay' }));
    broken.note(await desk.answer({ question: 'unmasked words at the pier' }));
    await record.settled();
    await broken.settled();

    assert.deepEqual(
      (await desk.shell.all('SELECT question FROM recalls ORDER BY seq')).map(({ question }) => question),
      ['why does *** fail at the quay', null],
    );
    const folder = dirname(desk.bench.storeFile);
    const bytes = Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))));
    assert.ok(bytes.includes('fail at the quay'));
    assert.ok(!bytes.includes('hunter2'));
    assert.ok(!bytes.includes('unmasked words'));
  });
});
