/** What the runner asks of the driver; a JSON file whose path is in the extension host's environment. */
export interface Orders {
  /** The mocha that the driver loads from the checkout. */
  readonly mocha: string;
  /** All suites, bundled to one file. */
  readonly suites: string;
  /** Where results go, a JSON line for each. */
  readonly results: string;
  readonly grep: string | undefined;
  readonly timeoutMs: number;
}

export const ordersVariable = 'STET_DRIVER_ORDERS';
export const resultsVariable = 'STET_TEST_RESULTS';

/** One line of the results. `ended` is the last. */
export type ResultLine =
  | { readonly is: 'suite'; readonly title: string; readonly depth: number }
  | { readonly is: 'passed'; readonly title: string; readonly depth: number; readonly ms: number }
  | { readonly is: 'skipped'; readonly title: string; readonly depth: number }
  | { readonly is: 'failed'; readonly title: string; readonly depth: number; readonly path: string; readonly problem: string }
  | { readonly is: 'ended'; readonly problem?: string };
