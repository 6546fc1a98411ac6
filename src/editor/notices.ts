/** What stands above the views while something is out of the ordinary: memory is paused, or a store is not what it was. */
import * as vscode from 'vscode';
import { pausedContext, runningContext } from './ids';
import type { Soundness } from './soundness';
import type { Store, Stores } from './stores';

export class Notices implements vscode.Disposable {
  text = '';
  /** The stores in which a person has paused memory. */
  paused: readonly Store[] = [];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #listeners: vscode.Disposable;
  #asked = 0;

  constructor(
    private readonly stores: Stores,
    readonly soundness: Soundness,
  ) {
    const look = () => void this.#look();
    this.#listeners = vscode.Disposable.from(stores.onDidChange(look), stores.onDidChangeMemories(look), soundness.onDidChange(look));
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#changed.dispose();
  }

  /** Looks now. */
  async now(): Promise<void> {
    await this.#look();
  }

  async #look(): Promise<void> {
    const asked = (this.#asked += 1);
    const open = this.stores.all.filter(({ opening }) => opening.is === 'open');
    // A store that cannot be read is told by the views; here it counts as not paused.
    const paused = await Promise.all(open.map((store) => store.person.paused().catch(() => false)));
    if (asked !== this.#asked) return;
    this.paused = open.filter((_, index) => paused[index] === true);
    this.text = [
      ...this.soundness.faults.map(({ verdict }) => `${verdict.text} Stet: Verify Store says more.`),
      ...(this.paused.length === 0
        ? []
        : [
            `Memory is paused${open.length === 1 ? ' here' : ` in ${this.paused.map(({ name }) => name).join(', ')}`}: agents read and propose nothing.`,
          ]),
    ].join('\n');
    await Promise.all([
      vscode.commands.executeCommand('setContext', pausedContext, this.paused.length > 0),
      vscode.commands.executeCommand('setContext', runningContext, this.paused.length < open.length),
    ]);
    this.#changed.fire();
  }
}
