/** The commands about a store as a whole, and the documents that say what has happened in it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inProject } from '../../../scripts/project';
import { byId, propose, search } from '../../mcp/support/room';
import { dropTriggers } from '../../mcp/support/sql-shell';
import { aProposal } from '../../support/store';
import { until, type Workbench } from '../harness';
import type { Desk } from './support/desk';
import { closeWindow, Home } from './support/home';
import { office, withOwnKey } from './support/office';
import { offered, openViews } from './support/page';

const picture = async (window: Workbench, name: string) => {
  mkdirSync(inProject('out/pages'), { recursive: true });
  await window.screenshot(inProject(`out/pages/${name}.png`));
};

/** The text of the document in front, which draws each space as one that does not break. */
const text = async (window: Workbench): Promise<string> =>
  (await window.editor().locator('.view-lines').innerText()).replaceAll('\u00a0', ' ');

const documentSays = (window: Workbench, pattern: RegExp): Promise<string> => {
  let now = '';
  return until(
    () => `the document to say ${String(pattern)}; it says:\n${now}`,
    async () => {
      now = await text(window).catch(() => '');
      return pattern.test(now) && now;
    },
  );
};

describe('a store as a whole', () => {
  let home: Home;
  let desk: Desk;
  let window: Workbench;
  let standing: string;
  before(async function () {
    this.timeout(120_000);
    home = await office();
    desk = home.desk('treasury');
    window = await home.window({ folder: desk.folder });
    await withOwnKey(home, desk, window);
    standing = await desk.stand({ title: 'Coins are weighed', statement: 'Each coin is weighed on arrival.' });
    await openViews(window, 'Pending', 'Standing');
    await window.treeItems('Standing', 'Coins are weighed').waitFor();
  });
  after(() => closeWindow(window));
  afterEach(() => window.clearNotifications());

  it('is paused by a person’s press in a modal question, and not by the command', async () => {
    const server = await desk.server();
    await window.runCommand('Stet: Pause Memory Here…');
    await window.dialog().getByText('Pause memory for treasury?').waitFor();
    await picture(window, 'pause-asks');
    assert.equal(await byId(server, standing), 'active');
    await window.answerDialog('Cancel');
    assert.equal(await byId(server, standing), 'active');

    await window.runCommand('Stet: Pause Memory Here…');
    await window.answerDialog('Pause Memory');

    await window.statusBar('paused').waitFor();
    assert.equal(await byId(server, standing), 'paused');
    await window.pane('Pending').getByText('Memory is paused here: agents read and propose nothing.').waitFor();
    await picture(window, 'paused');

    await window.runCommand('Stet: Resume Memory Here…');
    await window.answerDialog('Resume Memory');

    await window.statusBar('paused').waitFor({ state: 'detached' });
    assert.equal(await byId(server, standing), 'active');
    assert.deepEqual(await search(server, 'coin weighed'), [standing]);
  });

  it('is verified with a plain answer', async () => {
    await window.runCommand('Stet: Verify Store');
    await window.notification(/treasury: \d+ entries, each as it was written and signed\./).waitFor();
    await picture(window, 'verified');
  });

  it('names rows that are not what the record says, and puts them right when a person has it rebuilt', async () => {
    const shell = await desk.sql();
    await dropTriggers(shell);
    const [row] = await shell.all('SELECT seq FROM memories WHERE id = ?', standing);
    await shell.run('DELETE FROM statuses WHERE memory = ?', row?.['seq']);
    const server = await desk.server();
    assert.equal(await byId(server, standing), 'not_found');

    await window.runCommand('Stet: Verify Store');
    await window.dialog().getByText('The rows of treasury are not what its record says.').waitFor();
    await window.dialog().getByText('1 memory is shown nowhere, since its row is gone.').waitFor();
    await picture(window, 'rows-wrong');
    await window.answerDialog('Rebuild Indexes…');
    await window.answerDialog('Cancel');
    assert.equal(await byId(server, standing), 'not_found');
    await window.runCommand('Stet: Rebuild Indexes…');
    await window.answerDialog('Rebuild Indexes');

    await window.notification(/treasury: .* put right\./).waitFor();
    assert.equal(await byId(server, standing), 'active');
    await window.treeItems('Standing', 'Coins are weighed').waitFor();
    await picture(window, 'rebuilt');
  });

  it('is put back from a backup with what was rejected since still rejected, and only after a person’s press', async () => {
    const rejected = await desk.propose({ title: 'Coins are bitten', statement: 'Each coin is bitten on arrival.' });
    const backups = () => readdirSync(join(dirname(desk.storeFile), 'backups')).filter((name) => name.endsWith('.db'));
    await until('the first backup', () => existsSync(join(dirname(desk.storeFile), 'backups')) && backups().length > 0);
    for (const name of backups()) rmSync(join(dirname(desk.storeFile), 'backups', name));
    await backedUp(desk);
    await desk.decide('reject', rejected, 'It hurts.');
    const later = await desk.stand({ title: 'Coins are polished' });
    await window.treeItems('Standing', 'Coins are polished').waitFor();
    await desk.close();

    const choose = async () => {
      await window.runCommand('Stet: Restore from Backup…');
      await until('the backup to be offered', async () => (await offered(window)).length === 1);
      await window.page.keyboard.press('Enter');
      await window.dialog().getByText('What is here now is set aside').waitFor();
    };
    await choose();
    await picture(window, 'restore-asks');
    await window.answerDialog('Cancel');
    assert.equal((await desk.memory(later)).state, 'active');
    await desk.close();
    await choose();
    await window.answerDialog('Restore');

    await window.notification(/What you rejected or forgot since stays so\./).waitFor();
    await picture(window, 'restored');
    await window.treeItems('Standing', 'Coins are polished').waitFor({ state: 'detached' });
    await window.treeItems('Standing', 'Coins are weighed').waitFor();
    const server = await desk.server();
    assert.deepEqual([await byId(server, standing), await byId(server, later)], ['active', 'not_found']);
    assert.equal((await desk.memory(rejected)).state, 'rejected');
  });

  it('tells a memory’s history as plain text: what it says, each act with who, when and why, and what is hidden in it', async () => {
    const id = await desk.stand({
      title: 'Vaults are counted',
      statement: 'Vaults are counted. [press](command:stet.forgetAllHere) <b>now</b>',
    });
    await desk.decide('retire', id, 'There is only one vault left.');
    await window.runCommand('Stet: Show History');
    await window.quickInput().fill('vaults counted');
    await until('the memory to be offered', async () => (await offered(window)).join() === 'Vaults are counted');
    await window.page.keyboard.press('Enter');

    const said = await documentSays(window, /WHAT HAPPENED/);

    assert.match(said, /History of: Vaults are counted/);
    assert.match(said, /Proposed by earlier-agent/);
    assert.match(said, /Approved by the holder of key/);
    assert.match(said, /Retired by the holder of key[^\n]*\n\s+then: Retired/);
    assert.match(said, /reason: There is only one vault left\./);
    assert.ok(said.includes('[press](command:stet.forgetAllHere) <b>now</b>'));
    assert.equal(await window.editor().locator('.detected-link').count(), 0);
    await picture(window, 'history');

    await desk.act({ act: 'forget', memories: [await desk.seen(id)], questions: [] });

    const bare = await documentSays(window, /Its words are gone/);
    assert.ok(!/[Vv]ault/.test(bare));
    assert.match(bare, /Forgotten by the holder of key/);
    assert.ok(!(await window.page.title()).includes('ault'));
  });

  it('tells all that happened in its audit log, refusals included and words left out', async () => {
    const server = await desk.server();
    await server.client.callTool({ name: 'memory_propose', arguments: { ...aProposal(), scope: 'user' } });
    await window.runCommand('Stet: Show Audit Log');

    const said = await documentSays(window, /newest first/);

    assert.match(said, /refused\s+test-client.*propose: outside_grant/);
    assert.match(said, /approved\s+(you|key [0-9a-f]{8})/);
    assert.match(said, /memory paused/);
    assert.ok(!said.includes('Coins are weighed'));
    await picture(window, 'audit-log');
  });
});

