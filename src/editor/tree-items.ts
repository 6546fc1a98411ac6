/** The rows of the trees as VS Code draws them. All text is plain: nothing in a memory is drawn as anything but its words. */
import * as vscode from 'vscode';
import type { Reviewed } from '../engine';
import { contributed } from './ids';
import { day, kindNames, letStand, origin, outsideValidity, scopeName, stateNames, tamperings, validity, when } from './present';
import type { GroupRow, MemoryRow, MoreRow, Row, StoreRow, View } from './rows';
import { shownLine } from './shown-text';

export function treeItem(row: Row, view: View): vscode.TreeItem {
  switch (row.is) {
    case 'store':
      return storeItem(row);
    case 'group':
      return groupItem(row);
    case 'memory':
      return memoryItem(row, view);
    case 'more':
      return moreItem(row);
  }
}

function storeItem({ key, store }: StoreRow): vscode.TreeItem {
  const failed = store.opening.is === 'failed' ? store.opening.error : undefined;
  const item = new vscode.TreeItem(
    store.name,
    failed === undefined ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
  );
  item.id = key;
  item.iconPath = new vscode.ThemeIcon(failed !== undefined ? 'warning' : store.isEverywhere ? 'globe' : 'root-folder');
  if (failed !== undefined) item.description = 'could not be opened';
  else if (store.isEverywhere) item.description = 'all my projects';
  item.tooltip = failed === undefined ? store.name : `${store.name}: ${failed.message} ${failed.hint}`;
  return item;
}

function groupItem({ key, label, description, tooltip, of }: GroupRow): vscode.TreeItem {
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = key;
  item.description = description;
  item.tooltip = tooltip ?? label;
  item.accessibilityInformation = { label: tooltip ?? `${label}, ${description}` };
  if (of !== undefined) item.contextValue = of.is;
  return item;
}

function memoryItem(row: MemoryRow, view: View): vscode.TreeItem {
  const { key, memory } = row;
  const content = memory.memory?.content;
  const title = titleOf(memory);
  const tampering = memory.tampering && `Changed by something other than Stet: ${tamperings[memory.tampering]}`;
  const item = new vscode.TreeItem(title);
  item.id = key;
  // Such as `memory.pending.approve.reject`: the menus offer what can be done.
  item.contextValue = ['memory', memory.state, ...(tampering === undefined ? [] : ['tampered']), ...memory.acts].join('.');
  item.iconPath =
    tampering === undefined
      ? new vscode.ThemeIcon(content === undefined ? 'circle-slash' : kindNames[content.kind].icon)
      : new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.description = describe(row, view);
  item.tooltip = tooltip(memory, tampering);
  item.accessibilityInformation = {
    // Where the description names the kind, it is not said twice.
    label: [
      title,
      view === 'standing' || tampering !== undefined ? content && kindNames[content.kind].one : undefined,
      tampering ?? (memory.state === 'forgotten' ? undefined : stateNames[memory.state]),
      item.description || undefined,
    ]
      .filter((part) => part !== undefined)
      .join(', '),
  };
  // Pressing Enter, which commands can do too, opens it and no more.
  item.command = { command: contributed.commands.openMemory, title: 'Open', arguments: [row] };
  return item;
}

/** The words that name a memory; one that was forgotten has none, and is named by its day. */
export const titleOf = ({ state, stateSince, title }: Reviewed): string =>
  state === 'forgotten' ? `Forgotten on ${day(stateSince)}` : shownLine(title);

function describe({ memory, note }: MemoryRow, view: View): string {
  const stored = memory.memory;
  if (memory.tampering !== undefined) return 'changed outside Stet';
  if (stored === undefined) return '';
  const kind = view === 'standing' || view === 'contested' ? undefined : kindNames[stored.content.kind].one.toLowerCase();
  const scope = memory.scope === 'workspace' || memory.scope === 'user' ? undefined : scopeName(memory.scope);
  const dates =
    view === 'standing' || view === 'contested' ? (outsideValidity(stored.bounds, new Date()) ?? validity(stored.bounds)) : undefined;
  const contested = view === 'standing' && memory.state === 'contested' ? 'contested' : undefined;
  return [contested, note, kind, scope, dates].filter((part) => part !== undefined).join(' · ');
}

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
    titleOf(memory),
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
