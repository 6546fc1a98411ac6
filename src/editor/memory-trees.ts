/** The four trees: what stands, what waits, what is contested, and what no longer holds. One provider, four groupings. */
import * as vscode from 'vscode';
import type { State } from '../engine';
import type { Counts } from './counts';
import type { Drift } from './drift';
import { groupings, rowOf, waiting } from './groupings';
import { contributed } from './ids';
import type { Notices } from './notices';
import { handOut, isRow, type MemoryRow, type MoreRow, type Row, type StoreRow, type View } from './rows';
import type { Store, Stores } from './stores';
import { treeItem } from './tree-items';

/** How many memories a list reads at a time. */
const pageSize = 100;

export interface Trees {
  /** @param row the row that was pressed; anything else is no row and shows nothing. */
  showMore(row: unknown): void;
  dispose(): void;
}

export interface TreeParts {
  readonly stores: Stores;
  readonly counts: Counts;
  readonly drift: Drift;
  readonly notices: Notices;
}

export function registerTrees({ stores, counts, drift, notices }: TreeParts): Trees {
  const trees = (['standing', 'pending', 'contested', 'retired'] as const).map((view) => new MemoryTree(view, stores, drift));
  const views = trees.map((tree) =>
    vscode.window.createTreeView<Row>(contributed.views[tree.view], {
      treeDataProvider: tree,
      showCollapseAll: tree.view !== 'contested',
      canSelectMany: true,
    }),
  );
  const badge = () => {
    const { pending } = counts.latest;
    const view = views[1];
    if (view !== undefined) view.badge = pending === 0 ? undefined : { value: pending, tooltip: waiting(pending) };
  };
  const notice = () => {
    // Above the two views that are looked at first.
    for (const view of views.slice(0, 2)) view.message = notices.text;
  };
  const parts = vscode.Disposable.from(...views, ...trees, counts.onDidChange(badge), notices.onDidChange(notice));
  return {
    dispose: () => {
      parts.dispose();
    },
    showMore: (row) => {
      if (isRow(row) && row.is === 'more') trees.find(({ view }) => view === row.view)?.showMore(row);
    },
  };
}

class MemoryTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  /** How many memories each list shows, where that is more than a page. */
  readonly #lengths = new Map<string, number>();
  readonly #listeners: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly view: View,
    private readonly stores: Stores,
    private readonly drift: Drift,
  ) {
    const now = () => {
      this.#changed.fire();
    };
    this.#listeners = vscode.Disposable.from(
      stores.onDidChange(now),
      stores.onDidChangeMemories(() => {
        this.#refreshSoon();
      }),
      ...(view === 'contested' ? [drift.onDidChange(now)] : []),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listeners.dispose();
    this.#changed.dispose();
  }

  showMore(row: MoreRow): void {
    this.#lengths.set(row.list, this.#length(row.list) + pageSize);
    this.#changed.fire();
  }

  async getChildren(parent?: Row): Promise<Row[]> {
    const children = await this.#childrenOf(parent);
    handOut(children);
    return [...children];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return treeItem(row, this.view);
  }

  /** Several changes in a row, as from an agent that proposes a lot, are shown together. */
  #refreshSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#changed.fire();
    }, 200);
  }

  async #childrenOf(parent: Row | undefined): Promise<readonly Row[]> {
    switch (parent?.is) {
      case undefined:
        return this.#roots();
      case 'store':
        return parent.rows;
      case 'group':
        return parent.rows();
      case 'memory':
      case 'more':
        return [];
    }
  }

  /** The stores that have something to show, or that cannot; the only one that is open needs no row of its own. */
  async #roots(): Promise<readonly Row[]> {
    await this.stores.settled();
    const { all, everywhere } = this.stores;
    const shown = await Promise.all(
      [...all, everywhere].map(async (store): Promise<StoreRow> => ({
        is: 'store',
        key: store.file,
        store,
        rows: store.opening.is === 'open' ? await this.#inStore(store) : [],
      })),
    );
    const [first, ...others] = shown;
    if (all.length === 1 && others.every((other) => !isShown(other, this.view))) return first?.rows ?? [];
    const allFailed = all.every(({ opening }) => opening.is === 'failed');
    return allFailed ? [] : shown.filter((row) => isShown(row, this.view));
  }

  #inStore(store: Store): Promise<readonly Row[]> {
    return groupings[this.view](store, {
      list: (...asked) => this.#list(...asked),
      drifted: (of) => this.drift.in(of),
    });
  }

  async #list(
    store: Store,
    states: readonly State[],
    count: number,
    session?: string,
  ): Promise<{ memories: MemoryRow[]; more: MoreRow[] }> {
    const list = `${store.file}/${states.join('+')}/${session ?? ''}`;
    const limit = this.#length(list);
    const found = await store.person.list({ states, ...(session !== undefined && { session }), limit, offset: 0 });
    const rest = count - found.length;
    return {
      memories: found.map((memory) => rowOf(store, memory)),
      more: rest > 0 && found.length === limit ? [{ is: 'more', key: `${list}/more`, store, view: this.view, list, rest }] : [],
    };
  }

  #length(list: string): number {
    return this.#lengths.get(list) ?? pageSize;
  }
}

/** Whether a store has something in the view; one that could not be opened says so in the first that is looked at. */
const isShown = ({ rows, store }: StoreRow, view: View): boolean =>
  rows.length > 0 || (store.opening.is === 'failed' && view === 'pending');
