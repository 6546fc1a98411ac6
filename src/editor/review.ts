/** The commands around one memory. They choose what the memory's page shows; only the page decides. */
import type * as vscode from 'vscode';
import type { CommandTable } from './commands';
import type { MemoryPage } from './memory-page';
import { hasMemory } from './missing';
import { pointedAt } from './pointed-at';
import { pickStanding, type Question } from './search';
import type { Stores } from './stores';

type ReviewCommands = Pick<CommandTable, 'searchMemory' | 'reviewPending' | 'approve' | 'reject' | 'retire' | 'openMemory'>;

export function reviewCommands(stores: Stores, page: MemoryPage, log: vscode.LogOutputChannel): ReviewCommands {
  const showPointed = (asks?: 'reject' | 'retire') => async (argument: unknown) => {
    if (!(await hasMemory(stores))) return;
    const target = await pointedAt(argument, stores);
    await (target === undefined ? page.reviewPending() : page.show(target, asks));
  };
  const showPending = async () => {
    if (await hasMemory(stores)) await page.reviewPending();
  };
  const pick = async (question: Question, asks?: 'retire') => {
    if (!(await hasMemory(stores))) return;
    const target = await pickStanding(stores, question, log);
    if (target !== undefined) await page.show(target, asks);
  };
  return {
    searchMemory: () => pick({ title: 'Search Memory', placeholder: 'Search what stands' }),
    reviewPending: showPending,
    approve: showPointed(),
    reject: showPointed('reject'),
    retire: (argument) =>
      argument === undefined
        ? pick({ title: 'Retire a Memory', placeholder: 'Which memory no longer holds?' }, 'retire')
        : showPointed('retire')(argument),
    openMemory: showPointed(),
  };
}
