/** The editor's door: a real window on a world's folder, read and pressed as a person does. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandName } from '../../../src/editor/ids';
import { contributed } from '../../../src/editor/ids';
import { locate, storeFile } from '../../../src/engine';
import { until, type Workbench } from '../../editor/harness';
import { appears } from '../../editor/harness/appears';
import type { Hands } from '../../editor/pages/support/hands';
import { closeWindow, Home } from '../../editor/pages/support/home';
import { memoryPage, openViews, press, showing } from '../../editor/pages/support/page';
import { git } from '../../support/git';
import type { Eyes, Seen } from '../eyes';
import { commands, documentProviders, trees, webviews } from '../surfaces';
import { World } from '../world';
import type { Reading, Subject } from './agents';

/** How long a screen may take to show what has changed. */
const drawnWithinMs = 8_000;

/** What each command does when nothing is handed to it; kept complete by the compiler. */
const natures: Readonly<
  Record<CommandName, 'asks which memory' | 'opens a page' | 'opens a document' | 'is about the store' | 'needs a row'>
> = {
  saveMemory: 'opens a page',
  saveSelection: 'opens a page',
  searchMemory: 'asks which memory',
  reviewPending: 'opens a page',
  approve: 'needs a row',
  reject: 'needs a row',
  retire: 'asks which memory',
  openMemory: 'needs a row',
  showMore: 'needs a row',
  forget: 'asks which memory',
  allowAgain: 'asks which memory',
  restore: 'asks which memory',
  supersede: 'asks which memory',
  contest: 'asks which memory',
  resolveContested: 'asks which memory',
  goToDrifted: 'opens a page',
  forgetSession: 'asks which memory',
  forgetAllHere: 'opens a page',
  showHistory: 'opens a document',
  showAuditLog: 'opens a document',
  showOlderEntries: 'opens a document',
  verifyStore: 'is about the store',
  rebuildIndexes: 'is about the store',
  restoreFromBackup: 'is about the store',
  startAnew: 'is about the store',
  takeOverMoved: 'is about the store',
  pauseMemory: 'is about the store',
  resumeMemory: 'is about the store',
  connectAgents: 'is about the store',
  tryAgain: 'is about the store',
  showLog: 'is about the store',
};

const asking = (Object.entries(natures) as [CommandName, string][])
  .filter(([, nature]) => nature === 'asks which memory')
  .map(([name]) => contributed.commands[name]);

/** How the documents of each module that provides some are opened. */
const documentProbes: Readonly<Record<string, (eyes: WindowEyes, subjects: readonly Subject[]) => Promise<Reading[]>>> = {
  'src/editor/documents.ts': async (eyes, subjects) => [...(await eyes.histories(subjects)), await eyes.auditLog()],
  'src/agents/connect.ts': async (eyes) => [await eyes.configuration()],
};

const known = (id: string): boolean => (Object.values(contributed.commands) as string[]).includes(id);

/** Members of the editor's surfaces that nothing here knows how to ask. */
export const unprobed: Readonly<Record<Seen, readonly string[]>> = {
  // Any webview view and any tree is read whole, by its name.
  S: [],
  T: [],
  V: documentProviders.filter((file) => !(file in documentProbes)),
  C: commands.map(({ command }) => command).filter((id) => !known(id)),
};

/** A profile with an editor, and the folders that are worked on in it. */
export class Studio {
  readonly home = new Home();

  static async open(): Promise<Studio> {
    const studio = new Studio();
    studio.home.pinKey();
    await studio.home.open({});
    return studio;
  }

  /** A folder of the person's, with its store where the editor looks for it. */
  world(name: string): Promise<World> {
    const { home } = this;
    const root = join(home.path, 'work', name);
    mkdirSync(root, { recursive: true });
    git(root, 'init');
    return World.make({
      root,
      storeFile: storeFile(join(home.globalStorage, 'stores'), locate(root)),
      keysFile: home.keysFile,
      key: home.key,
      userStoreFile: join(home.globalStorage, 'user', 'memory.db'),
      server: join(home.extension(), 'dist/mcp.js'),
    });
  }

  async eyes(world: World): Promise<WindowEyes> {
    const window = await this.home.window({ folder: world.root });
    await openViews(window);
    return new WindowEyes(window, this, world);
  }

  /** Ends server, hosts and browser and starts them again. */
  async restart(): Promise<void> {
    await this.home.editor.restart();
  }

  close(): Promise<void> {
    return this.home.close();
  }
}

export class WindowEyes implements Eyes {
  constructor(
    public window: Workbench,
    private readonly studio: Studio,
    private readonly world: World,
  ) {}

