/** A folder that has moved, or was cloned anew, is offered the memory it had where it was before; only a person can say that it is the one. */
import * as vscode from 'vscode';
import type { MovedStore } from '../engine';
import type { CommandTable } from './commands';
import { logError } from './commands';
import { contributed } from './ids';
import { hasMemory } from './missing';
import { pickStore } from './pick-store';
import type { PersonsKey } from './signer';
import { rootOf, type Store, type Stores } from './stores';
import { theEngine } from './the-engine';

export interface MovedParts {
  readonly stores: Stores;
  readonly key: PersonsKey;
  /** Remembers what was offered and declined. */
  readonly memento: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

/** Once what is on screen has been drawn. */
const offerAfterMs = 3_000;

const declined = 'stet.movedDeclined';

export class Moved implements vscode.Disposable {
  readonly #listener: vscode.Disposable;
  readonly #asked = new WeakSet<Store>();

  constructor(private readonly parts: MovedParts) {
    this.#listener = parts.stores.onDidChange(() => {
      for (const store of parts.stores.all) {
        if (store.opening.is !== 'open' || this.#asked.has(store)) continue;
        this.#asked.add(store);
        setTimeout(() => void this.#offer(store), offerAfterMs);
      }
    });
  }

  dispose(): void {
    this.#listener.dispose();
  }

  get commands(): Pick<CommandTable, 'takeOverMoved'> {
    const { stores } = this.parts;
    return {
      takeOverMoved: async () => {
        if (!(await hasMemory(stores))) return;
        const store = await pickStore(
          stores.all.filter(({ opening }) => opening.is === 'open'),
          { title: 'Take Over a Moved Folder’s Memory', placeholder: 'Which folder has moved?' },
        );
        if (store === undefined) return;
        const found = await this.#foundFor(store);
        if (found.length === 0) {
          void vscode.window.showInformationMessage('There is no memory here whose folder is gone.');
          return;
        }
        const items = found.map((moved) => ({ label: moved.folder, description: about(moved), moved }));
        const asked = { title: `Take Over a Memory for ${store.name}`, placeHolder: 'Where was the folder before?' };
        const chosen = await vscode.window.showQuickPick(items, asked);
        if (chosen !== undefined) await this.#takeOver(store, chosen.moved);
      },
    };
  }

  /** Quietly, once, and only for a folder that has no memory of its own. */
  async #offer(store: Store): Promise<void> {
    try {
      if (store.opening.is !== 'open' || !(await isEmpty(store))) return;
      const { memento } = this.parts;
      const [moved] = (await this.#foundFor(store)).filter(({ sameHistory, sameName }) => sameHistory || sameName);
      const key = moved && `${store.file} ${moved.storeId}`;
      if (moved === undefined || key === undefined || memento.get<readonly string[]>(declined, []).includes(key)) return;
      const [look, not] = ['Take Over…', 'Not This One'];
      const question = `This folder may have moved: take over the memory of ${moved.folder}?`;
      const chosen = await vscode.window.showInformationMessage(question, look, not);
      if (chosen === look) await vscode.commands.executeCommand(contributed.commands.takeOverMoved);
      if (chosen === not) await memento.update(declined, [...memento.get<readonly string[]>(declined, []), key]);
    } catch (error) {
      logError(error, this.parts.log); // the command says it to whoever wants to know
    }
  }

  async #foundFor(store: Store): Promise<MovedStore[]> {
    const { findMovedStores } = await theEngine();
    return (await findMovedStores(this.parts.stores.storesFolder, rootOf(store))).filter(({ memories }) => memories > 0);
  }

  async #takeOver(store: Store, moved: MovedStore): Promise<void> {
    const { stores, key, log } = this.parts;
    const detail = `It belonged to ${moved.folder}, which is not there any more. From now on it is the memory of ${rootOf(store)}, and agents here are served what stands in it.`;
    const take = 'Take Over';
    const question = `Take over this memory for ${store.name}?`;
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, take)) !== take) return;
    const signer = await key.signer();
    const { adoptStore, moveStore } = await theEngine();
    await stores.whileShut(store, async () => {
      await moveStore(moved.file, store.file, { now: () => new Date() });
      await adoptStore({ storeFile: store.file, root: rootOf(store), keysFile: stores.keysFile, signer });
    });
    log.info(`${store.name} has taken over the memory of ${moved.folder}.`);
    void vscode.window.showInformationMessage(`${store.name} has the memory of ${moved.folder} now.`);
  }
}

/** Nothing has ever happened in it. */
const isEmpty = async ({ person }: Store): Promise<boolean> => (await person.audit({ limit: 1 })).length === 0;

const about = ({ memories, sameHistory, sameName }: MovedStore): string =>
  [
    memories === 1 ? '1 memory' : `${String(memories)} memories`,
    ...(sameHistory ? ['of the same git history'] : []),
    ...(sameName && !sameHistory ? ['of the same name'] : []),
  ].join(', ');
