/** A store of some size through the built server and through the ledger: every figure that has a budget at that size, and some beside. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { inProject } from '../../scripts/project';
import { openEngine } from '../../src/engine';
import { connect, type Connection } from '../mcp/support/client';
import { filesToOpen, proposals, questions } from './corpus';
import { eachTimed, quantile, spread, type Figure } from './figures';
import { gateCosts } from './gates';
import type { Grown } from './grown';
import { openLedger, type Files } from './ledger';
import { bareSearches, forgetting } from './month';

interface Budget {
  readonly start?: number;
  readonly search50?: number;
  readonly search95?: number;
  readonly searchTimesBare?: number;
  readonly propose?: number;
  readonly forFile?: number;
  readonly residentMb?: number;
}
/** The budgets at a size; at a size that has none the figures are only printed. */
const budgets = {
  1_000: {},
  10_000: { start: 250, search95: 15, propose: 10, forFile: 5, residentMb: 120 },
  100_000: { search50: 40, searchTimesBare: 2, propose: 10, forFile: 5, residentMb: 200 },
} satisfies Record<number, Budget>;

export async function measureStore({ files, signer, seconds }: Grown, size: keyof typeof budgets): Promise<Figure[]> {
  const start = { server: inProject('dist/mcp.js'), store: files.store, root: files.root, keys: files.keys };
  const at = `at ${size.toLocaleString('en')}`;
  const budget: Budget = budgets[size];
  const figures: Figure[] = [
    {
      what: `growing ${at} through append`,
      figure: seconds,
      unit: 's',
      note: `${(size / seconds).toFixed(0)} a second, when it was grown`,
    },
    { what: `the file ${at}`, figure: statSync(files.store).size / 2 ** 20, unit: 'MB' },
  ];
  const starts: number[] = [];
  for (let run = 0; run < 15; run += 1) starts.push(await startTime(start));
  figures.push(...spread(`server start to tools/list ${at}`, starts, budgetOf({ p95: budget.start })));

  const server = await connect(start);
  try {
    const asked = questions(300);
    await warmUp(server);
    const bare = await bareTimes(files, signer, asked);
    const searches = await eachTimed(asked, (query) => server.ask('memory_search', { query }));
    const bare95 = quantile(bare, 0.95);
    figures.push(
      ...spread(`the bare index query ${at}`, bare),
      ...spread(`search over stdio ${at}`, searches, {
        ...budgetOf({
          p50: budget.search50,
          p95: budget.searchTimesBare === undefined ? budget.search95 : budget.searchTimesBare * bare95,
        }),
        note: `${(quantile(searches, 0.95) / bare95).toFixed(1)} times the bare index query`,
      }),
      ...spread(
        `for a file over stdio ${at}`,
        await eachTimed(filesToOpen(300), (path) => server.ask('memory_for_file', { path })),
        budgetOf({ p95: budget.forFile }),
      ),
    );
    const fresh = [...proposals(1_000_000, 300)];
    const proposing = await eachTimed(fresh, (proposal) => server.ask('memory_propose', { ...proposal }));
    const restingOn = (kind: string) => proposing.filter((_, index) => fresh[index]?.evidence[0]?.kind === kind);
    figures.push(
      ...spread(`propose over stdio ${at}`, proposing, {
        ...budgetOf({ p95: budget.propose }),
        note: 'seven of ten rest on a quote, three on a file',
      }),
      ...spread(`... of these, on a quote ${at}`, restingOn('quote')),
      ...spread(`... of these, on a file ${at}`, restingOn('file'), budgetOf({ p95: budget.propose })),
      {
        what: `server's resident memory ${at}`,
        figure: residentMb(server.pid),
        unit: 'MB',
        ...(budget.residentMb !== undefined && { budget: budget.residentMb }),
      },
    );
  } finally {
    await server.close();
  }
  return [...figures, ...(await gateCosts(files, signer, [...proposals(1_100_000, 300)], at))];
}

/** Those that there are. */
const budgetOf = ({ p50, p95 }: { readonly p50?: number | undefined; readonly p95?: number | undefined }) => ({
  ...(p50 !== undefined && { p50 }),
  ...(p95 !== undefined && { p95 }),
});

/** The floor: the same words asked of the index alone, without conditions, rows, signatures or text. */
async function bareTimes(files: Files, signer: Grown['signer'], asked: readonly string[]): Promise<number[]> {
  const ledger = await openLedger(files, signer);
  try {
    return await bareSearches(ledger, asked);
  } finally {
    await ledger.close();
  }
}

/** One memory forgotten, to the last byte of the file. */
export async function measureForgetting({ files, signer }: Grown): Promise<Figure[]> {
  const engine = await openEngine({ storeFile: files.store, root: files.root, keysFile: files.keys });
  try {
    const [memory] = await engine.forPerson().list({ states: ['active'], limit: 1, offset: 5_000 });
    const seconds = await forgetting(engine, signer, memory === undefined ? [] : [memory.id]);
    return [{ what: 'forgetting one memory at 100,000', figure: seconds, unit: 's', note: 'the file is built anew' }];
  } finally {
    await engine.close();
  }
}

/** From the start of the process to its answer to the first tools/list. */
async function startTime(start: Parameters<typeof connect>[0]): Promise<number> {
  const begun = performance.now();
  const server = await connect(start);
  const elapsed = performance.now() - begun;
  await server.close();
  return elapsed;
}

const warmUp = (server: Connection) => eachTimed(questions(30), (query) => server.ask('memory_search', { query }));

function residentMb(pid: number): number {
  if (process.platform === 'linux') return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}
