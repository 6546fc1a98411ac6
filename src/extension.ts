/** Builds the extension's parts and hands them to each other. Nothing of the engine is loaded before activation has returned. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { connectAgents } from './agents/connect';
import { registerMcpServers } from './agents/mcp-servers';
import { registerCommands, showFailedStores } from './editor/commands';
import { Counts } from './editor/counts';
import { registerForThisFile } from './editor/for-this-file';
import { contributed } from './editor/ids';
import { MemoryPage } from './editor/memory-page';
import { registerTrees } from './editor/memory-trees';
import { hasMemory } from './editor/missing';
import { reviewCommands } from './editor/review';
import { SavePage } from './editor/save-page';
import { personsKey } from './editor/signer';
import { registerStatus } from './editor/status';
import { Stores } from './editor/stores';

let stores: Stores | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const startedAt = performance.now();
  const log = vscode.window.createOutputChannel('Stet', { log: true });
  const storage = context.globalStorageUri.fsPath;
  const extension = context.extensionUri;
  const keysFile = join(storage, 'trusted-keys.json');
  const opened = (stores = new Stores(join(storage, 'stores'), keysFile, log));
  const key = personsKey(context.secrets, keysFile);
  const counts = new Counts(opened, log);
  const trees = registerTrees(opened, counts);
  const memoryPage = new MemoryPage({ extension, stores: opened, key, log });
  const savePage = new SavePage({ extension, stores: opened, key, log, memoryPage });
  const agents = {
    serverFile: join(extension.fsPath, 'dist', 'mcp.js'),
    userStoreFile: join(storage, 'user', 'memory.db'),
    keysFile,
    version: (context.extension.packageJSON as { readonly version: string }).version,
    folders: () => opened.folders(),
    onDidChange: opened.onDidChange,
  };
  context.subscriptions.push(
    log,
    opened,
    counts,
    trees,
    memoryPage,
    savePage,
    registerForThisFile({ extension, stores: opened, key, memoryPage, log }),
    registerStatus(opened, counts),
    showFailedStores(opened, log),
    registerMcpServers(contributed.mcpServerDefinitionProvider, agents),
    registerCommands(
      {
        ...reviewCommands(opened, memoryPage, log),
        saveMemory: () => savePage.write(),
        saveSelection: () => savePage.writeFromSelection(),
        showMore: (row) => {
          trees.showMore(row);
        },
        connectAgents: connectAgents(agents, () => hasMemory(opened)),
        tryAgain: () => opened.tryAgain(),
        showLog: () => {
          log.show();
        },
      },
      log,
    ),
  );
  log.info(`Activated in ${(performance.now() - startedAt).toFixed(1)} ms.`);
}

/** Waits until the stores are closed, so that no journal is left behind. */
export async function deactivate(): Promise<void> {
  await stores?.close();
}
