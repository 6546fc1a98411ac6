/** What a person is told where there is no memory to show: what is missing, and the next step. */
import * as vscode from 'vscode';
import type { Missing, Stores } from './stores';

export interface Explanation {
  readonly title: string;
  readonly text: string;
  readonly step: { readonly label: string; readonly command: string };
}

const openFolder = { label: 'Open Folder', command: 'workbench.action.files.openFolder' };

export const explanations: Readonly<Record<Missing, Explanation>> = {
  noFolder: {
    title: 'No folder is open',
    text: 'Stet keeps one memory for each repository. Open the folder that you work in.',
    step: openFolder,
  },
  untrusted: {
    title: 'Restricted Mode',
    text: 'Stet opens the memory of a folder once you trust it.',
    step: { label: 'Manage Workspace Trust', command: 'workbench.trust.manage' },
  },
  notOnDisk: {
    title: 'Not on this machine',
    text: 'Stet needs a folder on disk. Open one, or connect to the machine that holds this one.',
    step: openFolder,
  },
};

/**
 * Whether a store is open to work with. If none is, the person is told why.
 * @throws why a store could not be opened, where that is the reason.
 */
export async function hasMemory(stores: Stores): Promise<boolean> {
  await stores.settled();
  if (stores.all.some(({ opening }) => opening.is === 'open')) return true;
  const failure = stores.all.find(({ opening }) => opening.is === 'failed')?.opening;
  if (failure?.is === 'failed') throw failure.error;
  const { text, step } = explanations[stores.missing ?? 'notOnDisk'];
  void vscode.window.showInformationMessage(text, step.label).then((chosen) => {
    if (chosen === step.label) void vscode.commands.executeCommand(step.command);
  });
  return false;
}
