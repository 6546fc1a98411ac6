/** What a bench prints: figures beside their budgets. */
import { performance } from 'node:perf_hooks';

export interface Figure {
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  readonly budget?: number;
  readonly note?: string;
}

/** The middle and the slow end of some times, the slow end beside its budget. */
export const spread = (
  what: string,
  times: readonly number[],
  { p50, p95, note }: { p50?: number; p95?: number; note?: string } = {},
): Figure[] => [
  { what: `${what}, p50`, figure: quantile(times, 0.5), unit: 'ms', ...(p50 !== undefined && { budget: p50 }) },
  {
    what: `${what}, p95`,
    figure: quantile(times, 0.95),
    unit: 'ms',
    ...(p95 !== undefined && { budget: p95 }),
    ...(note !== undefined && { note }),
  },
];

/** The time of each, in milliseconds. */
export async function eachTimed<T>(inputs: readonly T[], work: (input: T) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (const input of inputs) {
    const begun = performance.now();
    await work(input);
    times.push(performance.now() - begun);
  }
  return times;
}

export const quantile = (values: readonly number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN;

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Prints them, and says with the exit code whether all are within their budgets. */
export function report(figures: readonly Figure[]): void {
  const over = figures.filter(({ figure, budget }) => budget !== undefined && !(figure <= budget));
  const bounded = figures.filter(({ budget }) => budget !== undefined);
  const width = Math.max(...figures.map(({ what }) => what.length));
  for (const { what, figure, unit, budget, note } of figures) {
    const limit = budget === undefined ? '' : `${figure <= budget ? '≤' : 'OVER'} ${Number(budget.toFixed(1))} ${unit}`;
    console.log(`${what.padEnd(width)}  ${figure.toFixed(1).padStart(8)} ${unit.padEnd(2)}  ${limit.padEnd(12)} ${note ?? ''}`.trimEnd());
  }
  console.log(`${bounded.length - over.length} within budget, ${over.length} over`);
  process.exitCode = over.length === 0 ? 0 : 1;
}
