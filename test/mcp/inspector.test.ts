import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Found, Receipt } from '../../src/engine';
import { serverFile } from './support/bundle';
import { serverArguments } from './support/client';
import { aRoom } from './support/room';

const inspector = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')), 'cli/build/cli.js');

describe('an independent client, the MCP Inspector', () => {
  it('lists the tools and calls them', async function () {
    this.timeout(120_000);
    const room = await aRoom();
    try {
      const id = await room.stand({ statement: 'The harbour is open.' });
      const server = [await serverFile(), ...serverArguments({ store: room.storeFile, root: room.root, keys: room.keysFile })];
      const inspect = async (...args: readonly string[]): Promise<unknown> =>
        JSON.parse((await promisify(execFile)(process.execPath, [inspector, '--cli', process.execPath, ...server, ...args])).stdout);
      const call = async (tool: string, ...args: readonly string[]) => {
        const result = await inspect('--method', 'tools/call', '--tool-name', tool, ...args.flatMap((arg) => ['--tool-arg', arg]));
        return (result as { structuredContent: unknown }).structuredContent;
      };

      const { tools } = (await inspect('--method', 'tools/list')) as { tools: { name: string }[] };
      assert.deepEqual(
        tools.map((tool) => tool.name),
        [
          'memory_search',
          'memory_for_file',
          'memory_get',
          'memory_history',
          'memory_propose',
          'memory_contest',
          'memory_request_retire',
          'memory_report_use',
        ],
      );
      const found = (await call('memory_search', 'query=harbour', 'k=3')) as Found;
      assert.deepEqual(
        found.items.map((item) => item.id),
        [id],
      );
      const proposed = (await call(
        'memory_propose',
        'kind=decision',
        'title=Inspected',
        'statement=It was proposed by the Inspector.',
        'evidence=[{"kind":"issue","ref":"#4"}]',
      )) as Receipt;
      assert.equal(proposed.state, 'pending');
      const refused = (await call('memory_get', 'id=none')) as { error: { code: string } };
      assert.equal(refused.error.code, 'not_found');
    } finally {
      await room.close();
    }
  });
});
