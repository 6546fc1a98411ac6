/** The rows of the trees, and which of the things that a command is called with are rows that a tree has handed out. */
import type { Reviewed } from '../engine';
import type { Store } from './stores';

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
  /** What can be done with all of it: forget an agent's session, or resolve a contest. */
  readonly of?: { readonly is: 'session'; readonly id: string } | { readonly is: 'contest'; readonly ids: readonly string[] };
  readonly rows: () => Promise<readonly Row[]>;
}
export interface MemoryRow extends Base {
  readonly is: 'memory';
  readonly memory: Reviewed;
  /** Why it is in this place, where that is not plain from its state. */
  readonly note?: string;
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

export type View = 'standing' | 'pending' | 'contested' | 'retired';

const handedOut = new WeakSet<Row>();

/** Notes rows that a tree shows now. */
export function handOut(rows: readonly Row[]): void {
  for (const row of rows) handedOut.add(row);
}

/** Whether it is a row of one of the trees. Says which one is meant, and nothing about who asks. */
export const isRow = (value: unknown): value is Row => handedOut.has(value as Row);
export const isMemoryRow = (value: unknown): value is MemoryRow => isRow(value) && value.is === 'memory';
export const isGroupRow = (value: unknown): value is GroupRow => isRow(value) && value.is === 'group';
