/** Connect Agents: shows the exact configuration for a client, copies it, and says where it goes. It writes no file. */
import * as vscode from 'vscode';
import { launchFor, type Agents, type Launch, type ServedFolder } from './server';

/** The clients that are connected by a file in the folder. */
const clients = [
  {
    name: 'Claude Code',
    file: '.mcp.json',
    configuration: ({ command, args, env }: Launch) => ({ mcpServers: { stet: { type: 'stdio', command, args, env } } }),
  },
  {
    name: 'Cursor',
    file: '.cursor/mcp.json',
    configuration: ({ command, args, env }: Launch) => ({ mcpServers: { stet: { command, args, env } } }),
  },
] as const;
type Client = (typeof clients)[number];

const scheme = 'stet-configuration';

/** @returns the command. @param sayMissing tells the person why there is no memory to connect an agent to. */
export function connectAgents(agents: Agents, sayMissing: () => Promise<unknown>): () => Promise<void> {
  return async () => {
    const folders = await agents.folders();
    if (folders.length === 0) {
      await sayMissing();
      return;
    }
    const served = await pickFolder(folders);
    if (served === undefined) return;
    const client = await pickClient();
    if (client === undefined) return;
    const configuration = `${JSON.stringify(client.configuration(launchFor(served, agents)), null, 2)}\n`;
    await vscode.env.clipboard.writeText(configuration);
    await show(configuration, client);
    void vscode.window.showInformationMessage(`Copied. Paste it into ${client.file} in ${served.folder.name}.`);
  };
}

async function pickFolder(folders: readonly ServedFolder[]): Promise<ServedFolder | undefined> {
  if (folders.length === 1) return folders[0];
  const items = folders.map((served) => ({ label: served.folder.name, description: served.folder.uri.fsPath, served }));
  return (await vscode.window.showQuickPick(items, { title: 'Connect Agents', placeHolder: 'Whose memory shall the agent have?' }))?.served;
}

async function pickClient(): Promise<Client | undefined> {
  const items = clients.map((client) => ({ label: client.name, description: client.file, client }));
  return (
    await vscode.window.showQuickPick(items, { title: 'Connect Agents', placeHolder: 'Copilot finds Stet by itself. Which other agent?' })
  )?.client;
}

/** A document that cannot be edited, so that closing it asks nothing. */
async function show(configuration: string, client: Client): Promise<void> {
  const uri = vscode.Uri.from({ scheme, path: `/Configuration for ${client.name}`, query: String(Date.now()) });
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent: () => configuration });
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'json'), { preview: true });
  } finally {
    provider.dispose();
  }
}
