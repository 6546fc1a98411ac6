/** The person's key: one for all windows and days, and never replaced without being asked. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Workbench } from '../harness';
import { byId, propose, search } from '../../mcp/support/room';
import { aProposal } from '../../support/store';
import type { Desk } from './support/desk';
import { Home } from './support/home';
import { approveShown, badgeSays, memoryPage, openFromTree, openViews, press, showing } from './support/page';

describe('a person’s key', () => {
  let home: Home;
  let desk: Desk;
  let port: number;
  let first: string;
  const open = async () => {
    const editor = await home.open({ folder: desk.folder, ...(port > 0 && { port }) });
    port = editor.port;
    await openViews(editor, 'Pending', 'Standing');
    return editor;
  };
  /** Closes the editor, after the window has written down what it holds. */
  const shut = async () => {
    await home.editor.reload();
    await home.shut();
  };
  const approveFromTree = async (window: Workbench, title: string) => {
    await openFromTree(window, 'Pending', title);
    await approveShown(window);
    await window.treeItems('Standing', title).waitFor();
  };
  before(async () => {
    home = new Home();
    desk = home.desk('archive');
    port = 0;
    const editor = await open();
    first = await desk.propose({ title: 'Books are kept dry' });
    await approveFromTree(editor, 'Books are kept dry');
  });
  after(() => home.close());

  it('is pinned at its first use, and is the same in two windows, each of which shows what the other decides', async () => {
    const one = home.editor;
    const other = await one.anotherWindow();
    await openViews(other, 'Pending', 'Standing');
    await other.treeItems('Standing', 'Books are kept dry').waitFor();
    await desk.propose({ title: 'Maps are kept flat' });
    await desk.propose({ title: 'Coins are kept apart' });

    await approveFromTree(other, 'Maps are kept flat');
    await one.treeItems('Standing', 'Maps are kept flat').waitFor();
    await one.treeItems('Pending', 'Maps are kept flat').waitFor({ state: 'detached' });
    await approveFromTree(one, 'Coins are kept apart');
    await other.treeItems('Standing', 'Coins are kept apart').waitFor();
    await badgeSays(other, 0);

    assert.equal(home.pinned().length, 1);
    await other.page.close();
  });

  it('is found again when the editor was closed, while a server served what stands and queued what was proposed', async () => {
    const pinned = home.pinned();
    await shut();
    const server = await desk.server();
    const { id } = await propose(server, aProposal({ title: 'Seals are kept whole', statement: 'Seals of wax are kept whole.' }));
    assert.deepEqual([await byId(server, first), await byId(server, id)], ['active', 'not_found']);

    const editor = await open();

    await badgeSays(editor, 1);
    await approveFromTree(editor, 'Seals are kept whole');
    assert.deepEqual(await search(server, 'seals of wax'), [id]);
    assert.equal(pinned.length, 1);
    assert.deepEqual(home.pinned(), pinned);
  });

  it('that is missing is replaced only when the person says so, and what it let stand is served as before', async () => {
    const pinned = home.pinned();
    await shut();
    rmSync(join(home.path, 'b'), { recursive: true });
    const editor = await open();
    const id = await desk.propose({ title: 'Lamps are kept out' });
    await openFromTree(editor, 'Pending', 'Lamps are kept out');

    await approveShown(editor);
    await editor.answerDialog('Cancel');

    const page = await memoryPage(editor);
    await page.getByRole('status').getByText('Not decided: no key was made.').waitFor();
    assert.equal((await desk.memory(id)).state, 'pending');
    assert.deepEqual(home.pinned(), pinned);

    await press(await showing(editor, 'Lamps are kept out'), 'Approve');
    await editor.answerDialog('Make a New Key');

    await editor.treeItems('Standing', 'Lamps are kept out').waitFor();
    assert.equal(home.pinned().length, pinned.length + 1);
    assert.deepEqual(home.pinned().slice(0, -1), pinned);
    // Whoever finds the key that was lost signs nothing with it that counts.
    assert.deepEqual(home.replaced(), pinned);
    const server = await desk.server();
    assert.deepEqual([await byId(server, first), await byId(server, id)], ['active', 'active']);
  });
});
