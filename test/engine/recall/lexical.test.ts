import assert from 'node:assert/strict';
import { matchExpression } from '../../../src/engine/recall/lexical';
import { aBench, type Bench } from '../../support/store';

describe('lexical search', () => {
  let bench: Bench;
  const ids: Record<string, string> = {};
  before(async () => {
    bench = await aBench();
    for (const [name, statement] of Object.entries({
      path: 'Handlers live in src/api.ts only.',
      apostrophe: "Workers don't share state.",
      handle: 'Ask @nasa for the orbit data.',
      port: 'The broker listens at host:8080 inside.',
      migration: 'We moved the database migration step after the container build.',
    }))
      ids[name] = await bench.stand({ title: `About ${name === 'migration' ? 'ordering' : 'it'}`, statement });
  });
  after(() => bench.close());

  const found = async (query: string) => (await bench.agent.search({ query })).items.map((item) => item.id);

  it('finds a part of a text in a script without blanks, from two characters on, and not what only looks near it (A2)', async () => {
    const bench = await aBench();
    try {
      const list = await bench.stand({ title: '清单', statement: '所有的设备清单都保存在NAS上面。' });
      await bench.stand({ title: '天气', statement: '明天的天气预报说会下雨。' });
      const ids = async (query: string) => (await bench.agent.search({ query })).items.map(({ id }) => id);
      for (const query of ['设备', '设备清单', 'NAS', '设备清单在哪里']) assert.deepEqual(await ids(query), [list], query);
      assert.deepEqual(await ids('打印'), []);
      const kana = await bench.stand({ title: 'デプロイ', statement: 'デプロイは金曜日には行わない。' });
      assert.deepEqual(await ids('金曜'), [kana]);
      const hangul = await bench.stand({ title: '배포', statement: '금요일에는배포하지않는다.' });
      assert.deepEqual(await ids('배포'), [hangul]);
    } finally {
      await bench.close();
    }
  });

  it('finds glued and punctuated words, and nothing for what nobody wrote (A1)', async () => {
    for (const [query, name] of [
      ['src/api.ts', 'path'],
      ["don't", 'apostrophe'],
      ['@nasa', 'handle'],
      ['host:8080', 'port'],
    ] as const)
      assert.equal((await found(query))[0], ids[name], query);
    for (const query of [
      'a=b',
      'foo&bar',
      'why?',
      '50%',
      '"',
      '(',
      '*',
      'NEAR(',
      'a AND',
      'title:x',
      '^',
      '-',
      '“',
      '🙂',
      '\u0000x'.slice(1),
    ])
      assert.deepEqual(await found(query), [], query);
  });

  it('finds by a question in a sentence (A3, A17)', async () => {
    assert.equal((await found('how do we handle database migration?'))[0], ids['migration']);
    assert.equal((await found('When does the build of a container happen?'))[0], ids['migration']);
  });

  it('never makes a query that SQLite cannot read', async () => {
    for (const query of [
      '"'.repeat(999),
      '("',
      'a'.repeat(20_000),
      'x '.repeat(9_000),
      '* OR *',
      'AND OR NOT',
      '{a b}: c',
      'a + b',
      '\u202eabc',
      'é'.normalize('NFD'),
      '𝒳',
    ])
      assert.ok(Array.isArray(await found(query)));
  });

  it('looks for content words, and for the exact spelling of glued ones besides', () => {
    assert.equal(matchExpression('how do we handle it?'), '"handle"');
    assert.equal(matchExpression('src/api.ts'), '"src" OR "api" OR "ts" OR "src api ts"');
    assert.equal(matchExpression('what is it'), undefined);
    assert.equal(matchExpression('...'), undefined);
  });

  it('narrows by kind, tag and time, and says what does not hold now', async () => {
    const words = { statement: 'Zebra crossings are painted yearly.' };
    const now = await bench.stand({ ...words, kind: 'fact', tags: ['roads'], occurredAt: '2024-05-01' });
    const past = await bench.stand({ ...words, title: 'Past', validFrom: '2019-01-01', validTo: '2020-01-01' });
    const future = await bench.stand({ ...words, title: 'Future', validFrom: '2999-01-01' });
    const ask = async (more: object = {}) => {
      const { items, omitted } = await bench.agent.search({ query: 'zebra crossings', ...more });
      return { ids: items.map((item) => item.id).sort(), omitted };
    };
    assert.deepEqual(await ask(), { ids: [now], omitted: { noLongerValid: 1, notYetValid: 1 } });
    assert.deepEqual((await ask({ validAt: '2019-01-01' })).ids, [now, past].sort());
    assert.deepEqual((await ask({ validAt: '2020-01-01' })).ids, [now]);
    assert.deepEqual((await ask({ validAt: '2999-01-01T00:00:00Z' })).ids, [now, future].sort());
    assert.deepEqual((await ask({ kinds: ['fact'] })).ids, [now]);
    assert.deepEqual((await ask({ kinds: ['lesson'] })).ids, []);
    assert.deepEqual((await ask({ tags: ['roads'] })).ids, [now]);
    assert.deepEqual((await ask({ tags: ['rivers'] })).ids, []);
    assert.deepEqual((await ask({ since: '2024-05-01', until: '2024-05-02' })).ids, [now]);
    assert.deepEqual((await ask({ until: '2024-05-01' })).ids, []);
  });

  it('ranks what is anchored to the open file first', async () => {
    const text = 'Kiwis are sorted by weight.';
    const far = await bench.stand({ statement: text, title: 'Kiwis' });
    const near = await bench.stand({
      statement: `${text} Then by colour.`,
      title: 'Sorting',
      anchors: [{ file: 'src/billing/invoice.ts' }],
    });
    assert.deepEqual(await found('how are kiwis sorted?'), [far, near]);
    const { items } = await bench.agent.search({ query: 'how are kiwis sorted?', path: 'src/billing/invoice.ts' });
    assert.deepEqual(
      items.map((item) => [item.id, item.why]),
      [
        [near, 'anchored to this file'],
        [far, undefined],
      ],
    );
  });
});
