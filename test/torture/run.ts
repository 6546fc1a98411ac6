/**
 * `npm run torture [-- --seed N] [NAME...]`: each torture in full, or only the named ones; a line of figures for each, and one that sums up.
 * The seed is drawn anew unless it is given.
 */
import { parseArgs } from 'node:util';
import { tortures } from './list';
import { randomSeed } from './support/torture';

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
  const seed = values.seed === undefined ? randomSeed() : Number(values.seed);
  const unknown = positionals.filter((name) => !tortures.some((torture) => torture.name === name));
  if (!Number.isSafeInteger(seed) || unknown.length > 0) {
    console.error(`usage: npm run torture [-- --seed N] [${tortures.map((torture) => torture.name).join(' | ')}]`);
    return 2;
  }
  let [passed, failed] = [0, 0];
  for (const { name, full, unit, run } of tortures) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.log(`${name}: ${full} ${unit}, seed ${seed}`);
    const began = Date.now();
    const seconds = () => `${Math.round((Date.now() - began) / 1_000)} s`;
    try {
      console.log(`${name}: ${await run(full, seed)} (${seconds()})`);
      passed += 1;
    } catch (error) {
      console.log(`${name}: FAILED after ${seconds()} with seed ${seed}`);
      console.error(error);
      failed += 1;
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

void main().then((code) => {
  process.exitCode = code;
});
