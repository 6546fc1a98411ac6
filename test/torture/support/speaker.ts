/** A server process and a client that only counts and matches: it holds nothing back, repeats nothing, and notices a reply too many. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { serverFile } from '../../mcp/support/bundle';
import { serverArguments, type Start } from '../../mcp/support/client';

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

/** What a call brought, as it came. */
export interface Answer {
  readonly line: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The error of a refused call. */
  readonly error: { readonly code: string; readonly message: string; readonly hint: string } | undefined;
  /** The error of a request that was no call of a tool. */
  readonly rejected: { readonly code: number; readonly message: string } | undefined;
}

export interface Speaker {
  readonly pid: number;
  readonly tools: readonly ListedTool[];
  /** @param args as JSON, so that also what no value can be is sent. @throws {@link Ended} when the process ends before it answers. */
  send(tool: string, args: string): Promise<Answer>;
  call(tool: string, args: object): Promise<Answer>;
  /** Lines that answered nothing that was asked, or answered it again. */
  strays(): readonly string[];
  stderr(): string;
  /** Resolves when the process is gone and everything it wrote has been read. */
  ended(): Promise<void>;
  /** Ends the server as clients do, by closing its input. */
  close(): Promise<void>;
}

/** The process ended with a call unanswered. */
export class Ended extends Error {}

/** No answer takes this long; a call that does hangs. */
const hangMs = 120_000;

export async function startSpeaker(start: Start): Promise<Speaker> {
  const server = spawn(process.execPath, [start.server ?? (await serverFile()), ...serverArguments(start)]);
  const open = new Map<number, { resolve: (line: string) => void; reject: (error: Error) => void }>();
  const strays: string[] = [];
  let log = '';
  let rest = '';
  let last = 0;
  let gone = false;
  server.stdin.on('error', () => undefined); // a server that has ended reads no more
  server.stderr.setEncoding('utf8').on('data', (chunk: string) => (log = (log + chunk).slice(-20_000)));
  server.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const id = (JSON.parse(line) as { id?: number | null }).id ?? 0;
      const waiting = open.get(id);
      open.delete(id);
      if (waiting === undefined) strays.push(line);
      else waiting.resolve(line);
    }
  });
  const ended = once(server, 'close').then(() => {
    gone = true;
    for (const waiting of open.values()) waiting.reject(new Ended(`the server ended: ${log}`));
  });

  const ask = (method: string, params: string): Promise<string> => {
    if (gone) return Promise.reject(new Ended(`the server has ended: ${log}`));
    last += 1;
    const id = last;
    return new Promise<string>((resolve, reject) => {
      const hanging = setTimeout(() => {
        reject(new Error(`no answer to request ${id}: ${params.slice(0, 500)}`));
      }, hangMs);
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          clearTimeout(hanging);
          then(value);
        };
      open.set(id, { resolve: settle(resolve), reject: settle(reject) });
      server.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`);
    });
  };
  const send = async (tool: string, args: string) =>
    answerOf(await ask('tools/call', `{"name":${JSON.stringify(tool)},"arguments":${args}}`));

  const clientInfo = { name: start.client ?? 'torture', version: start.clientVersion ?? '1.0.0' };
  await ask('initialize', JSON.stringify({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo }));
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const listed = JSON.parse(await ask('tools/list', '{}')) as { result: { tools: ListedTool[] } };
  return {
    pid: server.pid ?? 0,
    tools: listed.result.tools,
    send,
    call: (tool, args) => send(tool, JSON.stringify(args)),
    strays: () => strays,
    stderr: () => log,
    ended: () => ended,
    close: () => {
      server.stdin.end();
      return ended;
    },
  };
}

interface Reply {
  readonly result?: { isError?: boolean; structuredContent?: Record<string, unknown>; content?: { text?: string }[] };
  readonly error?: { code: number; message: string };
}

function answerOf(line: string): Answer {
  const { result, error } = JSON.parse(line) as Reply;
  const data = result?.structuredContent ?? {};
  return {
    line,
    data,
    text: result?.content?.[0]?.text ?? '',
    error: result?.isError === true ? (data['error'] as Answer['error']) : undefined,
    rejected: error,
  };
}
