/** What is there to be asked, looked up in the code, the manifest and the server itself; and what is not there, with the reason. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inProject } from '../../scripts/project';
import { connect } from '../mcp/support/client';
import { serverFile } from '../mcp/support/bundle';
import type { Column } from './protocol';
import { World } from './world';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly name: string; readonly type?: string }[]>>;
  };
}

export const manifest = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as Manifest;

const views = Object.values(manifest.contributes.views).flat();

/** The views by their kind, as the manifest contributes them. */
export const webviews = views.filter(({ type }) => type === 'webview');
export const trees = views.filter(({ type }) => type !== 'webview');
export const commands = manifest.contributes.commands;

/** The modules that register a kind of read-only document. */
export const documentProviders: readonly string[] = sources().filter((file) =>
  readFileSync(inProject(file), 'utf8').includes('registerTextDocumentContentProvider'),
);

function sources(): string[] {
  return readdirSync(inProject('src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('src', name));
}

/** The columns that cannot be asked. @param editor whether a real editor is opened in this run. */
export async function absentColumns(editor: boolean): Promise<Partial<Record<Column, string>>> {
  const absent: Partial<Record<Column, string>> = {};
  if (!(await offersResources())) absent.R = 'the server offers no resources and no prompts yet';
  if (!existsSync(join(dirname(await serverFile()), 'hook.js'))) absent.H = 'there is no agent hook yet (no hook.js is built)';
  if (!exchanges()) absent.X = 'nothing exports, imports or copies a memory into another scope yet (no such command, no caller of a copy)';
  if (!existsSync(join(dirname(await serverFile()), 'model.js')))
    absent.L = 'needs a language model, or an index made by one (no model.js is built)';
  if (documentProviders.length === 0) absent.V = 'no read-only document is registered yet';
  if (!editor) for (const column of ['S', 'T', 'V', 'C'] as const) absent[column] ??= 'this run opened no editor';
  return absent;
}

async function offersResources(): Promise<boolean> {
  const world = await World.make();
  const agent = await connect({ store: world.storeFile, root: world.root, keys: world.keysFile });
  try {
    const offered = agent.client.getServerCapabilities();
    return offered?.resources !== undefined || offered?.prompts !== undefined;
  } finally {
    await agent.close();
    await world.close();
  }
}

/** Whether any command exports or imports, or any part of the editor copies a memory into another store. */
function exchanges(): boolean {
  const named = commands.some(({ command }) => /import|export|copyto|share/i.test(command));
  return (
    named || sources().some((file) => file.startsWith(join('src', 'editor')) && /\bcopyOf\b/.test(readFileSync(inProject(file), 'utf8')))
  );
}
