/**
 * The program of a person's process: decides on whatever waits until its input ends, says what it is about to do, and says it again once
 * it is done. What it said is in the pipe before the next statement runs, so it is there also when the process is killed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { asStetError, openEngine, type Decision, type PersonAccess, type Reviewed } from '../../../src/engine';
import { personKey } from './person-key';

export interface Orders {
  readonly storeFile: string;
  readonly root: string;
  readonly keysFile: string;
  /** PKCS8, base64. */
  readonly privateKey: string;
  /** What is done to each memory that waits, one sequence after the other in turn. */
  readonly acts: readonly (readonly Decision[])[];
}

/** One line of its output. */
export type Said =
  | { readonly doing: Decision; readonly id: string }
  | { readonly done: Decision; readonly id: string; readonly state: string }
  | { readonly busy: Decision; readonly id: string };

const say = (line: Said) => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

async function main(orders: Orders): Promise<void> {
  const engine = await openEngine(orders);
  const key = personKey(orders.privateKey);
  const person = engine.forPerson();
  const input = { ended: false };
  process.stdin.on('end', () => (input.ended = true)).resume();

  const act = async (decision: Decision, id: string): Promise<void> => {
    say({ doing: decision, id });
    for (;;) {
      const memory = await person.one(id);
      if (memory?.seen === undefined) throw new Error(`${id} cannot be decided on`);
      try {
        const { state } = await person.decide(decision, id, memory.seen, key, decision === 'approve' ? undefined : 'no longer so');
        say({ done: decision, id, state });
        return;
      } catch (error) {
        if (asStetError(error).code !== 'store_busy') throw error;
        say({ busy: decision, id });
      }
    }
  };

  for (let turn = 0; !input.ended; turn += 1) {
    const [next] = await waiting(person);
    if (next === undefined) await delay(5);
    else for (const decision of orders.acts[turn % orders.acts.length] ?? []) await act(decision, next.id);
  }
  await engine.close();
}

const waiting = (person: PersonAccess): Promise<Reviewed[]> => person.list({ states: ['pending'], limit: 1, offset: 0 });

main(JSON.parse(process.argv[2] ?? '') as Orders).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
