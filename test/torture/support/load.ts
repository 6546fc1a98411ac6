/** Proposals of every size, so that transactions take one page or many. */
import fc from 'fast-check';
import type { Proposal } from '../../../src/engine';

const word = fc.constantFrom(...'tide harbour gauge quay buoy ebb current salinity mooring chart sounding lock weir estuary'.split(' '));
const words = (from: number, to: number) => fc.array(word, { minLength: from, maxLength: to }).map((each) => each.join(' '));

/** A proposal without what makes it one of its own. */
const shape = fc.record(
  {
    statement: fc.oneof({ weight: 4, arbitrary: words(4, 30) }, { weight: 1, arbitrary: words(300, 700) }),
    rationale: words(2, 200),
    alternatives: fc.array(words(2, 20), { maxLength: 4 }),
    tags: fc.array(word, { maxLength: 4 }),
    anchors: fc.array(
      fc.oneof(
        word.map((file) => ({ file: `src/${file}.ts` })),
        word.map((folder) => ({ folder: `src/${folder}` })),
        word.map((glob) => ({ glob: `${glob}/**` })),
      ),
      { maxLength: 4 },
    ),
    evidence: fc.array(
      words(1, 60).map((text) => ({ kind: 'quote' as const, speaker: 'the team', text })),
      { minLength: 1, maxLength: 4 },
    ),
  },
  { requiredKeys: ['statement', 'evidence'] },
);

/** This many proposals, each a value and a command of its own. @param name tells them from those of other calls. */
export const proposals = (name: string, count: number, seed: number): (Proposal & { commandId: string })[] =>
  fc.sample(shape, { numRuns: count, seed }).map((parts, index) => ({
    kind: 'decision',
    title: `Decision ${name} ${index}`,
    ...parts,
    statement: `${parts.statement} ${name} ${index}`,
    commandId: `${name}-${index}`,
  }));
