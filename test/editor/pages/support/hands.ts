/** What another extension in the same window can do: run commands, and use the tools that agents are offered. */
import { createVSIX } from '@vscode/vsce';
import { build } from 'esbuild';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from '../../../../scripts/project';
import { until } from '../../harness';
import { quietly } from '../../harness/quietly';
import type { Answer, Wish } from '../hands/wishes';

export interface Hands {
  execute(command: string, ...args: readonly unknown[]): Promise<void>;
  /** The names of all tools that agents are offered. */
  tools(): Promise<string[]>;
  /** Calls a tool as an agent's client does. @returns its text. */
  invoke(tool: string, input: object): Promise<string>;
  folders(): Promise<string[]>;
}

/** @param portFile where the extension of that window writes the port it listens on. */
export function handsAt(portFile: string): Hands {
  const ask = async (wish: Wish): Promise<unknown> => {
    // While the window is drawn anew the file still names the port of the host that has ended.
    const response = await until('the extension in the host to listen', async () => {
      if (!existsSync(portFile)) return undefined;
      const url = `http://127.0.0.1:${readFileSync(portFile, 'utf8')}`;
      return fetch(url, { method: 'POST', body: JSON.stringify(wish) }).catch((error: unknown) => {
        if (isRefused(error)) return undefined;
        throw error;
      });
    });
    const { value, problem } = (await response.json()) as Answer;
    if (problem !== undefined) throw new Error(`${wish.is === 'execute' ? wish.command : wish.is}: ${problem}`);
    return value;
  };
  return {
    execute: async (command, ...args) => {
      await ask({ is: 'execute', command, args });
    },
    tools: async () => (await ask({ is: 'tools' })) as string[],
    invoke: async (tool, input) => (await ask({ is: 'invoke', tool, input })) as string,
    folders: async () => (await ask({ is: 'folders' })) as string[],
  };
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED';

let packed: Promise<string> | undefined;

/** The extension's package, made once in a run. */
export const handsPackage = (): Promise<string> => (packed ??= packHands());

async function packHands(): Promise<string> {
  const folder = inProject('out/driver/hands');
  const packagePath = inProject('out/driver/hands.vsix');
  mkdirSync(folder, { recursive: true });
  copyFileSync(inProject('test/editor/pages/hands/package.json'), join(folder, 'package.json'));
  await build({
    entryPoints: [inProject('test/editor/pages/hands/extension.ts')],
    outfile: join(folder, 'extension.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    logLevel: 'warning',
  });
  await quietly(() => createVSIX({ cwd: folder, packagePath, dependencies: false, allowMissingRepository: true, skipLicense: true }));
  return packagePath;
}