  get hands(): Hands {
    return this.studio.home.hands(this.world.root);
  }

  async look(column: Seen, subjects: readonly Subject[], settled: (readings: readonly Reading[]) => boolean): Promise<Reading[]> {
    const end = Date.now() + drawnWithinMs;
    for (;;) {
      const all = await this.#read(column, subjects);
      if (settled(all) || Date.now() > end) return all;
    }
  }

  #read(column: Seen, subjects: readonly Subject[]): Promise<Reading[]> {
    switch (column) {
      case 'S':
        return this.#webviews(subjects);
      case 'T':
        return this.#trees();
      case 'V':
        return this.#documents(subjects);
      case 'C':
        return this.#boxes(subjects);
    }
  }

  async #webviews(subjects: readonly Subject[]): Promise<Reading[]> {
    await this.window.openContainer('Stet');
    const all: Reading[] = [];
    for (const { name } of webviews) {
      await this.window.expandView(name);
      for (const path of new Set(subjects.map((subject) => subject.path))) {
        await this.#inFront(path);
        all.push({ by: `${name} for ${path}`, text: await (await this.window.webview(name)).locator('body').innerText() });
      }
    }
    return all;
  }

  /** Shows a file, by its tab where it has one. */
  async #inFront(path: string): Promise<void> {
    const tab = this.window.page.getByRole('tab', { name: new RegExp(`^${path.split('/').at(-1) ?? path}`) }).first();
    if ((await tab.count()) > 0) await tab.click();
    else await this.window.openFile(path);
  }

  async #trees(): Promise<Reading[]> {
    await this.window.openContainer('Stet');
    const all: Reading[] = [];
    for (const { name } of trees) {
      await this.onlyView(name);
      const rows = await this.window
        .treeItems(name)
        .evaluateAll((nodes: { innerText: string; ariaLabel: string | null }[]) =>
          nodes.map((node) => `${node.ariaLabel ?? ''} ${node.innerText}`),
        );
      all.push({ by: name, text: rows.join('\n') });
    }
    return all;
  }

  /** Unfolds one view and folds the others, so that all of its rows are drawn. */
  async onlyView(name: string): Promise<void> {
    for (const view of [...trees, ...webviews]) {
      const header = this.window.pane(view.name).locator('.pane-header').first();
      await header.waitFor();
      if (((await header.getAttribute('aria-expanded')) === 'true') !== (view.name === name)) await header.click();
    }
  }

  async #documents(subjects: readonly Subject[]): Promise<Reading[]> {
    const all: Reading[] = [];
    for (const file of documentProviders) all.push(...((await documentProbes[file]?.(this, subjects)) ?? []));
    await this.window.page.keyboard.press('Escape');
    return all;
  }

  /** The history of each memory: found by the words that it shares with others, or as one that was forgotten. */
  async histories(subjects: readonly Subject[]): Promise<Reading[]> {
    const all: Reading[] = [];
    for (const { topic, token } of subjects) {
      const box = await this.#opened(contributed.commands.showHistory);
      let rows = await this.#rowsFor(topic);
      all.push({ by: 'the list of histories', text: rows.join('\n') });
      let index = rows.findIndex((row) => row.includes(token));
      for (const [words, sought] of [
        ['', token],
        ['forgotten on', 'Forgotten on'],
      ] as const)
        if (index < 0) {
          rows = await this.#rowsFor(words);
          index = rows.findIndex((row) => row.includes(sought));
        }
      if (index < 0) {
        await this.#closed(box);
        continue;
      }
      await this.#options().nth(index).click();
      await box.ended;
      all.push({ by: `history ${subjects.findIndex((one) => one.token === token) + 1}`, text: await this.#documentText(/^History of/) });
    }
    // What is shown of one memory says nothing of the other, so they are read as one.
    const text = all.filter(({ by }) => by.startsWith('history')).map((one) => one.text);
    return [...all.filter(({ by }) => !by.startsWith('history')), { by: 'history', text: text.join('\n') }];
  }

  async auditLog(): Promise<Reading> {
    await this.hands.execute(contributed.commands.showAuditLog);
    return { by: 'audit log', text: await this.#documentText(/^Audit log/) };
  }

  async configuration(): Promise<Reading> {
    const box = await this.#opened(contributed.commands.connectAgents);
    await this.#options().first().click();
    await box.ended;
    return { by: 'configuration', text: await this.#documentText(/^Configuration/) };
  }

  /** The whole text of the document in the front. */
  async #documentText(tab: RegExp): Promise<string> {
    const { page } = this.window;
    await page.getByRole('tab', { name: tab, selected: true }).first().waitFor();
    const lines = page.locator('.editor-group-container.active .monaco-editor .view-lines').first();
    await lines.locator('.view-line').first().waitFor();
    await lines.click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.evaluate('navigator.clipboard.writeText("")');
    await page.keyboard.press('ControlOrMeta+C');
    return until('the text to be copied', async () => (await page.evaluate<string>('navigator.clipboard.readText()')) || undefined);
  }

  /** Every box that offers memories to choose from, and the log. */
  async #boxes(subjects: readonly Subject[]): Promise<Reading[]> {
    const all: Reading[] = [];
    for (const command of asking) {
      const box = await this.#opened(command);
      const rows: string[] = [];
      for (const topic of new Set(subjects.map((subject) => subject.topic))) rows.push(...(await this.#rowsFor(topic)));
      all.push({ by: command, text: rows.join('\n') });
      await this.#closed(box);
    }
    const logs = await this.studio.home.editor.logs();
    return [...all, { by: 'logs', text: logs.map(({ text }) => text).join('\n') }];
  }

  /** Runs a command that asks something; it ends when the box is closed. */
  async #opened(command: string): Promise<{ readonly ended: Promise<void> }> {
    const ended = this.hands.execute(command).catch(() => undefined); // what it could not do, it has said in the window
    await appears(this.window.quickInput(), 3_000);
    return { ended };
  }

  async #closed({ ended }: { readonly ended: Promise<void> }): Promise<void> {
    await this.window.page.keyboard.press('Escape');
    await ended;
  }

  #options() {
    return this.window.page.locator('.quick-input-widget:visible .quick-input-list').getByRole('option');
  }

  /** What the open box offers for some words, once it offers the same twice. */
  async #rowsFor(words: string): Promise<string[]> {
    if (!(await this.window.quickInput().isVisible())) return [];
    await this.window.quickInput().fill(words);
    let earlier: string | undefined;
    return until('the box to be filled', async () => {
      await this.window.page.waitForTimeout(200);
      const rows = await this.#options().allInnerTexts();
      if (rows.join('\n') === earlier && rows.length > 0) return rows;
      earlier = rows.join('\n');
      return undefined;
    }).catch(() => []);
  }

  async approve({ token, id }: Subject): Promise<void> {
    await this.onlyView('Pending');
    await this.window.treeItems('Pending', token).click();
    await until('the page to show it', async () =>
      appears((await memoryPage(this.window)).getByRole('heading', { level: 1 }).filter({ hasText: token }), 1_000),
    );
    await this.#pressed(id, 'Approve', 'active');
  }

  async forget({ token, id }: Subject): Promise<void> {
    await this.onlyView('Standing');
    await this.window.contextAction(this.window.treeItems('Standing', token), 'Forget…');
    await showing(this.window, 'Forget a memory');
    await press(await memoryPage(this.window), 'Forget…');
    await this.#pressed(id, 'Forget for Good', 'forgotten');
  }

  /** Presses a button of the memory page, and makes the profile's key where it is asked for. */
  async #pressed(id: string, name: string, state: string): Promise<void> {
    await press(await memoryPage(this.window), name);
    const { home } = this.studio;
    await until(`the memory to be ${state}`, async () => {
      const dialog = this.window.dialog().getByRole('button', { name: 'Make a New Key', exact: true });
      if ((await dialog.count()) > 0) await dialog.click();
      return (await this.world.memory(id)).state === state;
    });
    home.keepTestKey(); // else the first press of the profile's own ends what the other may decide
  }

  async saveRefused(title: string, statement: string): Promise<boolean> {
    await this.window.runCommand('Stet: Save Memory');
    // The frame of a form that was just closed may still be there.
    const form = await until('the form to be drawn', async () => {
      const page = await this.window.webview('Save Memory');
      return (await appears(page.getByLabel('Title'), 1_000)) && page;
    });
    await form.getByLabel('Title').fill(title);
    await form.getByLabel('What holds').fill(statement);
    await press(form, 'Save');
    const refused = form.getByText(/not to be remembered/i).first();
    const saved = async () =>
      (await this.world.person.list({ states: ['active', 'contested'], limit: 1_000, offset: 0 })).some((one) => one.title === title);
    const outcome = await until('the form to be taken or refused', async () =>
      (await saved()) ? 'saved' : (await refused.count()) > 0 && 'refused',
    );
    await this.hands.execute('workbench.action.closeAllEditors').catch(() => undefined);
    return outcome === 'refused';
  }

  close(): Promise<void> {
    return closeWindow(this.window);
  }

  async restart(): Promise<void> {
    await this.studio.restart();
    this.window = await this.studio.home.window({ folder: this.world.root });
    await openViews(this.window);
  }
}
