/** The commands that begin an act: each offers what it could be done to, opens the page that decides, and changes nothing itself. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { inProject } from '../../../scripts/project';
import { openEngine } from '../../../src/engine';
import { agentOf, aProposal, lines } from '../../support/store';
import { until, type Workbench } from '../harness';
import type { Desk } from './support/desk';
import { closeWindow, type Home } from './support/home';
import { office } from './support/office';
import { offered, openViews, showing } from './support/page';

const picture = async (window: Workbench, name: string) => {
  mkdirSync(inProject('out/pages'), { recursive: true });
  await window.screenshot(inProject(`out/pages/${name}.png`));
};

describe('a command that begins an act', () => {
  let home: Home;
  let desk: Desk;
  let window: Workbench;
  let old: string;
  let states: Record<string, string>;
  before(async function () {
    this.timeout(120_000);
    home = await office();
    desk = home.desk('council', { 'src/rates.ts': lines(30) });
    const dawn = await desk.stand({ title: 'Sessions start at dawn' });
    const noon = await desk.stand({ title: 'Sessions start at noon' });
    await desk.act({ act: 'contest', ...(await desk.seen(dawn)), with: await desk.seen(noon), reason: 'both cannot be' });
    await desk.stand({ title: 'Votes are counted', evidence: [{ kind: 'file', path: 'src/rates.ts', startLine: 3, endLine: 5 }] });
    writeFileSync(join(desk.folder, 'src/rates.ts'), lines(30).replace('line 4', 'line four'));
    await desk.decide('retire', await desk.stand({ title: 'Wigs are worn' }));
    await desk.decide('reject', await desk.propose({ title: 'Votes are sold' }));
    await desk.propose({ title: 'Chairs are numbered' });
    await desk.propose({ title: 'Doors are numbered' });
    await agentOf(await desk.engine(), 'other-agent').propose(aProposal({ title: 'Windows are numbered' }));
    old = await proposedLongAgo(desk);
    window = await home.window({ folder: desk.folder });
    await openViews(window, 'Pending', 'Standing');
    await window.treeItems('Pending', 'Chairs are numbered').waitFor();
    await until('what waited too long to lapse', async () => (await desk.memory(old)).state === 'expired');
    states = await desk.states();
  });
  after(() => closeWindow(window));
  afterEach(async () => {
    await window.page.keyboard.press('Escape');
    assert.deepEqual(await desk.states(), states);
  });

  const offers = (labels: readonly string[]) => {
    let now: string[] = [];
    return until(
      () => `the box to offer ${labels.join(', ')}; it offers ${now.join(', ')}`,
      async () => isDeepStrictEqual((now = (await offered(window)).sort()), [...labels].sort()),
    );
  };
  /** Types until the entry is the only one, and presses Enter. */
  const choose = async (words: string, label: string) => {
    await window.quickInput().fill(words);
    await offers([label]);
    await window.page.keyboard.press('Enter');
  };
  const heading = (name: string) =>
    until(`a page with the heading ${name}`, async () => {
      const page = await window.webview('Memory');
      return (await page.getByRole('heading', { level: 1, name, exact: true }).count()) === 1;
    });

  const standing = ['Sessions start at dawn', 'Sessions start at noon', 'Votes are counted'];
  const commands: readonly (readonly [title: string, offers: readonly string[], picks: string])[] = [
    ['Stet: Allow Again…', ['Votes are sold'], 'Votes are sold'],
    ['Stet: Restore…', ['Wigs are worn'], 'Wigs are worn'],
    ['Stet: Supersede…', standing, 'Votes are counted'],
    ['Stet: Mark as Contested With…', standing, 'Votes are counted'],
    ['Stet: Go to What Drifted', ['Votes are counted'], 'Votes are counted'],
  ];
  for (const [title, labels, picks] of commands)
    it(`${title}: offers what it could be done to, and opens its page`, async () => {
      await window.runCommand(title);
      await offers(labels);
      await choose(picks, picks);
      await showing(window, picks);
      await picture(window, `asks-${title.replace(/[^a-z]+/gi, '-').toLowerCase()}`);
    });

  it('Stet: Forget…: finds by words in every state but forgotten', async () => {
    await window.runCommand('Stet: Forget…');
    await window.quickInput().fill('votes');
    await offers(['Votes are counted', 'Votes are sold']);
    await choose('sold', 'Votes are sold');
    await heading('Forget a memory');
    await picture(window, 'asks-forget');
  });

  it('Stet: Resolve Contested…: opens both sides of the contest', async () => {
    await window.runCommand('Stet: Resolve Contested…');
    await offers(['Sessions start at dawn', 'Sessions start at noon']);
    await choose('dawn', 'Sessions start at dawn');
    await heading('Contested with each other');
    await picture(window, 'asks-resolve');
  });

  it('Stet: Forget a Session’s Memories…: lists all that came in it, in whatever state', async () => {
    await window.runCommand('Stet: Forget a Session’s Memories…');
    await offers(['earlier-agent 1.0.0', 'other-agent 1.0.0', 'patient-agent 1.0.0']);
    await choose('earlier', 'earlier-agent 1.0.0');
    await heading('Forget 7 memories');
    await picture(window, 'asks-forget-session');
  });

  it('Stet: Forget All Here…: lists everything that is remembered', async () => {
    await window.runCommand('Stet: Forget All Here…');
    await heading('Forget 9 memories');
  });

  it('Forget… and Approve on a selection of rows: list just these', async () => {
    const select = async (view: 'Pending' | 'Standing', titles: readonly string[]) => {
      for (const [index, title] of titles.entries())
        await window.treeItems(view, title).click({ modifiers: index === 0 ? [] : ['ControlOrMeta'] });
      const last = titles.at(-1) ?? '';
      return window.treeItems(view, last);
    };
    await window.contextAction(await select('Pending', ['Chairs are numbered', 'Doors are numbered']), 'Approve');
    await heading('2 proposals');
    await picture(window, 'asks-approve-several');
    await window.contextAction(await select('Standing', ['Votes are counted', 'Sessions start at noon']), 'Forget…');
    await heading('Forget 2 memories');
    await picture(window, 'asks-forget-several');
  });
});

/** A proposal that came more than the review window ago. */
async function proposedLongAgo(desk: Desk): Promise<string> {
  const engine = await openEngine({
    storeFile: desk.storeFile,
    root: desk.folder,
    keysFile: desk.keysFile,
    clock: { now: () => new Date(Date.now() - 31 * 24 * 60 * 60 * 1000) },
  });
  try {
    return (await agentOf(engine, 'patient-agent').propose(aProposal({ title: 'Candles are counted' }))).id;
  } finally {
    await engine.close();
  }
}
