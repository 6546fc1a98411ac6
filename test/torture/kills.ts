/** Processes are killed in the middle of their work, at random moments, and the store is looked at after each. */
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { openEngine, type Proposal } from '../../src/engine';
import { sqlShell, type SqlShell } from '../mcp/support/sql-shell';
import { aCanary, filesWithEach } from '../support/bytes';
import { pinKeys } from '../support/keys';
import { aBench, agentOf, type Bench } from '../support/store';
import type { Deed } from './support/deciding';
import { brokenPromises } from './support/invariants';
import { proposals } from './support/load';
import { lockIsHeld } from './support/lock';
import { startPerson, type PersonProcess } from './support/person';
import { newPersonKey, personKey } from './support/person-key';
import { Ended, startSpeaker, type Answer, type Speaker } from './support/speaker';
import type { Torture } from './support/torture';

export const kills: Torture = {
  name: 'kills',
  promise: 'a process that is killed at whatever moment loses nothing it acknowledged and leaves nothing half done',
  full: 200,
  unit: 'rounds of kill -9',
  run: killRounds,
};

/** Rounds that share a store; then a new one is begun. */
const roundsOfAStore = 20;

/** Calls that a client has open at a time. */
const openCalls = 3;

/** How long a stopped process may take to stand still. */
const standstillMs = 5;

/** What a person does to the memories that wait, in turn. */
const acts: readonly (readonly Deed[])[] = [['approve'], ['approve', 'retire'], ['reject'], ['approve', 'reject'], ['forget'], ['approve', 'forget']]; // prettier-ignore

/** How many memories with a canary a person sets out to forget. */
const canaries = 6;

/** How long whoever opens a store may take to finish what was cut short: its first attempt, and a second one after somebody read. */
const finishingMs = 60_000;

/** A process under load that is about to be killed. */
interface Victim {
  readonly pid: number;
  readonly storeFile: string;
  /** Resolves when everything it said before its end is in the books. */
  ended(): Promise<void>;
}

/** Who is killed, how often of twenty, and within what time of its first sign of life. */
const victims = {
  proposing: { of20: 8, withinMs: 60, startOn: proposing },
  deciding: { of20: 5, withinMs: 150, startOn: deciding },
  forgetting: { of20: 5, withinMs: 1_000, startOn: forgetting },
  founding: { of20: 2, withinMs: 8, startOn: founding },
} as const satisfies Record<
  string,
  { of20: number; withinMs: number; startOn: (books: Books, round: number, seed: number) => Promise<Victim> }
>;
type VictimName = keyof typeof victims;

/** Who is killed in twenty rounds, in what order, and after what part of the time. */
const everyVictim = Object.entries(victims).flatMap(([name, { of20 }]) => Array.from({ length: of20 }, () => name as VictimName));
const plan = fc.record({
  order: fc.shuffledSubarray(everyVictim, { minLength: roundsOfAStore, maxLength: roundsOfAStore }),
  moments: fc.array(fc.noBias(fc.integer({ min: 0, max: 1_000 })), { minLength: roundsOfAStore, maxLength: roundsOfAStore }),
});

