/** Builds the extension's parts and hands them to each other. Nothing of the engine is loaded before activation has returned. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { connectAgents } from './agents/connect';
import { registerMcpServers } from './agents/mcp-servers';
import { actCommands } from './editor/act-commands';
import { registerCommands, showFailedStores } from './editor/commands';
import { Counts } from './editor/counts';
import { Documents } from './editor/documents';
import { Drift } from './editor/drift';
import { registerForThisFile } from './editor/for-this-file';
import { contributed } from './editor/ids';
import { MemoryPage } from './editor/memory-page';
import { registerTrees } from './editor/memory-trees';
import { hasMemory } from './editor/missing';
import { Moved } from './editor/moved';
import { Notices } from './editor/notices';
import { reviewCommands } from './editor/review';
import { SavePage } from './editor/save-page';
import { personsKey } from './editor/signer';
import { Soundness } from './editor/soundness';
import { registerStatus } from './editor/status';
import { storeCommands } from './editor/store-commands';
import { Stores } from './editor/stores';
import { Upkeep } from './editor/upkeep';

let stores: Stores | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const startedAt = performance.now();
  const log = vscode.window.createOutputChannel('Stet', { log: true });
  const storage = context.globalStorageUri.fsPath;
  const extension = context.extensionUri;
  const keysFile = join(storage, 'trusted-keys.json');
  const userStoreFile = join(storage, 'user', 'memory.db');
  const opened = (stores = new Stores(join(storage, 'stores'), userStoreFile, keysFile, log));
  const key = personsKey(context.secrets, keysFile);
  const counts = new Counts(opened, log);
  const drift = new Drift(opened, log);
  const soundness = new Soundness(opened, log);
  const notices = new Notices(opened, soundness);
  const upkeep = new Upkeep(opened, key, log);
  const moved = new Moved({ stores: opened, key, memento: context.globalState, log });
  const documents = new Documents({ stores: opened, key, log });
  const trees = registerTrees({ stores: opened, counts, drift, notices });
  const memoryPage = new MemoryPage({ extension, stores: opened, key, log });
  const savePage = new SavePage({ extension, stores: opened, key, log, memoryPage });
  const review = reviewCommands(opened, memoryPage, log);
  const agents = {
    serverFile: join(extension.fsPath, 'dist', 'mcp.js'),
    userStoreFile,
    keysFile,
    version: (context.extension.packageJSON as { readonly version: string }).version,
    folders: () => opened.folders(),
    onDidChange: opened.onDidChange,
  };
  context.subscriptions.push(
    log,
    opened,
    counts,
    drift,
    soundness,
    notices,
    upkeep,
    moved,
    documents,
    trees,
    memoryPage,
    savePage,
    registerForThisFile({ extension, stores: opened, key, memoryPage, log }),
    registerStatus({ stores: opened, counts, notices, upkeep }),
    showFailedStores(opened, log),
    registerMcpServers(contributed.mcpServerDefinitionProvider, agents),
    registerCommands(
      {
        ...review,
        ...actCommands({ stores: opened, pages: memoryPage, drift, approveOne: review.approve, log }),
        ...storeCommands({ stores: opened, key, soundness, notices, log }),
        ...documents.commands,
        ...moved.commands,
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
