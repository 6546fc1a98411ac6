/** The four trees: what stands, what waits, what is contested, and what no longer holds. One provider, four groupings. */
import * as vscode from 'vscode';
import type { Kind, Reviewed, SessionSummary, State } from '../engine';
import type { Counts } from './counts';
import { contributed } from './ids';
import { kindNames, letStand, origin, outsideValidity, scopeName, stateNames, tamperings, timeOrDay, validity, when } from './present';
import { shownLine } from './shown-text';
import type { Store, Stores } from './stores';

/** How many memories a list reads at a time. */
const pageSize = 100;

interface Base {
  /** Stable for as long as the thing is in the tree, so that what is open and selected stays so. */
  readonly key: string;
  readonly store: Store;
}
export interface StoreRow extends Base {
  readonly is: 'store';
  readonly rows: readonly Row[];
}
export interface GroupRow extends Base {
  readonly is: 'group';
  readonly label: string;
  readonly description: string;
  readonly tooltip?: string;
  readonly rows: () => Promise<readonly Row[]>;
}
export interface MemoryRow extends Base {
  readonly is: 'memory';
  readonly memory: Reviewed;
}
/** Stands for those not yet read. */
export interface MoreRow extends Base {
  readonly is: 'more';
  readonly view: View;
  /** The list that gets longer. */
  readonly list: string;
  readonly rest: number;
}
export type Row = StoreRow | GroupRow | MemoryRow | MoreRow;

type View = 'standing' | 'pending' | 'contested' | 'retired';

/** Whether it is a memory that one of the trees shows. Says which one is meant, and nothing about who asks. */
export const isMemoryRow = (value: unknown): value is MemoryRow => isRow(value) && value.is === 'memory';

/** The rows that the trees have handed out in this window. */
const rows = new WeakSet<Row>();
const isRow = (value: unknown): value is Row => rows.has(value as Row);

export interface Trees {
  /** @param row the row that was pressed; anything else is no row and shows nothing. */
  showMore(row: unknown): void;
  dispose(): void;
}

export function registerTrees(stores: Stores, counts: Counts): Trees {
  const trees = (['standing', 'pending', 'contested', 'retired'] as const).map((view) => new MemoryTree(view, stores));
  const views = trees.map((tree) =>
    vscode.window.createTreeView<Row>(contributed.views[tree.view], { treeDataProvider: tree, showCollapseAll: tree.view !== 'contested' }),
  );
  const badge = () => {
    const { pending } = counts.latest;
    const view = views[1];
    if (view !== undefined) view.badge = pending === 0 ? undefined : { value: pending, tooltip: waiting(pending) };
  };
  const parts = vscode.Disposable.from(...views, ...trees, counts.onDidChange(badge));
  return {
    dispose: () => {
      parts.dispose();
    },
    showMore: (row) => {
      if (isRow(row) && row.is === 'more') trees.find(({ view }) => view === row.view)?.showMore(row);
    },
  };
}

