/** Standing memories whose evidence is no longer what it was, looked for in the background and shared by all who show it. */
import * as vscode from 'vscode';
import type { Reviewed } from '../engine';
import type { Store, Stores } from './stores';

/** So many are listed for one store. */
const mostDrifted = 200;

/** How long after a change it is looked again: evidence is files, and files are saved in bursts. */
const quietMs = 2_000;

export class Drift implements vscode.Disposable {
  readonly #found = new Map<Store, readonly Reviewed[]>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #listeners: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #again = false;

  constructor(
    private readonly stores: Stores,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const soon = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#look(), quietMs);
    };
    this.#listeners = vscode.Disposable.from(
      stores.onDidChange(soon),
      stores.onDidChangeMemories(soon),
      vscode.workspace.onDidSaveTextDocument(soon),
      // Other programs, such as git, change files while the person is elsewhere.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) soon();
      }),
    );
  }

  /** As last looked at. */
  in(store: Store): readonly Reviewed[] {
    return this.#found.get(store) ?? [];
  }

  /** Looks now. */
  async now(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#look();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listeners.dispose();
    this.#changed.dispose();
  }

  /** One look at a time; what changes meanwhile is looked at once afterwards. */
  async #look(): Promise<void> {
    this.#again = true;
    if (this.#looking) return;
    this.#looking = true;
    const before = this.#names();
    while (this.#again) {
      this.#again = false;
      for (const store of this.stores.all) {
        try {
          if (store.opening.is === 'open') this.#found.set(store, await store.person.drifted(mostDrifted));
        } catch (error) {
          // The next change looks again; the views say themselves what they cannot read.
          this.log.warn(error instanceof Error ? error.message : String(error));
        }
      }
    }
    this.#looking = false;
    for (const store of this.#found.keys()) if (!this.stores.all.includes(store)) this.#found.delete(store);
    if (this.#names() !== before) this.#changed.fire();
  }

  #names(): string {
    return JSON.stringify([...this.#found].map(([store, found]) => [store.file, found.map(({ id }) => id)]));
  }
}
