/** The review page under a person's hands, and under texts that mean to deceive them. */
import assert from 'node:assert/strict';
import { propose } from '../../mcp/support/room';
import { aProposal } from '../../support/store';
import { until, type Workbench } from '../harness';
import type { Desk } from './support/desk';
import { closeWindow, type Home } from './support/home';
import { office, withOwnKey } from './support/office';
import { byKeyboard, hasFocus, openFromTree, openViews, press, showing, tabTo } from './support/page';

describe('the review page', () => {
  let home: Home;
  let desk: Desk;
  let window: Workbench;
  before(async () => {
    home = await office();
    desk = home.desk('court');
    window = await home.window({ folder: desk.folder });
    await openViews(window, 'Pending', 'Standing');
    await withOwnKey(home, desk, window);
  });
  after(() => closeWindow(window));

  it('is walked by keyboard alone: approve, a reason that is given up, reject with a reason', async () => {
    const third = await desk.propose({ title: 'Appeals are heard' });
    const second = await desk.propose({ title: 'Oaths are sworn twice' });
    const first = await desk.propose({ title: 'Oaths are sworn' });
    const { keyboard } = window.page;
    await byKeyboard(window, 'Review Pending');
    const page = await showing(window, 'Oaths are sworn');
    const titleHasFocus = (name: string) =>
      until(`"${name}" to have the focus`, () => hasFocus(page.getByRole('heading', { level: 1, name })));
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const pressed = async (name: string) => {
      await until(`"${name}" to take presses`, () => button(name).isEnabled());
      await tabTo(window, button(name));
      await keyboard.press('Enter');
    };

    await titleHasFocus('Oaths are sworn');
    await pressed('Approve');
    await titleHasFocus('Oaths are sworn twice');
    await pressed('Reject…');
    await until('the reason to be asked for', () => hasFocus(page.getByRole('textbox')));
    await keyboard.type('Not this');
    await keyboard.press('Escape');
    await until('the reason to be given up', () => hasFocus(button('Reject…')));
    assert.equal(await page.getByRole('textbox').count(), 0);
    assert.equal((await desk.memory(second)).state, 'pending');
    await keyboard.press('Enter');
    await until('the reason to be asked for again', () => hasFocus(page.getByRole('textbox')));
    await keyboard.type('Once is enough.');
    await pressed('Reject');
    await titleHasFocus('Appeals are heard');

    const states = await desk.states();
    assert.deepEqual([states[first], states[second], states[third]], ['active', 'rejected', 'pending']);
    const reasons = await (await desk.engine()).forPerson().reasons(second);
    assert.deepEqual([...reasons.values()], ['Once is enough.']);
  });

  it('keeps a reason that is being written, and its focus, while the same is proposed again and another waits, and rejects with it', async () => {
    const gowns = { title: 'Gowns are worn', statement: 'Judges wear their gowns in court.' };
    const id = await desk.propose(gowns);
    const page = await openFromTree(window, 'Pending', 'Gowns are worn');
    await press(page, 'Reject…');
    const reason = page.getByRole('textbox');
    await until('the reason to be asked for', () => hasFocus(reason));
    await window.page.keyboard.type('They itch');

    await propose(await desk.server(), aProposal(gowns));
    await page.locator('dl.facts dt:text-is("Proposed again") + dd').getByText('once').waitFor();
    await desk.propose({ title: 'Wigs are worn' });
    await window.treeItems('Pending', 'Wigs are worn').waitFor();

    assert.equal(await reason.inputValue(), 'They itch');
    assert.ok(await hasFocus(reason));
    await window.page.keyboard.type('.');
    await press(page, 'Reject');
    await window.treeItems('Pending', 'Gowns are worn').waitFor({ state: 'detached' });
    assert.equal((await desk.memory(id)).state, 'rejected');
    const reasons = await (await desk.engine()).forPerson().reasons(id);
    assert.deepEqual([...reasons.values()], ['They itch.']);
  });

  it('leaves a reason to be read when the memory was decided on elsewhere, and takes the decision no more', async () => {
    const id = await desk.stand({ title: 'Bells are rung' });
    const page = await openFromTree(window, 'Standing', 'Bells are rung');
    await press(page, 'Retire…');
    const reason = page.getByLabel('Why does it no longer hold?');
    await reason.fill('They are too loud.');

    await desk.decide('reject', id, 'Nobody hears them.');

    await page.getByRole('status').getByText('Rejected in another window.').waitFor();
    assert.equal(await reason.inputValue(), 'They are too loud.');
    assert.equal(await page.getByRole('button', { name: 'Retire', exact: true }).isEnabled(), false);
  });

  it('has a reason that is being written still there after another tab was shown', async () => {
    await desk.propose({ title: 'Seals are broken' });
    const page = await openFromTree(window, 'Pending', 'Seals are broken');
    await press(page, 'Reject…');
    await page.getByRole('textbox').fill('They hold.');
    await window.openFile('src/mail/letter.ts');

    await window.page.getByRole('tab', { name: /^Memory/ }).click();

    const again = await showing(window, 'Seals are broken');
    await until('the reason to be there', async () => (await again.getByRole('textbox').inputValue()) === 'They hold.');
    await press(again, 'Cancel');
  });

  it('lays the button that rejects beside the place where Approve was, and offers to take an approval back and to go on', async () => {
    await desk.propose({ title: 'Clerks are paid' });
    const id = await desk.propose({ title: 'Clerks are sworn in' });
    const page = await openFromTree(window, 'Pending', 'Clerks are sworn in');
    const box = async (name: string) => {
      const found = await page.getByRole('button', { name, exact: true }).boundingBox();
      assert.ok(found, name);
      return found;
    };
    const approve = await box('Approve');
    await press(page, 'Reject…');
    assert.ok((await box('Reject')).x >= approve.x + approve.width);
    await press(page, 'Cancel');

    await press(page, 'Approve');
    await showing(window, 'Clerks are paid');
    assert.equal((await desk.memory(id)).state, 'active');
    await press(page, 'Undo: Clerks are sworn in');

    await showing(window, 'Clerks are sworn in');
    await page.getByRole('status').getByText('Taken back: Clerks are sworn in').waitFor();
    assert.equal((await desk.memory(id)).state, 'pending');
    await press(page, 'Go on');
    await until('the next to be shown', async () => (await page.locator('.over-title .label').innerText()) === 'Waits for review');
  });

  it('approves one memory for a row of quick presses on Approve, and takes the next only after a rest', async () => {
    for (const what of ['First', 'Second', 'Third']) await desk.propose({ title: `${what} witnesses are heard` });
    const earlier = Object.values(await desk.states()).filter((state) => state === 'active').length;
    const page = await openFromTree(window, 'Pending', 'Third witnesses are heard');
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await until('Approve to take presses', () => approve.isEnabled());
    const box = await approve.boundingBox();
    assert.ok(box);

    for (let time = 0; time < 20; time += 1) {
      await window.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await window.page.waitForTimeout(70);
    }

    await window.treeItems('Standing', 'Third witnesses are heard').waitFor();
    await until('Approve to take presses again', () => approve.isEnabled());
    const now = Object.values(await desk.states()).filter((state) => state === 'active').length;
    assert.equal(now, earlier + 1);
  });

  it('shows hidden characters where they stand, and leaves a text without them as it is', async () => {
    // An agent's are refused; a person's own text may hold them, as one that was pasted.
    await desk.save({ kind: 'fact', title: 'Fees are paid', statement: 'Fees are \u202Ediap\u200B at the door.' });
    await desk.save({ kind: 'fact', title: 'Fines are collected', statement: 'The usher collects fines on Mondays.' });

    const hiding = await openFromTree(window, 'Standing', 'Fees are paid');
    assert.deepEqual(await hiding.locator('.statement .hidden-character').allInnerTexts(), ['U+202E', 'U+200B']);
    assert.equal(await hiding.locator('.statement').innerText(), 'Fees are U+202EdiapU+200B at the door.');
    await hiding.locator('.notice').getByText('2 characters in it cannot be seen').waitFor();

    const plain = await openFromTree(window, 'Standing', 'Fines are collected');
    assert.equal(await plain.locator('.hidden-character').count(), 0);
    assert.equal(await plain.locator('.notice').count(), 0);
  });

  it('shows markup, links and scripts as the text they are', async () => {
    const statement = [
      '<img src=x onerror="globalThis.deceived = true"><script>globalThis.deceived = true</script>',
      '<a href="command:stet.approve">Approved</a> [Approved](command:stet.approve) **bold** $(check)',
      'https://example.org/ and `code`',
    ].join('\n');
    await desk.propose({ title: '<b>Bold</b> claims', statement });

    const page = await openFromTree(window, 'Pending', '<b>Bold</b> claims');

    assert.equal(await page.locator('.statement').innerText(), statement);
    assert.equal(await page.locator('article').locator('a, img, script, b, strong, code').count(), 0);
    assert.equal(await page.locator('body').evaluate('globalThis.deceived'), undefined);
    const label = window.treeItems('Pending', '<b>Bold</b> claims').locator('.label-name');
    assert.equal(await label.innerText(), '<b>Bold</b> claims');
    assert.equal(await label.locator('a, img, b').count(), 0);
  });
});
