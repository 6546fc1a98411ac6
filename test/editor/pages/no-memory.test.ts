/** Windows in which there is no memory to show: they say what is missing, and touch nothing. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tools } from '../../../src/mcp/tools';
import { propose } from '../../mcp/support/room';
import { aProposal } from '../../support/store';
import { until, type Workbench } from '../harness';
import type { Desk } from './support/desk';
import { closeWindow, Home } from './support/home';
import { office } from './support/office';
import { badge, badgeSays, openViews } from './support/page';

/** What a view says in place of rows. */
const says = (window: Workbench, text: string) => window.pane('Pending').locator('.welcome-view-content').getByText(text).waitFor();

describe('a window without a folder', () => {
  let window: Workbench;
  before(async () => {
    window = await (await office()).window(undefined);
    await openViews(window, 'Pending');
  });
  after(() => closeWindow(window));

  it('says so in its views, with the next step', async () => {
    await says(window, 'Open a folder to see what waits for review.');
    await window.pane('Pending').getByRole('button', { name: 'Open Folder' }).waitFor();
    await (await window.webview('For This File')).getByText('No folder is open').waitFor();
  });

  it('says so when a command is called', async () => {
    await window.runCommand('Stet: Save Memory');
    await window.notification('Open the folder that you work in.').waitFor();
  });
});

describe('in Restricted Mode', () => {
  let home: Home;
  let desk: Desk;
  before(async () => {
    home = new Home();
    desk = home.desk('frontier');
    await home.open({ folder: desk.folder, workspaceTrust: 'on' });
    await openViews(home.editor, 'Pending');
  });
  after(() => home.close());

  const stetsTools = async () => {
    const hands = home.hands(desk.folder);
    await hands.execute('workbench.mcp.startServer', '*', { waitForLiveTools: true });
    return (await hands.tools()).filter((name) => name.startsWith('mcp_stet'));
  };

  it('the views say what is missing, no store is made and no server offered; once the folder is trusted, all of it works', async () => {
    const { editor } = home;
    await says(editor, 'This folder is not trusted yet');
    await (await editor.webview('For This File')).getByText('Stet opens the memory of a folder once you trust it.').waitFor();
    await editor.statusBar('Restricted Mode').first().waitFor();
    assert.equal(await badge(editor), '');
    assert.deepEqual(await stetsTools(), []);
    await editor.runCommand('Stet: Review Pending');
    await editor.notification('once you trust it').waitFor();
    assert.equal(existsSync(join(home.globalStorage, 'stores')), false);
    assert.deepEqual(home.pinned(), []);

    await editor.grantTrust();

    await until('the store to be made', () => existsSync(desk.storeFile));
    await until('all tools', async () => (await stetsTools()).length === tools.length);
    await propose(await desk.server(), aProposal());
    await openViews(editor, 'Pending', 'Standing');
    await badgeSays(editor, 1);
  });
});
