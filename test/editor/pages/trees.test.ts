/** The four trees over a store in which every state is: what each shows, under which heading, and in which words. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from '../../../scripts/project';
import { agentOf, aProposal, lines } from '../../support/store';
import { until, type Workbench } from '../harness';
import type { Desk } from './support/desk';
import { closeWindow, type Home } from './support/home';
import { office } from './support/office';
import { badgeSays, openViews } from './support/page';

const views = ['Pending', 'Standing', 'Contested', 'Retired'] as const;

describe('the trees', () => {
  let home: Home;
  let desk: Desk;
  let window: Workbench;
  let forgotten: string;
  let held: string;
  before(async function () {
    this.timeout(120_000);
    home = await office();
    desk = home.desk('registry', { 'src/rates.ts': lines(30), 'src/mail/letter.ts': lines(5) });
    await desk.stand({ title: 'Rates are quoted daily', evidence: [{ kind: 'file', path: 'src/rates.ts', startLine: 3, endLine: 5 }] });
    await desk.stand({ title: 'Fees rise next century', validFrom: '2999-01-01' });
    await desk.stand({ title: 'Fees of last century', validTo: '2001-01-01' });
    const dawn = await desk.stand({ title: 'Gates open at dawn', claim: { subject: 'the gate', predicate: 'opens at', object: 'dawn' } });
    const noon = await desk.stand({ title: 'Gates open at noon', claim: { subject: 'the gate', predicate: 'opens at', object: 'noon' } });
    await desk.act({ act: 'contest', ...(await desk.seen(dawn)), with: await desk.seen(noon), reason: 'both cannot be' });
    const lone = await desk.stand({ title: 'Bells ring twice' });
    await desk.decide('contest', lone, 'nobody has heard the second');
    const doubted = await desk.stand({ title: 'Clerks work on Sundays' });
    await agentOf(await desk.engine(), 'doubting-agent').contest({
      id: doubted,
      reason: 'The calendar says otherwise.',
      evidence: [{ kind: 'quote', speaker: 'the calendar', text: 'closed on Sundays' }],
    });
    const old = await desk.stand({ title: 'Seals are of lead' });
    const young = await desk.stand({ title: 'Seals are of wax' });
    await desk.act({ act: 'supersede', ...(await desk.seen(old)), by: await desk.seen(young) });
    await desk.decide('retire', await desk.stand({ title: 'Scrolls are kept in the cellar' }));
    await desk.decide('reject', await desk.propose({ title: 'Ink is free' }));
    await desk.decide('lapse', await desk.propose({ title: 'Quills might be dyed' }));
    forgotten = await desk.stand({ title: 'Nightingale passwords', statement: 'The nightingale sings at the back door.' });
    await desk.act({ act: 'forget', memories: [await desk.seen(forgotten)], questions: [] });
    const proposal = await desk.propose({ title: 'Ledgers are thick' });
    await desk.act({
      act: 'amend',
      ...(await desk.seen(proposal)),
      draft: { ...aProposal({ title: 'Ledgers are bound' }), evidence: [] },
      surface: 'test',
    });
    await desk.propose({ title: 'Visitors sign the book' });
    const everywhere = await desk.everywhere();
    ({ id: held } = await everywhere.save({ ...aProposal({ title: 'Tabs are never used' }), evidence: [] }, 'test', home.key));
    writeFileSync(join(desk.folder, 'src/rates.ts'), lines(30).replace('line 4', 'line four, rewritten'));
    window = await home.window({ folder: desk.folder });
    await openViews(window, 'Pending', 'Standing', 'Retired');
    await window.expandView('Contested');
    await window.page.locator('.pane-header', { hasText: 'For This File' }).first().click(); // room for the trees
  });
  after(async () => {
    await closeWindow(window);
    // What holds everywhere is seen from the folders of the other files too.
    const everywhere = await desk.everywhere();
    const { seen: saw } = (await everywhere.one(held)) ?? {};
    if (saw !== undefined) await everywhere.decide({ act: 'retire', id: held, seen: saw, reason: 'the test is over' }, home.key);
  });

  const labels = async (view: (typeof views)[number], wanted: readonly string[]) => {
    let now: string[] = [];
    await until(
      () => `${view} to show ${wanted.join(' | ')}; it shows ${now.join(' | ')}`,
      async () => {
        now = await window.treeLabels(view);
        return wanted.every((label) => now.includes(label));
      },
    );
    return now;
  };

  const onlyTree = async (view: (typeof views)[number]) => {
    for (const other of views) {
      const header = window.pane(other).locator('.pane-header').first();
      if (((await header.getAttribute('aria-expanded')) === 'true') !== (other === view)) await header.click();
    }
  };

  const picture = async (name: string) => {
    mkdirSync(inProject('out/pages'), { recursive: true });
    await window.screenshot(inProject(`out/pages/${name}.png`));
  };

  it('Pending: what waits, under its session, and not what was set aside', async () => {
    await onlyTree('Pending');
    const shown = await labels('Pending', ['earlier-agent 1.0.0', 'Visitors sign the book']);
    assert.ok(!shown.includes('Quills might be dyed'));
    await badgeSays(window, 1);
    await picture('tree-pending');
  });

  it('Standing: by kind, contested ones marked, dates outside of today said, and what holds everywhere beside the folder', async () => {
    await onlyTree('Standing');
    const shown = await labels('Standing', ['registry', 'Everywhere', 'Tabs are never used', 'Rates are quoted daily', 'Seals are of wax']);
    assert.ok(shown.indexOf('Tabs are never used') > shown.indexOf('Everywhere'));
    for (const gone of ['Seals are of lead', 'Ink is free', 'Visitors sign the book']) assert.ok(!shown.includes(gone), gone);
    const says = async (title: string, pattern: RegExp) => {
      assert.match(await window.treeItems('Standing', title).first().innerText(), pattern);
    };
    await says('Gates open at dawn', /contested/);
    await says('Fees rise next century', /not before .*2999/);
    await says('Fees of last century', /no longer, since .*2001/);
    await picture('tree-standing');
  });

  it('Contested: contradictions as groups, single doubts, challenges by their number and not their text, and drifted evidence', async () => {
    await onlyTree('Contested');
    const shown = await labels('Contested', [
      'Contradict each other',
      'the gate opens at',
      'Gates open at dawn',
      'Gates open at noon',
      'Disputed',
      'Bells ring twice',
      'Challenged by agents',
      'Clerks work on Sundays',
      'Evidence has changed',
      'Rates are quoted daily',
    ]);
    assert.ok(!shown.includes('Seals are of wax'));
    assert.match(await window.treeItems('Contested', 'Clerks work on Sundays').first().innerText(), /1 challenge/);
    assert.ok(!(await window.tree('Contested').innerText()).includes('calendar'));
    await picture('tree-contested');
  });

  it('Retired: each way out under its own heading, and what was forgotten by its day and without a word', async () => {
    await onlyTree('Retired');
    const shown = await labels('Retired', [
      'Retired',
      'Scrolls are kept in the cellar',
      'Replaced',
      'Seals are of lead',
      'Rejected',
      'Ink is free',
      'Approved in other words',
      'Ledgers are thick',
      'Set aside',
      'Quills might be dyed',
      'Forgotten',
    ]);
    assert.equal(shown.filter((label) => label.startsWith('Forgotten on ')).length, 1);
    assert.ok(!(await window.page.locator('body').innerText()).includes('ightingale'));
    assert.ok(!shown.includes('Seals are of wax'));
    await picture('tree-retired');
  });

  it('offers in a row’s menu the acts that are possible on it, and no others', async () => {
    const menu = async (view: 'Retired' | 'Standing', title: string) => {
      await onlyTree(view);
      await window.treeItems(view, title).first().click({ button: 'right' });
      await window.page.getByRole('menuitem', { name: 'Show History' }).waitFor();
      const names = await window.page.locator('.monaco-menu .action-label').allInnerTexts();
      await window.page.keyboard.press('Escape');
      return names.map((name) => name.trim()).filter((name) => name !== '');
    };
    assert.deepEqual(await menu('Standing', 'Seals are of wax'), [
      'Open',
      'Show History',
      'Retire',
      'Supersede…',
      'Mark as Contested With…',
      'Reject',
      'Forget…',
    ]);
    assert.deepEqual(await menu('Retired', 'Seals are of lead'), ['Open', 'Show History', 'Restore…', 'Reject', 'Forget…']);
    assert.deepEqual(await menu('Retired', 'Forgotten on '), ['Open', 'Show History', 'Allow Again…']);
  });

  it('shows in the status bar what waits, stands and is doubted', async () => {
    const label = await window.statusBar('1 pending').locator('a').first().getAttribute('aria-label');
    assert.match(label ?? '', /1 memory waits for review\. 10 stand\. 3 of them are contested\. 1 challenge by an agent waits\./);
  });
});
