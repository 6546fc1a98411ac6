import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../run';
import type { FoundEditor } from './find-editor';

export interface DesktopOptions {
  readonly folder: string;
  readonly vsix: readonly string[];
  /** Own folders for profile and extensions, so that the person's VS Code is left as it is. */
  readonly userDataDir: string;
  readonly extensionsDir: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/**
 * Installs the extensions and opens a desktop VS Code on a folder.
 * Not covered by a test: the machines that build this project have no display.
 */
export async function openDesktop(editor: Extract<FoundEditor, { kind: 'desktop' }>, options: DesktopOptions): Promise<ChildProcess> {
  const [program, ...first] = editor.cli;
  const places = ['--user-data-dir', options.userDataDir, '--extensions-dir', options.extensionsDir];
  await mkdir(join(options.userDataDir, 'User'), { recursive: true });
  if (options.settings) await writeFile(join(options.userDataDir, 'User/settings.json'), JSON.stringify(options.settings, null, 2));
  await run(program, [...first, ...places, '--force', ...options.vsix.flatMap((file) => ['--install-extension', file])], {
    timeoutMs: 120_000,
  });

  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = [...first, ...places, ...asRoot, '--new-window', '--wait', ...(options.args ?? []), options.folder];
  return spawn(program, args, { detached: process.platform !== 'win32', stdio: 'ignore', env: { ...process.env, ...options.env } });
}
