/** A mechanism taken out of the source, and the tests of which one must fail without it. */

export const marks = ['tombstone', 'trust_state', 'bitemporal', 'scope_enforced', 'audit_log', 'human_review', 'negative_eval'] as const;
export type Mark = (typeof marks)[number];

/** A search and replacement in one file. It holds only if what is searched for is there exactly once. */
export interface Edit {
  /** From the project's folder. */
  readonly file: string;
  /** The function at the file's outer level that is searched; the whole file without it. */
  readonly in?: string;
  readonly find: string;
  readonly replace: string;
}

/** The tests of a spec whose full titles hold this text. */
export interface NamedTest {
  readonly spec: string;
  readonly title: string;
}

export interface Mutant extends Edit {
  readonly name: string;
  readonly mark: Mark;
  readonly tests: readonly NamedTest[];
  /**
   * Second looks that stand behind this one and are taken out with it. The tests must pass when these alone are missing, so that it is
   * this mechanism whose absence they notice.
   */
  readonly behind?: readonly Edit[];
}

/** The source with the edit made; undefined where it does not match exactly once. */
export function edited(source: string, { in: name, find, replace }: Edit): string | undefined {
  const [start, end] = name === undefined ? [0, source.length] : functionIn(source, name);
  const part = source.slice(start, end);
  if (find === '' || part.split(find).length !== 2) return undefined;
  return source.slice(0, start) + part.replace(find, () => replace) + source.slice(end);
}

/** Where a function, or a constant that holds one, begins and ends; nothing where it is not there once. */
function functionIn(source: string, name: string): [number, number] {
  const heads = [...source.matchAll(outerHead)].map((match) => ({ name: match[1] ?? match[2] ?? '', at: match.index }));
  const at = heads.findIndex((head) => head.name === name);
  if (at === -1 || heads.findLastIndex((head) => head.name === name) !== at) return [0, 0];
  return [heads[at]?.at ?? 0, heads[at + 1]?.at ?? source.length];
}

const outerHead = /^(?:export )?(?:(?:async )?function\*? (\w+)|const (\w+)\b|(?:class|interface|type) \w+)/gm;

/** The name of the outer function that a place in a source belongs to. */
export function functionAt(source: string, index: number): string {
  const before = [...source.matchAll(outerHead)].filter((match) => match.index <= index).at(-1);
  return before?.[1] ?? before?.[2] ?? '';
}
