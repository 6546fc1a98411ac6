/**
 * What Stet shows as read-only text under `stet:`: a memory's history, and the audit log. An address holds no words and no id, but a
 * name that was drawn for it in this window: nobody else can ask for one, and none outlives the window.
 */
import * as vscode from 'vscode';
import type { State } from '../engine';
import type { CommandTable } from './commands';
import { documentScheme } from './ids';
import { auditText, historyText } from './history-text';
import { hasMemory } from './missing';
import { freshToken } from './page';
import { pickStore } from './pick-store';
import { pointedAt } from './pointed-at';
import { pickAmong } from './search';
import type { PersonsKey } from './signer';
import type { Store, Stores } from './stores';

interface Shown {
  readonly store: Store;
  readonly uri: vscode.Uri;
  /** Of which memory it is the history, or how many entries of the audit log it shows. */
  readonly about: { readonly is: 'history'; readonly id: string } | { readonly is: 'audit'; entries: number };
}

const everyState: readonly State[] = [
  'active',
  'contested',
  'pending',
  'superseded',
  'retired',
  'rejected',
  'amended',
  'expired',
  'forgotten',
];

const entriesAtOnce = 500;

/** Changes in a row are shown together. */
const showAfterMs = 300;

export interface DocumentParts {
  readonly stores: Stores;
  readonly key: PersonsKey;
  readonly log: vscode.LogOutputChannel;
}

type DocumentCommands = Pick<CommandTable, 'showHistory' | 'showAuditLog' | 'showOlderEntries'>;

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #shown = new Map<string, Shown>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #listeners: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: DocumentParts) {
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(documentScheme, this),
      parts.stores.onDidChangeMemories(() => {
        // What was forgotten must not stay on the screen.
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          for (const { uri } of this.#shown.values()) this.#changed.fire(uri);
        }, showAfterMs);
      }),
    );
  }

  get commands(): DocumentCommands {
    const { stores, log } = this.parts;
    return {
      showHistory: async (argument) => {
        if (!(await hasMemory(stores))) return;
        const question = { title: 'Show History', placeholder: 'The history of which memory?' };
        const target =
          argument === undefined
            ? await pickAmong(stores, { states: everyState, fits: () => true, none: 'There is no memory yet.' }, question, log)
            : await pointedAt(argument, stores);
        if (target === undefined) return;
        const { id } = target.memory;
        await this.#open(target.store, `History of ${id.slice(0, 8)}`, { is: 'history', id });
      },
      showAuditLog: async () => {
        if (!(await hasMemory(stores))) return;
        const store = await pickStore(await stores.inUse(), { title: 'Show Audit Log', placeholder: 'The log of which memory?' });
        if (store !== undefined) await this.#open(store, 'Audit log', { is: 'audit', entries: entriesAtOnce });
      },
      showOlderEntries: () => {
        const shown = this.#of(vscode.window.activeTextEditor?.document.uri);
        if (shown?.about.is !== 'audit') return;
        shown.about.entries += entriesAtOnce;
        this.#changed.fire(shown.uri);
      },
    };
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listeners.dispose();
    this.#changed.dispose();
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const shown = this.#of(uri);
    if (shown === undefined) return 'This was shown in an earlier window. Run the command of Stet again to see it as it is now.\n';
    const { store, about } = shown;
    const own = await this.parts.key.ownId();
    await this.parts.stores.settled();
    if (about.is === 'audit') {
      const entries = await store.person.audit({ limit: about.entries + 1 });
      return auditText(entries.slice(0, about.entries), store.name, own, entries.length > about.entries);
    }
    const memory = await store.person.one(about.id);
    return memory === undefined ? 'This memory is not here any more.\n' : historyText(memory, store.person, own, store.name);
  }

  /** Shows a document, the same one for the same thing. */
  async #open(store: Store, name: string, about: Shown['about']): Promise<void> {
    const same = [...this.#shown.values()].find(
      (one) =>
        one.store === store && one.about.is === about.is && (about.is === 'audit' || ('id' in one.about && one.about.id === about.id)),
    );
    const token = freshToken();
    const uri = same?.uri ?? vscode.Uri.from({ scheme: documentScheme, path: `/${store.name}/${name}.txt`, query: token });
    if (same === undefined) this.#shown.set(token, { store, uri, about });
    else this.#changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  #of(uri: vscode.Uri | undefined): Shown | undefined {
    return uri?.scheme === documentScheme ? this.#shown.get(uri.query) : undefined;
  }
}
