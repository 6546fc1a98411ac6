/** A tenth of each torture, with every run of the tests. `npm run torture` is all of it. */
import { tortures } from './list';
import { randomSeed } from './support/torture';

describe('under torture', function () {
  this.timeout(600_000);

  for (const { name, promise, full, unit, run } of tortures)
    it(promise, async () => {
      const seed = randomSeed();
      const size = Math.ceil(full / 10);
      console.log(`      ${name}: ${size} ${unit}, seed ${seed}`);
      console.log(`      ${await run(size, seed)}`);
    });
});
