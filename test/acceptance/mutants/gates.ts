/** The gates: what never gets in, what is not served, whose receipt it is, and what an answer's text may look like. */
import type { Mutant, NamedTest } from './mutant';

const gates = (title: string): NamedTest => ({ spec: 'test/engine/ledger/gates.test.ts', title });
const receipts = (title: string): NamedTest => ({ spec: 'test/engine/ledger/receipts.test.ts', title });
const paused: NamedTest = { spec: 'test/engine/pause.test.ts', title: 'is closed at each of an agent’s doors' };
const rendered: NamedTest = { spec: 'test/engine/recall/render.test.ts', title: 'is inside one fence' };
const screen = 'src/engine/ledger/screen.ts';
const evidence = (title: string): NamedTest => ({ spec: 'test/engine/evidence/check.test.ts', title });

/** A door that does not ask whether memory is paused. */
const door = (file: string, of: string, find: string): Mutant => ({
  name: `the pause at ${of}`,
  mark: 'trust_state',
  file,
  in: of,
  find,
  replace: 'void refuseWhilePaused;',
  tests: [paused],
});

export const gateMutants: readonly Mutant[] = [
  {
    name: 'the gate for hidden characters',
    mark: 'human_review',
    file: screen,
    in: 'screened',
    find: 'if (hidden.length > 0) throw hiddenCharacters(field, [...new Set(hidden.map(({ codePoint }) => codePoint))]);',
    replace: 'void [hidden, hiddenCharacters, field];',
    tests: [gates('let no hidden character into what an agent says')],
  },
  ...(
    [
      ['what an agent sends', 'screened', 'await refuseSecrets(texts);', 'what an agent proposes'],
      ['what a person writes', 'screenDraft', 'await refuseSecrets(textsIn(parsed));', 'what a person saves'],
      ['a reason', 'screenAct', "await refuseSecrets(textsIn({ reason: screenedParts['reason'] }));", 'the reason of a person’s act'],
    ] as const
  ).map(([name, of, find, title]): Mutant => ({
    name: `the secret gate at ${name}`,
    mark: 'negative_eval',
    file: screen,
    in: of,
    find,
    replace: 'void refuseSecrets;',
    tests: [gates(`let no secret into ${title}`)],
  })),
  {
    name: 'the fence’s marker is escaped',
    mark: 'negative_eval',
    file: 'src/engine/recall/render.ts',
    in: 'harmless',
    find: ".replace(/<(?=\\s*\\/?\\s*stet-memories)/giu, '&lt;')",
    replace: '',
    tests: [rendered],
  },
  {
    name: 'terminal codes are spelled out',
    mark: 'negative_eval',
    file: 'src/engine/recall/render.ts',
    in: 'harmless',
    find: "character === '\\r' ? '' :",
    replace: "character !== '\\r' ? character :",
    tests: [rendered],
  },
  {
    name: 'the pause at reading',
    mark: 'trust_state',
    file: 'src/engine/agent.ts',
    find: 'await refuseWhilePaused(parts.database.read, parts);\n    return read();',
    replace: 'return read();',
    tests: [paused],
  },
  {
    name: 'the pause at reportUse',
    mark: 'trust_state',
    file: 'src/engine/agent.ts',
    find: 'await refuseWhilePaused(parts.database.read, parts);\n      const report',
    replace: 'const report',
    tests: [paused],
  },
  door('src/engine/ledger/append.ts', 'propose', 'await refuseWhilePaused(ledger.database.read, ledger);'),
  door('src/engine/ledger/append.ts', 'challenge', 'await refuseWhilePaused(ledger.database.read, ledger);'),
  {
    name: 'a ruling is signed',
    mark: 'human_review',
    file: 'src/engine/ledger/rules.ts',
    in: 'isPaused',
    find: "keys.verify(body, String(row['hash']));",
    replace: '',
    tests: [{ spec: 'test/engine/pause.test.ts', title: 'is not opened by a ruling that no person signed' }],
  },
  {
    name: 'a receipt is its client’s',
    mark: 'scope_enforced',
    file: 'src/engine/ledger/receipts.ts',
    in: 'storedReceipt',
    find: 'r.client = ? AND',
    replace: '(1 OR r.client = ?) AND',
    tests: [receipts('is its own client’s')],
  },
  {
    name: 'a receipt is its grant’s',
    mark: 'scope_enforced',
    file: 'src/engine/ledger/receipts.ts',
    in: 'storedReceipt',
    find: 'r.grant_name = ? AND',
    replace: '(1 OR r.grant_name = ?) AND',
    tests: [receipts('is its own grant’s')],
  },
  {
    name: 'a receipt is its payload’s',
    mark: 'audit_log',
    file: 'src/engine/ledger/receipts.ts',
    in: 'storedReceipt',
    find: "if (row['payload_hash'] !== payloadHash(String(row['salt']), call)) throw commandIdReused();",
    replace: 'void [payloadHash, commandIdReused];',
    tests: [receipts('is for its own payload')],
  },
  {
    name: 'evidence is compared by its hash',
    mark: 'trust_state',
    file: 'src/engine/evidence/check.ts',
    in: 'compare',
    find: 'digest === pointer.excerptHash && ',
    replace: '',
    tests: [evidence('(b) has changed when the line is changed')],
  },
  {
    name: 'evidence is looked at when it is used',
    mark: 'trust_state',
    file: 'src/engine/recall/recall.ts',
    in: 'described',
    find: '...(checkedEvidence !== undefined && { evidence: checkedEvidence }),',
    replace: '',
    tests: [{ spec: 'test/engine/recall/evidence.test.ts', title: 'is said to be intact, moved or changed' }],
  },
];
