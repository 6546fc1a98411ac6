import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aProposal } from '../support/store';
import { byId, propose, aRoom, search, type Room } from './support/room';
import { sqlShell } from './support/sql-shell';

describe('a store that cannot be opened', () => {
  let room: Room;
  beforeEach(async () => void (room = await aRoom()));
  afterEach(() => room.close());

  const everyTool = [
    ['memory_search', { query: 'anything' }],
    ['memory_for_file', { path: 'src/a.ts' }],
    ['memory_get', { id: '0b8f6a52-0d5e-4d55-9a4f-7d3f4f0f8a11' }],
    ['memory_propose', { ...aProposal() }],
  ] as const;

  const stores: readonly [what: string, code: string, make: (file: string) => Promise<void> | void][] = [
    [
      'of a later Stet',
      'store_newer',
      async (file) => {
        const shell = await sqlShell(file);
        await shell.run(`PRAGMA application_id=1400137076`);
        await shell.run('PRAGMA user_version=99');
        await shell.close();
      },
    ],
    [
      'of another program',
      'store_unusable',
      async (file) => {
        const shell = await sqlShell(file);
        await shell.run('CREATE TABLE bookmarks (url TEXT)');
        await shell.close();
      },
    ],
    [
      'that is text',
      'store_unusable',
      (file) => {
        writeFileSync(file, 'not a database. '.repeat(1_000));
      },
    ],
    [
      'that is a folder',
      'store_unusable',
      (file) => {
        mkdirSync(file);
      },
    ],
  ];

  for (const [what, code, make] of stores)
    it(`because it is one ${what} is named as ${code} by each tool, and used once it is in order`, async () => {
      const store = join(room.folder, 'odd.db');
      await make(store);
      const agent = await room.connect({ store });
      for (const [tool, asked] of everyTool) {
        const { error, text } = await agent.call(tool, { ...asked });
        assert.equal(error?.code, code, tool);
        assert.ok(!text.includes(room.folder), text);
      }
      const own = await room.connect();
      assert.deepEqual(await search(own, 'anything'), []);

      rmSync(store, { recursive: true });
      assert.equal((await propose(agent, aProposal())).state, 'pending');
      assert.match(agent.stderr(), /^stet: [^\n]+\n/);
    });

  it('because its folder of work is missing is named as no_folder, and used once that is there', async () => {
    const root = join(room.folder, 'later');
    const agent = await room.connect({ root, store: join(room.folder, 'later.db') });
    for (const [tool, asked] of everyTool) assert.equal((await agent.call(tool, { ...asked })).error?.code, 'no_folder', tool);
    mkdirSync(root);
    const { id } = await propose(agent, aProposal());
    assert.equal(await byId(agent, id), 'not_found');
  });

  it('because it belongs to another folder is named as other_folder, and its own folder goes on', async () => {
    const { id } = await propose(await room.connect(), aProposal());
    mkdirSync(join(room.folder, 'stranger'));
    const stranger = await room.connect({ root: join(room.folder, 'stranger') });
    for (const [tool, asked] of everyTool) assert.equal((await stranger.call(tool, { ...asked })).error?.code, 'other_folder', tool);
    assert.equal((await room.person.one(id))?.state, 'pending');
    assert.equal((await propose(await room.connect(), aProposal())).state, 'pending');
  });

  it('in a way nobody foresaw is internal to the agent, without SQL or paths, and told in the log', async () => {
    const agent = await room.connect();
    await search(agent, 'anything');
    const shell = await sqlShell(room.storeFile);
    await shell.run("CREATE TRIGGER planted BEFORE INSERT ON evidence BEGIN SELECT RAISE (ABORT, 'words of /somebody'); END");
    await shell.close();
    const { error, text } = await agent.call('memory_propose', { ...aProposal() });
    assert.equal(error?.code, 'internal');
    assert.doesNotMatch(text, /SQL|somebody|planted|\//);
    assert.match(agent.stderr(), /^stet: internal: [^\n]*somebody[^\n]*\n$/);
    assert.deepEqual(await search(agent, 'anything'), []);
  });
});