/** A backup of the store as it is now, as the editor makes one each day. */
async function backedUp(desk: Desk): Promise<void> {
  assert.ok(await (await desk.person()).backUpIfDue());
}

describe('a store that is not what it was', () => {
  let home: Home;
  let desk: Desk;
  let kept: string;
  let lost: string;
  const open = async () => {
    const editor = await home.open({ folder: desk.folder, ...(port > 0 && { port }) });
    port = editor.port;
    await openViews(editor, 'Pending', 'Standing');
    return editor;
  };
  let port = 0;
  const shut = async () => {
    await home.editor.reload();
    await home.shut();
  };
  before(async function () {
    this.timeout(180_000);
    home = new Home();
    home.pinKey();
    desk = home.desk('mint');
    const editor = await open();
    await withOwnKey(home, desk, editor);
    kept = await desk.stand({ title: 'Dies are kept locked' });
    await editor.treeItems('Standing', 'Dies are kept locked').waitFor();
    lost = await desk.propose({ title: 'Moulds are kept locked' });
    await editor.treeItems('Pending', 'Moulds are kept locked').waitFor();
  });
  after(() => home.close());

  it('that was cut off is said to be so, gives agents nothing, and is gone on with only when a person accepts it', async function () {
    this.timeout(180_000);
    const { editor } = home;
    // The head follows what agents propose, too.
    await editor.page.waitForTimeout(2_500);
    await shut();
    await desk.close();
    const shell = await desk.sql();
    await dropTriggers(shell);
    await shell.run('DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)');
    await shell.close();
    const server = await desk.server();
    assert.equal(await byId(server, kept), 'store_behind');

    const again = await open();
    await again.notification(/The end of the record of mint was cut off/).waitFor();
    await again
      .pane('Pending')
      .getByText(/The end of the record of mint was cut off/)
      .waitFor();
    await picture(again, 'cut-off');

    await again.runCommand('Stet: Verify Store');
    await again.answerDialog('Cancel');
    assert.equal(await byId(server, kept), 'store_behind');
    await again.runCommand('Stet: Verify Store');
    await again.answerDialog('Accept as It Is…');
    await picture(again, 'accept-asks');
    await again.answerDialog('Accept as It Is');

    await again.notification(/^Accepted\. mint: \d+ entries/).waitFor();
    assert.equal(await byId(server, kept), 'active');
    assert.equal(await byId(server, lost), 'not_found');
    const { id } = await propose(server, aProposal({ title: 'Hammers are kept locked' }));
    await again.treeItems('Pending', 'Hammers are kept locked').waitFor();
    await again.runCommand('Stet: Verify Store');
    await again.notification(/^mint: \d+ entries, each as it was written and signed\./).waitFor();
    assert.equal(await byId(server, id), 'not_found');
  });

  it('that is gone is not replaced by an empty one until a person says so', async function () {
    this.timeout(180_000);
    await shut();
    await desk.close();
    for (const ending of ['', '-wal', '-shm']) rmSync(`${desk.storeFile}${ending}`, { force: true });
    rmSync(`${dirname(desk.storeFile)}/backups`, { recursive: true, force: true });

    const editor = await open();
    await editor.pane('Pending').getByText('The memory of this repository existed and is gone.').waitFor();
    await picture(editor, 'gone');
    assert.equal(existsSync(desk.storeFile), false);
    await editor.clearNotifications();
    await editor.runCommand('Stet: Start Anew…');
    await editor.answerDialog('Cancel');
    assert.equal(existsSync(desk.storeFile), false);

    await editor.runCommand('Stet: Start Anew…');
    await editor.answerDialog('Start Anew');

    await until('the store to be made', () => existsSync(desk.storeFile));
    await editor.pane('Standing').getByText('Nothing stands yet.').waitFor();
    const server = await desk.server();
    await propose(server, aProposal({ title: 'Anvils are new' }));
    await editor.treeItems('Pending', 'Anvils are new').waitFor();
  });
});

