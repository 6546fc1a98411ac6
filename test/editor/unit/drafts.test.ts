import assert from 'node:assert/strict';
import { draftSchema, parse } from '../../../src/engine';
import { draftOf, valuesOf, type Saved } from '../../../src/editor/drafts';
import { aBench, aProposal, seen } from '../../support/store';

const empty = {
  ...{ kind: 'fact', title: '', statement: '', rationale: '', alternatives: '', appliesWhen: '', steps: '', tags: '', appliesTo: '' },
  ...{ scope: '', validFrom: '', validTo: '', occurredAt: '', subject: '', predicate: '', object: '', cardinality: '', reason: '' },
};
const saved = (fields: Partial<Saved['fields']>, more: Partial<Saved> = {}): Saved => ({
  ...{ type: 'save', token: 'abc', place: 0, withLines: true, withReplaces: true },
  ...more,
  fields: { ...empty, ...fields },
});
const basis = { lines: undefined, before: undefined, scope: undefined };

describe('the form of a memory', () => {
  it('becomes a draft of the engine’s: folders, patterns, symbols and files, lists and a claim', () => {
    const draft = draftOf(
      saved({
        ...{ title: 'One', statement: 'It holds.', appliesTo: 'src/billing/\nsrc/**/*.sql\nsrc/a.ts#sum\nsrc/b.ts', tags: 'a, ,b' },
        ...{ alternatives: 'this\n\nthat', subject: 'service', predicate: 'listens on', object: '80', cardinality: 'one' },
      }),
      { ...basis, scope: 'path:src/' },
    );
    const parsed = parse(draftSchema, draft);
    assert.deepEqual(parsed.anchors, [
      { folder: 'src/billing/' },
      { glob: 'src/**/*.sql' },
      { file: 'src/a.ts', symbol: 'sum' },
      { file: 'src/b.ts' },
    ]);
    assert.deepEqual([parsed.tags, parsed.alternatives, parsed.scope], [['a', 'b'], ['this', 'that'], 'path:src/']);
    assert.deepEqual(parsed.claim, { subject: 'service', predicate: 'listens on', object: '80', cardinality: 'one' });
  });

  it('leaves out what is left empty', () => {
    const parsed = parse(draftSchema, draftOf(saved({ title: 'One', statement: 'It holds.' }), basis));
    assert.deepEqual(Object.keys(parsed).sort(), ['alternatives', 'anchors', 'evidence', 'kind', 'statement', 'tags', 'title']);
  });

  it('gives back a proposal as it was where nothing is changed, to the instant', async () => {
    const bench = await aBench();
    try {
      const { id } = await bench.agent.propose(
        aProposal({
          ...{
            rationale: 'why',
            alternatives: ['this'],
            tags: ['x', 'y'],
            anchors: [{ file: 'src/a.ts', symbol: 'sum' }, { folder: 'src' }],
          },
          ...{ occurredAt: '2026-02-03T04:05:06.000Z', validFrom: '2026-03-01T07:00:00.000Z', validTo: '2026-04-01' },
          evidence: [{ kind: 'file', path: 'src/billing/invoice.ts', startLine: 2, endLine: 4 }],
        }),
      );
      const before = (await seen(bench.person, id)).memory?.content;
      assert.ok(before);
      const draft = parse(draftSchema, draftOf(saved(valuesOf(before)), { ...basis, before, scope: before.scope }));
      assert.deepEqual(
        [draft.title, draft.statement, draft.rationale, draft.alternatives, draft.tags, draft.anchors],
        [
          before.title,
          before.statement,
          before.rationale,
          before.alternatives,
          before.tags,
          [{ file: 'src/a.ts', symbol: 'sum' }, { folder: 'src/' }],
        ],
      );
      assert.deepEqual([draft.occurredAt, draft.validFrom, draft.validTo], [before.occurredAt, before.validFrom, before.validTo]);
      assert.deepEqual(draft.evidence, [{ kind: 'file', path: 'src/billing/invoice.ts', startLine: 2, endLine: 4 }]);
    } finally {
      await bench.close();
    }
  });
});
