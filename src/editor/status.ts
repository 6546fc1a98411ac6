/** The one item in the status bar: how much waits, and what keeps the memory shut if something does. */
import * as vscode from 'vscode';
import type { Counts } from './counts';
import { contributed } from './ids';
import { waiting } from './memory-trees';
import { explanations } from './missing';
import type { Stores } from './stores';

export function registerStatus(stores: Stores, counts: Counts): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('stet', vscode.StatusBarAlignment.Right, 100);
  item.name = 'Stet';
  const show = () => {
    const { text, tooltip, command } = looks(stores, counts);
    item.text = text;
    item.tooltip = tooltip;
    item.command = command;
    item.accessibilityInformation = { label: `Stet. ${tooltip}` };
  };
  show();
  item.show();
  return vscode.Disposable.from(item, counts.onDidChange(show), stores.onDidChange(show));
}

interface Looks {
  readonly text: string;
  /** Plain text. */
  readonly tooltip: string;
  readonly command: string;
}

function standing(count: number): string {
  if (count === 0) return 'Nothing stands yet.';
  return `${String(count)} ${count === 1 ? 'stands' : 'stand'}. Recall is lexical.`;
}

function looks(stores: Stores, counts: Counts): Looks {
  const shut = stores.all.find(({ opening }) => opening.is === 'failed')?.opening;
  if (shut?.is === 'failed')
    return { text: '$(law) $(warning)', tooltip: `${shut.error.message} ${shut.error.hint}`, command: contributed.commands.tryAgain };
  if (stores.missing !== undefined) {
    const { title, text, step } = explanations[stores.missing];
    return { text: stores.missing === 'untrusted' ? `$(law) ${title}` : '$(law)', tooltip: text, command: step.command };
  }
  const { pending, active } = counts.latest;
  return {
    text: pending === 0 ? '$(law)' : `$(law) ${String(pending)} pending`,
    tooltip: `${pending === 0 ? 'Nothing waits for review' : waiting(pending)}. ${standing(active)}`,
    command: contributed.commands.reviewPending,
  };
}
