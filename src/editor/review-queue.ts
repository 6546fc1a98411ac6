/** The person's way through what waits: which comes next, and how far along it is. */
import type { Reviewed } from '../engine';
import type { Position } from './page-messages';
import type { Store, Stores } from './stores';

export interface Target {
  readonly store: Store;
  readonly memory: Reviewed;
}

export class ReviewQueue {
  readonly #skipped = new Set<string>();
  #decided = 0;

  constructor(private readonly stores: Stores) {}

  get skipped(): number {
    return this.#skipped.size;
  }

  startAgain(): void {
    this.#skipped.clear();
    this.#decided = 0;
  }

  skip(id: string): void {
    this.#skipped.add(id);
  }

  decided(id: string): void {
    this.#skipped.delete(id);
    this.#decided += 1;
  }

  /** The first of those that wait and were not skipped, in the order of the tree. */
  async next(): Promise<Target | undefined> {
    for (const store of this.#open()) {
      const { sessions } = await store.person.overview();
      for (const session of [...sessions.map(({ id }) => id), undefined]) {
        const memory = await this.#firstOf(store, session);
        if (memory !== undefined) return { store, memory };
      }
    }
    return undefined;
  }

  /** How many wait. @param onTheWay says also where the reader is, counting what was decided and skipped on the way. */
  async position(onTheWay: boolean): Promise<Position> {
    const counts = await Promise.all(this.#open().map(async ({ person }) => (await person.overview()).counts.pending));
    const waiting = counts.reduce((sum, count) => sum + count, 0);
    if (!onTheWay) return { of: waiting };
    return { at: this.#decided + this.#skipped.size + 1, of: this.#decided + Math.max(waiting, this.#skipped.size + 1) };
  }

  async #firstOf(store: Store, session: string | undefined): Promise<Reviewed | undefined> {
    const limit = 20;
    for (let offset = 0; ; offset += limit) {
      const page = await store.person.list({ states: ['pending'], ...(session !== undefined && { session }), limit, offset });
      const found = page.find(({ id }) => !this.#skipped.has(id));
      if (found !== undefined || page.length < limit) return found;
    }
  }

  #open(): readonly Store[] {
    return this.stores.all.filter(({ opening }) => opening.is === 'open');
  }
}
