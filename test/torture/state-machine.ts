/**
 * Random sequences of acts by random authorities against a small model. Two promises, whatever the sequence: nothing becomes
 * recallable without a trusted person's signature on exactly its bytes, and no rejected or forgotten value comes back without a lift.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { asStetError, type PersonAct, type Signer } from '../../src/engine';
import { testKey } from '../support/keys';
import { aBench, aProposal, seen, type Bench } from '../support/store';
import type { Torture } from './support/torture';

export const stateMachine: Torture = {
  name: 'states',
  promise: 'no sequence of acts makes anything recallable without the person, or brings a buried value back without a lift',
  full: 300,
  unit: 'sequences of acts',
  run: anySequences,
};

interface Tally {
  acts: number;
  became: number;
  refused: number;
}

async function anySequences(sequences: number, seed: number): Promise<string> {
  const tally: Tally = { acts: 0, became: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 8, maxLength: 30 }), (moves) => play(moves, tally)),
    { seed, numRuns: sequences, endOnFailure: false },
  );
  assert.ok(tally.became > 0 && tally.refused > 0, 'no act let a memory be recalled, or none was refused');
  return (
    `${sequences} sequences of ${tally.acts} acts: ${tally.became} let a memory be recalled, each with the person's signature; ` +
    `${tally.refused} were refused or met nothing; no buried value came back; the chain intact each time`
  );
}

async function play(moves: readonly Move[], tally: Tally): Promise<void> {
  const bench = await aBench({ 'a/b/c.ts': 'x\n' });
  const stranger: Signer = testKey();
  const known = new Map<string, Known>();
  /** The values that a person buried, by the memory they were buried with. */
  const buried = new Map<string, Known>();
  try {
    for (const one of moves) {
      const before = await servedIds(bench, known);
      const outcome = await perform(one, bench, known, stranger);
      tally.acts += 1;
      if (!outcome.done) tally.refused += 1;
      for (const id of await servedIds(bench, known)) {
        const memory = await seen(bench.person, id);
        assert.equal(memory.tampering, undefined);
        assert.equal(memory.history.at(-1)?.key, bench.key.keyId, 'served, and signed by the person');
        if (before.has(id)) continue;
        tally.became += 1;
        assert.equal(one.who, 'person', `${one.act} by a ${one.who} let something be recalled`);
        const { value, scope } = known.get(id) ?? { value: -1, scope: '' };
        const stone = [...buried].find(([with_, tomb]) => tomb.value === value && inside(scope, tomb.scope) && with_ !== outcome.lifted);
        assert.equal(stone, undefined, `${one.act} brought back what was buried`);
      }
      for (const id of outcome.buried) {
        const what = known.get(id);
        if (what !== undefined) buried.set(id, what);
      }
      if (outcome.lifted !== undefined) buried.delete(outcome.lifted);
    }
    assert.equal((await bench.engine.verify()).is, 'intact');
  } finally {
    await bench.close();
  }
}

const values = ['Alpha is kept for 3 days.', 'Beta runs on version 1.2.', 'Gamma uses the port 8080.'];
const spellings = [(text: string) => text, (text: string) => text.toUpperCase(), (text: string) => `**${text.slice(0, -1)}**`];
const scopes = ['workspace', 'path:a/', 'path:a/b/'];
const acts = ['approve', 'amend', 'reject', 'lapse', 'retire', 'supersede', 'limit', 'contest', 'resolve', 'restore', 'undo', 'lift', 'forget', 'accept', 'decline'] as const; // prettier-ignore

interface Move {
  readonly is: 'propose' | 'decide' | 'challenge' | 'save';
  readonly value: number;
  readonly spelling: number;
  readonly scope: number;
  readonly act: (typeof acts)[number];
  readonly on: number;
  readonly other: number;
  readonly who: 'person' | 'policy' | 'stranger';
}

const move: fc.Arbitrary<Move> = fc.record({
  is: fc.oneof({ weight: 3, arbitrary: fc.constant('propose' as const) }, { weight: 9, arbitrary: fc.constant('decide' as const) }, fc.constant('challenge' as const), fc.constant('save' as const)), // prettier-ignore
  value: fc.nat(values.length - 1),
  spelling: fc.nat(spellings.length - 1),
  scope: fc.nat(scopes.length - 1),
  act: fc.constantFrom(...acts),
  on: fc.nat(12),
  other: fc.nat(12),
  who: fc.oneof({ weight: 8, arbitrary: fc.constant('person' as const) }, fc.constant('policy' as const), fc.constant('stranger' as const)),
});

/** What the model knows of a memory: its value, and where it holds. */
interface Known {
  readonly value: number;
  readonly scope: string;
}

const inside = (inner: string, outer: string) => outer === 'workspace' || inner === outer || (inner.startsWith(outer) && outer !== inner);

