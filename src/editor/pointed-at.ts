/** What a command was called on: a row of one of the trees, or an id from anywhere, since all it does is choose what is shown. */
import { isMemoryRow } from './rows';
import type { Target } from './review-queue';
import type { Stores } from './stores';

/** The memory meant, as the store holds it now. */
export async function pointedAt(argument: unknown, stores: Stores): Promise<Target | undefined> {
  if (isMemoryRow(argument)) {
    const { store, memory } = argument;
    const now = await store.person.one(memory.id);
    return now && { store, memory: now };
  }
  const id = idIn(argument);
  if (id === undefined) return undefined;
  for (const store of stores.all) {
    const memory = store.opening.is === 'open' ? await store.person.one(id) : undefined;
    if (memory !== undefined) return { store, memory };
  }
  return undefined;
}

function idIn(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null) return undefined;
  const id: unknown = Object.getOwnPropertyDescriptor(argument, 'id')?.value; // a plain value: nothing of a stranger's object is run
  return typeof id === 'string' ? id : undefined;
}
