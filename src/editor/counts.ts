/** How many memories wait and stand over all open stores, read once after a change and shared by all who show it. */
import * as vscode from 'vscode';
import type { Stores } from './stores';

export interface Totals {
  readonly pending: number;
  /** Those that stand and that nothing contests. */
  readonly active: number;
  readonly contested: number;
  /** What agents doubt and no person has answered. */
  readonly challenges: number;
}

const none: Totals = { pending: 0, active: 0, contested: 0, challenges: 0 };

export class Counts implements vscode.Disposable {
  latest: Totals = none;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #listeners: vscode.Disposable;
  #reading = false;
  #again = false;

  constructor(
    private readonly stores: Stores,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#listeners = vscode.Disposable.from(
      stores.onDidChange(() => void this.#read()),
      stores.onDidChangeMemories(() => void this.#read()),
    );
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#changed.dispose();
  }

  /** One reading at a time; what changes meanwhile is read once afterwards. */
  async #read(): Promise<void> {
    this.#again = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#again) {
      this.#again = false;
      try {
        this.latest = await totals(this.stores);
      } catch (error) {
        // The next change reads again; the views say themselves what they cannot read.
        this.log.warn(error instanceof Error ? error.message : String(error));
      }
    }
    this.#reading = false;
    this.#changed.fire();
  }
}

async function totals(stores: Stores): Promise<Totals> {
  const overviews = await Promise.all(stores.open.map(({ person }) => person.overview()));
  return overviews.reduce(
    (sum, { counts: { pending, active, contested }, challenges }) => ({
      pending: sum.pending + pending,
      active: sum.active + active,
      contested: sum.contested + contested,
      challenges: sum.challenges + challenges,
    }),
    none,
  );
}