/** The memories that the agent can read. */
async function servedIds(bench: Bench, known: ReadonlyMap<string, Known>): Promise<Set<string>> {
  const served = new Set<string>();
  for (const id of known.keys())
    await bench.agent.get({ id }).then(
      () => served.add(id),
      (error: unknown) => {
        assert.equal(asStetError(error).code, 'not_found');
      },
    );
  return served;
}

interface Outcome {
  readonly done: boolean;
  readonly buried: readonly string[];
  readonly lifted: string | undefined;
}

/** Does what the move says, if it can be done; a refusal is an ordinary outcome. */
async function perform(one: Move, bench: Bench, known: Map<string, Known>, stranger: Signer): Promise<Outcome> {
  const nothing: Outcome = { done: false, buried: [], lifted: undefined };
  const signer: Signer = one.who === 'person' ? bench.key : one.who === 'policy' ? { ...bench.key, authority: 'policy' } : stranger;
  const scope = scopes[one.scope] ?? 'workspace';
  const statement = (spellings[one.spelling] ?? String)(values[one.value] ?? '');
  try {
    if (one.is === 'propose') {
      const { id } = await bench.agent.propose(aProposal({ statement, scope, kind: 'fact' }));
      known.set(id, { value: one.value, scope });
      return { ...nothing, done: true };
    }
    if (one.is === 'save') {
      const { id } = await bench.person.save({ ...aProposal({ statement, scope, kind: 'fact' }) }, 'test', signer);
      known.set(id, { value: one.value, scope });
      return { ...nothing, done: true };
    }
    const ids = [...known.keys()];
    const [id, other] = [ids[one.on % Math.max(ids.length, 1)], ids[one.other % Math.max(ids.length, 1)]];
    if (id === undefined || other === undefined) return nothing;
    if (one.is === 'challenge') {
      await bench.agent.contest({
        id,
        reason: 'doubt',
        evidence: [{ kind: 'issue', ref: `#${one.other}` }],
        ...(other !== id && { with: other }),
      });
      return { ...nothing, done: true };
    }
    const act = await actFor(one, id, other, statement, scope, bench);
    if (act === undefined) return nothing;
    const before = await seen(bench.person, id);
    const receipt = await bench.person.decide(act, signer);
    if (act.act === 'amend' || (act.act === 'resolve' && act.outcome.is === 'third')) known.set(receipt.id, { value: one.value, scope });
    for (const step of receipt.changed) {
      const memory = await bench.person.one(step.id);
      const now = known.get(step.id);
      if (memory?.memory !== undefined && now !== undefined) known.set(step.id, { ...now, scope: memory.scope });
    }
    const takesBackRejection = act.act === 'undo' && before.history.at(-1)?.act === 'reject';
    return {
      done: true,
      buried: receipt.changed.filter((step) => step.act === 'reject' || step.act === 'forget').map((step) => step.id),
      lifted: act.act === 'lift' || takesBackRejection ? id : undefined,
    };
  } catch (error) {
    const { code } = asStetError(error);
    assert.notEqual(code, 'internal', String((error as Error).cause ?? error));
    return nothing;
  }
}

async function actFor(
  one: Move,
  id: string,
  other: string,
  statement: string,
  scope: string,
  bench: Bench,
): Promise<PersonAct | undefined> {
  const memory = await seen(bench.person, id);
  if (memory.seen === undefined) return undefined;
  const at = { id, seen: memory.seen };
  const reason = 'so it is';
  const draft = aProposal({ statement, scope, kind: 'fact' });
  switch (one.act) {
    case 'amend':
      return { act: 'amend', ...at, draft, surface: 'test' };
    case 'supersede':
      return { act: 'supersede', ...at, by: await bench.seen(other) };
    case 'limit':
      return { act: 'limit', ...at, bounds: { scope, validTo: '2040-01-01' }, reason };
    case 'contest':
      return { act: 'contest', ...at, ...(other !== id && { with: await bench.seen(other) }), reason };
    case 'resolve': {
      const members = [at, ...(other === id ? [] : [await bench.seen(other)])];
      const outcomes = [{ is: 'keep', id, neverRight: one.spelling > 0 }, { is: 'all' }, { is: 'none', neverRight: one.spelling > 0 }, { is: 'third', draft }] as const; // prettier-ignore
      return { act: 'resolve', members, outcome: outcomes[one.value] ?? outcomes[3], reason, surface: 'test' };
    }
    case 'restore':
      return { act: 'restore', ...at, successor: one.spelling > 0 ? 'reverse' : 'contest' };
    case 'forget':
      return { act: 'forget', memories: [at], questions: [] };
    case 'accept':
    case 'decline': {
      const challenge = (await bench.person.challenges()).find((open) => open.memory === id);
      return challenge === undefined ? undefined : { act: one.act, ...at, challenge: challenge.id, reason };
    }
    case 'approve':
    case 'lapse':
    case 'undo':
      return { act: one.act, ...at };
    case 'reject':
    case 'retire':
    case 'lift':
      return { act: one.act, ...at, reason };
  }
}
