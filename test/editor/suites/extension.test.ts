/** The installed extension in a fresh folder, as the host it runs in sees it. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../harness/until';

describe('the extension in its host', () => {
  const extension = vscode.extensions.getExtension('stet.stet');
  assert.ok(extension);
  const { contributes } = extension.packageJSON as { readonly contributes: { readonly commands: readonly { readonly command: string }[] } };

  it('is active once the editor has started', async () => {
    await until('the extension to be active', () => extension.isActive);
  });

  it('offers others nothing but its commands: it exports nothing', () => {
    assert.equal(extension.exports, undefined);
  });

  it('has registered every command of its manifest, and no other', async () => {
    const registered = (await vscode.commands.getCommands(true)).filter((id) => /^stet\.(?!\w+\.)/.test(id));
    assert.deepEqual(registered.sort(), contributes.commands.map(({ command }) => command).sort());
  });

  it('serves agents an empty memory through the editor’s own client', async () => {
    const search = await until('the tool', async () => {
      await vscode.commands.executeCommand('workbench.mcp.startServer', '*', { waitForLiveTools: true });
      return vscode.lm.tools.find(({ name }) => name === 'mcp_stet_memory_search');
    });
    const { content } = await vscode.lm.invokeTool(search.name, { input: { query: 'lighthouse' }, toolInvocationToken: undefined });
    const text = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
    assert.match(text, /"items":\[\]/); // this client hands on the structured answer
  });
});