describe('the store of what holds everywhere', () => {
  let home: Home;
  let desk: Desk;
  before(async function () {
    this.timeout(120_000);
    home = new Home();
    home.pinKey();
    desk = home.desk('harbour');
    await desk.stand({ title: 'Ships are named' });
    await (await desk.everywhere()).save({ ...aProposal({ title: 'Names are short' }), evidence: [] }, 'test', home.key);
    await desk.close();
    for (const ending of ['', '-wal', '-shm']) rmSync(join(home.globalStorage, `user/memory.db${ending}`), { force: true });
    await home.open({ folder: desk.folder });
    await openViews(home.editor, 'Pending', 'Standing');
  });
  after(() => home.close());

  it('that is gone is told, takes no folder’s memory with it, and begins anew when a person says so', async () => {
    const { editor } = home;
    await editor.treeItems('Standing', 'Ships are named').waitFor();
    await editor.treeItems('Pending', /Everywhere\s*could not be opened/).waitFor();
    await editor.notification('existed and is gone').waitFor();
    await picture(editor, 'everywhere-gone');
    await editor.notification('existed and is gone').getByRole('button', { name: 'Start Anew…' }).click();
    await editor.answerDialog('Start Anew');
    await editor.answerDialog('Make a New Key');

    await editor.treeItems('Pending', /Everywhere/).waitFor({ state: 'detached' });
    await editor.treeItems('Standing', 'Ships are named').waitFor();
    assert.ok(existsSync(join(home.globalStorage, 'user/memory.db')));
  });
});

describe('the memory of a folder that has moved', () => {
  let home: Home;
  let window: Workbench;
  after(() => closeWindow(window));

  it('is offered to the folder where it is now, and taken over when a person says that it is the one', async function () {
    this.timeout(120_000);
    home = await office();
    const before = home.desk('wharf');
    const id = await before.stand({ title: 'Ropes are tarred' });
    await before.close();
    mkdirSync(join(home.path, 'moved'));
    renameSync(before.folder, join(home.path, 'moved', 'wharf'));
    const desk = home.desk('../moved/wharf', {});
    window = await home.window({ folder: desk.folder });
    await openViews(window, 'Standing', 'Pending');
    await window.notification(/This folder may have moved: take over the memory of .*work\/wharf/).waitFor();
    await picture(window, 'moved-offers');

    await window.clearNotifications();
    await window.runCommand('Stet: Take Over a Moved Folder’s Memory…');
    await window.pick(before.folder);
    await window.dialog().getByText('Take over this memory for wharf?').waitFor();
    await picture(window, 'moved-asks');
    await window.answerDialog('Cancel');
    assert.ok(existsSync(before.storeFile));

    await window.runCommand('Stet: Take Over a Moved Folder’s Memory…');
    await window.pick(before.folder);
    const isFirstDecision = home.pinned().length === 1;
    await window.answerDialog('Take Over');
    if (isFirstDecision) await window.answerDialog('Make a New Key');

    await window.treeItems('Standing', 'Ropes are tarred').waitFor();
    assert.equal(await byId(await desk.server(), id), 'active');
    assert.equal(existsSync(before.storeFile), false);
  });
});
