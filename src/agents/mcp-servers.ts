/** Offers one server for each folder to the editor's own agents. */
import * as vscode from 'vscode';
import { launchFor, type Agents } from './server';

export function registerMcpServers(id: string, agents: Agents): vscode.Disposable {
  // Hosts built on an older editor may not have the API; their agents are connected by hand.
  const { registerMcpServerDefinitionProvider: register } = vscode.lm as Partial<typeof vscode.lm>;
  if (register === undefined) return new vscode.Disposable(() => undefined);
  return register(id, {
    onDidChangeMcpServerDefinitions: agents.onDidChange,
    provideMcpServerDefinitions: async () => {
      const folders = await agents.folders();
      return folders.map((served, index) => {
        const { command, args, env } = launchFor(served, agents, folders.length === 1 ? undefined : serverName(served.folder.name, index));
        const definition = new vscode.McpStdioServerDefinition(
          label(served.folder.name, index, folders.length),
          command,
          [...args],
          { ...env },
          agents.version,
        );
        definition.cwd = served.folder.uri;
        return definition;
      });
    },
  });
}

const label = (name: string, index: number, count: number) => (count === 1 ? 'Stet' : `Stet ${index + 1} ${name}`);

/** Clients name tools after the first 14 characters or so of what a server calls itself, so the number comes before the folder. */
const serverName = (folder: string, index: number) =>
  `stet-${index + 1}-${folder.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`.slice(0, 40).replace(/-+$/, '');
