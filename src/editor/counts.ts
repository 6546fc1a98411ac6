/** How many memories wait and stand over all open stores, read once after a change and shared by all who show it. */
import * as vscode from 'vscode';
import type { Stores } from './stores';

export interface Totals {
  readonly pending: number;
  readonly active: number;
}

export class Counts implements vscode.Disposable {
  latest: Totals = { pending: 0, active: 0 };
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
  const open = stores.all.filter(({ opening }) => opening.is === 'open');
  const counts = await Promise.all(open.map(async ({ person }) => (await person.overview()).counts));
  return counts.reduce((sum, { pending, active }) => ({ pending: sum.pending + pending, active: sum.active + active }), {
    pending: 0,
    active: 0,
  });
}
