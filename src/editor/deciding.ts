/**
 * The acts that are offered under one showing, each foreseen before it is done: the press names the question whose answer the page
 * showed, and what is done is what that answer foresaw, or nothing.
 */
import type { PersonAccess, PersonAct, Preview } from '../engine';
import type { Foreseen, PageAct } from './page-messages';

/** What stands in a form, by field. */
export type Values = Readonly<Record<string, string>>;

export interface Offered {
  readonly act: Omit<PageAct, 'how'> & { readonly how: Exclude<PageAct['how'], { is: 'press' }> | { readonly is: 'press' } };
  /** The act that the form says; undefined while it says too little, and for what only leads to another page. */
  readonly make: (values: Values) => PersonAct | undefined;
}

/** An act that may be done, and just as it was foreseen. */
export interface Foretold {
  readonly act: PersonAct;
  readonly digest: string;
}

export class Deciding {
  readonly #foreseen = new Map<string, Foretold & { readonly asked: number; readonly values: string }>();
  readonly #latest = new Map<string, number>();

  /** @param inWords what an act would do, said to the person. */
  constructor(
    private readonly person: Pick<PersonAccess, 'preview'>,
    private readonly offered: readonly Offered[],
    private readonly inWords: (preview: Preview, act: PersonAct) => Pick<Foreseen, 'lines'>,
    private readonly asProblem: (thrown: unknown) => Promise<string>,
  ) {}

  /** What the page draws: acts of one press come with what they would do. */
  async acts(): Promise<PageAct[]> {
    return Promise.all(
      this.offered.map(async ({ act }): Promise<PageAct> => {
        if (act.how.is !== 'press') return { ...act, how: act.how };
        return { ...act, how: { is: 'press', foreseen: await this.foresee(act.key, 0, {}) } };
      }),
    );
  }

  offers(key: string): boolean {
    return this.offered.some(({ act }) => act.key === key);
  }

  /** Looks what an act would do. It can be done only as it was foreseen last. */
  async foresee(key: string, asked: number, values: Values): Promise<Foreseen> {
    this.#latest.set(key, asked);
    this.#foreseen.delete(key);
    try {
      const act = this.#make(key, values, 'is still to be said');
      if (act === undefined) return { asked, lines: [], problem: '' };
      const preview = await this.person.preview(act);
      if (this.#latest.get(key) === asked) this.#foreseen.set(key, { asked, act, digest: preview.digest, values: withoutReason(values) });
      return { asked, ...this.inWords(preview, act) };
    } catch (thrown) {
      return { asked, lines: [], problem: await this.asProblem(thrown) };
    }
  }

  /** What a press does: undefined unless it was foreseen with just this in its form. The reason alone may have come since. */
  take(key: string, asked: number, values: Values): Foretold | undefined {
    const foreseen = this.#foreseen.get(key);
    if (foreseen?.asked !== asked || foreseen.values !== withoutReason(values)) return undefined;
    const act = this.#make(key, values, '');
    return act && { act, digest: foreseen.digest };
  }

  /** @param reason what stands in for a reason that is still to be written. */
  #make(key: string, values: Values, reason: string): PersonAct | undefined {
    const offered = this.offered.find(({ act }) => act.key === key);
    const given = values['reason']?.trim() ?? '';
    return offered?.make({ ...values, reason: given === '' ? reason : given });
  }
}

const withoutReason = (values: Values): string =>
  JSON.stringify(Object.entries(values).filter(([name, value]) => name !== 'reason' && value !== '').sort(([a], [b]) => (a < b ? -1 : 1))); // prettier-ignore
