/** Looks through every store in the background once it is open, and tells the person once what is wrong with it if anything is. */
import * as vscode from 'vscode';
import type { Watch } from '../engine';
import { logError } from './commands';
import { contributed } from './ids';
import type { Store, Stores } from './stores';
import { afterIntegrity, damaged, headLost, verdictOn, type Verdict } from './store-words';
import { theEngine } from './the-engine';

/** What is on screen first comes first. */
const pauseBeforeMs = 1_500;

export class Soundness implements vscode.Disposable {
  readonly #verdicts = new Map<Store, Verdict>();
  /** The opening that was looked at: one that was opened again is looked at again. */
  readonly #looked = new WeakSet<Store['opening']>();
  readonly #told = new Set<string>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #listener: vscode.Disposable;
  readonly #stop = new AbortController();
  #turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly stores: Stores,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#listener = stores.onDidChange(() => {
      for (const store of this.#verdicts.keys()) if (!this.stores.open.includes(store)) this.#verdicts.delete(store);
      setTimeout(() => {
        this.#lookAtNew();
      }, pauseBeforeMs);
    });
  }

  /** What is wrong now, store by store. */
  get faults(): readonly { readonly store: Store; readonly verdict: Verdict }[] {
    return [...this.#verdicts].flatMap(([store, verdict]) => (verdict.sound ? [] : [{ store, verdict }]));
  }

  dispose(): void {
    this.#stop.abort();
    this.#listener.dispose();
    this.#changed.dispose();
  }

  /**
   * Looks through a store and keeps the answer.
   * @throws what keeps it from being read.
   */
  async lookAt(store: Store, watch: Watch = {}): Promise<Verdict> {
    const verdict = await verdictNow(store, watch);
    this.#verdicts.set(store, verdict);
    this.#changed.fire();
    return verdict;
  }

  /** One store after another, and each only once while it is open. */
  #lookAtNew(): void {
    for (const store of this.stores.open) {
      const { opening } = store;
      if (this.#looked.has(opening)) continue;
      this.#looked.add(opening);
      this.#turn = this.#turn.then(async () => {
        if (this.#stop.signal.aborted || store.opening !== opening) return;
        try {
          const verdict = await this.lookAt(store, { signal: this.#stop.signal });
          if (!verdict.sound) this.#tell(store, verdict);
        } catch (error) {
          logError(error, this.log); // what cannot be read is told by the views
        }
      });
    }
  }

  #tell(store: Store, { text, next }: Verdict): void {
    this.log.error(`${text} ${next}`);
    if (this.#told.has(`${store.file} ${text}`)) return;
    this.#told.add(`${store.file} ${text}`);
    const look = 'Verify Store';
    void vscode.window.showErrorMessage(`${text} ${next}`, look).then((chosen) => {
      if (chosen === look) void vscode.commands.executeCommand(contributed.commands.verifyStore);
    });
  }
}

async function verdictNow({ person, name }: Store, watch: Watch): Promise<Verdict> {
  const wrong = damaged(await person.health(), name);
  if (wrong !== undefined) return wrong;
  try {
    const state = await person.verify(watch);
    const verdict = verdictOn(state, name);
    return state.is === 'intact' ? afterIntegrity(verdict, await person.integrity(watch), name) : verdict;
  } catch (error) {
    if ((await theEngine()).asStetError(error).code === 'head_unreadable') return headLost(name);
    throw error;
  }
}
