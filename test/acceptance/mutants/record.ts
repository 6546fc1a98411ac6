/** The record: an event in the transaction of each act, the chain, the signed head outside, and what the schema keeps. */
import type { Mutant, NamedTest } from './mutant';

const apply = 'src/engine/ledger/apply.ts';
const together = (what: string): NamedTest => ({
  spec: 'test/engine/ledger/events.test.ts',
  title: `are there together or not at all: ${what}`,
});

/** Passes the newest event there is for the act's own, so that what refers to an event still can. */
const another = "Object.assign({ seq: 0, hash: '' }, await tx.get('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1'), void link)";

const event = (name: string, of: string, find: string, tests: readonly NamedTest[]): Mutant => ({
  name: `the event of ${name}`,
  mark: 'audit_log',
  file: apply,
  in: of,
  find,
  replace: another,
  tests,
});

const behind: NamedTest = { spec: 'test/engine/behind.test.ts', title: 'is read and written by no agent' };

const kept = (trigger: string): NamedTest => ({
  spec: 'test/engine/store/append-only.test.ts',
  title: `refuses what ${trigger} is there for`,
});
const trigger = (file: string, name: string, find: string): Mutant => ({
  name: `the trigger ${name}`,
  mark: name.startsWith('tombstones') ? 'tombstone' : 'audit_log',
  file: `src/engine/store/migrations/${file}`,
  find,
  replace: find.replace(/BEGIN$/, 'WHEN 0 BEGIN').replace(/^WHEN NOT/, 'WHEN 0 AND NOT'),
  tests: [kept(name)],
});

export const record: readonly Mutant[] = [
  event('a proposal', 'applyProposal', "await link(tx, { type: 'proposed', at, memory: memory.id, actor: agentOf(session), contentHash: contentHash(memory) })", [together('proposed')]), // prettier-ignore
  event('a proposal said again', 'applySupport', "await link(tx, { type: 'supported', at, memory: known.id, actor: agentOf(session) })", [together('supported')]), // prettier-ignore
  event('a challenge', 'applyChallenge', "await link(tx, { type: 'challenged', at, memory: memory.id, actor: agentOf(session), challenge: id, wants, commitment })", [together('challenged')]), // prettier-ignore
  event('a person’s act', 'applyStep', "await link(tx, { type: 'decided', at, memory: statement.memory, ...signed })", [together('decided, on a memory that is there'), together('decided, by saving')]), // prettier-ignore
  event('an expiry', 'applyExpiry', "await link(tx, { type: 'expired', at, memory: memory.id, actor: { authority: 'system' } })", [together('expired')]), // prettier-ignore
  event('a ruling', 'applyRule', "await link(tx, { type: 'ruled', at, memory: '', ...signed })", [together('ruled')]),
  event('a refusal', 'applyRefusal', "await link(tx, { type: 'refused', at, ...told })", [
    { spec: 'test/engine/ledger/events.test.ts', title: 'are the record of a refusal too' },
  ]),
  {
    name: 'each event names the one before it',
    mark: 'audit_log',
    file: 'src/engine/ledger/chain.ts',
    in: 'faultOf',
    find: 'event.seq === last.seq + 1 && content.prev === last.hash',
    replace: 'event.seq === last.seq + 1',
    tests: [{ spec: 'test/engine/ledger/chain.test.ts', title: 'an event that was altered under a hash that fits' }],
  },
  {
    name: 'an event is what its hash says',
    mark: 'audit_log',
    file: 'src/engine/ledger/chain.ts',
    in: 'readEvent',
    find: 'if (eventHash(event.body) !== event.hash) return undefined;',
    replace: '',
    tests: [{ spec: 'test/engine/ledger/altered.test.ts', title: 'an event under the hash that it had before' }],
  },
  {
    name: 'no number is missing in the chain',
    mark: 'audit_log',
    file: 'src/engine/ledger/chain.ts',
    in: 'faultOf',
    find: "if (event.seq > last.seq + 1) return 'missing';",
    replace: '',
    tests: [{ spec: 'test/engine/ledger/chain.test.ts', title: 'an event that is missing' }],
  },
  {
    name: 'the chain’s end is looked for',
    mark: 'audit_log',
    file: 'src/engine/ledger/verify.ts',
    in: 'verifyStore',
    find: '(await missingTail(store)) ?? {',
    replace: '(void missingTail, undefined) ?? {',
    tests: [{ spec: 'test/engine/ledger/chain.test.ts', title: 'names a tail that was cut off before any head was signed' }],
  },
  {
    name: 'the signed head is compared with the store',
    mark: 'audit_log',
    file: 'src/engine/ahead.ts',
    in: 'refuseBehind',
    find: "if (head !== undefined && (await standing(parts.database.read, head)) !== 'ahead') throw storeBehind();",
    replace: 'void [head, standing, storeBehind];',
    tests: [behind],
  },
  ...(
    [
      ['an agent’s reading', 'src/engine/agent.ts', 'await refuseBehind(store);'],
      ['an agent’s writing', 'src/engine/agent.ts', 'await refuseBehind(own);'],
      ['a person’s act', 'src/engine/person.ts', 'await refuseBehind(store);'],
    ] as const
  ).map(([name, file, find]): Mutant => ({
    name: `the signed head at ${name}`,
    mark: 'audit_log',
    file,
    find,
    replace: 'void refuseBehind;',
    tests: [behind],
  })),
  trigger('0001-memory.ts', 'anchors_immutable', 'CREATE TRIGGER anchors_immutable BEFORE UPDATE ON anchors BEGIN'),
  trigger('0001-memory.ts', 'evidence_immutable', 'CREATE TRIGGER evidence_immutable BEFORE UPDATE ON evidence BEGIN'),
  trigger('0001-memory.ts', 'events_immutable', 'CREATE TRIGGER events_immutable BEFORE UPDATE ON events BEGIN'),
  trigger('0001-memory.ts', 'events_kept', 'CREATE TRIGGER events_kept BEFORE DELETE ON events BEGIN'),
  trigger('0002-beliefs.ts', 'memories_kept', 'CREATE TRIGGER memories_kept BEFORE DELETE ON memories BEGIN'),
  trigger('0002-beliefs.ts', 'tombstones_kept', 'CREATE TRIGGER tombstones_kept BEFORE DELETE ON tombstones BEGIN'),
  trigger('0002-beliefs.ts', 'tombstones_immutable', 'WHEN NOT (OLD.lifted IS NULL AND'),
  trigger('0002-beliefs.ts', 'memories_immutable', 'WHEN NOT (OLD.erased IS NULL AND'),
];
