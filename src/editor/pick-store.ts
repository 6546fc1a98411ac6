/** Which store is meant, where there are several. */
import * as vscode from 'vscode';
import type { Store } from './stores';

/** @returns the only store without a question; undefined when there is none, or the person closes the picker. */
export async function pickStore(
  stores: readonly Store[],
  { title, placeholder }: { readonly title: string; readonly placeholder: string },
): Promise<Store | undefined> {
  if (stores.length < 2) return stores[0];
  const items = stores.map((store) => ({
    label: store.name,
    description: store.isEverywhere ? 'all my projects' : (store.folders[0]?.path ?? ''),
    store,
  }));
  return (await vscode.window.showQuickPick(items, { title, placeHolder: placeholder }))?.store;
}
