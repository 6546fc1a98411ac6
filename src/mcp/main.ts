/** Entry of `dist/mcp.js`, whose arguments `--help` lists: one server for one agent's client, over stdin and stdout. */
import './console';
import './heap';
import { existsSync } from 'node:fs';
import { help, readArguments } from './arguments';
import { endWith } from './end';
import { logTrouble } from './log';
import { mcpServer } from './server';
import { storeAt } from './store';
import { Pipes } from './transport';

const options = readArguments(process.argv.slice(2));
if (options === 'help') {
  process.stderr.write(help);
} else if ('wrong' in options) {
  process.stderr.write(`stet: ${options.wrong}\n`);
  process.exitCode = 2;
} else {
  if (options.keysFile !== undefined && !existsSync(options.keysFile))
    logTrouble(`There is no file of keys at ${options.keysFile}, so nothing is recalled until there is one`);
  const store = storeAt(options);
  const server = mcpServer(store, options.name);
  endWith(server, store);
  void server.protocol.connect(new Pipes(process.stdin, process.stdout));
}
