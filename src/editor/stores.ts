/**
 * The memory stores of the window's folders: one for each repository, open while the window trusts its folders; and beside them the
 * one store of what holds everywhere.
 */
import { realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Engine, PersonAccess, Signer, StetError } from '../engine';
import { memoryContext } from './ids';
import { theEngine } from './the-engine';

/** A workspace folder, and where it lies in its store's work tree. */
export interface PlacedFolder {
  readonly folder: vscode.WorkspaceFolder;
  /** The folder's true path; the workspace may name it by a link. */
  readonly path: string;
  readonly workTree: string;
  readonly storeFile: string;
}

export type Opening =
  | { readonly is: 'opening' }
  | { readonly is: 'open'; readonly engine: Engine; readonly person: PersonAccess; readonly everywhere: PersonAccess | undefined }
  | { readonly is: 'failed'; readonly error: StetError };

/** One store, shared by all folders of its repository; the one of what holds everywhere belongs to none. */
export class Store {
  opening: Opening = { is: 'opening' };
  /** Engines of further work trees of the same repository, since evidence is looked up where the person works. */
  readonly beside = new Map<string, Promise<Engine>>();

  constructor(
    readonly file: string,
    public folders: readonly PlacedFolder[],
  ) {}

  get isEverywhere(): boolean {
    return this.folders.length === 0;
  }

  /** The names of its folders, as the explorer shows them. */
  get name(): string {
    return this.isEverywhere ? 'Everywhere' : this.folders.map(({ folder }) => folder.name).join(', ');
  }

  /** @throws why it is not open. */
  get person(): PersonAccess {
    if (this.opening.is === 'open') return this.opening.person;
    if (this.opening.is === 'failed') throw this.opening.error;
    throw new Error('The store is asked before it is open.');
  }

  /** The person's door to what holds everywhere; undefined on the store of that itself, and while this one is not open. */
  get everywhere(): PersonAccess | undefined {
    return this.opening.is === 'open' ? this.opening.everywhere : undefined;
  }
}

/** A file of the workspace with the store it belongs to. */
export interface PlacedFile {
  readonly store: Store;
  readonly folder: PlacedFolder;
  /** Relative to the work tree, with `/`, as stored paths are. */
  readonly path: string;
}

/** Why there is no store at all. */
export type Missing = 'noFolder' | 'untrusted' | 'notOnDisk';

export class Stores implements vscode.Disposable {
  #stores: readonly Store[] = [];
  #turn: Promise<void>;
  #closed = false;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #memoriesChanged = new vscode.EventEmitter<Store>();
  readonly #failed = new vscode.EventEmitter<StetError>();
  readonly #listeners: vscode.Disposable;
  readonly #everywhere: Store;

  /** Fires when stores come, go, open or fail. */
  readonly onDidChange = this.#changed.event;
  /** Fires after any process changed a memory of the store. */
  readonly onDidChangeMemories = this.#memoriesChanged.event;
  /** Fires once for each store that could not be opened, or can no longer be read. */
  readonly onDidFail = this.#failed.event;

