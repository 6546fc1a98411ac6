/** What no person let stand, by each way in which recall gathers candidates: every layer withholds it by itself. */
import assert from 'node:assert/strict';
import { searchSchema } from '../../../src/engine/recall/query';
import { lexicalHits } from '../../../src/engine/recall/lexical';
import { servedStates } from '../../../src/engine/domain/states';
import { anchorsNear } from '../../../src/engine/store/memories';
import { aProposal, codeOf } from '../../support/store';
import { aDesk, type Desk } from '../audit/support';

describe('a memory that waits', () => {
  let desk: Desk;
  let [waiting, standing] = ['', ''];
  const anchors = [{ file: 'src/a.ts' }];
  before(async () => {
    desk = await aDesk();
    ({ id: waiting } = await desk.bench.agent.propose(aProposal({ statement: 'The dredger waits.', anchors })));
    standing = await desk.bench.stand({ statement: 'The dredger digs.', anchors });
  });
  after(() => desk.close());

  const now = new Date().toISOString();
  const ranked = async () => {
    const page = { limit: 10, offset: 0 };
    const hits = await lexicalHits(desk.reading.read, desk.grant, '"dredger"', searchSchema.parse({ query: 'dredger' }), now, page);
    return hits.map(({ seq }) => seq);
  };

  it('is not read by its id, and what stands is', async () => {
    assert.equal(await desk.bench.agent.get({ id: waiting }).then(() => 'given', codeOf), 'not_found');
    assert.equal((await desk.bench.agent.get({ id: standing })).id, standing);
  });

  it('is not among the anchors of a file, and what stands is', async () => {
    const near = await anchorsNear(desk.reading.read, desk.grant, 'src/a.ts', servedStates, now);
    assert.deepEqual(near.map(({ seq }) => seq), [await desk.seqOf(standing)]); // prettier-ignore
  });

  it('is not in the ranking, even where its text lies in the index of what stands', async () => {
    const text = 'INSERT INTO served_index (rowid, title, body) SELECT rowid, title, body FROM waiting_index';
    await desk.shell.run(text);
    assert.deepEqual(await ranked(), [await desk.seqOf(standing)]);
    await desk.shell.run('DELETE FROM served_index WHERE rowid = ?', await desk.seqOf(waiting));
  });
});

describe('the text of a memory', () => {
  it('is in the index that agents search once a person has let it stand, and in the other before and after', async () => {
    const desk = await aDesk();
    try {
      const { id } = await desk.bench.agent.propose(aProposal());
      const places = async () => {
        const [served, waiting] = [await desk.shell.all('SELECT 1 FROM served_index'), await desk.shell.all('SELECT 1 FROM waiting_index')];
        return [served.length, waiting.length];
      };
      assert.deepEqual(await places(), [0, 1]);
      await desk.bench.decide('approve', id);
      assert.deepEqual(await places(), [1, 0]);
      await desk.bench.decide('retire', id);
      assert.deepEqual(await places(), [0, 1]);
    } finally {
      await desk.close();
    }
  });
});

describe('what is given about a file', () => {
  it('about a file is for the time in which it holds: from the first instant on, and not at the last', async () => {
    let now = new Date('2026-01-01T00:00:00.000Z');
    const desk = await aDesk({ now: () => now });
    try {
      const [from, to] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
      const id = await desk.bench.stand({ anchors: [{ file: 'src/a.ts' }], validFrom: from, validTo: to });
      const given = async (at: string, plusMs = 0) => {
        now = new Date(Date.parse(at) + plusMs);
        return (await desk.bench.agent.forFile({ path: 'src/a.ts' })).items.map((item) => item.id);
      };
      assert.deepEqual([await given(from, -1), await given(from)], [[], [id]]);
      assert.deepEqual([await given(to, -1), await given(to)], [[id], []]);
    } finally {
      await desk.close();
    }
  });
});
