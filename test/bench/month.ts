/** Thirty days of heavy use of a large store, simulated: whether anything creeps. */
import { stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { openEngine, type Engine, type Signer } from '../../src/engine';
import { matchExpression } from '../../src/engine/recall/lexical';
import { agentOf } from '../support/store';
import { proposals, questions } from './corpus';
import { eachTimed, mean, quantile, type Figure } from './figures';
import { cutJournal } from '../../src/engine/store/journal';
import { openLedger, type BenchLedger, type Files } from './ledger';

const days = 30;
const proposedADay = 1_000;
const atOnce = 25;
const dayMs = 24 * 60 * 60 * 1000;
/** On every tenth day a few memories are forgotten, which builds the file anew. */
const forgetEvery = 10;
const forgottenAtOnce = 10;
const reviewDays = 14;

interface Day {
  /** How much longer the file got, before anything was forgotten. */
  readonly grownBytes: number;
  readonly fileBytes: number;
  /** The longest that the write-ahead log was seen at. */
  readonly journalBytes: number;
  /** The middle and the slow end of a search, and of the bare index query for the same words at the same time, in milliseconds. */
  readonly search: { readonly p50: number; readonly p95: number };
  readonly bare: { readonly p50: number; readonly p95: number };
  readonly proposeMs: number;
  readonly forgetSeconds: number | undefined;
}

/** A thousand proposals a day, of which six in ten are rejected or retired in the end, with agents asking meanwhile. */
export async function heavyMonth(files: Files, signer: Signer): Promise<Figure[]> {
  let now = Date.parse('2027-01-01T08:00:00.000Z');
  const clock = { now: () => new Date(now) };
  const ledger = await openLedger(files, signer, clock);
  const engine = await openEngine({ storeFile: files.store, root: files.root, keysFile: files.keys, clock });
  const month: Day[] = [];
  try {
    for (let day = 0; day < days; day += 1) {
      const session = { id: crypto.randomUUID(), client: 'bench', clientVersion: '1.0.0', startedAt: clock.now().toISOString() };
      let journalBytes = 0;
      const before = await fileBytes(ledger, files);
      const standing: string[] = [];
      const waves = proposedADay / atOnce;
      const begun = performance.now();
      for (let wave = 0; wave < waves; wave += 1) {
        const first = 2_000_000 + day * proposedADay + wave * atOnce;
        const ids = await Promise.all([...proposals(first, atOnce)].map((one) => ledger.propose(one, session)));
        await oneWave(ledger, ids, standing);
        now += (8 * 60 * 60 * 1000) / waves;
        journalBytes = Math.max(journalBytes, await ledger.parts.database.walBytes());
      }
      const proposeMs = (performance.now() - begun) / proposedADay;
      const grownBytes = (await fileBytes(ledger, files)) - before;
      await ledger.signHead();
      await engine.forPerson().expireWaiting(reviewDays);
      const isForgetting = day % forgetEvery === forgetEvery - 1;
      const forgetSeconds = isForgetting ? await forgetting(engine, signer, standing.slice(0, forgottenAtOnce)) : undefined;
      const agent = agentOf(engine, 'bench');
      const asked = questions(60);
      await eachTimed(questions(10), (query) => agent.search({ query }));
      const searches = await eachTimed(asked, (query) => agent.search({ query }));
      const bare = await bareSearches(ledger, asked);
      await engine.forPerson().pruneSeen();
      const size = await fileBytes(ledger, files);
      month.push({ grownBytes, fileBytes: size, journalBytes, search: ends(searches), bare: ends(bare), proposeMs, forgetSeconds });
      process.stderr.write(`day ${day + 1}: ${(size / 2 ** 20).toFixed(0)} MB, search ${ends(searches).p50.toFixed(1)} ms\n`);
      now += dayMs - 8 * 60 * 60 * 1000;
    }
  } finally {
    await engine.close();
    await ledger.close();
  }
  return creeping(month);
}

/** The length of the file with everything in it. */
async function fileBytes({ parts: { database } }: BenchLedger, { store }: Files): Promise<number> {
  await database.alone(cutJournal);
  return (await stat(store)).size;
}

/** Forgets memories in one act and takes them out of the bytes. @returns how long that took, in seconds. */
export async function forgetting(engine: Engine, signer: Signer, ids: readonly string[]): Promise<number> {
  const person = engine.forPerson();
  const memories = (await person.several(ids)).map(({ id, seen }) => {
    if (seen === undefined) throw new Error('nothing to decide on');
    return { id, seen };
  });
  const begun = performance.now();
  await person.decide({ act: 'forget', memories, questions: [] }, signer);
  const seconds = (performance.now() - begun) / 1000;
  if ((await person.finishErasures()) !== 'done') throw new Error('another reader holds the journal');
  return seconds;
}

/** Of 25: 8 rejected, 7 approved and retired, 9 approved, 1 left waiting. */
async function oneWave(ledger: BenchLedger, ids: readonly string[], standing: string[]): Promise<void> {
  await ledger.decideAll(ids.slice(0, 8), 'reject');
  await ledger.decideAll(ids.slice(8, 24), 'approve');
  await ledger.decideAll(ids.slice(8, 15), 'retire');
  standing.push(...ids.slice(15, 24));
}

/** The same words asked of the index alone. */
export const bareSearches = ({ parts: { database } }: Pick<BenchLedger, 'parts'>, asked: readonly string[]): Promise<number[]> =>
  eachTimed(
    asked.flatMap((query) => matchExpression(query) ?? []),
    (match) => database.read.all('SELECT rowid FROM served_index WHERE served_index MATCH ? ORDER BY rank LIMIT 8', match),
  );

const ends = (times: readonly number[]) => ({ p50: quantile(times, 0.5), p95: quantile(times, 0.95) });

/**
 * The first and the last week side by side. The machine has its moods, so times are compared as multiples of the bare query, and the
 * file by what a day adds to it.
 */
function creeping(month: readonly Day[]): Figure[] {
  const [first, last] = [month.slice(0, 7), month.slice(-7)];
  const grown = (week: readonly Day[]) => mean(week.map(({ grownBytes }) => grownBytes)) / 2 ** 20;
  const weeks = (what: string, unit: string, of: (week: readonly Day[]) => number, most?: number): Figure[] => [
    { what: `${what}, first week`, figure: of(first), unit },
    { what: `${what}, last week`, figure: of(last), unit, ...(most !== undefined && { budget: most }) },
  ];
  const ratio = (week: readonly Day[]) => mean(week.map(({ search, bare }) => search.p50 / bare.p50));
  const longestJournal = (week: readonly Day[]) => Math.max(...week.map(({ journalBytes }) => journalBytes)) / 2 ** 20;
  return [
    ...weeks('30 days: a search, p50', 'ms', (week) => mean(week.map(({ search }) => search.p50))),
    ...weeks('30 days: a search, p95', 'ms', (week) => mean(week.map(({ search }) => search.p95))),
    ...weeks('30 days: a search as a multiple of the bare query', '', ratio, ratio(first) * 1.25),
    { what: '30 days: slope of a search, a day', figure: slope(month.map(({ search }) => search.p50)), unit: 'ms' },
    ...weeks('30 days: a proposal with its decisions', 'ms', (week) => mean(week.map(({ proposeMs }) => proposeMs))),
    ...weeks('30 days: the file grows by, a day', 'MB', grown, grown(first) * 1.25),
    { what: '30 days: the file at the end', figure: (month.at(-1)?.fileBytes ?? 0) / 2 ** 20, unit: 'MB' },
    ...weeks('30 days: the longest write-ahead log', 'MB', longestJournal, 16),
    ...month.flatMap(({ forgetSeconds }, day) =>
      forgetSeconds === undefined
        ? []
        : [{ what: `30 days: forgetting ${forgottenAtOnce} on day ${day + 1}`, figure: forgetSeconds, unit: 's' }],
    ),
  ];
}

/** Of a straight line through them, by least squares. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const average = mean(values);
  const across = values.reduce((sum, value, index) => sum + (index - middle) * (value - average), 0);
  return across / values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}
