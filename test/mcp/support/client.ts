/** A real server process and a real client of it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { serverFile } from './bundle';

export interface Start {
  readonly store: string;
  readonly root: string;
  readonly keys?: string | undefined;
  readonly userStore?: string;
  /** The server's file; without one it is built for the tests of this run. */
  readonly server?: string;
  readonly client?: string;
  readonly clientVersion?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a call brought: its structured content, its text, and the error's code when it is one. */
export interface Reply {
  readonly data: Record<string, unknown>;
  readonly text: string;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string } | undefined;
}

export interface Connection {
  readonly client: Client;
  readonly pid: number;
  call(tool: string, args?: Record<string, unknown>): Promise<Reply>;
  /** The call's data. Fails where the reply is an error. */
  ask<T>(tool: string, args: Record<string, unknown>): Promise<T>;
  stderr(): string;
  close(): Promise<void>;
}

export const serverArguments = ({ store, root, keys, userStore }: Start): string[] => [
  '--store',
  store,
  '--root',
  root,
  ...(keys === undefined ? [] : ['--keys', keys]),
  ...(userStore === undefined ? [] : ['--user-store', userStore]),
];

/** Starts a server and shakes hands with it. The client checks each answer against the tool's output schema. */
export async function connect(start: Start): Promise<Connection> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [start.server ?? (await serverFile()), ...serverArguments(start)],
    stderr: 'pipe',
    ...(start.env !== undefined && { env: { ...start.env } }),
  });
  let log = '';
  transport.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const client = new Client({ name: start.client ?? 'test-client', version: start.clientVersion ?? '1.0.0' });
  await client.connect(transport);
  await client.listTools();
  const call = async (tool: string, args?: Record<string, unknown>): Promise<Reply> => {
    const result = (await client.callTool({ name: tool, ...(args !== undefined && { arguments: args }) })) as CallToolResult;
    const data = result.structuredContent ?? {};
    const [content] = result.content;
    return {
      data,
      text: content?.type === 'text' ? content.text : '',
      error: result.isError === true ? (data['error'] as Reply['error']) : undefined,
    };
  };
  return {
    client,
    pid: transport.pid ?? 0,
    call,
    ask: async <T>(tool: string, args: Record<string, unknown>) => {
      const { data, error } = await call(tool, args);
      if (error !== undefined) throw new Error(`${tool}: ${error.code}: ${error.message}`);
      return data as T;
    },
    stderr: () => log,
    close: () => client.close(),
  };
}
