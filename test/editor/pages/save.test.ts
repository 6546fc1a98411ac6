/** The page on which a person writes a memory, from opening it to what an agent then finds. */
import assert from 'node:assert/strict';
import { search } from '../../mcp/support/room';
import { until, type Workbench } from '../harness';
import type { Desk } from './support/desk';
import { closeWindow } from './support/home';
import { office, withOwnKey } from './support/office';
import { byKeyboard, focused, hasFocus, idOn, openViews, press, showing, tabTo } from './support/page';

describe('the page to save a memory', () => {
  let desk: Desk;
  let window: Workbench;
  before(async () => {
    const home = await office();
    desk = home.desk('workshop');
    window = await home.window({ folder: desk.folder });
    await openViews(window, 'Pending', 'Standing');
    await withOwnKey(home, desk, window);
  });
  after(() => closeWindow(window));

  const form = () => window.webview('Save Memory');

  it('is filled and saved by keyboard alone, and what it saves stands for an agent', async () => {
    await byKeyboard(window, 'Save Memory');
    const page = await form();
    const { keyboard } = window.page;
    await until('the title to have the focus', () => hasFocus(page.getByLabel('Title')));
    await keyboard.type('Chisels are sharpened');
    await tabTo(window, page.getByLabel('What holds'));
    await keyboard.type('Chisels are sharpened on the wet stone.');
    await tabTo(window, page.getByRole('button', { name: 'Save' }));
    await keyboard.press('Enter');

    const saved = await showing(window, 'Chisels are sharpened');
    await saved.getByRole('status').getByText('It stands from now on.').waitFor();
    await window.treeItems('Standing', 'Chisels are sharpened').waitFor();
    assert.deepEqual(await search(await desk.server(), 'wet stone chisels'), [await idOn(saved)]);
  });

  it('keeps an empty form, with what is missing beside the field and nothing stored, until it is filled', async () => {
    const earlier = await desk.states();
    await window.runCommand('Stet: Save Memory');
    const page = await form();
    const besides = (label: string) =>
      page
        .locator('.field')
        .filter({ has: page.getByLabel(label) })
        .locator('.problem');
    await page.getByLabel('Title').waitFor();

    await press(page, 'Save');

    await besides('Title').getByText('Give it a title.').waitFor();
    await besides('What holds').getByText('Say what holds.').waitFor();
    assert.equal(await focused(page).getAttribute('id'), await page.getByLabel('Title').getAttribute('id'));
    assert.deepEqual(await desk.states(), earlier);

    await page.getByLabel('Title').fill('Planes are oiled');
    await page.getByLabel('What holds').fill('Planes are oiled each Friday.');
    await press(page, 'Save');

    const id = await idOn(await showing(window, 'Planes are oiled'));
    assert.deepEqual(await desk.states(), { ...earlier, [id]: 'active' });
  });

  it('keeps what is being written when the command is run again, and says what is wrong at the field, in the form’s words', async () => {
    await window.runCommand('Stet: Save Memory');
    const page = await form();
    await page.getByLabel('Title').fill('Saws are set');
    await page.getByLabel('What holds').fill('Saws are set by hand.');
    await page.getByLabel('Holds from').fill('2026-05-02');
    await page.getByLabel('Holds until').fill('2026-05-01');

    await window.runCommand('Stet: Save Memory');
    assert.equal(await page.getByLabel('Title').inputValue(), 'Saws are set');
    await press(page, 'Save');

    await page.getByRole('alert').getByText('“Holds until” must be later than “Holds from”.').waitFor();
    assert.ok(await hasFocus(page.getByLabel('Holds until')));
    await page.getByLabel('Holds until').fill('2026-05-03');
    assert.equal(await page.getByRole('alert').getByText('must be later').count(), 0);
    await press(page, 'Save');
    await showing(window, 'Saws are set');
  });

  it('rests what is saved from a selection on the selected lines, and applies it to their file', async () => {
    await window.openFile('src/billing/invoice.ts');
    const { keyboard } = window.page;
    await window.editor().click();
    await keyboard.press('ControlOrMeta+Home');
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowDown');
    for (let line = 0; line < 3; line += 1) await keyboard.press('Shift+ArrowDown');
    await window.runCommand('Stet: Save Selection as Decision');
    const page = await form();
    await page.getByLabel('It rests on src/billing/invoice.ts, lines 3 to 5').waitFor();
    assert.equal(await page.locator('pre.excerpt').innerText(), 'line 3\nline 4\nline 5');
    await page.getByLabel('Title').fill('Three lines are kept');
    await page.getByLabel('What holds').fill('These three lines are kept as they are.');

    await press(page, 'Save');

    const saved = await showing(window, 'Three lines are kept');
    await saved.getByRole('button', { name: 'src/billing/invoice.ts, lines 3 to 5' }).waitFor();
    const content = (await desk.memory(await idOn(saved))).memory?.content;
    assert.deepEqual(content?.anchors, [{ file: 'src/billing/invoice.ts' }]);
    const [evidence] = content.evidence;
    assert.ok(evidence?.kind === 'file');
    assert.deepEqual([evidence.path, evidence.startLine, evidence.endLine], ['src/billing/invoice.ts', 3, 5]);
  });
});
