/**
 * The program of a person's process: decides on whatever waits until its input ends, says what it is about to do, and says it again once
 * it is done. What it said is in the pipe before the next statement runs, so it is there also when the process is killed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { asStetError, openEngine, type PersonAccess, type PersonAct, type Reviewed, type SeenMemory } from '../../../src/engine';
import { personKey } from './person-key';

/** What a person does to the memories that are there: acts that need no more than a reason. */
export type Deed = 'approve' | 'retire' | 'reject' | 'forget';

export interface Orders {
  readonly storeFile: string;
  readonly root: string;
  readonly keysFile: string;
  /** PKCS8, base64. */
  readonly privateKey: string;
  /** What is done to each memory that waits, one sequence after the other in turn. */
  readonly acts: readonly (readonly Deed[])[];
  /** Memories that are forgotten, one after the other, before anything else is done. */
  readonly forget?: readonly string[];
}

/** One line of its output. */
export type Said =
  | { readonly doing: Deed; readonly id: string }
  | { readonly done: Deed; readonly id: string; readonly state: string }
  | { readonly busy: Deed; readonly id: string };

const say = (line: Said) => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

async function main(orders: Orders): Promise<void> {
  const engine = await openEngine(orders);
  const key = personKey(orders.privateKey);
  const person = engine.forPerson();
  const input = { ended: false };
  process.stdin.on('end', () => (input.ended = true)).resume();

  const act = async (deed: Deed, id: string): Promise<void> => {
    say({ doing: deed, id });
    for (;;) {
      const memory = await person.one(id);
      if (memory?.seen === undefined) throw new Error(`${id} cannot be decided on`);
      try {
        const { state } = await person.decide(actFor(deed, { id, seen: memory.seen }), key);
        say({ done: deed, id, state });
        return;
      } catch (error) {
        if (asStetError(error).code !== 'store_busy') throw error;
        say({ busy: deed, id });
      }
    }
  };

  for (const id of orders.forget ?? []) await act('forget', id);
  for (let turn = 0; !input.ended; turn += 1) {
    const [next] = await waiting(person);
    if (next === undefined) await delay(5);
    else for (const deed of orders.acts[turn % orders.acts.length] ?? []) await act(deed, next.id);
  }
  await engine.close();
}

function actFor(deed: Deed, memory: SeenMemory): PersonAct {
  if (deed === 'approve') return { act: deed, ...memory };
  if (deed === 'forget') return { act: deed, memories: [memory], questions: [] };
  return { act: deed, ...memory, reason: 'no longer so' };
}

const waiting = (person: PersonAccess): Promise<Reviewed[]> => person.list({ states: ['pending'], limit: 1, offset: 0 });

main(JSON.parse(process.argv[2] ?? '') as Orders).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