export const waiting = (count: number): string => `${String(count)} ${count === 1 ? 'memory waits' : 'memories wait'} for review`;

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
  ) {
    this.#listeners = vscode.Disposable.from(
      stores.onDidChange(() => {
        this.#changed.fire();
      }),
      stores.onDidChangeMemories(() => {
        this.#refreshSoon();
      }),
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
    for (const child of children) rows.add(child);
    return [...children];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.is) {
      case 'store':
        return storeItem(row);
      case 'group':
        return groupItem(row);
      case 'memory':
        return memoryItem(row, this.view);
      case 'more':
        return moreItem(row);
    }
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

  /** The stores that have something to show, or that cannot; a single one needs no row of its own. */
  async #roots(): Promise<readonly Row[]> {
    await this.stores.settled();
    const { all } = this.stores;
    const shown = await Promise.all(
      all.map(async (store): Promise<StoreRow> => ({
        is: 'store',
        key: store.file,
        store,
        rows: store.opening.is === 'open' ? await this.#inStore(store) : [],
      })),
    );
    if (all.length === 1) return shown[0]?.rows ?? [];
    const allFailed = all.every(({ opening }) => opening.is === 'failed');
    return allFailed
      ? []
      : shown.filter(({ rows: inside, store }) => inside.length > 0 || (store.opening.is === 'failed' && this.view === 'pending'));
  }

  async #inStore(store: Store): Promise<readonly Row[]> {
    switch (this.view) {
      case 'standing':
        return this.#byKind(store);
      case 'pending':
        return this.#bySession(store);
      case 'retired':
        return this.#byState(store);
      case 'contested':
        return []; // no act leads there yet
    }
  }

  async #byKind(store: Store): Promise<readonly Row[]> {
    const { counts } = await store.person.overview();
    const { memories, more } = await this.#list(store, 'active', counts.active);
    const groups = Map.groupBy(memories, (row) => row.memory.memory?.content.kind);
    const kinds = Object.keys(kindNames) as Kind[];
    return [
      ...[...kinds, undefined].flatMap((kind): GroupRow[] => {
        const found = groups.get(kind);
        return found === undefined
          ? []
          : [
              {
                is: 'group',
                key: `${store.file}/${kind ?? 'unreadable'}`,
                store,
                label: kind === undefined ? 'Unreadable' : kindNames[kind].many,
                description: String(found.length),
                rows: () => Promise.resolve(found),
              },
            ];
      }),
      ...more,
    ];
  }

  async #bySession(store: Store): Promise<readonly Row[]> {
    const { sessions, counts } = await store.person.overview();
    const groups = sessions.map((session): GroupRow => ({
      is: 'group',
      key: `${store.file}/${session.id}`,
      store,
      label: shownLine(`${session.client} ${session.clientVersion}`),
      description: `${String(session.pending)} · ${timeOrDay(session.startedAt, new Date())}`,
      tooltip: `${shownLine(`${session.client} ${session.clientVersion}`)}, session of ${when(session.startedAt)}: ${waiting(session.pending)}`,
      rows: async () => {
        const { memories, more } = await this.#list(store, 'pending', session.pending, session.id);
        return [...memories, ...more];
      },
    }));
    const inSessions = sessions.reduce((sum, session) => sum + session.pending, 0);
    return inSessions < counts.pending ? [...groups, this.#ofNoSession(store, sessions, counts.pending)] : groups;
  }

  /** No agent proposed these: something other than Stet has set them to wait. */
  #ofNoSession(store: Store, sessions: readonly SessionSummary[], pending: number): GroupRow {
    return {
      is: 'group',
      key: `${store.file}/no session`,
      store,
      label: 'Of no session',
      description: '',
      rows: async () => {
        const { memories } = await this.#list(store, 'pending', pending);
        return memories.filter(({ memory }) => {
          const provenance = memory.memory?.content.provenance;
          return provenance?.tag !== 'inferred' || !sessions.some(({ id }) => id === provenance.session);
        });
      },
    };
  }

  async #byState(store: Store): Promise<readonly Row[]> {
    const { counts } = await store.person.overview();
    return (['retired', 'rejected'] as const).flatMap((state): GroupRow[] =>
      counts[state] === 0
        ? []
        : [
            {
              is: 'group',
              key: `${store.file}/${state}`,
              store,
              label: stateNames[state],
              description: String(counts[state]),
              rows: async () => {
                const { memories, more } = await this.#list(store, state, counts[state]);
                return [...memories, ...more];
              },
            },
          ],
    );
  }

  /** As much of a list as is shown, and the row that shows more of it. */
  async #list(store: Store, state: State, count: number, session?: string): Promise<{ memories: MemoryRow[]; more: MoreRow[] }> {
    const list = `${store.file}/${state}/${session ?? ''}`;
    const limit = this.#length(list);
    const found = await store.person.list({ states: [state], ...(session !== undefined && { session }), limit, offset: 0 });
    const rest = count - found.length;
    return {
      memories: found.map((memory) => ({ is: 'memory', key: `${store.file}/${memory.id}`, store, memory })),
      more: rest > 0 && found.length === limit ? [{ is: 'more', key: `${list}/more`, store, view: this.view, list, rest }] : [],
    };
  }

  #length(list: string): number {
    return this.#lengths.get(list) ?? pageSize;
  }
}

