/** Four servers propose at once, while one process reads without pause, a person approves in another, and once somebody keeps all waiting. */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { busyTimeoutMs } from '../../src/engine/store/database';
import { sqlShell } from '../mcp/support/sql-shell';
import { pinKeys } from '../support/keys';
import { aBench } from '../support/store';
import { brokenPromises } from './support/invariants';
import { proposals } from './support/load';
import { startPerson, type PersonProcess } from './support/person';
import { newPersonKey, personKey } from './support/person-key';
import { startSpeaker, type Speaker } from './support/speaker';
import type { Torture } from './support/torture';

const servers = 4;

/** Longest series of busy replies to one call before it is no longer retryable. */
const mostRetries = 20;

export const manyProcesses: Torture = {
  name: 'processes',
  promise: 'four servers that propose at once beside a reader and a person lose nothing, and no call is left without a word',
  full: 2_500,
  unit: 'proposals by each of four servers',
  run: manyProposals,
};

async function manyProposals(each: number, seed: number): Promise<string> {
  const bench = await aBench();
  const privateKey = newPersonKey();
  pinKeys(bench.keysFile, bench.key, personKey(privateKey));
  const control = await bench.stand({ statement: 'The lighthouse keeper writes the log.', title: 'Lighthouse' });
  const start = { store: bench.storeFile, root: bench.root, keys: bench.keysFile };
  const agents = await Promise.all(Array.from({ length: servers }, (_, index) => startSpeaker({ ...start, client: `agent-${index}` })));
  const reader = await startSpeaker({ ...start, client: 'reader' });
  const person = startPerson({ storeFile: bench.storeFile, root: bench.root, keysFile: bench.keysFile, privateKey, acts: [['approve']] });
  try {
    const reading = readUntilStopped(reader, control);
    const [, ...written] = await Promise.all([
      holdUp(bench.storeFile),
      ...agents.map((agent, index) => proposeAll(agent, each, `s${index}`, seed + index)),
    ]);
    const read = await reading.stop();
    await person.close();

    const acknowledged = written.flatMap((one) => one.ids);
    const approved = approvedBy(person);
    await checkStore(bench, acknowledged, approved);
    const mayBeRead = new Set([control, ...approved]);
    assert.deepEqual(
      [...read.ids].filter((id) => !mayBeRead.has(id)),
      [],
      'an agent was served what no person had let stand',
    );
    for (const speaker of [...agents, reader]) assert.deepEqual(speaker.strays(), [], 'a server answered what was not asked');

    const slowest = Math.max(...written.map((one) => one.slowestMs));
    const silent = written.reduce((sum, one) => sum + one.silentlyOverTime, 0);
    // In full this is a promise; a tenth runs beside other tests, on whatever machine, and only tells.
    if (each >= manyProcesses.full) assert.equal(silent, 0, 'calls took longer than the busy timeout and did not say so');
    const busy = written.reduce((sum, one) => sum + one.busy, 0);
    assert.ok(busy >= servers, 'the servers were not held up');
    const busyDecisions = person.said().filter((line) => 'busy' in line).length;
    return (
      `${acknowledged.length} of ${each * servers} proposals acknowledged and stored, ${approved.length} approved meanwhile, ` +
      `${read.count} searches; chain intact; ${busy} busy replies to agents and ${busyDecisions} to the person, all repeated with success; ` +
      `slowest call ${Math.round(slowest)} ms, ${silent} over the busy timeout of ${busyTimeoutMs} ms without saying so`
    );
  } finally {
    await Promise.all([...agents, reader].map((one) => one.close()));
    await person.close().catch(() => undefined); // what failed it is what is being thrown
    await bench.close();
  }
}

/**
 * Another program takes the write lock soon after the beginning, and keeps it for longer than anybody waits: by as much that a call which
 * comes late still gives up, and by less than its repetition waits.
 */
async function holdUp(storeFile: string): Promise<void> {
  await delay(500);
  const shell = await sqlShell(storeFile);
  await shell.run('BEGIN IMMEDIATE');
  await delay(busyTimeoutMs + 3_000);
  await shell.run('COMMIT');
  await shell.close();
}

