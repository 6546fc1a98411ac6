/**
 * `npm run bench`: what the budgets of Stet's design are measured by. Prints a table, and ends with one line and a non-zero code when
 * anything is over. Everything is measured on the built, packaged thing: the server as a process, the extension in a real editor.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { makePackage } from '../../scripts/package';
import { inProject } from '../../scripts/project';
import { matchExpression } from '../../src/engine/recall/lexical';
import { Database } from '../../src/engine/store/database';
import { openEditor, until } from '../editor/harness';
import { connect, type Connection } from '../mcp/support/client';
import { git } from '../support/git';
import { aBench, type Bench } from '../support/store';
import { filesToOpen, proposals, questions } from './corpus';

interface Figure {
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  readonly budget?: number;
  readonly note?: string;
}

const sizes = [1_000, 10_000];

async function main(): Promise<void> {
  const vsix = await makePackage();
  const figures: Figure[] = [{ what: 'VSIX', figure: statSync(vsix).size / 2 ** 20, unit: 'MB', budget: 12 }];
  const bench = await aBench({ 'src/evidence.ts': 'a line\n'.repeat(20) });
  try {
    git(bench.root, 'init', '-q');
    git(bench.root, 'add', '-A');
    git(bench.root, 'commit', '-q', '-m', 'first');
    let grown = 0;
    for (const size of sizes) {
      await grow(bench, grown, size);
      grown = size;
      figures.push(...(await measureStore(bench, size)));
    }
    figures.push(await measureActivation(vsix, bench.root));
  } finally {
    await bench.close();
  }
  report(figures);
}

/** Grows the store through the ledger: nine of ten stand, one waits. */
async function grow(bench: Bench, from: number, to: number): Promise<void> {
  process.stderr.write(`growing the store to ${to} memories\n`);
  let number = from;
  for (const proposal of proposals(from, to - from)) {
    const { id } = await bench.agent.propose(proposal);
    number += 1;
    if (number % 10 !== 0) await bench.decide('approve', id);
  }
}

async function measureStore(bench: Bench, size: number): Promise<Figure[]> {
  const start = { server: inProject('dist/mcp.js'), store: bench.storeFile, root: bench.root, keys: bench.keysFile };
  const at = `at ${size.toLocaleString('en')}`;
  const budgeted = size === sizes.at(-1);
  const figures: Figure[] = [];
  const add = (what: string, times: readonly number[], budget?: number, note?: string) => {
    figures.push({ what: `${what} ${at}, p50`, figure: quantile(times, 0.5), unit: 'ms' });
    figures.push({
      what: `${what} ${at}, p95`,
      figure: quantile(times, 0.95),
      unit: 'ms',
      ...(budget !== undefined && { budget }),
      ...(note !== undefined && { note }),
    });
  };

  const starts: number[] = [];
  for (let run = 0; run < 15; run += 1) starts.push(await startTime(start));
  add('server start to tools/list', starts, 250);

  const server = await connect(start);
  try {
    const asked = questions(300);
    await warmUp(server);
    const bare = await bareSearches(bench, asked);
    const searches = await eachTimed(asked, (query) => server.ask('memory_search', { query }));
    add(
      'search over stdio',
      searches,
      15,
      `${(quantile(searches, 0.95) / quantile(bare, 0.95)).toFixed(1)} times the bare index query (${quantile(bare, 0.95).toFixed(1)} ms)`,
    );
    // Its budget is for 100,000 memories, which this run does not grow.
    add('for a file over stdio', await eachTimed(filesToOpen(300), (path) => server.ask('memory_for_file', { path })));
    const fresh = [...proposals(1_000_000 + size, 300)];
    const proposing = await eachTimed(fresh, (proposal) => server.ask('memory_propose', { ...proposal }));
    add('propose over stdio', proposing, 10, 'seven of ten rest on a quote, three on a file');
    const restingOn = (kind: string) => proposing.filter((_, index) => fresh[index]?.evidence[0]?.kind === kind);
    add('... of these, on a quote', restingOn('quote'));
    add('... of these, on a file', restingOn('file'), undefined, 'git is asked whether it ignores the file');
    figures.push({ what: `server's resident memory ${at}`, figure: residentMb(server.pid), unit: 'MB', budget: 120 });
  } finally {
    await server.close();
  }
  return budgeted ? figures : figures.map(({ what, figure, unit, note }) => ({ what, figure, unit, ...(note !== undefined && { note }) }));
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

/** The floor: the same words asked of the index alone, without conditions, rows, signatures or text. */
async function bareSearches(bench: Bench, asked: readonly string[]): Promise<number[]> {
  const database = await Database.open(bench.storeFile, () => Promise.resolve());
  try {
    const expressions = asked.flatMap((query) => matchExpression(query) ?? []);
    return await eachTimed(expressions, (match) =>
      database.read.all('SELECT rowid FROM served_index WHERE served_index MATCH ? ORDER BY rank LIMIT 8', match),
    );
  } finally {
    await database.close();
  }
}

/** What the editor itself measured of the extension's activation, at its second start; the first one also fills caches. */
async function measureActivation(vsix: string, folder: string): Promise<Figure> {
  process.stderr.write('starting the editor\n');
  const editor = await openEditor({ folder, vsix: [vsix] });
  try {
    await editor.openContainer('Stet');
    await editor.restart();
    await editor.openContainer('Stet');
    await editor.runCommand('Developer: Show Running Extensions');
    const row = editor.page.locator('.runtime-extensions-editor .monaco-list-row').filter({ hasText: /^\s*Stet/ });
    const text = await until(
      'the editor to say how long the activation took',
      async () => /ctivation: (\d+)ms/.exec(await row.first().innerText())?.[1],
    );
    return {
      what: 'activation in the editor',
      figure: Number(text),
      unit: 'ms',
      budget: 100,
      note: 'as its own list of running extensions says',
    };
  } finally {
    await editor.close();
  }
}

async function eachTimed<T>(inputs: readonly T[], work: (input: T) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (const input of inputs) {
    const begun = performance.now();
    await work(input);
    times.push(performance.now() - begun);
  }
  return times;
}

const quantile = (values: readonly number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN;

function residentMb(pid: number): number {
  if (process.platform === 'linux') return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

function report(figures: readonly Figure[]): void {
  const over = figures.filter(({ figure, budget }) => budget !== undefined && !(figure <= budget));
  const bounded = figures.filter(({ budget }) => budget !== undefined);
  const width = Math.max(...figures.map(({ what }) => what.length));
  for (const { what, figure, unit, budget, note } of figures) {
    const limit = budget === undefined ? '' : `${figure <= budget ? '≤' : 'OVER'} ${budget} ${unit}`;
    console.log(`${what.padEnd(width)}  ${figure.toFixed(1).padStart(8)} ${unit.padEnd(2)}  ${limit.padEnd(12)} ${note ?? ''}`.trimEnd());
  }
  console.log(`${bounded.length - over.length} within budget, ${over.length} over`);
  process.exitCode = over.length === 0 ? 0 : 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
