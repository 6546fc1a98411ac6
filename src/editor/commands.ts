/** The one table of commands, and the one place where a command's failure is shown. */
import * as vscode from 'vscode';
import { theEngine } from './the-engine';
import { contributed, type CommandArguments, type CommandName } from './ids';
import type { Stores } from './stores';

export type CommandTable = { readonly [Name in CommandName]: (...args: CommandArguments[Name]) => unknown };

/** Registers every command; what one throws is shown to the person once, and logged with its cause. */
export function registerCommands(table: CommandTable, log: vscode.LogOutputChannel): vscode.Disposable {
  const names = Object.keys(contributed.commands) as CommandName[];
  return vscode.Disposable.from(
    ...names.map((name) => {
      const run: (...args: never[]) => unknown = table[name];
      return vscode.commands.registerCommand(contributed.commands[name], async (...args: unknown[]) => {
        try {
          await run(...(args as never[])); // VS Code brings what the caller gave; handlers take it as unknown
        } catch (error) {
          await showError(error, log);
        }
        // Commands answer nothing: whoever called one learns nothing about memories from it.
      });
    }),
  );
}

/** Says what failed and what to do next. */
export async function showError(thrown: unknown, log: vscode.LogOutputChannel): Promise<void> {
  const error = (await theEngine()).asStetError(thrown);
  logError(error, log);
  const details = 'Show Log';
  void vscode.window.showErrorMessage(`${error.message} ${error.hint}`, details).then((chosen) => {
    if (chosen === details) log.show();
  });
}

/** Says once for each store that it could not be opened, with the next steps. None of them decides: each asks in its turn. */
export const showFailedStores = (stores: Stores, log: vscode.LogOutputChannel): vscode.Disposable =>
  stores.onDidFail((error) => {
    logError(error, log);
    const steps = new Map<string, () => unknown>([
      ...(error.code === 'store_missing' ? [['Start Anew…', startAnew] as const] : []),
      ...(error.code === 'store_missing' || error.code === 'store_damaged' ? [['Restore from Backup…', restore] as const] : []),
      ['Try Again', () => stores.tryAgain()],
      [
        'Show Log',
        () => {
          log.show();
        },
      ],
    ]);
    void vscode.window
      .showErrorMessage(`${error.message} ${error.hint}`, ...steps.keys())
      .then((chosen) => (chosen === undefined ? undefined : steps.get(chosen)?.()));
  });

const startAnew = () => vscode.commands.executeCommand(contributed.commands.startAnew);
const restore = () => vscode.commands.executeCommand(contributed.commands.restoreFromBackup);

/** Writes an error and the whole row of its causes to the log. */
export function logError(error: unknown, log: vscode.LogOutputChannel): void {
  for (let at: unknown = error; at instanceof Error; at = at.cause) log.error(at);
}
