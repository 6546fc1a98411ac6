/** One way of being cruel to Stet, at whatever size. */
export interface Torture {
  /** A word to name it by. */
  readonly name: string;
  /** What holds all the same. */
  readonly promise: string;
  /** How many of its {@link unit} make a full run. */
  readonly full: number;
  readonly unit: string;
  /** @returns a line of figures. @throws what was broken. */
  readonly run: (size: number, seed: number) => Promise<string>;
}

/** Any seed that fast-check takes. */
export const randomSeed = (): number => Math.floor(Math.random() * 2 ** 31);
