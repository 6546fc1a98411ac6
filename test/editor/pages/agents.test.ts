/** Stet's servers as the editor's own client of agents' tools starts and asks them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, type Workbench } from '../harness';
import type { Desk } from './support/desk';
import type { Hands } from './support/hands';
import { closeWindow, workspaceWindow, type Home } from './support/home';
import { office } from './support/office';

const tools = [
  'memory_contest',
  'memory_for_file',
  'memory_get',
  'memory_history',
  'memory_propose',
  'memory_report_use',
  'memory_request_retire',
  'memory_search',
];

/** Starts all servers that the window offers, which a window that was just opened may do late. @returns the names of Stet's tools. */
async function stetsTools(hands: Hands, count: number): Promise<string[]> {
  let offered: string[] = [];
  return until(
    () => `${count} tools of Stet; there are ${offered.join(', ')}`,
    async () => {
      await hands.execute('workbench.mcp.startServer', '*', { waitForLiveTools: true });
      offered = await hands.tools();
      const names = offered.filter((name) => name.startsWith('mcp_stet')).sort();
      return names.length >= count && names;
    },
  );
}

describe('in a window with one folder, the editor’s own agents', () => {
  let home: Home;
  let desk: Desk;
  let window: Workbench;
  let names: string[];
  before(async () => {
    home = await office();
    desk = home.desk('harbour');
    await desk.stand({ title: 'Ships are weighed', statement: 'Ships are weighed at the lighthouse before they land.' });
    await desk.propose({ title: 'Ships are painted', statement: 'Ships are painted at the lighthouse before they land.' });
    window = await home.window({ folder: desk.folder });
    names = await stetsTools(home.hands(desk.folder), tools.length);
  });
  after(() => closeWindow(window));

  it('are offered exactly Stet’s tools', () => {
    assert.deepEqual(
      names,
      tools.map((tool) => `mcp_stet_${tool}`),
    );
  });

  it('find what was approved, and not what waits in the same store', async () => {
    const found = await home.hands(desk.folder).invoke('mcp_stet_memory_search', { query: 'lighthouse ships' });
    assert.match(found, /Ships are weighed/);
    assert.doesNotMatch(found, /painted/);
  });
});

describe('in a window with two folders, the editor’s own agents', () => {
  let window: Workbench;
  let hands: Hands;
  let names: string[];
  before(async () => {
    const home = await office();
    const north = home.desk('warehouse-service-north');
    const south = home.desk('warehouse-service-south');
    await north.stand({ title: 'Crates come by rail', statement: 'Crates for the lighthouse come by rail.' });
    await south.stand({ title: 'Crates come by boat', statement: 'Crates for the lighthouse come by boat.' });
    const workspace = join(home.path, 'warehouses.code-workspace');
    writeFileSync(workspace, JSON.stringify({ folders: [north, south].map(({ folder }) => ({ path: folder })) }));
    window = await workspaceWindow(home, workspace, 2);
    hands = home.hands(workspace);
    names = await stetsTools(hands, 2 * tools.length);
  });
  after(() => closeWindow(window));
  const named = (which: number, tool: string) => names.find((name) => name.startsWith(`mcp_stet-${which}-`) && name.endsWith(tool));

  it('are offered the tools of each, under names that say whose they are', () => {
    assert.equal(new Set(names).size, 2 * tools.length);
    for (const tool of tools)
      for (const which of [1, 2]) assert.ok(named(which, tool), `${tool} of folder ${which} among ${names.join(', ')}`);
  });

  it('find in each what was approved there, and nothing of the other', async () => {
    const found = await Promise.all(
      [1, 2].map((which) => hands.invoke(named(which, 'memory_search') ?? '', { query: 'lighthouse crates' })),
    );
    const ways = found.map((text) => [...text.matchAll(/by (rail|boat)/g)].map(([way]) => way));
    assert.deepEqual(
      ways.map((each) => [...new Set(each)]),
      [['by rail'], ['by boat']],
    );
  });
});
