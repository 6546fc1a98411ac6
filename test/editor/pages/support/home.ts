/** A person's profile of the editor: where it keeps stores and keys, the folders worked on, and the windows that show them. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pinFile } from '../../../../src/engine';
import { pinKeys, testKey, type TestKey } from '../../../support/keys';
import { lines } from '../../../support/store';
import { openEditor, packageUnderTest, until, Workbench, type Editor, type OpenOptions } from '../../harness';
import { workbenchIsReady } from '../../harness/window';
import { Desk } from './desk';
import { handsAt, handsPackage, type Hands } from './hands';
import { handsVariable } from '../hands/wishes';

const readyTimeoutMs = 60_000;

/** What every desk has unless its test says otherwise. */
const someFiles = { 'src/billing/invoice.ts': lines(40), 'src/mail/letter.ts': lines(20) };

export class Home {
  readonly path: string;
  readonly globalStorage: string;
  readonly keysFile: string;
  /** What earlier decisions were signed with: a key of a profile that is gone. */
  readonly key: TestKey = testKey();
  readonly #desks: Desk[] = [];
  #editor: Editor | undefined;

  constructor() {
    // Sockets live in it, and their paths may not be long.
    this.path = mkdtempSync(join(realpathSync(existsSync('/tmp') ? '/tmp' : tmpdir()), 'stet-'));
    this.globalStorage = join(this.path, 'u/User/globalStorage/stet.stet');
    this.keysFile = join(this.globalStorage, 'trusted-keys.json');
    mkdirSync(join(this.path, 'hands'));
  }

  /** Pins the key of earlier decisions, so that what it let stand is served. */
  pinKey(): void {
    mkdirSync(this.globalStorage, { recursive: true });
    pinKeys(this.keysFile, this.key);
  }

  /** Lets the test's key go on deciding beside the profile's own, as two profiles of one person cannot. */
  keepTestKey(): void {
    const { version, keys } = pinFile.parse(JSON.parse(readFileSync(this.keysFile, 'utf8')));
    const kept = keys.map((key) => (key.id === this.key.keyId ? this.key.pin : key));
    writeFileSync(this.keysFile, JSON.stringify({ version, keys: kept }));
  }

  /** The ids of the keys that are pinned now. */
  pinned(): string[] {
    return existsSync(this.keysFile) ? pinFile.parse(JSON.parse(readFileSync(this.keysFile, 'utf8'))).keys.map(({ id }) => id) : [];
  }

  /** The ids of those of them that another key has replaced. */
  replaced(): string[] {
    const { keys } = pinFile.parse(JSON.parse(readFileSync(this.keysFile, 'utf8')));
    return keys.filter(({ until }) => until !== undefined).map(({ id }) => id);
  }

  /** @param name its folder's, and so the window's. */
  desk(name: string, files: Readonly<Record<string, string>> = someFiles): Desk {
    const folder = join(this.path, 'work', name);
    mkdirSync(folder, { recursive: true });
    const desk = new Desk({
      folder,
      globalStorage: this.globalStorage,
      files,
      key: this.key,
      server: () => join(this.extension(), 'dist/mcp.js'),
    });
    this.#desks.push(desk);
    return desk;
  }

  /** The folder that the extension was installed to. */
  extension(): string {
    const extensions = join(this.path, 'x');
    const found = readdirSync(extensions).find((name) => name.startsWith('stet.stet-'));
    if (found === undefined) throw new Error('The extension is not installed yet: open the editor first.');
    return join(extensions, found);
  }

  get editor(): Editor {
    if (this.#editor === undefined) throw new Error('The editor is not open.');
    return this.#editor;
  }

  /** Opens the editor; the first time it installs the extension under test and the one that does what tests ask. */
  async open(options: OpenOptions): Promise<Editor> {
    const vsix = existsSync(join(this.path, 'x')) ? [] : [packageUnderTest(), await handsPackage()];
    const env = { [handsVariable]: join(this.path, 'hands') };
    const viewport = { width: 1280, height: 1000 };
    return (this.#editor = await openEditor({ home: this.path, vsix, env, viewport, readyTimeoutMs, ...options }));
  }

  /** Closes the editor and leaves everything else as it is. */
  async shut(): Promise<void> {
    await this.#editor?.close();
    this.#editor = undefined;
  }

  /** One more window of the open editor. */
  async window(opened: { readonly folder: string } | { readonly workspace: string } | undefined): Promise<Workbench> {
    const page = await this.editor.page.context().newPage();
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined)); // it was answered already
    const query = opened === undefined ? 'ew=true' : new URLSearchParams({ ...opened }).toString();
    await page.goto(`${new URL(this.editor.url).origin}/?${query}`, { waitUntil: 'domcontentloaded' });
    await workbenchIsReady(page, readyTimeoutMs);
    return new Workbench(() => page);
  }

  /** The other extension in the window that is opened on this folder or workspace file. */
  hands(path: string): Hands {
    return handsAt(join(this.path, 'hands', basename(path)));
  }

  async close(): Promise<void> {
    await this.shut();
    for (const desk of this.#desks) await desk.close();
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Closes a window so that its extension host ends with it. */
export async function closeWindow({ page }: Workbench): Promise<void> {
  await page.goto('about:blank');
  await page.close();
}

/** Opens a window and waits until it knows all folders of its workspace file: one that is opened early takes it for empty. */
export async function workspaceWindow(home: Home, workspace: string, count: number): Promise<Workbench> {
  const window = await home.window({ workspace });
  // A host that ends while it is asked does not know them.
  const knowsAll = () =>
    home
      .hands(workspace)
      .folders()
      .then(({ length }) => length === count)
      .catch(() => false);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await until('the window to know its folders', knowsAll, { timeoutMs: 5_000 });
      return window;
    } catch (error) {
      if (attempt === 3) throw error;
      await window.page.reload({ waitUntil: 'domcontentloaded' });
      await workbenchIsReady(window.page, readyTimeoutMs);
    }
  }
}