async function killRounds(rounds: number, seed: number): Promise<string> {
  const counts = { inside: 0, acknowledged: 0, decided: 0, forgotten: 0, cutShort: 0, whole: 0, absent: 0, survivors: 0 };
  const killed: Record<VictimName, { rounds: number; inside: number }> = {
    proposing: { rounds: 0, inside: 0 },
    deciding: { rounds: 0, inside: 0 },
    forgetting: { rounds: 0, inside: 0 },
    founding: { rounds: 0, inside: 0 },
  };
  for (const [store, { order, moments }] of fc.sample(plan, { numRuns: Math.ceil(rounds / roundsOfAStore), seed }).entries()) {
    const books = await openBooks();
    let survivor: Speaker | undefined;
    try {
      for (const [index, victim] of order.entries()) {
        const round = store * roundsOfAStore + index;
        const pauseMs = Math.round((victims[victim].withinMs * (moments[index] ?? 0)) / 1_000);
        // In the first half nobody else has the store open, so that the next who opens it finds the journal as the dead left it.
        if (index === roundsOfAStore / 2) survivor = await startSpeaker({ ...books.start, client: 'survivor' });
        const { inside, witnessed } = await killOne(
          books,
          await victims[victim].startOn(books, round, seed),
          pauseMs,
          survivor,
          `w${round}`,
        );
        killed[victim].rounds += 1;
        if (inside) {
          killed[victim].inside += 1;
          counts.inside += 1;
        }
        if (witnessed !== undefined) {
          books.acknowledged.set(witnessed.proposal.commandId, witnessed.id);
          books.asked.set(witnessed.proposal.commandId, { client: 'survivor', proposal: witnessed.proposal });
          if (inside && victim !== 'founding') counts.survivors += 1;
        }
        const found = await audit(books).catch((error: unknown) => {
          throw new Error(`round ${round}, ${victim} killed after ${pauseMs} ms${inside ? ' inside a transaction' : ''}`, { cause: error });
        });
        counts.whole += found.whole;
        counts.absent += found.absent;
        counts.cutShort += found.cutShort;
      }
      counts.acknowledged += books.acknowledged.size;
      counts.decided += books.decisions;
      counts.forgotten += books.forgotten.size;
    } finally {
      await survivor?.close();
      await books.bench.close();
    }
  }
  assert.ok(counts.inside >= rounds / 4, `only ${counts.inside} of ${rounds} kills fell inside an open transaction`);
  // In full this is certain; a tenth may miss it.
  assert.ok(counts.cutShort > 0 || rounds < kills.full, 'no forgetting was cut short');
  assert.ok(counts.decided > 0 && counts.acknowledged > rounds, 'the victims had hardly done anything');
  const each = Object.entries(killed).map(([name, of]) => `${of.rounds} ${name} (${of.inside} inside)`);
  return (
    `${rounds} killed: ${each.join(', ')}; ${counts.inside} inside an open transaction; ` +
    `${counts.acknowledged} acknowledged proposals and ${counts.decided} acknowledged decisions all there; ` +
    `of those without an answer ${counts.whole} whole and ${counts.absent} absent, none half; ` +
    `${counts.forgotten} memories forgotten, ${counts.cutShort} of them cut short and finished by who came next, ` +
    `none of their canaries left in any file and all of their twins; ` +
    `${counts.survivors} calls of others waited behind a dying process and were answered; the chain intact each time`
  );
}

/** What was asked of a store and what it acknowledged, kept outside of it. */
interface Books {
  readonly bench: Bench;
  readonly privateKey: string;
  readonly start: { readonly store: string; readonly root: string; readonly keys: string };
  /** By command id. */
  readonly asked: Map<string, { readonly client: string; readonly proposal: Proposal & { commandId: string } }>;
  /** The id that was answered, by command id. */
  readonly acknowledged: Map<string, string>;
  /** The state that was answered last, by memory id. */
  readonly states: Map<string, string>;
  /** The decision that had no answer when the person's process was killed. */
  unanswered: { readonly id: string; readonly deed: Deed } | undefined;
  /** A word that only this memory holds, by memory id. */
  readonly canaries: Map<string, string>;
  /** The ids of memories that are forgotten. */
  readonly forgotten: Set<string>;
  /** When the last process was killed, as an ISO instant. */
  killedAt: string;
  decisions: number;
  /** The last memory that was looked at. */
  lookedAt: number;
}

async function openBooks(): Promise<Books> {
  const bench = await aBench();
  const privateKey = newPersonKey();
  pinKeys(bench.keysFile, bench.key, personKey(privateKey));
  await bench.engine.close(); // from here on the victims have the store for themselves
  return {
    bench,
    privateKey,
    start: { store: bench.storeFile, root: bench.root, keys: bench.keysFile },
    asked: new Map(),
    acknowledged: new Map(),
    states: new Map(),
    unanswered: undefined,
    canaries: new Map(),
    forgotten: new Set(),
    killedAt: '',
    decisions: 0,
    lookedAt: 0,
  };
}