function storeItem({ key, store }: StoreRow): vscode.TreeItem {
  const failed = store.opening.is === 'failed' ? store.opening.error : undefined;
  const item = new vscode.TreeItem(
    store.name,
    failed === undefined ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
  );
  item.id = key;
  item.iconPath = new vscode.ThemeIcon(failed === undefined ? 'root-folder' : 'warning');
  if (failed !== undefined) item.description = 'could not be opened';
  item.tooltip = failed === undefined ? store.name : `${store.name}: ${failed.message} ${failed.hint}`;
  return item;
}

function groupItem({ key, label, description, tooltip }: GroupRow): vscode.TreeItem {
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = key;
  item.description = description;
  item.tooltip = tooltip ?? label;
  item.accessibilityInformation = { label: tooltip ?? `${label}, ${description}` };
  return item;
}

function memoryItem(row: MemoryRow, view: View): vscode.TreeItem {
  const { key, memory } = row;
  const content = memory.memory?.content;
  const title = shownLine(memory.title);
  const tampering = memory.tampering && `Changed by something other than Stet: ${tamperings[memory.tampering]}`;
  const item = new vscode.TreeItem(title);
  item.id = key;
  // Such as `memory.pending.approve.reject`: the menus offer what can be decided.
  item.contextValue = ['memory', memory.state, ...(tampering === undefined ? [] : ['tampered']), ...memory.acts].join('.');
  item.iconPath =
    tampering === undefined
      ? new vscode.ThemeIcon(content === undefined ? 'circle' : kindNames[content.kind].icon)
      : new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.description = describe(memory, view);
  item.tooltip = tooltip(memory, tampering);
  item.accessibilityInformation = {
    // Where the description names the kind, it is not said twice.
    label: [
      title,
      view === 'standing' || tampering !== undefined ? content && kindNames[content.kind].one : undefined,
      tampering ?? stateNames[memory.state],
      item.description || undefined,
    ]
      .filter((part) => part !== undefined)
      .join(', '),
  };
  // Pressing Enter, which commands can do too, opens it and no more.
  item.command = { command: contributed.commands.openMemory, title: 'Open', arguments: [row] };
  return item;
}

function describe(memory: Reviewed, view: View): string {
  const content = memory.memory?.content;
  if (memory.tampering !== undefined) return 'changed outside Stet';
  if (content === undefined) return '';
  const kind = view === 'standing' ? undefined : kindNames[content.kind].one.toLowerCase();
  const scope = content.scope === 'workspace' ? undefined : scopeName(content.scope);
  const dates = view === 'standing' ? (outsideValidity(content, new Date()) ?? validity(content)) : undefined;
  return [kind, scope, dates].filter((part) => part !== undefined).join(' · ');
}

/** Plain text, so that nothing in a memory is drawn as anything but its words. */
function tooltip(memory: Reviewed, tampering: string | undefined): string {
  const content = memory.memory?.content;
  const stood = letStand(memory);
  const facts = content && [
    kindNames[content.kind].one,
    memory.state === 'active' && stood !== undefined
      ? `stands since ${when(stood.at)}`
      : `${stateNames[memory.state].toLowerCase()}, ${when(memory.stateSince)}`,
    shownLine(origin(content)).replace(/^\w/, (letter) => letter.toLowerCase()),
  ];
  return [
    ...(tampering === undefined ? [] : [tampering]),
    shownLine(memory.title),
    ...(content === undefined ? [] : [content.statement.split('\n').map(shownLine).join('\n')]),
    ...(facts === undefined ? [] : [facts.join(' · ')]),
  ].join('\n\n');
}

function moreItem(row: MoreRow): vscode.TreeItem {
  const item = new vscode.TreeItem('Show more…');
  item.id = row.key;
  item.description = `${String(row.rest)} more`;
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.command = { command: contributed.commands.showMore, title: 'Show More', arguments: [row] };
  return item;
}
