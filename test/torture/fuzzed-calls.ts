/** Every tool that a server lists is called with what nobody should send. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { rowCounts, type SqlShell } from '../mcp/support/sql-shell';
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
  const accepted = new Map<string, number>();
  try {
    const anyCall = fc.oneof(
      ...server.tools.map(({ name, inputSchema }) => ({
        weight: 16,
        arbitrary: argumentsFor(inputSchema, room.world).map((args): Call => ({ tool: name, args })),
      })),
      { weight: 1, arbitrary: hostileText(room.world).map((tool): Call => ({ tool, args: {} })) },
    );
    const saidToWrite = server.tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
    assert.deepEqual(saidToWrite.sort(), Object.keys(writes).sort(), 'other tools write than are known to');
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
        if (became === 'answered') accepted.set(call.tool, (accepted.get(call.tool) ?? 0) + 1);
      }
      assert.deepEqual(
        // What an agent says of an answer gives way to what it says later.
        changedTables(before, await rowsOf(shell)).filter((table) => table !== 'uses'),
        [],
        `calls up to ${(batch + 1) * batchSize}: rows that were there were changed`,
      );
      assert.ok(await twinIsFound(room), 'what a person let stand is no longer found');
    }
    assert.deepEqual(
      server.tools.filter(({ name }) => !accepted.has(name)).map(({ name }) => name),
      [],
      'every call of a tool was refused',
    );
    assert.deepEqual(server.strays(), []);
    assert.equal((await bench.engine.verify()).is, 'intact');
    assert.deepEqual(await brokenPromises(shell), []);
    const outcomes = [...tally].sort(([, a], [, b]) => b - a).map(([what, count]) => `${what} ${count}`);
    const each = [...accepted].map(([tool, count]) => `${tool} ${count}`);
    return (
      `${calls} calls of ${server.tools.length} tools, each answered: ${outcomes.join(', ')}; accepted: ${each.join(', ')}; ` +
      `nothing written by a refused one but the event that it was, nothing disclosed`
    );
  } finally {
    await room.close();
  }
}

function wrongWith({ tool, args }: Call, answer: Answer, room: FuzzedRoom): string | undefined {
  const known = room.server.tools.some(({ name }) => name === tool);
  if (known !== (answer.rejected === undefined))
    return known ? 'a tool that is listed was refused by the protocol' : 'a tool that is none answered';
  return faultOf(answer, [tool, ...textsIn(args)]) ?? disclosedBy(tool, answer, room);
}

/** What a tool may write when it is accepted, beside its event: the tables that grow, and the types of the events. */
const writes: Readonly<Record<string, { readonly tables: RegExp; readonly events: readonly string[] }>> = {
  memory_propose: {
    tables: /^(memories|statuses|receipts|anchors|evidence|claims|waiting_index(_\w+)?)$/,
    events: ['proposed', 'supported'],
  },
  memory_contest: { tables: /^challenges$/, events: ['challenged'] },
  memory_request_retire: { tables: /^challenges$/, events: ['challenged'] },
  memory_report_use: { tables: /^uses$/, events: [] },
};

/** The record of what was answered is written some time after the answer, so also while another call is made. */
const anyTime = /^(events|sessions|recalls|recalled)$/;

/**
 * Watches from outside what each call writes. One that is refused or that only reads may write nothing but the event of its refusal and
 * the record of its answer; one that is accepted makes one thing at most, which waits, under the id that was answered.
 */
async function watchWrites({ shell }: FuzzedRoom): Promise<(call: Call, answer: Answer) => Promise<string | undefined>> {
  const version = async () => Number((await shell.all('PRAGMA data_version'))[0]?.['data_version']);
  let counts = await rowCounts(shell);
  let seen = await version();
  return async ({ tool }, { error, rejected, data }) => {
    const now = await version();
    if (now === seen) return undefined;
    seen = now;
    const before = counts;
    counts = await rowCounts(shell);
    const more = (table: string) => (counts[table] ?? 0) - (before[table] ?? 0);
    const accepted = error === undefined && rejected === undefined;
    const may = accepted ? writes[tool] : undefined;
    const grown = Object.keys(counts).filter((table) => more(table) !== 0 && !anyTime.test(table) && may?.tables.test(table) !== true);
    const events = await shell.all(`SELECT json_extract(body, '$.type') AS type FROM events ORDER BY seq DESC LIMIT ?`, more('events'));
    const told = events.map(({ type }) => String(type)).filter((type) => !(accepted ? (may?.events ?? []) : ['refused']).includes(type));
    if (grown.length + told.length > 0) return `it wrote to ${[...grown, ...told].join(', ')}`;
    if (events.length > 1) return `it wrote ${events.length} events`;
    return more('memories') === 0 ? undefined : wrongWithNew(more('memories'), data, shell);
  };
}

async function wrongWithNew(made: number, data: Answer['data'], shell: SqlShell): Promise<string | undefined> {
  const [last] = await shell.all(
    'SELECT m.id, s.state FROM memories m JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL ORDER BY m.seq DESC LIMIT 1',
  );
  const asAnswered = made === 1 && last?.['id'] === data['id'] && last?.['state'] === 'pending' && data['state'] === 'pending';
  return asAnswered ? undefined : `it made ${made} memories, the last of them ${JSON.stringify(last)}`;
}
