/** The matrix of verdicts: a cell passes only when everything it asked held, its control among it. */
import { columns, protocol, type Column } from './protocol';

export type Verdict =
  | { readonly is: 'passed' }
  | { readonly is: 'failed'; readonly because: readonly string[] }
  | { readonly is: 'unexercised'; readonly because: string };

/** What a cell asks. All of it is asked, so that a failure says everything that is wrong. */
export interface Check {
  /** What must hold for the rest to mean anything. A cell without one fails. */
  readonly control: (what: string, held: boolean) => void;
  readonly must: (what: string, held: boolean) => void;
  /** The same, where the names of those that break it tell more. */
  readonly none: (what: string, offenders: readonly string[]) => void;
}

export class Matrix {
  readonly #verdicts = new Map<string, Verdict>();

  /** @param absent the columns that are not there, each with the reason. */
  constructor(private readonly absent: Readonly<Partial<Record<Column, string>>>) {}

  /** Whether the surface is there to be asked. */
  has(column: Column): boolean {
    return this.absent[column] === undefined;
  }

  /** Asks one cell. Several askings of the same cell all have to hold. */
  async ask(row: string, column: Column, work: (check: Check) => Promise<void> | void): Promise<void> {
    if (!this.has(column)) return;
    if (protocol[row]?.on.includes(column) !== true) throw new Error(`The protocol does not ask "${row}" on ${column}.`);
    const because: string[] = [];
    let [controls, claims] = [0, 0];
    try {
      await work({
        control: (what, held) => {
          controls += 1;
          if (!held) because.push(`its control does not hold: ${what}`);
        },
        must: (what, held) => {
          claims += 1;
          if (!held) because.push(what);
        },
        none: (what, offenders) => {
          claims += 1;
          if (offenders.length > 0) because.push(`${what}: ${offenders.join(', ')}`);
        },
      });
      if (controls === 0) because.push('nothing controls it');
      if (claims === 0) because.push('nothing was asked');
    } catch (error) {
      because.push(error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 600) : String(error));
    }
    const earlier = this.#verdicts.get(keyOf(row, column));
    const all = [...(earlier?.is === 'failed' ? earlier.because : []), ...because];
    this.#verdicts.set(keyOf(row, column), all.length === 0 ? { is: 'passed' } : { is: 'failed', because: all });
  }

  /** A row that is the sum of others, column by column, over those of them that were asked there. */
  sum(row: string, of: readonly string[]): void {
    for (const column of columnsOf(row)) {
      const parts = of.filter((one) => columnsOf(one).includes(column)).map((one) => ({ one, verdict: this.verdict(one, column) }));
      const failed = parts.filter(({ verdict }) => verdict.is === 'failed').map(({ one }) => one);
      const passed = parts.some(({ verdict }) => verdict.is === 'passed');
      if (failed.length > 0) this.#verdicts.set(keyOf(row, column), { is: 'failed', because: [`see ${failed.join('; ')}`] });
      else if (passed) this.#verdicts.set(keyOf(row, column), { is: 'passed' });
    }
  }

  /** A cell that nobody asked is unexercised where its surface is missing, and failed where it is there. */
  verdict(row: string, column: Column): Verdict {
    const reason = this.absent[column];
    if (reason !== undefined) return { is: 'unexercised', because: reason };
    return this.#verdicts.get(keyOf(row, column)) ?? { is: 'failed', because: ['the surface is there, and nothing asks it'] };
  }

  /** The matrix with what is to be said of its cells, and the last line. */
  print(): { readonly lines: readonly string[]; readonly failed: number } {
    const letters = Object.keys(columns) as Column[];
    const width = Math.max(...Object.keys(protocol).map((row) => row.length));
    const count = { passed: 0, failed: 0, unexercised: 0 };
    const failures: string[] = [];
    const reasons = new Map<string, string[]>();
    const body = Object.keys(protocol).map((row) => {
      const marks = letters.map((column) => {
        if (!columnsOf(row).includes(column)) return ' ';
        const verdict = this.verdict(row, column);
        count[verdict.is] += 1;
        if (verdict.is === 'failed') failures.push(...verdict.because.map((why) => `  ${row}, ${column}: ${why}`));
        if (verdict.is === 'unexercised')
          reasons.set(`${column}: ${verdict.because}`, [...(reasons.get(`${column}: ${verdict.because}`) ?? []), row]);
        return markOf[verdict.is];
      });
      return `${row.padEnd(width)}  ${marks.join(' ')}`.trimEnd();
    });
    const legend = letters.map((letter) => `${letter} ${columns[letter]}`).join('; ');
    return {
      lines: [
        `${' '.repeat(width)}  ${letters.join(' ')}`,
        ...body,
        '',
        `${legend}.`,
        `${markOf.passed} passed, ${markOf.failed} failed, ${markOf.unexercised} unexercised, nothing where the row does not ask.`,
        ...(failures.length > 0 ? ['', 'Failed:', ...failures] : []),
        ...(reasons.size > 0 ? ['', 'Unexercised:'] : []),
        ...[...reasons].flatMap(([reason, rows]) => [`  ${reason}`, ...rows.map((row) => `    ${row}`)]),
        '',
        `${count.passed} passed, ${count.failed} failed, ${count.unexercised} unexercised`,
      ],
      failed: count.failed,
    };
  }
}

const markOf = { passed: '+', failed: 'X', unexercised: '-' } as const satisfies Record<Verdict['is'], string>;

const keyOf = (row: string, column: Column): string => `${row}\n${column}`;

const columnsOf = (row: string): Column[] => (Object.keys(columns) as Column[]).filter((column) => protocol[row]?.on.includes(column));