/** A server that is asked for more than it can do. */
async function proposing(books: Books, round: number, seed: number): Promise<Victim> {
  const speaker = await startSpeaker({ ...books.start, client: 'victim' });
  const queue = proposals(`r${round}`, 400, seed + round);
  const first: { answered?: () => void } = {};
  const answered = new Promise<void>((resolve) => (first.answered = resolve));
  const work = async () => {
    for (let proposal = queue.pop(); proposal !== undefined; proposal = queue.pop()) {
      books.asked.set(proposal.commandId, { client: 'victim', proposal });
      const { data, error } = await speaker.call('memory_propose', proposal);
      assert.equal(error, undefined);
      books.acknowledged.set(proposal.commandId, String(data['id']));
      first.answered?.();
    }
  };
  const working = Promise.all(Array.from({ length: openCalls }, work)).catch((error: unknown) => {
    if (!(error instanceof Ended)) throw error;
  });
  await Promise.race([answered, working]);
  return { pid: speaker.pid, storeFile: books.start.store, ended: () => Promise.all([working, speaker.ended()]).then(() => undefined) };
}

/** A person who decides on what waits; what they have to decide on is proposed first where too little waits. */
async function deciding(books: Books, round: number, seed: number): Promise<Victim> {
  const engine = await books.bench.reopen();
  try {
    const { counts } = await engine.forPerson().overview();
    if (counts.pending < 40)
      for (const proposal of proposals(`d${round}`, 40, seed + round)) {
        books.asked.set(proposal.commandId, { client: 'victim', proposal });
        books.acknowledged.set(proposal.commandId, (await agentOf(engine, 'victim').propose(proposal)).id);
      }
  } finally {
    await engine.close();
  }
  const { storeFile, root, keysFile } = books.bench;
  return aPerson(books, startPerson({ storeFile, root, keysFile, privateKey: books.privateKey, acts }));
}

/**
 * A person who forgets one memory after the other, of those that stand and of those that wait. A backup was made before, so each has to
 * leave it as well. Each holds a canary wherever it has words; the last one is their twin, and is not forgotten.
 */
async function forgetting(books: Books, round: number): Promise<Victim> {
  const { storeFile, root, keysFile } = books.bench;
  // A day later each time, so that a backup is due.
  const engine = await openEngine({ storeFile, root, keysFile, clock: { now: () => new Date(Date.now() + round * 25 * 60 * 60 * 1_000) } });
  const ids: string[] = [];
  try {
    const person = engine.forPerson();
    for (let index = 0; index <= canaries; index += 1) {
      const canary = aCanary();
      const proposal = { ...holding(canary), commandId: `${canary} ${round}` };
      const { id } = await agentOf(engine, 'victim').propose(proposal);
      books.asked.set(proposal.commandId, { client: 'victim', proposal });
      books.acknowledged.set(proposal.commandId, id);
      books.canaries.set(id, canary);
      ids.push(id);
      if (index % 2 === 1) continue;
      const saw = (await person.one(id))?.seen;
      assert.ok(saw !== undefined);
      await person.decide({ act: 'approve', id, seen: saw }, books.bench.key);
      books.states.set(id, 'active');
    }
    assert.ok((await person.backUpIfDue()) !== undefined, 'no backup was made');
  } finally {
    await engine.close();
  }
  const forget = ids.slice(0, canaries);
  return aPerson(books, startPerson({ storeFile, root, keysFile, privateKey: books.privateKey, acts: [['approve']], forget }));
}

const holding = (canary: string): Proposal => ({
  kind: 'workflow',
  title: `The ${canary} mooring`,
  statement: `A ${canary} is made fast before the tide turns.`,
  rationale: `Because the ${canary} drifts.`,
  alternatives: [`Let the ${canary} go.`],
  tags: [canary],
  appliesWhen: `mooring the ${canary}`,
  steps: [`slow the ${canary} down`],
  claim: { subject: canary, predicate: 'is made fast with', object: `a ${canary} line` },
  anchors: [{ file: `src/${canary}.ts` }],
  evidence: [{ kind: 'quote', speaker: canary, text: `the ${canary} was lost once` }],
});

