/** The pipes to the client: a message a line, each way. */
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** Longest message that is read, in bytes. */
export const longestMessage = 10 * 1024 * 1024;

/** What is kept of the beginning and of the end of a longer one, in bytes: enough to find the id that its answer needs. */
const keptBytes = 1_024;

/**
 * Reads messages and writes answers. Unlike the SDK's own, which ends, it answers a message that is too long with an error and goes on.
 */
export class Pipes implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  #line = new Line();

  constructor(
    private readonly input: NodeJS.ReadableStream,
    private readonly output: NodeJS.WritableStream,
  ) {}

  start(): Promise<void> {
    this.input.on('data', this.#read);
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve) => {
      if (this.output.write(serializeMessage(message))) resolve();
      else this.output.once('drain', resolve);
    });
  }

  close(): Promise<void> {
    this.input.off('data', this.#read);
    this.onclose?.();
    return Promise.resolve();
  }

  readonly #read = (chunk: Buffer): void => {
    for (let rest = chunk; rest.length > 0;) {
      const end = rest.indexOf(0x0a);
      this.#line.add(end === -1 ? rest : rest.subarray(0, end));
      if (end === -1) return;
      const line = this.#line;
      this.#line = new Line();
      this.#take(line);
      rest = rest.subarray(end + 1);
    }
  };

  #take(line: Line): void {
    if (line.length > longestMessage) {
      this.#refuse(line);
      return;
    }
    try {
      this.onmessage?.(deserializeMessage(line.text().replace(/\r$/, '')));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #refuse(line: Line): void {
    const message = `The message is longer than ${longestMessage} bytes and was not read. Send less at once; nothing was stored.`;
    this.onerror?.(new Error(message));
    const id = idIn(line.start(), line.end());
    if (id !== undefined) void this.send({ jsonrpc: '2.0', id, error: { code: ErrorCode.InvalidRequest, message } });
  }
}

/** A line as it comes in. Of one that is too long only the ends are kept. */
class Line {
  length = 0;
  #parts: Buffer[] = [];
  #start = Buffer.alloc(0);
  #end = Buffer.alloc(0);

  add(part: Buffer): void {
    this.length += part.length;
    if (this.#start.length < keptBytes) this.#start = Buffer.concat([this.#start, part.subarray(0, keptBytes - this.#start.length)]);
    this.#end = Buffer.concat([this.#end, part.subarray(-keptBytes)]).subarray(-keptBytes);
    if (this.length > longestMessage) this.#parts = [];
    else this.#parts.push(part);
  }

  text(): string {
    return Buffer.concat(this.#parts).toString('utf8');
  }

  start(): string {
    return this.#start.toString('utf8');
  }

  end(): string {
    return this.#end.toString('utf8');
  }
}

/** The id of a message of which only the ends are known: where it stands before, or after, everything that is not a plain text. */
function idIn(start: string, end: string): string | number | undefined {
  const plain = '"(?:jsonrpc|method)"\\s*:\\s*"[^"\\\\]*"';
  const id = '"id"\\s*:\\s*(-?\\d+|"[^"\\\\]*")';
  const found =
    new RegExp(`^\\s*\\{\\s*(?:${plain}\\s*,\\s*)*${id}\\s*,`).exec(start) ??
    new RegExp(`[,}\\]]\\s*${id}\\s*(?:,\\s*${plain}\\s*)*\\}\\s*$`).exec(end);
  return found?.[1] === undefined ? undefined : (JSON.parse(found[1]) as string | number);
}
