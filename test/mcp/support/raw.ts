/** A server process spoken to in bare lines, for what a well-behaved client would never send. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { serverFile } from './bundle';
import { serverArguments, type Start } from './client';

export interface Message {
  readonly jsonrpc?: string;
  readonly id?: number | string | null;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface RawServer {
  readonly process: ChildProcessWithoutNullStreams;
  /** Writes a message, or a line as it is. */
  send(message: object | string): void;
  /** The reply to an id. */
  reply(id: number): Promise<Message>;
  ask(id: number, method: string, params?: object): Promise<Message>;
  /** Every line on stdout so far. */
  lines(): string[];
  stderr(): string;
  /** @returns the exit code. */
  ended(): Promise<number | null>;
}

export const handshake = (protocolVersion = '2025-11-25') => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'raw-client', version: '1.0.0' },
});

export const startRaw = async (start: Start): Promise<RawServer> => startWith(serverArguments(start), start.env);

export async function startWith(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RawServer> {
  const server = spawn(process.execPath, [await serverFile(), ...args], { env: { ...process.env, ...env } });
  let out = '';
  let log = '';
  server.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  server.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  server.stdin.on('error', () => undefined); // a server that has ended reads no more
  const exit = once(server, 'close').then(([code]) => code as number | null);
  const lines = () => out.split('\n').slice(0, -1);
  const raw: RawServer = {
    process: server,
    send: (message) =>
      void server.stdin.write(`${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    reply: async (id) => {
      for (;;) {
        const line = lines().find((each) => (JSON.parse(each) as Message).id === id);
        if (line !== undefined) return JSON.parse(line) as Message;
        if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}: ${log}`);
        await Promise.race([once(server.stdout, 'data'), exit]);
      }
    },
    ask: (id, method, params = {}) => {
      raw.send({ id, method, params });
      return raw.reply(id);
    },
    lines,
    stderr: () => log,
    ended: () => exit,
  };
  return raw;
}