interface Written {
  readonly ids: readonly string[];
  readonly busy: number;
  readonly slowestMs: number;
  /** Calls that took longer than the busy timeout and ended without a busy reply. */
  readonly silentlyOverTime: number;
}

/** One call after the other, so that a call waits for other processes and not for its own. */
async function proposeAll(agent: Speaker, count: number, name: string, seed: number): Promise<Written> {
  const ids: string[] = [];
  let busy = 0;
  let slowestMs = 0;
  let silentlyOverTime = 0;
  for (const proposal of proposals(name, count, seed)) {
    for (let tries = 0; ; tries += 1) {
      const began = performance.now();
      const { data, error, rejected } = await agent.call('memory_propose', proposal);
      const tookMs = performance.now() - began;
      slowestMs = Math.max(slowestMs, tookMs);
      assert.equal(rejected, undefined);
      if (error === undefined) {
        if (tookMs > busyTimeoutMs) silentlyOverTime += 1;
        assert.equal(data['state'], 'pending');
        assert.deepEqual([data['replayed'], data['duplicate']], [false, false], 'a busy reply had stored something');
        ids.push(String(data['id']));
        break;
      }
      assert.equal(error.code, 'store_busy', error.message);
      assert.ok(tries < mostRetries, 'a call stayed busy however often it was tried');
      busy += 1;
    }
  }
  return { ids, busy, slowestMs, silentlyOverTime };
}

/** Searches without pause for what stands, and for the words of what waits. */
function readUntilStopped(reader: Speaker, control: string): { stop(): Promise<{ count: number; ids: ReadonlySet<string> }> } {
  const stopped = { yet: false };
  const ids = new Set<string>();
  let count = 0;
  const search = async (query: string): Promise<string[]> => {
    const { data, error } = await reader.call('memory_search', { query, k: 20, maxTokens: 4_000 });
    assert.equal(error, undefined);
    count += 1;
    const found = (data['items'] as { id: string }[]).map((item) => item.id);
    for (const id of found) ids.add(id);
    return found;
  };
  const loop = (async () => {
    while (!stopped.yet) {
      await search('tide harbour gauge quay');
      assert.ok((await search('lighthouse')).includes(control), 'a memory that stands was not found');
    }
  })();
  // A failure is thrown when it is waited for, and the others go on until then.
  const outcome = loop.then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    stop: async () => {
      stopped.yet = true;
      const failure = await outcome;
      if (failure !== undefined) throw failure as Error;
      return { count, ids };
    },
  };
}

const approvedBy = (person: PersonProcess): string[] => person.said().flatMap((line) => ('done' in line ? [line.id] : []));

async function checkStore(bench: Awaited<ReturnType<typeof aBench>>, acknowledged: readonly string[], approved: readonly string[]) {
  const chain = await bench.engine.verify();
  // One event for each proposal and each approval, the control's two among them.
  assert.deepEqual([chain.is, chain.is === 'intact' && chain.length], ['intact', acknowledged.length + approved.length + 2]);
  const shell = await sqlShell(bench.storeFile);
  try {
    const rows = await shell.all('SELECT m.id, s.state FROM memories m JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL');
    const states = new Map(rows.map((row) => [String(row['id']), String(row['state'])]));
    assert.equal(new Set(acknowledged).size, acknowledged.length, 'two proposals were answered with one id');
    assert.deepEqual(
      acknowledged.filter((id) => !states.has(id)),
      [],
      'an acknowledged proposal is gone',
    );
    assert.equal(states.size, acknowledged.length + 1, 'something is stored that nobody was told of');
    const stands = new Set(approved);
    assert.deepEqual(
      acknowledged.filter((id) => states.get(id) !== (stands.has(id) ? 'active' : 'pending')),
      [],
      'a memory is in another state than its last acknowledged act',
    );
    assert.deepEqual(await brokenPromises(shell), []);
  } finally {
    await shell.close();
  }
}
