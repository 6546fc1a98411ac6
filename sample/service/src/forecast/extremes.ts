import { heightAt, type Constituent } from './harmonics';

export interface Extreme {
  readonly kind: 'high' | 'low';
  readonly hours: number;
  readonly height: number;
}

/** High and low waters of a span, found on a grid of six minutes. */
export function extremes(from: number, to: number, meanLevel: number, constituents: readonly Constituent[]): Extreme[] {
  const step = 0.1;
  const found: Extreme[] = [];
  for (let hours = from + step; hours < to; hours += step) {
    const [before, here, after] = [hours - step, hours, hours + step].map((at) => heightAt(at, meanLevel, constituents));
    if (here > before && here >= after) found.push({ kind: 'high', hours, height: here });
    if (here < before && here <= after) found.push({ kind: 'low', hours, height: here });
  }
  return found;
}
