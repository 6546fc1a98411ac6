/** The one item in the status bar: how much waits, and what keeps the memory shut if something does. */
import * as vscode from 'vscode';
import type { Counts, Totals } from './counts';
import { contributed } from './ids';
import { waiting } from './groupings';
import { explanations } from './missing';
import type { Notices } from './notices';
import type { Stores } from './stores';
import type { Upkeep } from './upkeep';

export interface StatusParts {
  readonly stores: Stores;
  readonly counts: Counts;
  readonly notices: Notices;
  readonly upkeep: Upkeep;
}

export function registerStatus(parts: StatusParts): vscode.Disposable {
  const { stores, counts, notices, upkeep } = parts;
  const item = vscode.window.createStatusBarItem('stet', vscode.StatusBarAlignment.Right, 100);
  item.name = 'Stet';
  const show = () => {
    const { text, tooltip, command } = looks(parts);
    item.text = text;
    item.tooltip = tooltip;
    item.command = command;
    item.accessibilityInformation = { label: `Stet. ${tooltip}` };
  };
  show();
  item.show();
  return vscode.Disposable.from(
    item,
    counts.onDidChange(show),
    stores.onDidChange(show),
    notices.onDidChange(show),
    upkeep.onDidChange(show),
  );
}

interface Looks {
  readonly text: string;
  /** Plain text. */
  readonly tooltip: string;
  readonly command: string;
}

function standing({ active, contested, challenges }: Totals): string {
  const count = active + contested;
  if (count === 0) return 'Nothing stands yet.';
  return [
    `${String(count)} ${count === 1 ? 'stands' : 'stand'}.`,
    ...(contested === 0 ? [] : [`${String(contested)} of them ${contested === 1 ? 'is' : 'are'} contested.`]),
    ...(challenges === 0 ? [] : [challenges === 1 ? '1 challenge by an agent waits.' : `${String(challenges)} challenges by agents wait.`]),
    'Recall is lexical.',
  ].join(' ');
}

function looks({ stores, counts, notices, upkeep }: StatusParts): Looks {
  const shut = [...stores.all, stores.everywhere].find(({ opening }) => opening.is === 'failed')?.opening;
  if (shut?.is === 'failed')
    return { text: '$(law) $(warning)', tooltip: `${shut.error.message} ${shut.error.hint}`, command: contributed.commands.tryAgain };
  if (stores.missing !== undefined) {
    const { title, text, step } = explanations[stores.missing];
    return { text: stores.missing === 'untrusted' ? `$(law) ${title}` : '$(law)', tooltip: text, command: step.command };
  }
  if (notices.soundness.faults.length > 0)
    return { text: '$(law) $(warning)', tooltip: notices.text, command: contributed.commands.verifyStore };
  if (notices.paused.length > 0) return { text: '$(law) paused', tooltip: notices.text, command: contributed.commands.resumeMemory };
  const { pending } = counts.latest;
  const held = upkeep.journalsHeld.length > 0;
  return {
    text: ['$(law)', ...(pending === 0 ? [] : [`${String(pending)} pending`]), ...(held ? ['$(warning)'] : [])].join(' '),
    tooltip: `${held ? 'Another program keeps the journal of the memory store, so it grows. Close programs that have it open. ' : ''}${pending === 0 ? 'Nothing waits for review' : waiting(pending)}. ${standing(counts.latest)}`,
    command: contributed.commands.reviewPending,
  };
}
