import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { installEditor } from '../../../scripts/editor/install';
import { run } from '../../../scripts/run';
import type { Keeper } from './keeper';
import { groupIsAlive, signalGroup } from './process-group';
import { until } from './until';

export interface ServerPlace {
  readonly userDataDir: string;
  readonly extensionsDir: string;
  readonly port: number;
}

export type ServerOptions = ServerPlace & {
  /** False starts the editor with Workspace Trust switched on, as people have it. */
  readonly disableTrust: boolean;
  readonly locale: string;
  readonly env: Readonly<Record<string, string>>;
};

/** Installs extension packages into the place of a server that need not be running. */
export async function installExtensions(vsix: readonly string[], place: Omit<ServerPlace, 'port'>): Promise<void> {
  if (vsix.length === 0) return;
  const { node, entry } = await installEditor();
  const which = vsix.flatMap((file) => ['--install-extension', file]);
  const printed = await run(node, [entry, ...folders(place), '--force', ...which], { env: environment({}), timeoutMs: 120_000 });
  const installed = printed.match(/was successfully installed/g)?.length ?? 0;
  if (installed !== vsix.length) throw new Error(`The editor did not install all of ${vsix.join(', ')}:\n${printed}`);
}

/** The workbench and its extension host, served on loopback. */
export class Server {
  private constructor(
    private readonly child: ChildProcess,
    private readonly pid: number,
    private readonly keeper: Keeper,
  ) {}

  static async start(options: ServerOptions, keeper: Keeper): Promise<Server> {
    const { node, entry } = await installEditor();
    const args = [
      entry,
      ...['--auth', 'none', '--bind-addr', `127.0.0.1:${options.port}`],
      ...folders(options),
      ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', '--disable-file-downloads'],
      ...['--locale', options.locale],
      ...(options.disableTrust ? ['--disable-workspace-trust'] : []),
    ];
    // Its own process group, so that the extension host and all it started can be ended together.
    const child = spawn(node, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: environment(options.env) });
    const pid = child.pid;
    if (pid === undefined) throw await new Promise((resolve) => child.once('error', resolve));
    keeper.keepGroup(pid);
    const server = new Server(child, pid, keeper);
    await server.#listening(join(options.userDataDir, 'server.log'));
    return server;
  }

  async #listening(log: string): Promise<void> {
    let printed = '';
    const note = (text: Buffer): void => {
      printed += text.toString();
      appendFileSync(log, text);
    };
    this.child.stdout?.on('data', note);
    this.child.stderr?.on('data', note);
    try {
      await until(
        () => `the editor's server to listen. It printed:\n${printed}`,
        () => {
          if (this.child.exitCode !== null) throw new Error(`The editor's server ended at once with ${this.child.exitCode}:\n${printed}`);
          return printed.includes('HTTP server listening');
        },
      );
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Ends the server with everything it started. Returns when no process of it is left. */
  async stop(): Promise<void> {
    for (const [signal, timeoutMs] of [
      ['SIGTERM', 4000],
      ['SIGKILL', 10_000],
    ] as const) {
      if (!groupIsAlive(this.pid)) break;
      signalGroup(this.pid, signal);
      await until('the editor to end', () => !groupIsAlive(this.pid), { timeoutMs, everyMs: 50 }).catch((error: unknown) => {
        if (signal === 'SIGKILL') throw error;
      });
    }
    this.keeper.releaseGroup(this.pid);
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The system gave no free port.');
  return address.port;
}

const folders = (place: Omit<ServerPlace, 'port'>): string[] => [
  ...['--user-data-dir', place.userDataDir],
  ...['--extensions-dir', place.extensionsDir],
  ...['--config', join(place.userDataDir, 'no-config.yaml')],
];

/**
 * What the server inherits: nothing that a surrounding editor's terminal or npm run set, and no proxy or port from
 * someone's own code-server.
 */
function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const notOurs = /^(VSCODE_|npm_|ELECTRON_|CODE_SERVER_|PORT$|PASSWORD$|HASHED_PASSWORD$|NODE_OPTIONS$|INIT_CWD$)/;
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !notOurs.test(name))), ...extra };
}
