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
        const { command, args, env } = launchFor(served, agents);
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

/** Clients lower its case and cut it to 14 characters to name tools, so the number comes before the name. */
const label = (name: string, index: number, count: number) => (count === 1 ? 'Stet' : `Stet ${String(index + 1)} ${name}`);