  constructor(
    readonly storesFolder: string,
    /** The store of what holds everywhere. */
    userStoreFile: string,
    readonly keysFile: string,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#everywhere = new Store(userStoreFile, []);
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.#follow()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#follow()),
    );
    // Only after activation has returned: what follows loads the engine.
    this.#turn = new Promise((resolve) => setImmediate(resolve));
    void this.#follow();
  }

  /** The stores of the window's folders, in whatever condition. */
  get all(): readonly Store[] {
    return this.#stores;
  }

  /** The store of what holds everywhere; it is open while any other is. */
  get everywhere(): Store {
    return this.#everywhere;
  }

  /** Every store that can be read now, what holds everywhere last. */
  get open(): readonly Store[] {
    return [...this.#stores, this.#everywhere].filter(({ opening }) => opening.is === 'open');
  }

  /** The stores that hold something, and those of the folders: what a person can mean by "a store". */
  async inUse(): Promise<readonly Store[]> {
    await this.settled();
    const overview = this.#everywhere.opening.is === 'open' ? await this.#everywhere.person.overview() : undefined;
    const used = Object.values(overview?.counts ?? {}).some((count) => count > 0);
    return used ? this.open : this.open.filter(({ isEverywhere }) => !isEverywhere);
  }

  get missing(): Missing | undefined {
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (folders.length === 0) return 'noFolder';
    if (!vscode.workspace.isTrusted) return 'untrusted';
    return folders.some(isOnDisk) ? undefined : 'notOnDisk';
  }

  /** Resolves when every store of the present folders is open or has failed. */
  async settled(): Promise<void> {
    for (let turn; turn !== this.#turn;) await (turn = this.#turn);
  }

  /** The workspace folders that have a store, in the explorer's order. */
  async folders(): Promise<readonly PlacedFolder[]> {
    await this.settled();
    return this.#stores.flatMap((store) => store.folders).sort((a, b) => a.folder.index - b.folder.index);
  }

  /** The store and stored path of a file, if it lies in a folder that has one. */
  place(file: vscode.Uri): PlacedFile | undefined {
    const owner = vscode.workspace.getWorkspaceFolder(file);
    if (owner === undefined || file.scheme !== 'file') return undefined;
    for (const store of this.#stores) {
      const folder = store.folders.find((one) => one.folder.uri.toString() === owner.uri.toString());
      if (folder === undefined) continue;
      const absolute = join(folder.path, relative(owner.uri.fsPath, file.fsPath));
      return { store, folder, path: relative(folder.workTree, absolute).split(sep).join('/') };
    }
    return undefined;
  }

  /** A person's door whose evidence is looked up in this folder's own work tree. */
  async personAt(store: Store, folder: PlacedFolder): Promise<PersonAccess> {
    const { person } = store;
    if (store.opening.is === 'open' && store.opening.engine.place.workTree === folder.workTree) return person;
    const known = store.beside.get(folder.workTree) ?? this.#open(store.file, folder.workTree);
    store.beside.set(folder.workTree, known);
    return (await known).forPerson();
  }

  /** Tries to open what could not be opened. */
  async tryAgain(): Promise<void> {
    for (const store of this.#stores) if (store.opening.is === 'failed') store.opening = { is: 'opening' };
    // What holds everywhere is opened together with the folders' stores.
    if (this.#everywhere.opening.is === 'failed') await this.whileShut(this.#everywhere, () => Promise.resolve());
    else await this.#follow();
  }

  /**
   * Makes a new and empty store where one is gone, since a person has said so, and signs it as the one that is known there.
   * @throws what keeps it from being made.
   */
  async startAnew(store: Store, signer: Signer): Promise<void> {
    const { startAnew } = await theEngine();
    await this.whileShut(store, async () => {
      const [first] = this.#stores;
      if (!store.isEverywhere) await startAnew({ storeFile: store.file, root: rootOf(store), keysFile: this.keysFile, signer });
      else if (first !== undefined) {
        const engine = await this.#open(first.file, rootOf(first), true);
        await engine.forPersonEverywhere()?.acceptAsItIs(signer);
        await engine.close();
      }
    });
  }

  /** Does something to a store's file that nobody may have open meanwhile, and opens the store again whatever came of it. */
  async whileShut<T>(store: Store, work: () => Promise<T>): Promise<T> {
    const shut = store.isEverywhere ? this.#stores : [store];
    const done = this.#turn.then(async () => {
      for (const one of shut) {
        await close(one);
        one.opening = { is: 'opening' };
      }
      this.#bindEverywhere();
      return work();
    });
    this.#turn = done.then(
      () => undefined,
      () => undefined, // told to whoever wanted it done
    );
    try {
      return await done;
    } finally {
      await this.#follow();
    }
  }

  dispose(): void {
    void this.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.dispose();
    await this.#follow();
    for (const emitter of [this.#changed, this.#memoriesChanged, this.#failed]) emitter.dispose();
  }

  /** Brings the stores in line with the window's folders. One such turn follows another. */
  #follow(): Promise<void> {
    this.#turn = this.#turn
      .then(() => this.#bringInLine())
      .catch((error: unknown) => {
        this.log.error(error instanceof Error ? error : String(error));
      });
    return this.#turn;
  }

  async #bringInLine(): Promise<void> {
    const wanted = this.#closed || this.missing !== undefined ? [] : await this.#placed();
    const byFile = Map.groupBy(wanted, (folder) => folder.storeFile);
    const kept = this.#stores.filter((store) => byFile.has(store.file));
    const gone = this.#stores.filter((store) => !byFile.has(store.file));
    this.#stores = [...byFile].map(([file, folders]) => {
      const store = kept.find((one) => one.file === file) ?? new Store(file, folders);
      store.folders = folders;
      return store;
    });
    await Promise.all([
      ...gone.map(close),
      ...this.#stores.filter(({ opening }) => opening.is === 'opening').map((store) => this.#openFor(store)),
    ]);
    if (this.#closed) return;
    await this.#tellOfChange();
  }

  async #placed(): Promise<PlacedFolder[]> {
    const { locate, storeFile } = await theEngine();
    const placed = await Promise.all(
      (vscode.workspace.workspaceFolders ?? []).filter(isOnDisk).map(async (folder): Promise<PlacedFolder[]> => {
        try {
          const place = locate(folder.uri.fsPath);
          const path = await realpath(folder.uri.fsPath);
          return [{ folder, path, workTree: place.workTree, storeFile: storeFile(this.storesFolder, place) }];
        } catch (error) {
          // A folder of the workspace that is not there: the explorer says so itself.
          this.log.warn(`The folder ${folder.name} has no place on disk.`, error instanceof Error ? error.message : '');
          return [];
        }
      }),
    );
    return placed.flat();
  }

  async #openFor(store: Store): Promise<void> {
    try {
      const engine = await this.#open(store.file, rootOf(store));
      engine.onChange(() => {
        this.#memoriesChanged.fire(store);
        this.#memoriesChanged.fire(this.#everywhere); // an engine does not say which of its two stores it was
      });
      engine.onError((error) => {
        // What an engine says that was closed meanwhile is not true of the one in its place.
        if (store.opening.is === 'open' && store.opening.engine === engine) void this.#fail(store, error);
      });
      store.opening = { is: 'open', engine, person: engine.forPerson(), everywhere: engine.forPersonEverywhere() };
    } catch (error) {
      await this.#fail(store, error);
    }
  }

  async #open(storeFile: string, root: string, startAnew = false): Promise<Engine> {
    const { openEngine } = await theEngine();
    return openEngine({ storeFile, root, keysFile: this.keysFile, userStoreFile: this.#everywhere.file, startAnew });
  }

  async #fail(store: Store, thrown: unknown): Promise<void> {
    const error = (await theEngine()).asStetError(thrown);
    const wasOpen = store.opening.is === 'open';
    await close(store);
    store.opening = { is: 'failed', error };
    this.#failed.fire(error);
    if (wasOpen) await this.#tellOfChange();
  }

  async #tellOfChange(): Promise<void> {
    this.#bindEverywhere();
    await vscode.commands.executeCommand('setContext', memoryContext, this.#contextValue());
    this.#changed.fire();
  }

  /** What holds everywhere is read through whichever engine is open. */
  #bindEverywhere(): void {
    const open = this.#stores.map(({ opening }) => opening).find((opening) => opening.is === 'open');
    const bound = this.#everywhere.opening;
    if (bound.is === 'open' && bound.engine === open?.engine) return;
    const error = open?.engine.everywhereError;
    if (open?.everywhere !== undefined)
      this.#everywhere.opening = { is: 'open', engine: open.engine, person: open.everywhere, everywhere: undefined };
    else if (error === undefined) this.#everywhere.opening = { is: 'opening' };
    else if (bound.is !== 'failed') {
      this.#everywhere.opening = { is: 'failed', error };
      this.#failed.fire(error);
    }
  }

  #contextValue(): string {
    if (this.missing !== undefined) return this.missing;
    const openings = this.#stores.map(({ opening }) => opening);
    const failure = openings.find((opening) => opening.is === 'failed');
    if (failure === undefined || openings.some((opening) => opening.is === 'open')) return 'open';
    return explainedFailures.includes(failure.error.code) ? failure.error.code : 'failed';
  }
}

/** Failures that the views have words and next steps of their own for. */
const explainedFailures: readonly string[] = ['store_newer', 'store_busy', 'store_missing', 'store_damaged', 'keys_unreadable'];

/** A folder that the store is for, in which its evidence is looked up. */
export const rootOf = ({ folders, file }: Store): string => folders[0]?.workTree ?? dirname(file);

const isOnDisk = (folder: vscode.WorkspaceFolder) => folder.uri.scheme === 'file';

async function close(store: Store): Promise<void> {
  const engines = [...store.beside.values()];
  store.beside.clear();
  if (store.opening.is === 'open') await store.opening.engine.close();
  for (const engine of engines) await engine.then((open) => open.close()).catch(() => undefined); // it was never open
}
