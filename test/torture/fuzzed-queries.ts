/** Questions of every kind are asked, many at a time. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { limits } from '../../src/engine';
import type { SqlShell } from '../mcp/support/sql-shell';
import { faultOf } from './support/answers';
import { aFuzzedRoom, disclosedBy, twinIsFound, type FuzzedRoom } from './support/fuzzed-room';
import { hostileText } from './support/hostile';
import { changedTables, growth, rowsOf } from './support/rows';
import type { Answer } from './support/speaker';
import type { Torture } from './support/torture';

export const fuzzedQueries: Torture = {
  name: 'queries',
  promise: 'every text is a question: none is a syntax error, each finds what it names, and none writes or gives away anything',
  full: 10_000,
  unit: 'fuzzed queries',
  run: fuzzQueries,
};

/** Asked at once; then the rows are compared. */
const batchSize = 100;

/** What the room has asked. */
const askedBefore = 1;

/** How long the record of what was answered may take to be written, with a busy store tried again. */
const recordingMs = 60_000;

async function fuzzQueries(queries: number, seed: number): Promise<string> {
  const room = await aFuzzedRoom();
  const { server, shell, bench } = room;
  const tally = { answered: 0, refused: 0, found: 0, twins: 0 };
  try {
    const question = fc.record({ text: hostileText(room.world), namesTwin: fc.boolean() });
    await recorded(shell, askedBefore);
    const before = await rowsOf(shell);
    for (let batch = 0; batch * batchSize < queries; batch += 1) {
      const inBatch = Math.min(batchSize, queries - batch * batchSize);
      const asked = fc.sample(question, { numRuns: inBatch, seed: seed + batch }).map(({ text, namesTwin }) => ({
        query: namesTwin ? `${room.twinQuestion} ${text}` : text,
        namesTwin,
      }));
      const answers = await Promise.all(asked.map(({ query }) => server.call('memory_search', { query, k: 20, maxTokens: 4_000 })));
      for (const [index, { query, namesTwin }] of asked.entries()) {
        const answer = answers[index]!;
        const fault = wrongWith(query, namesTwin, answer, room);
        assert.equal(
          fault,
          undefined,
          `query ${batch * batchSize + index}: ${fault}\n${JSON.stringify(query).slice(0, 2_000)}\n${answer.line.slice(0, 2_000)}`,
        );
        if (answer.error !== undefined) tally.refused += 1;
        else {
          tally.answered += 1;
          if (idsIn(answer).length > 0) tally.found += 1;
          if (namesTwin) tally.twins += 1;
        }
      }
      assert.ok(await twinIsFound(room), 'what a person let stand is no longer found');
      await recorded(shell, askedBefore + tally.answered + batch + 1); // the last one of each batch looks for the twin
    }
    const after = await rowsOf(shell);
    const { recalls, recalled, ...others } = growth(before, after);
    assert.deepEqual([changedTables(before, after), others], [[], {}], 'a question wrote something beside the record of its answer');
    assert.ok((recalled ?? 0) >= tally.found, 'the record lacks memories that were served');
    assert.deepEqual(server.strays(), []);
    assert.equal((await bench.engine.verify()).is, 'intact');
    return (
      `${queries} queries: ${tally.answered} answered, ${tally.found} of them with memories; ${tally.refused} that are no text refused; ` +
      `${tally.twins} of ${tally.twins} that name the twin found it; ${recalls} answers recorded and nothing else written; nothing disclosed`
    );
  } finally {
    await room.close();
  }
}

/** Waits until so many answers are in the record; they are written after they go out. */
async function recorded(shell: SqlShell, answers: number): Promise<void> {
  const deadline = performance.now() + recordingMs;
  for (;;) {
    const [row] = await shell.all('SELECT count(*) AS answers FROM recalls');
    if (Number(row?.['answers']) === answers) return;
    assert.ok(performance.now() < deadline, `${String(row?.['answers'])} of ${answers} answers are in the record`);
    await delay(50);
  }
}

const idsIn = ({ data }: Answer): string[] => ((data['items'] ?? []) as { id: string }[]).map(({ id }) => id);

/** Whether a text can be asked at all. */
const isText = (query: string) => query.length <= limits.query && query.isWellFormed() && !query.includes('\0') && query.trim() !== '';

function wrongWith(query: string, namesTwin: boolean, answer: Answer, room: FuzzedRoom): string | undefined {
  if (answer.rejected !== undefined) return 'refused by the protocol';
  if (isText(query) !== (answer.error === undefined)) return isText(query) ? 'a text was refused' : 'what is no text was answered';
  if (namesTwin && answer.error === undefined && !idsIn(answer).includes(room.twin)) return 'the twin was named and not found';
  return faultOf(answer, [query]) ?? disclosedBy('memory_search', answer, room);
}
