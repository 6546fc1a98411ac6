/** The review page under a person's hands, and under texts that mean to deceive them. */
import assert from 'node:assert/strict';
import { until, type Workbench } from '../harness';
import type { Desk } from './support/desk';
import { closeWindow, type Home } from './support/home';
import { office, withOwnKey } from './support/office';
import { byKeyboard, hasFocus, openFromTree, openViews, showing, tabTo } from './support/page';

describe('the review page', () => {
  let home: Home;
  let desk: Desk;
  let window: Workbench;
  before(async () => {
    home = await office();
    desk = home.desk('court');
    window = await home.window({ folder: desk.folder });
    await openViews(window, 'Pending');
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
    const reasons = await (await desk.engine()).forPerson().reasons(await desk.memory(second));
    assert.deepEqual([...reasons.values()], ['Once is enough.']);
  });

  it('shows hidden characters where they stand, and leaves a text without them as it is', async () => {
    await desk.propose({ title: 'Fees are paid', statement: 'Fees are \u202Ediap\u200B at the door.' });
    await desk.propose({ title: 'Fines are paid', statement: 'Fines are paid at the door.' });

    const hiding = await openFromTree(window, 'Pending', 'Fees are paid');
    assert.deepEqual(await hiding.locator('.statement .hidden-character').allInnerTexts(), ['U+202E', 'U+200B']);
    assert.equal(await hiding.locator('.statement').innerText(), 'Fees are U+202EdiapU+200B at the door.');
    await hiding.locator('.notice').getByText('2 characters in it cannot be seen').waitFor();

    const plain = await openFromTree(window, 'Pending', 'Fines are paid');
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
