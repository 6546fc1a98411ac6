/** What each gate of a proposal costs: those before the transaction by themselves, and the transaction by its statements. */
import { performance } from 'node:perf_hooks';
import type { Proposal, Signer } from '../../src/engine';
import { parse, proposalSchema } from '../../src/engine/domain/input';
import { hiddenIn } from '../../src/engine/domain/hidden-text';
import type { NewMemory } from '../../src/engine/domain/memory';
import { valueDigests, valueKey } from '../../src/engine/domain/value-key';
import { nearTo } from '../../src/engine/ledger/hints';
import { newMemory, textsIn } from '../../src/engine/ledger/screen';
import { secretIn } from '../../src/engine/ledger/secrets';
import type { Database, Statements } from '../../src/engine/store/database';
import { eachTimed, mean, quantile, type Figure } from './figures';
import { openLedger, type Files } from './ledger';

/** The cost of `append` for each of these proposals, gate by gate. */
export async function gateCosts(files: Files, signer: Signer, proposed: readonly Proposal[], at: string): Promise<Figure[]> {
  const ledger = await openLedger(files, signer);
  try {
    const { parts, origin } = ledger;
    const session = { id: crypto.randomUUID(), client: 'bench', clientVersion: '1.0.0', startedAt: new Date().toISOString() };
    const provenance = { tag: 'inferred', session: session.id, client: 'bench', clientVersion: '1.0.0', model: 'unreported' } as const;
    const keys = await parts.keyRing.trusted();
    const made: NewMemory[] = [];
    const alone = {
      parse: await eachTimed(proposed, (one) => Promise.resolve(parse(proposalSchema, one))),
      'hidden text': await eachTimed(proposed, (one) => Promise.resolve(textsIn(one).map(({ text }) => hiddenIn(text)))),
      secrets: await eachTimed(proposed, (one) => secretIn(textsIn(one))),
      'paths and evidence': await eachTimed(proposed, async (one) => made.push(await newMemory(one, origin, provenance, parts))),
      'value keys': await eachTimed(made, ({ content }) =>
        Promise.resolve([valueKey(parts.store.salt, content), valueDigests(parts.store.salt, content)]),
      ),
      'what it resembles': await eachTimed(made, ({ content }) => nearTo(parts.database.read, content, origin.grant, parts, keys)),
    };
    const costs = followTransactions(parts.database);
    const whole = await eachTimed(proposed, (one) => ledger.propose(one, session));
    const { total, ...steps } = costs();
    return [
      ...Object.entries(alone).map(([gate, times]) => cost(`append ${at}: ${gate}`, times)),
      ...Object.entries(steps).map(([step, times]) => cost(`append ${at}, transaction: ${step}`, times)),
      cost(`append ${at}: the transaction`, total),
      cost(`append ${at}: all of it`, whole),
    ];
  } finally {
    await ledger.close();
  }
}

const cost = (what: string, times: readonly number[]): Figure => ({
  what,
  figure: mean(times),
  unit: 'ms',
  note: `mean; p95 ${quantile(times, 0.95).toFixed(1)} ms`,
});

/** The steps of a proposal's transaction by the statements they consist of, the first that fits. */
const steps = [
  ['receipt', /receipts/],
  ['tombstones', /FROM tombstones/],
  ['duplicates', /'pending', 'active', 'contested'/],
  ['text index', /INTO (?:served|waiting)_index/],
  ['event', /(?:FROM|INTO) events/],
  ['rows', /^(?:INSERT|UPDATE)/],
  ['hints', /./],
] as const;
type Times = Record<(typeof steps)[number][0] | 'begin and commit' | 'total', number[]>;

/** Follows what a database's transactions spend their time on. @returns what they have spent it on so far, transaction by transaction. */
function followTransactions(database: Database): () => Times {
  const times: Times = {
    receipt: [],
    tombstones: [],
    duplicates: [],
    hints: [],
    rows: [],
    event: [],
    'text index': [],
    'begin and commit': [],
    total: [],
  };
  const transaction = database.transaction.bind(database);
  database.transaction = async (work) => {
    const spent = new Map<string, number>();
    const begun = performance.now();
    let worked = 0;
    const result = await transaction(async (tx) => {
      const workBegun = performance.now();
      const done = await work(followed(tx, spent));
      worked = performance.now() - workBegun;
      return done;
    });
    const total = performance.now() - begun;
    for (const [step] of steps) times[step].push(spent.get(step) ?? 0);
    times['begin and commit'].push(total - worked);
    times.total.push(total);
    return result;
  };
  return () => times;
}

function followed(tx: Statements, spent: Map<string, number>): Statements {
  const timed = async <T>(sql: string, run: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await run();
    const step = steps.find(([, shape]) => shape.test(sql))?.[0] ?? 'hints';
    spent.set(step, (spent.get(step) ?? 0) + performance.now() - begun);
    return result;
  };
  return {
    all: (sql, ...values) => timed(sql, () => tx.all(sql, ...values)),
    get: (sql, ...values) => timed(sql, () => tx.get(sql, ...values)),
    run: (sql, ...values) => timed(sql, () => tx.run(sql, ...values)),
    exec: (sql) => timed(sql, () => tx.exec(sql)),
  };
}