async function aPerson(books: Books, person: PersonProcess): Promise<Victim> {
  await person.begun();
  return {
    pid: person.pid,
    storeFile: books.bench.storeFile,
    ended: async () => {
      await person.ended();
      for (const line of person.said()) {
        if ('doing' in line) books.unanswered = { id: line.id, deed: line.doing };
        else if ('done' in line) {
          books.states.set(line.id, line.state);
          books.unanswered = undefined;
          books.decisions += 1;
        }
      }
    },
  };
}

/** A server that is making a store of its own when it is killed; the next who opens it finds whatever is there. */
async function founding(books: Books, round: number): Promise<Victim> {
  const storeFile = join(books.bench.folder, `founded-${round}`, 'memory.db');
  const speaker = await startSpeaker({ ...books.start, store: storeFile, client: 'victim' });
  return {
    pid: speaker.pid,
    storeFile,
    ended: async () => {
      await speaker.ended();
      const next = await startSpeaker({ ...books.start, store: storeFile, client: 'victim' });
      const { error } = await next.call('memory_propose', proposals(`f${round}`, 1, round)[0] ?? {});
      assert.equal(error, undefined, 'a store whose making was cut short cannot be used');
      await next.close();
      const shell = await sqlShell(storeFile);
      assert.deepEqual(await brokenPromises(shell), []);
      await shell.close();
    },
  };
}

/**
 * Stops a process where it is, looks from outside whether it holds the write lock, and kills it. While it is stopped, another process
 * asks for the same lock, and has to be answered.
 */
async function killOne(books: Books, victim: Victim, afterMs: number, survivor: Speaker | undefined, name: string) {
  await delay(afterMs);
  process.kill(victim.pid, 'SIGSTOP');
  const proposal = proposals(name, 1, afterMs)[0]!;
  let inside = false;
  let waiting: Promise<Answer> | undefined;
  try {
    await delay(standstillMs);
    // Asked twice: a thread that was still on its way to a standstill may have let go in between.
    inside = (await lockIsHeld(victim.storeFile)) && (await lockIsHeld(victim.storeFile));
    waiting = survivor?.call('memory_propose', proposal);
    waiting?.catch(() => undefined); // thrown where it is awaited, unless something else is thrown before
  } finally {
    books.killedAt = new Date().toISOString();
    process.kill(victim.pid, 'SIGKILL');
    await victim.ended();
  }
  if (waiting === undefined) return { inside };
  const { data, error } = await waiting;
  assert.equal(error, undefined, 'a living process was kept from writing by a dead one');
  return { inside, witnessed: { proposal, id: String(data['id']) } };
}

/** Compares the store with the books, and asks again for everything that had no answer. */
async function audit(books: Books): Promise<{ whole: number; absent: number; cutShort: number }> {
  const engine = await books.bench.reopen();
  const shell = await sqlShell(books.bench.storeFile);
  try {
    const cutShort = await finished(books, shell);
    const chain = await engine.verify();
    assert.equal(chain.is, 'intact', JSON.stringify(chain));
    assert.deepEqual(await brokenPromises(shell), []);

    const stored = await storedIn(shell, books);
    const lost = [...books.acknowledged].filter(([command, id]) => stored.get(command)?.id !== id);
    assert.deepEqual(lost, [], 'an acknowledged proposal is gone');
    assert.deepEqual(
      [...stored.keys()].filter((command) => !books.asked.has(command)),
      [],
      'something is stored that was never asked for',
    );
    checkStates(books, stored);
    checkBytes(books, stored);

    // What is new is read through the engine, which checks every part of it against what the events commit to.
    const person = engine.forPerson();
    for (const [command, { id, seq, state }] of stored) {
      if (seq <= books.lookedAt || state === 'forgotten') continue;
      const memory = await person.one(id);
      assert.equal(memory?.tampering, undefined, `${id} is there by half`);
      assert.equal(memory?.memory?.content.statement, books.asked.get(command)?.proposal.statement);
    }

    const found = { whole: 0, absent: 0, cutShort };
    for (const [command, { client, proposal }] of books.asked) {
      if (books.acknowledged.has(command)) continue;
      const receipt = await agentOf(engine, client).propose(proposal);
      assert.equal(receipt.replayed, stored.has(command), 'a repeated command was not recognised');
      assert.equal(receipt.duplicate, false);
      found[receipt.replayed ? 'whole' : 'absent'] += 1;
      books.acknowledged.set(command, receipt.id);
    }
    books.lookedAt = Math.max(books.lookedAt, ...[...stored.values()].map((one) => one.seq));
    return found;
  } finally {
    await shell.close();
    await engine.close();
  }
}

