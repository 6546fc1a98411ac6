/** Another extension in the same host: it does what a test asks over loopback, with what any extension may use. */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { handsVariable, type Answer, type Wish } from './wishes';

export function activate(context: vscode.ExtensionContext): void {
  const folder = process.env[handsVariable];
  if (folder === undefined) return;
  const server = createServer((request, response) => {
    void fulfilled(request).then((answer) => response.end(JSON.stringify(answer)));
  });
  server.listen(0, '127.0.0.1', () => {
    writeFileSync(join(folder, windowName()), String((server.address() as AddressInfo).port));
  });
  context.subscriptions.push({ dispose: () => server.close() });
}

async function fulfilled(request: IncomingMessage): Promise<Answer> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return { value: await fulfil(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Wish) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

async function fulfil(wish: Wish): Promise<unknown> {
  switch (wish.is) {
    case 'execute':
      await vscode.commands.executeCommand(wish.command, ...wish.args);
      return null;
    case 'tools':
      return vscode.lm.tools.map(({ name }) => name);
    case 'invoke': {
      const { content } = await vscode.lm.invokeTool(wish.tool, { input: wish.input, toolInvocationToken: undefined });
      return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n');
    }
    case 'folders':
      return (vscode.workspace.workspaceFolders ?? []).map(({ name }) => name);
  }
}

/** What the window is opened on, by its last name. */
const windowName = () => basename((vscode.workspace.workspaceFile ?? vscode.workspace.workspaceFolders?.[0]?.uri)?.path ?? 'empty');
