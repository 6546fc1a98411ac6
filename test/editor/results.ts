import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { ResultLine } from './driver/orders';

export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
  failures: { path: string; problem: string }[];
}

export const noTotals = (): Totals => ({ passed: 0, failed: 0, skipped: 0, failures: [] });

/** Reads a results file while it is written, shows each line as mocha would, and counts. */
export class ResultsReader {
  ended = false;
  #offset = 0;
  #rest = '';

  constructor(
    private readonly file: string,
    private readonly totals: Totals,
  ) {}

  /** Takes in what was written since the last call. */
  readOn(): void {
    const lines = (this.#rest + this.#newText()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line) this.#take(JSON.parse(line) as ResultLine);
  }

  #take(line: ResultLine): void {
    switch (line.is) {
      case 'suite':
        console.log(`${indent(line.depth)}${line.title}`);
        break;
      case 'passed':
        this.totals.passed++;
        console.log(`${indent(line.depth)}✔ ${line.title}${line.ms > 500 ? ` (${line.ms} ms)` : ''}`);
        break;
      case 'skipped':
        this.totals.skipped++;
        console.log(`${indent(line.depth)}- ${line.title}`);
        break;
      case 'failed':
        this.totals.failed++;
        this.totals.failures.push(line);
        console.log(`${indent(line.depth)}✘ ${line.title}`);
        break;
      case 'ended':
        this.ended = true;
        if (line.problem) {
          this.totals.failed++;
          this.totals.failures.push({ path: 'loading the tests', problem: line.problem });
        }
        break;
      default:
        line satisfies never;
    }
  }

  #newText(): string {
    if (!existsSync(this.file)) return '';
    const handle = openSync(this.file, 'r');
    try {
      const chunks: Buffer[] = [];
      const buffer = Buffer.alloc(64 * 1024);
      for (let read; (read = readSync(handle, buffer, 0, buffer.length, this.#offset)) > 0; this.#offset += read) {
        chunks.push(Buffer.from(buffer.subarray(0, read)));
      }
      return Buffer.concat(chunks).toString('utf8');
    } finally {
      closeSync(handle);
    }
  }
}

const indent = (depth: number): string => '  '.repeat(depth + 1);
