/** What the window does for its stores by itself: nothing of it decides anything, and nobody is asked for anything. */
import * as vscode from 'vscode';
import type { PersonAccess, Signer } from '../engine';
import { logError } from './commands';
import { reviewWindowSetting } from './ids';
import type { PersonsKey } from './signer';
import type { Store, Stores } from './stores';
import { theEngine } from './the-engine';

/** After opening, once the views have drawn themselves. */
const firstAfterMs = 5_000;
const everyMs = 60 * 60 * 1_000;

/** Several proposals in a row are signed for together. */
const signAfterMs = 1_000;

const defaultReviewWindowDays = 30;

export class Upkeep implements vscode.Disposable {
  /** Stores whose journal another program keeps, so that it grows and forgotten words stay in it. */
  journalsHeld: readonly Store[] = [];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #listeners: vscode.Disposable;
  readonly #kept = new WeakSet<Store['opening']>();
  readonly #signing = new Map<Store, NodeJS.Timeout>();
  readonly #hourly: NodeJS.Timeout;
  #turn: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    private readonly stores: Stores,
    private readonly key: PersonsKey,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#hourly = setInterval(() => {
      for (const store of stores.open) this.#keep(store);
    }, everyMs);
    this.#listeners = vscode.Disposable.from(
      stores.onDidChange(() => {
        for (const store of stores.open) if (!this.#kept.has(store.opening)) this.#keepFirst(store);
      }),
      stores.onDidChangeMemories((store) => {
        this.#signSoon(store);
      }),
    );
  }

  dispose(): void {
    this.#stopped = true;
    clearInterval(this.#hourly);
    for (const timer of this.#signing.values()) clearTimeout(timer);
    this.#listeners.dispose();
    this.#changed.dispose();
  }

  #keepFirst(store: Store): void {
    this.#kept.add(store.opening);
    setTimeout(() => {
      this.#keep(store);
    }, firstAfterMs).unref();
  }

  /** One store after another. */
  #keep(store: Store): void {
    this.#turn = this.#turn.then(() => this.#inOrder(store));
  }

  async #inOrder(store: Store): Promise<void> {
    const signer = await this.key.signerAtHand().catch(() => undefined); // told where a person decides
    const steps: readonly ((person: PersonAccess) => Promise<unknown>)[] = [
      async (person) => {
        const lapsed = await person.expireWaiting(reviewWindowDays());
        if (lapsed.length > 0) this.log.info(`${String(lapsed.length)} proposals had waited longer than the review window, and lapsed.`);
      },
      async (person) => {
        if ((await person.finishErasures()) === 'held')
          this.log.warn('Forgotten words are still in a journal or backup that cannot be rewritten now. It is tried again.');
      },
      (person) => person.pruneSeen(),
      async (person) => {
        const backup = await person.backUpIfDue();
        if (backup !== undefined) this.log.info(`Backed up ${store.name}: ${String(backup.bytes)} bytes.`);
      },
      (person) => this.#sign(person, signer),
      () => this.#lookAtJournal(store),
    ];
    for (const step of steps) {
      if (this.#stopped || store.opening.is !== 'open') return;
      try {
        await step(store.person);
      } catch (error) {
        logError(error, this.log); // the next hour tries again, and what a person has to know of is told by the views
      }
    }
  }

  /** What agents have proposed is covered by a head as well, so that it cannot be cut off unseen. */
  #signSoon(store: Store): void {
    if (this.#signing.has(store)) return;
    this.#signing.set(
      store,
      setTimeout(() => {
        this.#signing.delete(store);
        void this.#signNow(store);
      }, signAfterMs),
    );
  }

  async #signNow(store: Store): Promise<void> {
    if (this.#stopped || store.opening.is !== 'open') return;
    try {
      await this.#sign(store.person, await this.key.signerAtHand());
    } catch (error) {
      logError(error, this.log);
    }
    await this.#lookAtJournal(store);
  }

  async #sign(person: PersonAccess, signer: Signer | undefined): Promise<void> {
    if (signer === undefined) return;
    try {
      await person.signHead(signer);
    } catch (error) {
      const { code, message } = (await theEngine()).asStetError(error);
      if (code !== 'store_behind' && code !== 'head_unreadable') throw error;
      this.log.warn(message); // the look through the store tells the person
    }
  }

  async #lookAtJournal(store: Store): Promise<void> {
    if (store.opening.is !== 'open') return;
    const { held, bytes } = await store.person.journal();
    if (held === this.journalsHeld.includes(store)) return;
    this.journalsHeld = held ? [...this.journalsHeld, store] : this.journalsHeld.filter((one) => one !== store);
    if (held) this.log.warn(`Another program keeps the journal of ${store.name}; it has ${String(bytes)} bytes.`);
    this.#changed.fire();
  }
}

/** The setting belongs to the application, so that no folder can change it. */
function reviewWindowDays(): number {
  const days = vscode.workspace.getConfiguration().get<unknown>(reviewWindowSetting);
  return typeof days === 'number' && days >= 1 ? days : defaultReviewWindowDays;
}
