/** Evidence is compared with the work tree when a memory is given out, by each way of reading. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aBench, lines, type Bench } from '../../support/store';

describe('the evidence of what is recalled', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await aBench({ 'src/pump.ts': lines(30) })));
  afterEach(() => bench.close());

  it('is said to be intact, moved or changed as the file is now, in a search, about a file and by id', async () => {
    const path = 'src/pump.ts';
    const id = await bench.stand({
      statement: 'The pump runs twice.',
      evidence: [{ kind: 'file', path, startLine: 7, endLine: 7 }],
      anchors: [{ file: path }],
    });
    const states = async () => {
      const all = [await bench.agent.search({ query: 'pump' }), await bench.agent.forFile({ path })].map(({ items }) => items[0]);
      return [...all, await bench.agent.get({ id })].map((item) => item?.evidence.map(({ state, now }) => now ?? state)).flat();
    };
    assert.deepEqual(await states(), ['intact', 'intact', 'intact']);
    writeFileSync(join(bench.root, path), `new\n${lines(30)}`);
    assert.deepEqual(await states(), Array(3).fill('src/pump.ts#L8-L8'));
    writeFileSync(join(bench.root, path), lines(30).replace('line 7\n', 'another\n'));
    assert.deepEqual(await states(), ['changed', 'changed', 'changed']);
  });
});
