import type { FrameLocator, Locator, Page } from 'playwright-core';
import { appears } from './appears';
import { until } from './until';

const patienceMs = 30_000;

/** What a person does in the workbench, in a person's words. */
export class Workbench {
  constructor(private readonly currentPage: () => Page) {}

  get page(): Page {
    return this.currentPage();
  }

  /** Runs a command from the palette by its title, with or without its category. Waits until the palette knows it. */
  async runCommand(title: string): Promise<void> {
    await this.#chooseFrom('F1', `>${title}`, (label) => label === title || label.endsWith(`: ${title}`));
  }

  /** Opens a file of the workspace by its path, and waits until its text is there. */
  async openFile(path: string): Promise<void> {
    const name = path.split('/').at(-1)!;
    await this.#chooseFrom('ControlOrMeta+P', path, (label) => label === name);
    await this.page
      .getByRole('tab', { name: new RegExp(`^${escaped(name)}`) })
      .first()
      .waitFor({ timeout: patienceMs });
    await this.page.locator('.editor-group-container.active .monaco-editor .view-line').first().waitFor({ timeout: patienceMs });
  }

  /** The box at the top into which one types: palette, picker or question. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible input.input');
  }

  /** Chooses an entry of the open picker by its label. */
  async pick(label: string): Promise<void> {
    await until(`the picker to offer "${label}"`, () => this.#chooseWithin(1000, (text) => text === label), {
      timeoutMs: patienceMs,
    });
  }

  /** Types an answer into the open question and confirms it. */
  async answer(text: string): Promise<void> {
    await this.quickInput().fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** The labels that the open picker offers. */
  async pickerLabels(): Promise<string[]> {
    const labels = await this.#options().locator('.label-name').allInnerTexts();
    return labels.map((label) => label.trim());
  }

  /** Opens a view container by its name in the activity bar, if it is not open already. */
  async openContainer(name: string): Promise<void> {
    const tab = this.page.locator('.part.activitybar').getByRole('tab', { name: new RegExp(`^${escaped(name)}`) });
    await tab.waitFor({ timeout: patienceMs });
    // After a reload the workbench may open it by itself at this very moment, and the click then closes it: so look again.
    const isOpen = async () => (await tab.getAttribute('aria-selected')) === 'true';
    await until(
      `the container ${name} to be open`,
      async () => {
        if (await isOpen()) return true;
        await tab.click();
        return undefined;
      },
      { timeoutMs: patienceMs, everyMs: 700 },
    );
    await until(`the container ${name} to stay open`, isOpen, { timeoutMs: patienceMs });
  }

  /** The header of a view, by its title. */
  pane(viewName: string): Locator {
    return this.page.locator('.pane').filter({ has: this.page.locator('.pane-header h3.title', { hasText: exactly(viewName) }) });
  }

  /** Opens a view that is folded up in its container. */
  async expandView(viewName: string): Promise<void> {
    const header = this.pane(viewName).locator('.pane-header').first();
    await header.waitFor({ timeout: patienceMs });
    if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
  }

  tree(viewName: string): Locator {
    return this.page.getByRole('tree', { name: viewName, exact: true });
  }

  /** The items of a tree, or those of them that show `text`. */
  treeItems(viewName: string, text?: string | RegExp): Locator {
    const items = this.tree(viewName).getByRole('treeitem');
    return text === undefined ? items : items.filter({ hasText: text });
  }

  /** The labels that a tree shows, top to bottom. */
  treeLabels(viewName: string): Promise<string[]> {
    return this.tree(viewName).locator('.monaco-list-row .label-name').allInnerTexts();
  }

  /** Presses the button that a tree item shows when the pointer is over it. */
  async inlineAction(item: Locator, title: string): Promise<void> {
    await item.hover();
    await item.getByRole('button', { name: title }).click();
  }

  /** Chooses from the menu of a tree item, an editor or a title. */
  async contextAction(item: Locator, title: string): Promise<void> {
    const entry = this.page.getByRole('menuitem', { name: title });
    await item.click({ button: 'right' });
    await entry.waitFor({ timeout: patienceMs });
    // A menu ignores clicks for a moment after it opened.
    await until(`the menu to take "${title}"`, async () => {
      await entry.click({ timeout: 1000 }).catch(() => undefined);
      return (await entry.count()) === 0;
    });
  }

  /**
   * The document inside a webview, by the title of its view or panel. The workbench draws all webviews in one layer
   * above everything, so the one that lies over the view is meant.
   */
  async webview(viewTitle: string): Promise<FrameLocator> {
    const name = await until(`the webview "${viewTitle}" to be drawn`, () => this.#webviewNamed(viewTitle), { timeoutMs: patienceMs });
    return this.page.frameLocator(`iframe.webview[name="${name}"]`).frameLocator('#active-frame');
  }

  async #webviewNamed(title: string): Promise<string | undefined> {
    for (const frame of await this.page.locator('iframe.webview.ready').all()) {
      const name = await frame.getAttribute('name');
      const inner = frame.contentFrame().locator('#active-frame');
      if (name && (await inner.count()) > 0 && (await inner.getAttribute('title')) === title) return name;
    }
    return undefined;
  }

  statusBar(text: string | RegExp): Locator {
    return this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: text });
  }

  /** A message in the corner, or the one that says `text`. */
  notification(text?: string | RegExp): Locator {
    const toasts = this.page.locator('.notifications-toasts .notification-toast');
    return text === undefined ? toasts : toasts.filter({ hasText: text });
  }

  /** Presses a button of the message that says `text`. */
  async notificationAction(text: string | RegExp, button: string): Promise<void> {
    await this.notification(text).getByRole('button', { name: button, exact: true }).click({ timeout: patienceMs });
  }

  /** The modal question in the middle. */
  dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  /** Presses a button of the modal question and waits until it is gone; another question may have come in its place. */
  async answerDialog(button: string): Promise<void> {
    const pressed = this.dialog().getByRole('button', { name: button, exact: true });
    await pressed.click({ timeout: patienceMs });
    await pressed.waitFor({ state: 'detached', timeout: patienceMs });
  }

  /** The text editor that has the focus. */
  editor(): Locator {
    return this.page.locator('.editor-group-container.active .monaco-editor').first();
  }

  /** Sends all messages in the corner away. */
  async clearNotifications(): Promise<void> {
    if ((await this.notification().count()) > 0) await this.runCommand('Notifications: Clear All Notifications');
  }

  /** Restricted Mode: says that the authors of the open folder are trusted. */
  async grantTrust(): Promise<void> {
    await this.runCommand('Workspaces: Manage Workspace Trust');
    await this.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click({ timeout: patienceMs });
    await this.statusBar('Restricted Mode').waitFor({ state: 'detached', timeout: patienceMs });
  }

  /** A picture of the window, without the two buttons of the chat, which no setting hides while MCP stays on. */
  async screenshot(file: string): Promise<void> {
    const style = '.titlebar .codicon-chat-sparkle, #chat\\.statusBarEntry { display: none !important; }';
    await this.page.screenshot({ path: file, animations: 'disabled', caret: 'hide', scale: 'css', style });
  }

  /**
   * Opens the box at the top with a key, types, and chooses the first entry with a fitting label. Begins again when the workbench
   * did not take the key or offers no such entry yet, as while it starts.
   */
  async #chooseFrom(key: string, text: string, fits: (label: string) => boolean): Promise<void> {
    let offered: string[] = [];
    await until(
      () => `"${text}" to be offered. Last offered: ${offered.join(' | ') || 'nothing'}`,
      async () => {
        await this.page.keyboard.press(key);
        if (!(await appears(this.quickInput(), 2000))) return false;
        await this.quickInput().fill(text);
        if (await this.#chooseWithin(4000, fits)) return true;
        offered = await this.pickerLabels();
        await this.page.keyboard.press('Escape');
        return false;
      },
      { timeoutMs: patienceMs },
    );
  }

  #options(): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-list').getByRole('option');
  }

  /** Clicks the first entry with a fitting label, if it shows up in time. */
  async #chooseWithin(timeoutMs: number, fits: (label: string) => boolean): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    do {
      const index = (await this.pickerLabels()).findIndex(fits);
      if (index >= 0) {
        await this.#options().nth(index).click();
        return true;
      }
      await this.page.waitForTimeout(50);
    } while (Date.now() < deadline);
    return false;
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const exactly = (text: string): RegExp => new RegExp(`^${escaped(text)}$`, 'i');
