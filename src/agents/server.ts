/** How an agent's client starts Stet's server for a folder. */
import type * as vscode from 'vscode';

/** A folder that has a store. */
export interface ServedFolder {
  readonly folder: vscode.WorkspaceFolder;
  readonly storeFile: string;
}

export interface Agents {
  /** The server's program. */
  readonly serverFile: string;
  /** The store of what holds everywhere. */
  readonly userStoreFile: string;
  /** The pinned public keys. */
  readonly keysFile: string;
  /** The extension's version, which is the server's. */
  readonly version: string;
  /** None in a folder that is not trusted. */
  readonly folders: () => Promise<readonly ServedFolder[]>;
  readonly onDidChange: vscode.Event<void>;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The editor's own Node, so that no other has to be installed.
 * @param name what the server calls itself, where several are told apart by it.
 */
export const launchFor = ({ folder, storeFile }: ServedFolder, { serverFile, userStoreFile, keysFile }: Agents, name?: string): Launch => ({
  command: process.execPath,
  args: [
    ...[serverFile, '--store', storeFile, '--root', folder.uri.fsPath, '--user-store', userStoreFile, '--keys', keysFile],
    ...(name === undefined ? [] : ['--name', name]),
  ],
  env: { ELECTRON_RUN_AS_NODE: '1' },
});
