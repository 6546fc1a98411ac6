/** Entry of `dist/mcp.js --store FILE --root FOLDER [--keys FILE] [--name NAME]`: one server for one agent's client, over stdin and stdout. */
import './console';
import './heap';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { readArguments } from './arguments';
import { endWith } from './end';
import { mcpServer } from './server';
import { storeAt } from './store';

const options = readArguments(process.argv.slice(2));
if ('wrong' in options) {
  process.stderr.write(`stet: ${options.wrong}\n`);
  process.exitCode = 2;
} else {
  const store = storeAt(options);
  const server = mcpServer(store, options.name);
  endWith(server, store);
  void server.protocol.connect(new StdioServerTransport());
}
