import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Mocha from 'mocha';
import LineReporter from './line-reporter';
import { ordersVariable, resultsVariable, type Orders, type ResultLine } from './orders';

/** Starts the ordered suites in this extension host, once. Does not wait for them, so that the editor finishes starting. */
export function activate(): void {
  const ordersFile = process.env[ordersVariable];
  if (!ordersFile) return;
  const orders = JSON.parse(readFileSync(ordersFile, 'utf8')) as Orders;
  // After a reload of the window the suites are not run a second time.
  if (existsSync(orders.results)) return;
  process.env[resultsVariable] = orders.results;
  try {
    runSuites(orders);
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    appendFileSync(orders.results, `${JSON.stringify({ is: 'ended', problem } satisfies ResultLine)}\n`);
  }
}

function runSuites(orders: Orders): void {
  appendFileSync(orders.results, '');
  const MochaClass = createRequire(orders.mocha)(orders.mocha) as typeof Mocha;
  const mocha = new MochaClass({
    ui: 'bdd',
    timeout: orders.timeoutMs,
    reporter: LineReporter as unknown as Mocha.ReporterConstructor,
    ...(orders.grep ? { grep: orders.grep } : {}),
  });
  mocha.addFile(orders.suites);
  mocha.run();
}