interface StoredCommand {
  readonly id: string;
  readonly seq: number;
  readonly state: string;
}

/** Waits until whoever opened the store has finished what a process that was killed had begun to erase. @returns how much that was. */
async function finished({ killedAt }: Books, shell: SqlShell): Promise<number> {
  const deadline = performance.now() + finishingMs;
  while ((await shell.all('SELECT event FROM erasures WHERE swept_at IS NULL')).length > 0) {
    assert.ok(performance.now() < deadline, 'what a process began to erase is not finished by who comes next');
    await delay(20);
  }
  return (await shell.all('SELECT event FROM erasures WHERE at <= ?1 AND swept_at > ?1', killedAt)).length;
}

/**
 * Every memory, by the command that it came with; a memory without one is one too many. A forgotten one has left its command behind,
 * which was acknowledged before.
 */
async function storedIn(shell: SqlShell, { acknowledged }: Books): Promise<Map<string, StoredCommand>> {
  const commands = new Map([...acknowledged].map(([command, id]) => [id, command]));
  const rows = await shell.all(
    `SELECT r.command, m.id, m.seq, s.state FROM memories m JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     LEFT JOIN receipts r ON r.memory = m.seq`,
  );
  assert.deepEqual(
    rows.filter((row) => (row['command'] === null) !== (row['state'] === 'forgotten')),
    [],
    'a memory has no receipt, or a forgotten one has one',
  );
  return new Map(
    rows.map((row) => {
      const id = String(row['id']);
      const command = row['command'] as string | null;
      return [command ?? commands.get(id) ?? id, { id, seq: Number(row['seq']), state: String(row['state']) }];
    }),
  );
}

/** Every memory is in the state that was acknowledged last, and the one that was being decided in that or in the next. */
function checkStates(books: Books, stored: ReadonlyMap<string, StoredCommand>): void {
  for (const { id, state } of stored.values()) {
    const acknowledged = books.states.get(id) ?? 'pending';
    if (state === acknowledged) continue;
    assert.equal(id, books.unanswered?.id, `${id} is ${state} where ${acknowledged} was acknowledged`);
    assert.equal(state, books.unanswered && leadsTo[books.unanswered.deed]);
    books.states.set(id, state); // whole, though nobody was told
  }
  books.unanswered = undefined;
}

const leadsTo = { approve: 'active', retire: 'retired', reject: 'rejected', forget: 'forgotten' } as const satisfies Record<Deed, string>;

/** The words of what is forgotten are in no file of the store's folder; those of everything else are. */
function checkBytes(books: Books, stored: ReadonlyMap<string, StoredCommand>): void {
  for (const { id, state } of stored.values()) if (state === 'forgotten') books.forgotten.add(id);
  // An index keeps words without the beginnings that they share.
  const texts = [...books.canaries.values()].map((canary) => canary.slice(8));
  const files = filesWithEach(dirname(books.bench.storeFile), texts);
  for (const [index, id] of [...books.canaries.keys()].entries()) {
    const found = files[index] ?? [];
    if (books.forgotten.has(id)) assert.deepEqual(found, [], 'words of a forgotten memory are left');
    else assert.notDeepEqual(found, [], 'words of a memory that was not forgotten are gone');
  }
}
