/**
 * The tour: Stet's main job in a real editor, done as a person and an agent do it. What each step claims is read from the page, and
 * what agents find from a separately started server; nothing is asked of the engine. Each step leaves a picture.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { makePackage } from '../../scripts/package';
import { inProject } from '../../scripts/project';
import { propose, recordProposals, sampleProposals, targetIn, type Sent, type Target } from '../../scripts/proposals';
import { openEditor, quietSettings, until, type Editor } from '../editor/harness';
import { connect, type Connection } from '../mcp/support/client';

export interface TourOptions {
  /** A folder of decision records to propose; without one, the sample. */
  readonly records: string | undefined;
  readonly limit: number;
}

/** Runs the tour. @returns whether each step was seen to hold; what did not is printed and pictured. */
export async function tour(options: TourOptions): Promise<boolean> {
  const vsix = await makePackage();
  const pictures = inProject('out/tour');
  await rm(pictures, { recursive: true, force: true });
  await mkdir(pictures, { recursive: true });
  const home = await mkdtemp(join(tmpdir(), 'stet-tour-'));
  const folder = join(home, 'work');
  await mkdir(folder);
  let editor: Editor | undefined;
  try {
    const all = options.records === undefined ? await sampleProposals() : await recordProposals(options.records, folder, options.limit);
    if (options.records === undefined) await cp(inProject('sample/service'), folder, { recursive: true });
    const target = targetIn(join(home, 'u'), folder);
    const walk = new Walk(all, target, pictures);
    await walk.step('An agent proposes', () => walk.proposes());
    await walk.step('No agent finds a proposal', () => walk.agentsFind([]));
    editor = await openEditor({ folder, vsix: [vsix], home });
    walk.editor = editor;
    await walk.step('The proposals wait', () => walk.waits());
    await walk.step('A person reads the exact text', () => walk.reads());
    await walk.step('A person decides', () => walk.decides());
    await walk.step('The views show what became of them', () => walk.shows());
    await walk.step('Agents find exactly what stands', () => walk.agentsFind(walk.approved));
    await walk.step('The open file shows what applies to it', () => walk.showsForFile());
    await walk.step('A person retires one', () => walk.retires());
    await walk.step('Agents no longer find it', () => walk.agentsFind(walk.approved));
    await walk.step('The same in a light theme', () => walk.showsLight());
    console.log(`${walk.steps} steps held. The pictures are in ${pictures}.`);
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    await editor?.screenshot(join(pictures, 'failed.png')).catch(() => undefined); // the picture is a help, the error is the news
    return false;
  } finally {
    await editor?.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

interface Proposed {
  readonly id: string;
  readonly sent: Sent;
}

class Walk {
  editor: Editor | undefined;
  steps = 0;
  approved: Proposed[] = [];
  #all: Proposed[] = [];
  #rejected = 0;
  #shownForFile: Proposed | undefined;

  constructor(
    private readonly toSend: readonly Sent[],
    private readonly target: Target,
    private readonly pictures: string,
  ) {}

  async step(claim: string, work: () => Promise<string>): Promise<void> {
    const said = await work().catch((error: unknown) => {
      throw new Error(`✘ ${claim}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    });
    this.steps += 1;
    console.log(`✔ ${claim}: ${said}`);
    await this.#picture(claim);
  }

  async proposes(): Promise<string> {
    const receipts = await propose(this.toSend, this.target);
    const seen = new Set<string>();
    // The same text twice is one memory: the second proposal supports the first.
    this.#all = receipts.flatMap(({ id, state, duplicate }, index) => {
      const sent = this.toSend[index];
      if (state !== 'pending') throw new Error(`a proposal came back as ${state}`);
      if (sent === undefined || duplicate || seen.has(id)) return [];
      seen.add(id);
      return [{ id, sent }];
    });
    return `${this.#all.length} over MCP, all pending`;
  }

  /** Every proposal is asked for by its title, by its file and by its id: exactly the expected ones may come. */
  async agentsFind(expected: readonly Proposed[]): Promise<string> {
    const wanted = new Set(expected.map(({ id }) => id));
    const agent = await connect({ ...this.target, client: 'tour-reader' });
    try {
      const strangers = new Set<string>();
      const missing: string[] = [];
      for (const { id, sent } of this.#all) {
        const bySearch = await idsOf(agent, 'memory_search', { query: sent.proposal.title, k: 20, maxTokens: 4_000 });
        const path = anchoredFile(sent);
        const byFile = path === undefined ? [] : await idsOf(agent, 'memory_for_file', { path, k: 20 });
        const byId = (await agent.call('memory_get', { id })).error?.code;
        for (const found of [...bySearch, ...byFile]) if (!wanted.has(found)) strangers.add(found);
        if (byId !== (wanted.has(id) ? undefined : 'not_found')) strangers.add(id);
        if (wanted.has(id) && !bySearch.includes(id)) missing.push(sent.proposal.title);
        if (wanted.has(id) && path !== undefined && !byFile.includes(id)) missing.push(`${sent.proposal.title} (by file)`);
      }
      if (strangers.size > 0) throw new Error(`${strangers.size} were served that do not stand`);
      if (missing.length > 0) throw new Error(`not found: ${missing.join('; ')}`);
      return `${wanted.size} of ${this.#all.length} by search, file and id`;
    } finally {
      await agent.close();
    }
  }

  async waits(): Promise<string> {
    const editor = this.#open();
    await editor.openContainer('Stet');
    await editor.expandView('Pending');
    await this.#badgeSays(this.#all.length);
    await editor.treeItems('Pending').nth(1).waitFor();
    await editor.statusBar(`${this.#all.length} pending`).waitFor();
    return `badge and status bar say ${this.#all.length}`;
  }

  async reads(): Promise<string> {
    const editor = this.#open();
    await editor.runCommand('Stet: Review Pending');
    const page = await this.#page();
    const { id, text } = await this.#shown(page);
    const sent = this.#all.find((one) => one.id === id)?.sent;
    if (sent === undefined) throw new Error(`the page shows ${id}, which nobody proposed`);
    const statement = String(sent.proposal['statement']);
    if (squeezed(text) !== squeezed(statement)) throw new Error('the page shows another text than was proposed');
    return `the page shows the ${statement.length} characters of "${sent.proposal.title}"`;
  }

  /** Walks the whole queue on the page: six of ten are approved, one is rejected, three are left. */
  async decides(): Promise<string> {
    const page = await this.#page();
    const count = this.#all.length;
    const rejecting = Math.round(count * 0.1);
    const approving = Math.round(count * 0.6);
    for (let index = 0; index < count; index += 1) {
      const { id } = await this.#shown(page);
      if (index < approving) {
        await page.getByRole('button', { name: 'Approve', exact: true }).click();
        this.approved.push(...this.#all.filter((one) => one.id === id));
      } else if (index < approving + rejecting) {
        await page.getByRole('button', { name: 'Reject…' }).click();
        await page.getByRole('textbox').fill('It was never decided.');
        await page.getByRole('button', { name: 'Reject', exact: true }).click();
        this.#rejected += 1;
      } else await page.getByRole('button', { name: 'Skip' }).click();
      await until(`the page to leave ${id}`, async () => (await this.#idOn(page)) !== id);
    }
    const left = count - this.approved.length - this.#rejected;
    await this.#badgeSays(left);
    return `${this.approved.length} approved, ${this.#rejected} rejected, ${left} left`;
  }

  async shows(): Promise<string> {
    const editor = this.#open();
    await editor.expandView('Standing');
    await editor.expandView('Retired');
    await editor.treeItems('Standing').nth(1).waitFor();
    const left = this.#all.length - this.approved.length - this.#rejected;
    await this.#badgeSays(left);
    const rejected = editor.treeItems('Retired', 'Rejected').first();
    await rejected.waitFor();
    const label = (await rejected.getAttribute('aria-label')) ?? '';
    if (!label.includes(String(this.#rejected))) throw new Error(`the Retired view says "${label}"`);
    return `${left} pending, ${this.#rejected} rejected in the views`;
  }

  async showsForFile(): Promise<string> {
    const editor = this.#open();
    const one = this.approved.find(({ sent }) => anchoredFile(sent) !== undefined);
    const path = one && anchoredFile(one.sent);
    if (one === undefined || path === undefined) throw new Error('nothing that stands is anchored to a file');
    await editor.openFile(path);
    await editor.expandView('For This File');
    const view = await editor.webview('For This File');
    await view.getByText(one.sent.proposal.title, { exact: false }).first().waitFor();
    this.#shownForFile = one;
    return `${path} shows "${one.sent.proposal.title}"`;
  }

  async retires(): Promise<string> {
    const editor = this.#open();
    const one = this.#shownForFile;
    if (one === undefined) throw new Error('no memory is shown for a file');
    const view = await editor.webview('For This File');
    await view
      .locator('article, li')
      .filter({ hasText: one.sent.proposal.title })
      .getByRole('button', { name: /^Retire/ })
      .first()
      .click();
    const page = await this.#page();
    await until('the page to show what is to be retired', async () => (await this.#idOn(page)) === one.id);
    await page.getByRole('textbox', { name: /^Why/ }).fill('It no longer holds.');
    await page.getByRole('button', { name: 'Retire', exact: true }).click();
    await page.getByText('Retired', { exact: false }).first().waitFor();
    await editor.expandView('Retired');
    await editor.treeItems('Retired', one.sent.proposal.title.slice(0, 30)).first().waitFor();
    this.approved = this.approved.filter((other) => other !== one);
    return `"${one.sent.proposal.title}", with its reason; ${this.approved.length} stand`;
  }

  async showsLight(): Promise<string> {
    const editor = this.#open();
    const file = join(editor.userDataDir, 'User/settings.json');
    const settings = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    await writeFile(file, JSON.stringify({ ...settings, 'workbench.colorTheme': quietSettings('light')['workbench.colorTheme'] }));
    await editor.reload();
    await editor.page.locator('.monaco-workbench.vs').waitFor();
    await editor.runCommand('Stet: Review Pending');
    await this.#shown(await this.#page());
    await editor.openContainer('Stet');
    await editor.treeItems('Standing').nth(1).waitFor();
    await editor.treeItems('Retired').nth(1).waitFor();
    await this.#badgeSays(this.#all.length - this.approved.length - this.#rejected - 1);
    return 'sidebar and page';
  }

  async #badgeSays(count: number): Promise<void> {
    const badge = this.#open().page.locator('.part.activitybar').getByRole('tab', { name: /^Stet/ }).locator('.badge-content');
    let said = '';
    await until(
      () => `the badge to say ${count}; it says "${said}"`,
      async () => {
        said = (await badge.count()) === 0 ? '' : await badge.innerText();
        return said === (count === 0 ? '' : String(count));
      },
    );
  }

  #open(): Editor {
    if (this.editor === undefined) throw new Error('the editor is not open yet');
    return this.editor;
  }

  #page = (): Promise<FrameLocator> => this.#open().webview('Memory');

  /** What the page shows: the id and the whole statement. */
  async #shown(page: FrameLocator): Promise<{ id: string; text: string }> {
    const id = await until('the page to show a memory', () => this.#idOn(page));
    return { id, text: await page.locator('.statement').innerText() };
  }

  /** The id among the facts of the page. */
  async #idOn(page: FrameLocator): Promise<string | undefined> {
    const facts = await page.locator('dl.facts dd').allInnerTexts();
    return facts
      .map((fact) => fact.trim())
      .find((fact) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(fact) && this.#all.some(({ id }) => id === fact));
  }

  async #picture(claim: string): Promise<void> {
    if (this.editor === undefined) return;
    const name = `${String(this.steps).padStart(2, '0')}-${claim.toLowerCase().replace(/[^a-z]+/g, '-')}.png`;
    await this.editor.page.mouse.move(640, 400); // off the bar, whose tooltips would be in the picture
    await this.editor.screenshot(join(this.pictures, name));
  }
}

/** The ids of all that an answer names, with what did not fit its token budget. */
async function idsOf(agent: Connection, tool: string, args: Record<string, unknown>): Promise<string[]> {
  const { items, overBudget } = await agent.ask<Record<'items' | 'overBudget', { id: string }[]>>(tool, args);
  return [...items, ...overBudget].map(({ id }) => id);
}

/** The file that a proposal is anchored to, if it is to one. */
function anchoredFile({ proposal }: Sent): string | undefined {
  const anchors = (proposal['anchors'] ?? []) as { readonly file?: string }[];
  return anchors.find((anchor) => anchor.file !== undefined)?.file;
}

/** Line ends and runs of blanks apart, which a page draws in its own way. */
const squeezed = (text: string) => text.replace(/\s+/gu, ' ').trim();
