import { appendFileSync } from 'node:fs';
import type { Runnable, Runner, Suite } from 'mocha';
import { resultsVariable, type ResultLine } from './orders';

/** A mocha reporter that appends each result to the file named by the environment, as it comes. Mocha calls it with `new`. */
function LineReporter(runner: Runner): void {
  const file = process.env[resultsVariable];
  if (!file) throw new Error(`${resultsVariable} must name the file for the results.`);
  const write = (line: ResultLine): void => {
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  };

  runner.on('suite', (suite: Suite) => {
    if (!suite.root) write({ is: 'suite', title: suite.title, depth: suite.titlePath().length - 1 });
  });
  runner.on('pass', (test) => {
    write({ is: 'passed', ...placeOf(test), ms: test.duration ?? 0 });
  });
  runner.on('pending', (test) => {
    write({ is: 'skipped', ...placeOf(test) });
  });
  runner.on('fail', (test, error: unknown) => {
    write({ is: 'failed', ...placeOf(test), path: test.fullTitle(), problem: problemOf(error) });
  });
  runner.once('end', () => {
    write({ is: 'ended' });
  });
}

const placeOf = (test: Runnable): { title: string; depth: number } => ({ title: test.title, depth: test.titlePath().length - 1 });

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { expected, actual } = error as { expected?: unknown; actual?: unknown };
  const difference = expected === undefined && actual === undefined ? '' : `\nexpected: ${shown(expected)}\nactual:   ${shown(actual)}`;
  return `${error.stack ?? error.message}${difference}`;
}

const shown = (value: unknown): string => (value === undefined ? 'undefined' : JSON.stringify(value, null, 2));

// Mocha takes a reporter from a CommonJS module's whole export.
export = LineReporter;
