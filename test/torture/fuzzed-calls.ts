/** Every tool that a server lists is called with what nobody should send. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { rowCounts } from '../mcp/support/sql-shell';
import { faultOf } from './support/answers';
import { aFuzzedRoom, disclosedBy, twinIsFound, type FuzzedRoom } from './support/fuzzed-room';
import { argumentsFor, asJson, hostileText, textsIn } from './support/hostile';
import { brokenPromises } from './support/invariants';
import { changedTables, rowsOf } from './support/rows';
import type { Answer } from './support/speaker';
import type { Torture } from './support/torture';

export const fuzzedCalls: Torture = {
  name: 'calls',
  promise: 'a server that is called with anything at all answers each call, writes nothing it refuses, and gives nothing away',
  full: 10_000,
  unit: 'fuzzed tool calls',
  run: fuzzCalls,
};

/** After so many calls all rows are compared. */
const batchSize = 100;

interface Call {
  readonly tool: string;
  readonly args: unknown;
}

async function fuzzCalls(calls: number, seed: number): Promise<string> {
  const room = await aFuzzedRoom();
  const { server, shell, bench } = room;
  const tally = new Map<string, number>();
  let proposed = 0;
  try {
    const anyCall = fc.oneof(
      ...server.tools.map(({ name, inputSchema }) => ({
        weight: 16,
        arbitrary: argumentsFor(inputSchema, room.world).map((args): Call => ({ tool: name, args })),
      })),
      { weight: 1, arbitrary: hostileText(room.world).map((tool): Call => ({ tool, args: {} })) },
    );
    const watch = await watchWrites(room);
    for (let batch = 0; batch * batchSize < calls; batch += 1) {
      const before = await rowsOf(shell);
      const inBatch = Math.min(batchSize, calls - batch * batchSize);
      for (const [index, call] of fc.sample(anyCall, { numRuns: inBatch, seed: seed + batch }).entries()) {
        const sent = asJson(call.args);
        const told = (what: string, line = '') =>
          `call ${batch * batchSize + index}: ${what}\n${call.tool} ${sent.slice(0, 2_000)}\n${line.slice(0, 2_000)}`;
        const answer = await server.send(call.tool, sent).catch((error: unknown) => {
          throw new Error(told('no answer'), { cause: error });
        });
        const fault = wrongWith(call, answer, room) ?? (await watch(call, answer));
        assert.equal(fault, undefined, told(fault ?? '', answer.line));
        const became = answer.error?.code ?? (answer.rejected === undefined ? 'answered' : 'no such tool');
        tally.set(became, (tally.get(became) ?? 0) + 1);
        if (became === 'answered' && !room.reading.has(call.tool)) proposed += 1;
      }
      assert.deepEqual(
        changedTables(before, await rowsOf(shell)),
        [],
        `calls up to ${(batch + 1) * batchSize}: rows that were there were changed`,
      );
      assert.ok(await twinIsFound(room), 'what a person let stand is no longer found');
    }
    assert.ok(proposed > 0, 'every proposal was refused');
    assert.deepEqual(server.strays(), []);
    assert.equal((await bench.engine.verify()).is, 'intact');
    assert.deepEqual(await brokenPromises(shell), []);
    const outcomes = [...tally].sort(([, a], [, b]) => b - a).map(([what, count]) => `${what} ${count}`);
    return `${calls} calls of ${server.tools.length} tools, each answered: ${outcomes.join(', ')}; ${proposed} wrote something that waits; nothing written by a refused one, nothing disclosed`;
  } finally {
    await room.close();
  }
}

function wrongWith({ tool, args }: Call, answer: Answer, room: FuzzedRoom): string | undefined {
  const known = room.server.tools.some(({ name }) => name === tool);
  if (known !== (answer.rejected === undefined))
    return known ? 'a tool that is listed was refused by the protocol' : 'a tool that is none answered';
  return faultOf(answer, [tool, ...textsIn(args)]) ?? disclosedBy(answer, room);
}

/**
 * Watches from outside what each call writes. One that is refused or that only reads may write nothing but the event of its refusal;
 * one that is accepted makes one memory at most, which waits, under the id that was answered.
 */
async function watchWrites({ reading, shell }: FuzzedRoom): Promise<(call: Call, answer: Answer) => Promise<string | undefined>> {
  const version = async () => Number((await shell.all('PRAGMA data_version'))[0]?.['data_version']);
  let counts = await rowCounts(shell);
  let seen = await version();
  return async ({ tool }, { error, rejected, data }) => {
    const now = await version();
    if (now === seen) return undefined;
    seen = now;
    const before = counts;
    counts = await rowCounts(shell);
    const grown = Object.keys(counts).filter((table) => counts[table] !== before[table]);
    if (error !== undefined || rejected !== undefined || reading.has(tool)) {
      const others = grown.filter((table) => !['events', 'sessions'].includes(table));
      const events = await shell.all(
        `SELECT json_extract(body, '$.type') AS type FROM events ORDER BY seq DESC LIMIT ?`,
        (counts['events'] ?? 0) - (before['events'] ?? 0),
      );
      const told = events.filter(({ type }) => type !== 'refused').map(({ type }) => String(type));
      return others.length + told.length === 0 ? undefined : `it wrote to ${[...others, ...told].join(', ')}`;
    }
    const made = (counts['memories'] ?? 0) - (before['memories'] ?? 0);
    if (made === 0) return undefined;
    const [last] = await shell.all(
      'SELECT m.id, s.state FROM memories m JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL ORDER BY m.seq DESC LIMIT 1',
    );
    const asAnswered = made === 1 && last?.['id'] === data['id'] && last?.['state'] === 'pending' && data['state'] === 'pending';
    return asAnswered ? undefined : `it made ${made} memories, the last of them ${JSON.stringify(last)}`;
  };
}
