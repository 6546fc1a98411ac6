/** What was changed with a SQL shell, as the editor shows it. */
import assert from 'node:assert/strict';
import { dropTriggers, type SqlShell } from '../../mcp/support/sql-shell';
import type { Workbench } from '../harness';
import type { Desk } from './support/desk';
import { closeWindow } from './support/home';
import { office } from './support/office';
import { idOn, memoryPage, openFromTree, openViews } from './support/page';

/** Sets the present state, and moves the text to where agents search, as somebody would who knows the schema. */
const setActive = async (shell: SqlShell, seq: number) => {
  await shell.run("UPDATE statuses SET state = 'active' WHERE memory = ? AND known_to IS NULL", seq);
  await shell.run('INSERT INTO served_index (rowid, title, body) SELECT rowid, title, body FROM waiting_index WHERE rowid = ?', seq);
  await shell.run('DELETE FROM waiting_index WHERE rowid = ?', seq);
};

const attacks = [
  {
    title: 'Doors stay locked',
    what: 'a waiting row set to active',
    state: 'pending',
    run: setActive,
    reason: 'its state is not the one its history leads to',
  },
  {
    title: 'Windows stay locked',
    what: 'a retired row set back to active under its old approval',
    state: 'retired',
    run: setActive,
    reason: 'its state is not the one its history leads to',
  },
  {
    title: 'Gates stay locked',
    what: 'a statement that was edited under a valid signature',
    state: 'active',
    run: async (shell: SqlShell, seq: number) => {
      await shell.run("UPDATE memories SET statement = 'Gates stay open.' WHERE seq = ?", seq);
      await shell.run("UPDATE served_index SET body = 'Gates stay open.' WHERE rowid = ?", seq);
    },
    reason: 'its text, scope, anchors or dates are not the ones that were recorded',
  },
] as const;

const twin = 'Hatches stay locked';

describe('what was changed with a SQL shell is shown as changed, and its untouched twin as it is:', () => {
  let desk: Desk;
  let window: Workbench;
  const ids = new Map<string, string>();
  before(async () => {
    const home = await office();
    desk = home.desk('fortress');
    ids.set(twin, await desk.stand({ title: twin }));
    const shell = await desk.sql();
    await dropTriggers(shell);
    for (const { title, state, run } of attacks) {
      const id = state === 'pending' ? await desk.propose({ title }) : await desk.stand({ title });
      if (state === 'retired') await desk.decide('retire', id, 'It no longer holds.');
      const [row] = await shell.all('SELECT seq FROM memories WHERE id = ?', id);
      await run(shell, Number(row?.['seq']));
      ids.set(title, id);
    }
    window = await home.window({ folder: desk.folder });
    await openViews(window, 'Standing');
    await window.treeItems('Standing', twin).waitFor();
  });
  after(() => closeWindow(window));

  const warningOn = (title: string) => window.treeItems('Standing', title).locator('.codicon-warning');

  for (const { title, what, reason } of attacks)
    it(what, async () => {
      const row = window.treeItems('Standing', title);
      await warningOn(title).waitFor();
      assert.match((await row.getAttribute('aria-label')) ?? '', new RegExp(reason));
      assert.match(await row.innerText(), /changed outside Stet/);

      const page = await openFromTree(window, 'Standing', title);

      assert.equal(await idOn(page), ids.get(title));
      const notice = page.locator('.notice.error');
      assert.match(await notice.innerText(), new RegExp(`Changed by something other than Stet: ${reason}`));
      assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0);
    });

  it('the twin', async () => {
    const row = window.treeItems('Standing', twin);
    assert.equal(await warningOn(twin).count(), 0);
    assert.match((await row.getAttribute('aria-label')) ?? '', /Stands/);

    const page = await openFromTree(window, 'Standing', twin);

    assert.equal(await idOn(page), ids.get(twin));
    assert.equal(await (await memoryPage(window)).locator('.notice').count(), 0);
    await page.getByRole('button', { name: 'Retire…' }).waitFor();
  });
});
