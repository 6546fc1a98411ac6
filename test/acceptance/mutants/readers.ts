/** Scope: the grant's predicate in each reader, and the look at each row that comes back. */
import type { Edit, Mutant, NamedTest } from './mutant';

const everything = "{ sql: '1', values: [] as string[] }";
const narrow = (title: string): NamedTest => ({ spec: 'test/engine/scope/readers.test.ts', title });
const given = (reader: string): NamedTest => narrow(`does not get out of ${reader} what lies elsewhere`);

/** A reader without its predicate: it reads the whole store. */
const reader = (file: string, name: string, test: NamedTest, more: Partial<Mutant> = {}): Mutant => ({
  name: `the grant's predicate in ${name}`,
  mark: 'scope_enforced',
  file,
  in: name,
  find: "readPredicate(grant, 's.scope')",
  replace: everything,
  tests: [test],
  ...more,
});

const memories = 'src/engine/store/memories.ts';
const lexical = 'src/engine/recall/lexical.ts';
const challenges = 'src/engine/ledger/challenges.ts';
const hints = 'src/engine/ledger/hints.ts';
const receipts = 'src/engine/ledger/receipts.ts';
const seen = 'src/engine/audit/seen.ts';
const held = 'src/engine/audit/held.ts';

const without = (file: string, name: string): Edit => ({ file, in: name, find: "readPredicate(grant, 's.scope')", replace: everything });
const rowCheck: Edit = {
  file: 'src/engine/ledger/parts.ts',
  find: 'servedStates.includes(checked.stored.state) &&\n  mayRead(grant, checked.stored.scope);',
  replace: 'servedStates.includes(checked.stored.state);',
};
const seenOnes = (more: Partial<Mutant>): Partial<Mutant> => ({ find: "readPredicate(grant, 'r.scope')", ...more });

export const readers: readonly Mutant[] = [
  ...[
    'memoryById',
    'memoriesById',
    'memoriesBySeq',
    'memoriesInState',
    'memoriesWaitingSince',
    'countStates',
    'sessionsWaiting',
    'sessionsProposing',
    'anchorsNear',
  ].map((name) => reader(memories, name, given(name))),
  ...['lexicalHits', 'outsideValidity', 'withdrawn'].map((name) => reader(lexical, name, given(name))),
  ...['challengeById', 'openChallenges', 'challengeCounts'].map((name) => reader(challenges, name, given(name))),
  reader('src/engine/ledger/conflicts.ts', 'conflictingWith', given('conflictingWith'), { behind: [without(memories, 'memoriesById')] }),
  reader(hints, 'withSameValue', narrow('gives no hint of a withdrawn memory or a slot'), { behind: [without(memories, 'memoriesById')] }),
  reader(hints, 'slotsNear', narrow('gives no hint of a withdrawn memory or a slot'), {
    behind: [without(memories, 'memoriesBySeq'), rowCheck],
  }),
  reader(receipts, 'storedReceipt', narrow('does not meet the receipt of a memory that lies elsewhere'), {
    find: "readPredicate(call.grant, 's.scope')",
  }),
  reader(receipts, 'claimingValue', given('claimingValue')),
  reader('src/engine/audit/log.ts', 'auditLog', given('auditLog')),
  reader('src/engine/audit/history.ts', 'claiming', given('history of a claim'), {
    behind: [
      without(memories, 'memoriesById'),
      { file: 'src/engine/audit/history.ts', find: ' && mayRead(grant, one.stored.scope)', replace: '' },
    ],
  }),
  reader('src/engine/audit/leavings.ts', 'relatedIds', narrow('is not told what derives from, or rests on, a memory'), {
    behind: [without(memories, 'memoriesById')],
  }),
  reader('src/engine/audit/leavings.ts', 'leftElsewhere', narrow('is not told of copies that lie elsewhere in the other store'), {
    behind: [without(memories, 'memoriesById')],
  }),
  reader('src/engine/ledger/projection.ts', 'examined', given('examined'), { find: "readPredicate(how.grant, 'm.scope')" }),
  reader('src/engine/ledger/projection.ts', 'examineAgain', given('examineAgain'), { find: "readPredicate(how.grant, 'm.scope')" }),
  reader('src/engine/ledger/carry.ts', 'decidedIn', given('decidedIn'), { find: "readPredicate(grantOf(store.id), 'm.scope')" }),
  reader('src/engine/ledger/carry.ts', 'carryTombstones', given('carryTombstones'), { find: "readPredicate(grant, 'm.scope')" }),
  reader('src/engine/store/moved.ts', 'faceOf', narrow('is not told by a store’s face'), {
    find: "readPredicate(grantFor(storeId, ''), 'm.scope')",
  }),
  reader('src/engine/audit/erase.ts', 'touchingAfter', { spec: 'test/engine/audit/erase.test.ts', title: 'blanks each question that returned the memory' }, seenOnes({})), // prettier-ignore
  reader(held, 'seed', narrow('is not told by a session’s next process'), seenOnes({})),
  reader(held, 'lookAt', { spec: 'test/engine/audit/held.test.ts', title: 'tells superseded from forgotten' }),
  reader(
    seen,
    'sessionsSeen',
    { spec: 'test/engine/audit/recording.test.ts', title: 'is read within the grant only' },
    seenOnes({ name: "the grant's predicate in sessionsSeen, on answers" }),
  ),
  reader(seen, 'sessionsSeen', narrow('is not told which memories of elsewhere a session saw'), {
    name: "the grant's predicate in sessionsSeen, on memories",
    find: "readPredicate(grant, 'd.scope')",
  }),
  reader(seen, 'recallsOf', { spec: 'test/engine/audit/recording.test.ts', title: 'is read within the grant only' }, seenOnes({})),
  reader(seen, 'itemsOf', narrow('is not told which memories of elsewhere a session saw'), { find: "readPredicate(grant, 'm.scope')" }),
  reader(seen, 'sessionsThatSaw', { spec: 'test/engine/audit/recording.test.ts', title: 'is read within the grant only' }, seenOnes({})),
  {
    name: 'the look at each row that comes back',
    mark: 'scope_enforced',
    ...rowCheck,
    behind: [without(memories, 'memoryById')],
    tests: [narrow('does not give a row that the first look let through')],
  },
  {
    name: 'the look at each row of a history',
    mark: 'scope_enforced',
    file: 'src/engine/audit/history.ts',
    find: ' && mayRead(grant, one.stored.scope)',
    replace: '',
    behind: [without(memories, 'memoriesById'), without('src/engine/audit/history.ts', 'claiming')],
    tests: [given('history of a claim')],
  },
  {
    name: 'an empty grant reads nothing',
    mark: 'scope_enforced',
    file: 'src/engine/scope/grant.ts',
    find: "return { sql: '0', values: [] };",
    replace: "return { sql: '1', values: [] };",
    tests: [{ spec: 'test/engine/scope/grant.test.ts', title: 'compiles to a predicate that is never empty' }],
  },
  {
    name: 'a proposal stays within the grant',
    mark: 'scope_enforced',
    file: 'src/engine/scope/grant.ts',
    find: '|| !grant.write.some((set) => includes(set, scope))',
    replace: '',
    tests: [{ spec: 'test/engine/scope/grant.test.ts', title: 'does not write path:a/x/ from a/b' }],
  },
];
