/** Time: both ends of each validity, and what was known when. */
import type { Mutant, NamedTest } from './mutant';

const bounded: NamedTest = { spec: 'test/engine/ledger/conflicts.test.ts', title: 'bounded validity' };
const near: NamedTest = { spec: 'test/engine/recall/withheld.test.ts', title: 'about a file is for the time in which it holds' };
const then: NamedTest = { spec: 'test/engine/audit/history.test.ts', title: 'tells what was believed then' };
const another: NamedTest = { spec: 'test/engine/audit/history.test.ts', title: 'asks it about another day' };

const mutant = (name: string, file: string, of: string, find: string, replace: string, test: NamedTest): Mutant => ({
  name,
  mark: 'bitemporal',
  file,
  in: of,
  find,
  replace,
  tests: [test],
});
const lexical = 'src/engine/recall/lexical.ts';
const memories = 'src/engine/store/memories.ts';
const history = 'src/engine/audit/history.ts';

export const time: readonly Mutant[] = [
  mutant('validity in a search', lexical, 'lexicalHits', ', validity(search.validAt ?? now)', '', bounded),
  mutant('the beginning is inside, in a search', lexical, 'validity', 's.valid_from <= ?', 's.valid_from < ?', bounded),
  mutant('the end is not inside, in a search', lexical, 'validity', 's.valid_to > ?', 's.valid_to >= ?', bounded),
  mutant('the beginning is inside, about a file', memories, 'anchorsNear', 's.valid_from <= ?', 's.valid_from < ?', near),
  mutant('the end is not inside, about a file', memories, 'anchorsNear', 's.valid_to > ?', 's.valid_to >= ?', near),
  mutant(
    'values that only touch do not contradict',
    'src/engine/ledger/plan.ts',
    'overlap',
    'b.validFrom < a.validTo',
    'b.validFrom <= a.validTo',
    { spec: 'test/engine/ledger/conflicts.test.ts', title: 'keeps apart what does not overlap in time' },
  ),
  mutant('what was known then', history, 'rememberedAs', 'knownAt === undefined ? all :', 'knownAt !== undefined || knownAt === undefined ? all :', then), // prettier-ignore
  mutant('known from the instant on', history, 'rememberedAs', 'knownFrom <= knownAt', 'knownFrom < knownAt', then),
  mutant('known up to the instant', history, 'rememberedAs', 'knownAt < knownTo', 'knownAt <= knownTo', then),
  mutant(
    'not before it holds, in a history',
    history,
    'rememberedAs',
    'last.validFrom !== undefined && validAt < last.validFrom',
    'false',
    another,
  ),
  mutant('not from its end on, in a history', history, 'rememberedAs', 'validAt >= last.validTo', 'validAt > last.validTo', another),
  mutant('what was rejected is a bare fact', history, 'rememberedAs', 'bareFacts.includes(one.stored.state) ||', '', {
    spec: 'test/engine/audit/history.test.ts',
    title: 'tells of what was rejected that it was, without its words',
  }),
  mutant('an end takes effect on its day', 'src/engine/ledger/acts.ts', 'end', 'if (effective > at && !neverHolds && replayed.state !== undefined) {', 'if (effective < at && replayed.state !== undefined) {', { spec: 'test/engine/ledger/acts.test.ts', title: 'keeps a memory standing until the day' }), // prettier-ignore
];
