/** An agent's process that goes on asking, on a connection that it keeps and on new ones: run by a test, and ended by it. */
import { openEngine, StetError, type Engine } from '../../../src/engine';

const options = JSON.parse(process.argv[2] ?? '{}') as { storeFile: string; root: string; keysFile: string; words: string[] };
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

let kept: Engine | undefined;
const session = { id: 'a-reader', client: 'reader', clientVersion: '1', startedAt: new Date().toISOString() };

async function ask(engine: Engine): Promise<string[]> {
  const found = [];
  for (const word of options.words) found.push(...(await engine.forAgent(() => session).search({ query: word })).items.map(({ id }) => id));
  return found;
}

async function once(fresh: boolean): Promise<void> {
  let engine: Engine | undefined;
  try {
    engine = fresh ? await openEngine(options) : (kept ??= await openEngine(options));
    say({ found: await ask(engine) });
  } catch (error) {
    say({ refused: error instanceof StetError ? error.code : String(error) });
    if (engine === kept) kept = undefined;
    if (!fresh) await engine?.close();
  } finally {
    if (fresh) await engine?.close();
  }
}

void (async () => {
  for (let turn = 0; ; turn += 1) await once(turn % 2 === 1);
})();
