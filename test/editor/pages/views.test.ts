/** The views and the search box: what they show without being asked, and what they find. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { propose } from '../../mcp/support/room';
import { aProposal } from '../../support/store';
import { until, type Workbench } from '../harness';
import type { Desk } from './support/desk';
import { closeWindow } from './support/home';
import { office } from './support/office';
import { badgeSays, idOn, offered, openViews, showing } from './support/page';

describe('the views', () => {
  let desk: Desk;
  let window: Workbench;
  let invoices: string;
  before(async () => {
    const home = await office();
    desk = home.desk('chancery');
    invoices = await desk.stand({
      title: 'Invoices are rounded up',
      statement: 'Amounts of an invoice are rounded up to the next penny.',
      anchors: [{ file: 'src/billing/invoice.ts' }],
    });
    await desk.stand({
      title: 'Letters $(trash) are sealed',
      statement: 'Each letter is sealed with wax.',
      anchors: [{ folder: 'src/mail' }],
    });
    window = await home.window({ folder: desk.folder });
    await openViews(window, 'Pending', 'Standing', 'For This File');
    await window.treeItems('Standing', 'Invoices are rounded up').waitFor();
  });
  after(() => closeWindow(window));

  it('show by themselves what another process proposes: in Pending, in the badge and in the status bar', async () => {
    await badgeSays(window, 0);
    const server = await desk.server();

    await propose(server, aProposal({ title: 'Ink is black' }));

    const hangsAfterMs = 5_000;
    await window.treeItems('Pending', 'Ink is black').waitFor({ timeout: hangsAfterMs });
    await badgeSays(window, 1, hangsAfterMs);
    await window.statusBar('1 pending').waitFor({ timeout: hangsAfterMs });
  });

  it('follow the file that is open', async () => {
    const view = await window.webview('For This File');
    const invoice = view.getByRole('heading', { name: 'Invoices are rounded up' });
    const letter = view.getByRole('heading', { name: 'Letters $(trash) are sealed' });

    await window.openFile('src/billing/invoice.ts');
    await invoice.waitFor();
    assert.equal(await letter.count(), 0);
    await window.openFile('src/mail/letter.ts');
    await letter.waitFor();
    assert.equal(await invoice.count(), 0);
    await window.page.getByRole('tab', { name: /^invoice\.ts/ }).click();
    await invoice.waitFor();
    assert.equal(await letter.count(), 0);
  });

  it('open from a card the memory’s page', async () => {
    await window.openFile('src/billing/invoice.ts');
    const view = await window.webview('For This File');
    await view.getByRole('listitem').filter({ hasText: 'Invoices are rounded up' }).getByRole('button', { name: 'Open' }).click();
    assert.equal(await idOn(await showing(window, 'Invoices are rounded up')), invoices);
  });

  describe('with Search Memory', () => {
    before(() => desk.propose({ title: 'Pennies are counted', statement: 'The next penny of an invoice is counted by hand.' }));
    beforeEach(() => window.runCommand('Stet: Search Memory'));
    afterEach(() => window.page.keyboard.press('Escape'));

    const offers = (labels: readonly string[]) => {
      let now: string[] = [];
      return until(
        () => `the box to offer ${labels.join(', ')}; it offers ${now.join(', ')}`,
        async () => isDeepStrictEqual((now = (await offered(window)).sort()), [...labels].sort()),
      );
    };

    it('find what stands by its words, and not what waits, and open its page', async () => {
      await offers(['Invoices are rounded up', 'Letters $(trash) are sealed']);
      await window.quickInput().fill('penny invoice');
      await offers(['Invoices are rounded up']);
      await window.page.keyboard.press('Enter');
      assert.equal(await idOn(await showing(window, 'Invoices are rounded up')), invoices);
    });

    it('say that nothing was found, in an entry that leads nowhere', async () => {
      await window.quickInput().fill('zeppelin');
      await offers(['Nothing that stands matches “zeppelin”.']);
      await window.page.keyboard.press('Enter');
      await offers(['Nothing that stands matches “zeppelin”.']);
    });

    it('list what stands for an empty box, in the words of its titles and with no icon drawn from them', async () => {
      await offers(['Invoices are rounded up', 'Letters $(trash) are sealed']);
      assert.equal(await window.page.locator('.quick-input-list .codicon-trash').count(), 0);
      assert.equal(await window.tree('Standing').locator('.codicon-trash').count(), 0);
    });
  });
});
