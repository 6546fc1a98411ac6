/** Every act on a memory's page, by keyboard alone: what is said before, what is done, and how it is taken back. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { inProject } from '../../../scripts/project';
import { agentOf, lines } from '../../support/store';
import { until, type Workbench } from '../harness';
import { appears } from '../harness/appears';
import type { Desk } from './support/desk';
import { closeWindow, type Home } from './support/home';
import { office, withOwnKey } from './support/office';
import { hasFocus, memoryPage, openFromTree, openViews, press, showing, tabTo } from './support/page';

describe('acts on the memory page', () => {
  let home: Home;
  let desk: Desk;
  let window: Workbench;
  const pictures = inProject('out/acts');
  before(async () => {
    mkdirSync(pictures, { recursive: true });
    home = await office();
    desk = home.desk('guild', { 'src/billing/invoice.ts': lines(40), 'src/mail/letter.ts': lines(20) });
    window = await home.window({ folder: desk.folder });
    await openViews(window, 'Pending', 'Standing');
    await withOwnKey(home, desk, window);
  });
  after(() => closeWindow(window));

  const picture = (name: string) => window.screenshot(join(pictures, `${name}.png`));
  const state = async (id: string) => (await desk.memory(id)).state;
  const button = (page: FrameLocator, name: string) => page.getByRole('button', { name, exact: true });
  /** Presses a button without the pointer, once it takes presses. */
  const enter = async (page: FrameLocator, name: string) => {
    await until(`"${name}" to take presses`, () => button(page, name).isEnabled());
    await tabTo(window, button(page, name));
    await window.page.keyboard.press('Enter');
  };
  const write = async (page: FrameLocator, label: string | RegExp, text: string) => {
    await tabTo(window, page.getByLabel(label));
    await window.page.keyboard.type(text);
  };
  /** A page that was hidden is drawn anew in another frame. */
  const says = (text: string) =>
    until(`it to be said: ${text}`, async () => appears((await memoryPage(window)).locator('.said').getByText(text), 1_000));
  const formToWrite = () =>
    until('the form to be drawn', async () => {
      const form = await window.webview('Save Memory');
      return (await appears(form.getByLabel('Title'), 1_000)) && form;
    });
  const foresees = (page: FrameLocator, text: string) => page.locator('.acts .consequence').getByText(text).waitFor();
  const opened = async (view: 'Pending' | 'Standing', title: string) => {
    const page = await openFromTree(window, view, title);
    await until('the page to have the focus', () => hasFocus(page.getByRole('heading', { level: 1, name: title, exact: true })));
    return page;
  };

  /** Where the row lies below what the view shows. */
  const openedById = async (id: string, title: string) => {
    await home.hands(desk.folder).execute('stet.openMemory', id);
    return showing(window, title);
  };

  it('Not Now sets a proposal aside, and Undo brings it back', async () => {
    const id = await desk.propose({ title: 'Looms are oiled' });
    const page = await opened('Pending', 'Looms are oiled');
    await enter(page, 'Not Now');
    await says('Set aside: Looms are oiled');
    assert.equal(await state(id), 'expired');
    await picture('not-now');
    await enter(page, 'Undo: Looms are oiled');
    await says('Taken back: Looms are oiled');
    assert.equal(await state(id), 'pending');
    await desk.decide('reject', id);
  });

  it('Approve says what it replaces and what changes, and supersedes it', async () => {
    const old = await desk.stand({ title: 'Cloth is sold by the ell', statement: 'Cloth is sold by the ell at the gate.' });
    const id = await desk.propose({
      title: 'Cloth is sold by the yard',
      statement: 'Cloth is sold by the yard at the gate.',
      replaces: [old],
    });
    const page = await opened('Pending', 'Cloth is sold by the yard');
    await foresees(page, 'This also replaces “Cloth is sold by the ell”.');
    assert.match(await page.locator('.changes del').innerText(), /^Removed:\s+ell$/);
    assert.match(await page.locator('.changes ins').innerText(), /^Added:\s+yard$/);
    await picture('approve-replaces');
    await enter(page, 'Approve');
    await says('Approved: Cloth is sold by the yard');
    assert.deepEqual([await state(id), await state(old)], ['active', 'superseded']);

    const replaced = await openedById(old, 'Cloth is sold by the ell');
    await enter(replaced, 'Restore…');
    await foresees(replaced, 'This also replaces “Cloth is sold by the yard”.');
    await picture('restore');
    await enter(replaced, 'Restore');
    await says('Restored: Cloth is sold by the ell');
    assert.deepEqual([await state(id), await state(old)], ['superseded', 'active']);
  });

  it('Approve From a Day On lets what it replaces stand until then', async () => {
    const old = await desk.stand({ title: 'Tolls are two pence' });
    const id = await desk.propose({ title: 'Tolls are three pence', replaces: [old] });
    const page = await opened('Pending', 'Tolls are three pence');
    await enter(page, 'More');
    await enter(page, 'Approve from a Day On…');
    await write(page, 'Holds from', '01022031');
    await foresees(page, '“Tolls are two pence” stands until');
    await enter(page, 'Approve');
    await says('Approved: Tolls are three pence');
    assert.equal(await state(old), 'active');
    assert.equal((await desk.memory(old)).memory?.bounds.validTo, '2031-01-02T00:00:00.000Z');
    assert.equal((await desk.memory(id)).memory?.bounds.validFrom, '2031-01-02T00:00:00.000Z');
  });

  it('Edit and Approve lets the person’s words stand, shows what they change, and keeps the proposal as it was', async () => {
    const id = await desk.propose({ title: 'Bread is weighed', statement: 'Bread is weighed daily.' });
    const page = await opened('Pending', 'Bread is weighed');
    await enter(page, 'Edit and Approve…');
    const form = await formToWrite();
    await until('the title to have the focus', () => hasFocus(form.getByLabel('Title')));
    await tabTo(window, form.getByLabel('What holds'));
    await window.page.keyboard.press('ControlOrMeta+A');
    await window.page.keyboard.type('Bread is weighed weekly.');
    await form.locator('.changes ins').getByText('weekly').waitFor();
    await picture('edit-and-approve');
    await enter(form, 'Approve');
    await says('Approved in your words: Bread is weighed');
    assert.equal(await state(id), 'amended');
    const [stood] = await (await desk.person()).search('bread weighed weekly', 5);
    assert.deepEqual(stood?.memory?.content.derivedFrom, [id]);
    assert.equal(stood.memory.content.provenance.tag, 'stated');
  });

  it('Retire asks why, and with a later day only sets its end', async () => {
    const id = await desk.stand({ title: 'Masters wear red' });
    const page = await opened('Standing', 'Masters wear red');
    await enter(page, 'Retire…');
    await until('the reason to be asked for', () => hasFocus(page.getByLabel('Why does it no longer hold?')));
    await window.page.keyboard.type('Red is dear.');
    await write(page, 'From when on?', '01022031');
    await foresees(page, 'It stands until');
    await picture('retire');
    await enter(page, 'Retire');
    await says('Its end is set: Masters wear red');
    assert.equal(await state(id), 'active');
    assert.equal((await desk.memory(id)).memory?.bounds.validTo, '2031-01-02T00:00:00.000Z');
    await enter(page, 'Undo: Masters wear red');
    await says('Taken back: Masters wear red');
    assert.equal((await desk.memory(id)).memory?.bounds.validTo, undefined);
  });

  it('Replace by finds another memory by its words', async () => {
    const old = await desk.stand({ title: 'Ledgers are kept in Latin' });
    const by = await desk.stand({ title: 'Ledgers are kept in English', statement: 'Ledgers are kept in English for all.' });
    const page = await opened('Standing', 'Ledgers are kept in Latin');
    await enter(page, 'More');
    await enter(page, 'Replace by…');
    await window.page.keyboard.type('ledgers english');
    const found = page.getByRole('radio', { name: /Ledgers are kept in English/ });
    await found.waitFor();
    await tabTo(window, found);
    await window.page.keyboard.press('Space');
    await picture('replace-by');
    await enter(page, 'Replace');
    await says('Replaced: Ledgers are kept in Latin');
    const memory = await desk.memory(old);
    assert.deepEqual([memory.state, memory.memory?.others], ['superseded', [by]]);
  });

  it('Narrow sets where and when it holds, and says what cannot be', async () => {
    const id = await desk.stand({ title: 'Carts give way' });
    const page = await opened('Standing', 'Carts give way');
    await enter(page, 'More');
    await enter(page, 'Narrow…');
    await window.page.keyboard.type('Only there.');
    await write(page, 'Only in the folder', 'src/mail');
    await picture('narrow');
    await enter(page, 'Narrow');
    await says('Narrowed: Carts give way');
    assert.equal((await desk.memory(id)).scope, 'path:src/mail/');

    await enter(page, 'More');
    await enter(page, 'Narrow…');
    await write(page, 'Holds from', '01022031');
    await write(page, 'Holds until', '01022030');
    await page.locator('.consequences .problem').getByText('The end of its validity must be later than the beginning.').waitFor();
    assert.equal(await button(page, 'Narrow').isEnabled(), false);
    await window.page.keyboard.press('Escape');
    await until('the form to be given up', () => hasFocus(button(page, 'Narrow…')));
  });

  it('Contest contests two memories with each other, and Resolve keeps one of them', async () => {
    const one = await desk.stand({ title: 'Wool is washed first', statement: 'Wool is washed first of all.' });
    const two = await desk.stand({ title: 'Wool is carded first', statement: 'Wool is carded first of all things.' });
    const page = await opened('Standing', 'Wool is washed first');
    await enter(page, 'More');
    await enter(page, 'Contest…');
    await window.page.keyboard.type('The two say otherwise.');
    await write(page, 'The memory that says otherwise', 'carded');
    const found = page.getByRole('radio', { name: /Wool is carded first/ });
    await found.waitFor();
    await tabTo(window, found);
    await window.page.keyboard.press('Space');
    await foresees(page, '“Wool is carded first” says otherwise');
    await picture('contest');
    await enter(page, 'Mark as Contested');
    await says('Marked as contested: Wool is washed first');
    assert.deepEqual([await state(one), await state(two)], ['contested', 'contested']);

    await enter(page, 'Resolve…');
    const sheet = await showing(window, 'Contested with each other');
    await enter(sheet, 'Resolve…');
    const outcome = sheet.getByRole('radio', { name: 'Keep “Wool is washed first”: the rest was never right' });
    await tabTo(window, sheet.getByRole('radio', { checked: true }));
    while (!(await outcome.isChecked())) await window.page.keyboard.press('ArrowDown');
    await write(sheet, 'Why?', 'It was tried.');
    await picture('resolve');
    await enter(sheet, 'Resolve');
    await says('Resolved: Wool is washed first');
    assert.deepEqual([await state(one), await state(two)], ['active', 'rejected']);
  });

  it('a third text takes the place of what is contested', async () => {
    const one = await desk.stand({ title: 'Dye is blue' });
    const two = await desk.stand({ title: 'Dye is green' });
    await desk.act({ act: 'contest', ...(await desk.seen(one)), with: await desk.seen(two), reason: 'They differ.' });
    const page = await openFromTree(window, 'Contested', 'Dye is blue');
    await enter(page, 'Resolve…');
    const sheet = await showing(window, 'Contested with each other');
    await enter(sheet, 'Write Another Text…');
    const form = await formToWrite();
    await until('the title to have the focus', () => hasFocus(form.getByLabel('Title')));
    await window.page.keyboard.type('Dye is what the buyer wants');
    await write(form, 'What holds', 'Dye is the colour that the buyer wants.');
    await write(form, 'Why does it end this way?', 'Both were orders.');
    await enter(form, 'Resolve');
    await says('Resolved: Dye is what the buyer wants');
    assert.deepEqual([await state(one), await state(two)], ['superseded', 'superseded']);
  });

  it('Allow Again lifts a rejection with a reason, and the memory stays rejected', async () => {
    const id = await desk.propose({ title: 'Guests sing' });
    await desk.decide('reject', id, 'They sing badly.');
    const page = await openedById(id, 'Guests sing');
    await enter(page, 'Allow Again…');
    await window.page.keyboard.type('They have practised.');
    await picture('allow-again');
    await enter(page, 'Allow Again');
    await says('Allowed again: Guests sing');
    assert.equal(await state(id), 'rejected');
    assert.equal(
      await state(await desk.propose({ title: 'Guests sing', statement: (await desk.memory(id)).memory?.content.statement ?? '' })),
      'pending',
    );
  });

  it('a challenge is shown with who, why and what on, and is declined with a reason or accepted', async () => {
    const id = await desk.stand({ title: 'Keys hang by the door' });
    const agent = agentOf(await desk.engine(), 'doubting-client');
    const doubt = (path: string, startLine: number) =>
      agent.contest({ id, reason: `They hang elsewhere, says ${path}.`, evidence: [{ kind: 'file', path, startLine }] });
    await doubt('src/billing/invoice.ts', 3);
    const page = await opened('Standing', 'Keys hang by the door');
    const challenge = page.getByRole('region', { name: 'Challenge' });
    await challenge.getByText('They hang elsewhere, says src/billing/invoice.ts.').waitFor();
    await challenge.getByText('doubting-client').waitFor();
    await challenge.getByText('src/billing/invoice.ts, line 3').waitFor();
    await picture('challenge');
    await enter(page, 'Decline…');
    await window.page.keyboard.type('I have looked: they do.');
    await enter(page, 'Decline');
    await says('Challenge declined: Keys hang by the door');
    assert.equal(await challenge.count(), 0);
    assert.equal(await state(id), 'active');

    await agent.requestRetire({ id, reason: 'There is no door any more.' });
    await page.getByText('There is no door any more.').waitFor();
    await enter(page, 'Accept…');
    await enter(page, 'Accept');
    await says('Challenge accepted: Keys hang by the door');
    assert.equal(await state(id), 'retired');
  });

  it('drifted evidence is marked, and Still Right is remembered with its reason', async () => {
    const id = await desk.stand({
      title: 'Letters have twenty lines',
      evidence: [{ kind: 'file', path: 'src/mail/letter.ts', startLine: 2, endLine: 4 }],
    });
    writeFileSync(join(desk.folder, 'src/mail/letter.ts'), 'nothing is left\n');
    const page = await opened('Standing', 'Letters have twenty lines');
    await page.locator('.label.drifted').getByText('changed since').waitFor();
    await picture('still-right');
    await enter(page, 'Still Right…');
    await window.page.keyboard.type('The lines moved to a template.');
    await enter(page, 'Still Right');
    await says('Still right: Letters have twenty lines');
    assert.equal(await button(page, 'Still Right…').count(), 0);
    assert.equal((await (await desk.person()).nearby(id))?.drift, undefined);
  });

  it('a claim’s slot is said to hold one value, and the next value contests it', async () => {
    const claim = (object: string) => ({ title: `The bell rings at ${object}`, claim: { subject: 'bell', predicate: 'rings at', object } });
    await desk.stand(claim('six'));
    const page = await opened('Standing', 'The bell rings at six');
    await page.getByText('Nobody has said yet').waitFor();
    await tabTo(window, button(page, 'One value'));
    await window.page.keyboard.press('Enter');
    await says('“bell rings at” holds one value');
    await picture('slot');
    await desk.propose(claim('seven'));
    const next = await opened('Pending', 'The bell rings at seven');
    await foresees(next, '“The bell rings at six” says otherwise');
  });

  it('a resemblance to what was rejected is shown before the buttons, with the reason', async () => {
    const rejected = await desk.propose({ title: 'Geese guard the gate', statement: 'Geese guard the northern gate at night.' });
    await desk.decide('reject', rejected, 'They flew away.');
    await desk.propose({ title: 'Geese guard it', statement: 'Geese guard the southern gate at night.' });
    const page = await opened('Pending', 'Geese guard it');
    const warning = page.locator('.notice.warning');
    assert.match(await warning.innerText(), /It resembles what was rejected: Geese guard the gate.*Reason: They flew away\./s);
    await picture('resembles');
  });

  it('Forget says what goes and what stays, takes two presses, and takes with it what is ticked', async () => {
    const id = await desk.stand({ title: 'The abbot snores', statement: 'The abbot snores through the sermon.' });
    const copy = await desk.propose({ title: 'Another', statement: 'It is known: the abbot snores through the sermon.' });
    const page = await opened('Standing', 'The abbot snores');
    await enter(page, 'More');
    await enter(page, 'Forget…');
    const sheet = await showing(window, 'Forget a memory');
    const tick = sheet.getByRole('checkbox', { name: /Another/ });
    await tabTo(window, tick);
    await window.page.keyboard.press('Space');
    await enter(sheet, 'Forget…');
    await sheet.getByRole('heading', { name: 'Forget it for good?' }).waitFor();
    assert.equal(await state(id), 'active');
    await picture('forget');
    await enter(sheet, 'Forget for Good');
    const gone = await showing(window, 'A forgotten memory');
    await says('Forgotten: 2 memories.');
    assert.deepEqual([await state(id), await state(copy)], ['forgotten', 'forgotten']);
    assert.equal(await gone.getByText('snores').count(), 0);
    await picture('forgotten');
    await enter(gone, 'Allow Again…');
    await window.page.keyboard.type('He has stopped.');
    await enter(gone, 'Allow Again');
    await says('Allowed again');
  });

  it('takes no press from a script, and no command decides whatever it is called with', async () => {
    const id = await desk.stand({ title: 'Doors creak' });
    const page = await opened('Standing', 'Doors creak');
    await press(page, 'Retire…');
    await page.getByLabel('Why does it no longer hold?').fill('A script says so.');
    const confirm = button(page, 'Retire');
    await until('it to take presses', () => confirm.isEnabled());
    await confirm.evaluate((node: { click(): void; dispatchEvent(event: unknown): void }) => {
      node.click();
      const { KeyboardEvent } = globalThis as unknown as { KeyboardEvent: new (type: string, init: object) => unknown };
      for (const type of ['keydown', 'keyup']) node.dispatchEvent(new KeyboardEvent(type, { key: 'Enter', bubbles: true }));
    });
    const { seen } = await desk.memory(id);
    const hands = home.hands(desk.folder);
    for (const command of ['retire', 'reject', 'forget', 'supersede', 'contest', 'restore', 'allowAgain', 'resolveContested', 'approve'])
      await hands.execute(`stet.${command}`, { id, seen, act: command, reason: 'A command says so.', confirmed: true });
    assert.equal(await state(id), 'active');

    const now = await openFromTree(window, 'Standing', 'Doors creak');
    await now.getByLabel('Why does it no longer hold?').fill('They were oiled.');
    await press(now, 'Retire');
    await says('Retired: Doors creak');
    assert.equal(await state(id), 'retired');
  });

  it('several proposals are approved together only as far as they were on the screen', async () => {
    const long = Array.from({ length: 60 }, (_, line) => `Rule ${String(line)} of the house is to be kept.`).join('\n');
    const ids = [];
    for (const title of ['House rules, part C', 'House rules, part B', 'House rules, part A'])
      ids.push(await desk.propose({ title, statement: `${title}\n${long}` }));
    await openViews(window, 'Pending');
    await window.treeItems('Pending', 'House rules, part A').click();
    await window.treeItems('Pending', 'House rules, part C').click({ modifiers: ['Shift'] });
    await window.treeItems('Pending', 'House rules, part B').hover();
    await window.treeItems('Pending', 'House rules, part B').getByRole('button', { name: 'Approve' }).click();
    const page = await showing(window, '3 proposals');
    assert.equal(await button(page, 'Approve What You Have Read').isEnabled(), false);
    await page.getByRole('heading', { name: 'House rules, part B' }).scrollIntoViewIfNeeded();
    await page.getByText('Read to the end: 1 of 3.').waitFor();
    await picture('approve-read');
    await press(page, 'Approve What You Have Read');
    await says('Approved 1.');
    const states = await Promise.all(ids.map(state));
    assert.deepEqual(states.sort(), ['active', 'pending', 'pending']);
  });
});
