import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { appears } from './appears';
import { Keeper } from './keeper';
import { offerLanguage } from './language-pack';
import { Server, freePort, installExtensions } from './server';
import { quietSettings } from './settings';
import { openWindow, workbenchIsReady, type Window } from './window';
import { Workbench } from './workbench';

export interface OpenOptions {
  /** What is opened: one folder, several, a `.code-workspace` file, or nothing. */
  readonly folder?: string;
  readonly folders?: readonly string[];
  readonly workspaceFile?: string;
  /** Extension packages to install first. */
  readonly vsix?: readonly string[];
  /** Where profile, extensions and secrets are kept. A folder given here stays; without one, a temporary one is used and removed. */
  readonly home?: string;
  readonly userDataDir?: string;
  readonly extensionsDir?: string;
  /** On top of the quiet defaults, which an existing settings file in `home` is merged over. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly theme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
  /** The display language. The workbench's own words stay English; Stet's come from its `package.nls.LOCALE.json`. */
  readonly locale?: string;
  /** `off` (the default) trusts every folder; `on` opens a new folder in Restricted Mode, without asking. */
  readonly workspaceTrust?: 'off' | 'on';
  /** Added to the environment of the extension host and what it starts. */
  readonly env?: Readonly<Record<string, string>>;
  /** Secrets are kept per address: use the same port and `home` to find them again. */
  readonly port?: number;
  readonly readyTimeoutMs?: number;
}

/** Opens a real VS Code on a folder, and returns what drives it. Close it in a `finally`. */
export async function openEditor(options: OpenOptions = {}): Promise<Editor> {
  return started(options, true);
}

/** The same without a browser of its own: a person opens `url` in theirs. */
export async function serveEditor(options: OpenOptions = {}): Promise<ServedEditor> {
  return started(options, false);
}

export type ServedEditor = Pick<Editor, 'url' | 'port' | 'userDataDir' | 'globalStorageDir' | 'logs' | 'close'>;

async function started(options: OpenOptions, withWindow: boolean): Promise<Editor> {
  const keeper = new Keeper();
  try {
    return await Editor.open(options, keeper, withWindow);
  } catch (error) {
    // The keeper still knows what was started, and ends it.
    keeper.dismiss();
    throw error;
  }
}

interface Places {
  readonly home: string;
  readonly userDataDir: string;
  readonly extensionsDir: string;
  readonly profileDir: string;
}

/** A running editor: the workbench's own gestures, and the life of the process behind it. */
export class Editor extends Workbench {
  private server: Server | undefined;
  private window: Window | undefined;

  private constructor(
    private readonly options: OpenOptions,
    private readonly keeper: Keeper,
    private readonly places: Places,
    readonly port: number,
    /** The address that a browser opens. */
    readonly url: string,
    private readonly withWindow: boolean,
  ) {
    super(() => this.windowOf().page);
  }

  static async open(options: OpenOptions, keeper: Keeper, withWindow: boolean): Promise<Editor> {
    const places = await preparePlaces(options, keeper);
    const port = options.port ?? (await freePort());
    const url = `http://127.0.0.1:${port}/${await query(options, places)}`;
    await writeSettings(options, places);
    await offerLanguage(options.locale ?? 'en', places.userDataDir);
    await installExtensions(options.vsix ?? [], places);
    const editor = new Editor(options, keeper, places, port, url, withWindow);
    await editor.start();
    return editor;
  }

  get userDataDir(): string {
    return this.places.userDataDir;
  }

  /** Where an extension keeps what belongs to no folder. */
  globalStorageDir(extensionId: string): string {
    return join(this.userDataDir, 'User/globalStorage', extensionId.toLowerCase());
  }

  /** Reloads the window as a person does, so that it first writes down what it holds, and waits for it. */
  async reload(): Promise<void> {
    // A value on the page itself is gone once the page was loaded anew.
    await this.page.evaluate('globalThis.isBeforeReload = true');
    await this.runCommand('Developer: Reload Window');
    await this.page.waitForFunction('!globalThis.isBeforeReload', undefined, { timeout: this.readyTimeoutMs() });
    await workbenchIsReady(this.page, this.readyTimeoutMs());
  }

  /** Ends server and browser and starts them again in the same place, so that storage and secrets are found again. */
  async restart(): Promise<void> {
    // Closing a browser gives the window no time to write down what it holds.
    await this.reload();
    await this.stop();
    await this.start();
  }

  /** A second window on the same server, in the same browser profile. Close it with `page.close()`. */
  async anotherWindow(): Promise<Workbench> {
    const page = await this.windowOf().context.newPage();
    await page.goto(this.url, { waitUntil: 'domcontentloaded' });
    await workbenchIsReady(page, this.readyTimeoutMs());
    return new Workbench(() => page);
  }

  /** What the server and the window printed, errors of the extension host among it. */
  async logs(): Promise<{ path: string; text: string }[]> {
    const paths = (await readdir(this.userDataDir, { recursive: true })).filter((path) => path.endsWith('.log')).sort();
    return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(this.userDataDir, path), 'utf8') })));
  }

  /** Ends everything that was started, and removes the temporary folders. Safe to call twice. */
  async close(): Promise<void> {
    await this.stop();
    if (!this.options.home) {
      await rm(this.places.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      this.keeper.releaseFolder(this.places.home);
    }
    this.keeper.dismiss();
  }

  private async start(): Promise<void> {
    const { options, places } = this;
    const locale = options.locale ?? 'en';
    this.server = await Server.start(
      { ...places, port: this.port, disableTrust: options.workspaceTrust !== 'on', locale, env: options.env ?? {} },
      this.keeper,
    );
    if (!this.withWindow) return;
    this.window = await openWindow({
      url: this.url,
      profileDir: places.profileDir,
      consoleLog: join(places.userDataDir, 'window.log'),
      theme: options.theme ?? 'dark',
      viewport: options.viewport ?? { width: 1280, height: 800 },
      locale,
      readyTimeoutMs: this.readyTimeoutMs(),
    });
    if (this.url.includes('?workspace=')) await this.workspaceIsRead();
  }

  /**
   * A window that opens a workspace file for the first time now and then reads it before the server's files can be reached, takes it
   * for empty and stays so. Loading the window again helps.
   */
  private async workspaceIsRead(): Promise<void> {
    const folders = this.page.locator('.explorer-folders-view .monaco-list-row').first();
    const emptiness = this.page.getByText('You have not yet added a folder to the workspace');
    for (let attempt = 1; attempt <= 3; attempt++) {
      // Where neither shows, the window does not show the explorer, and so is not new.
      if (!(await appears(folders.or(emptiness).first(), 5000)) || (await appears(folders, 3000))) return;
      await this.page.reload({ waitUntil: 'domcontentloaded' });
      await workbenchIsReady(this.page, this.readyTimeoutMs());
    }
    throw new Error(`The window shows none of the folders of ${this.url}. Check that the workspace file names folders that exist.`);
  }

  private async stop(): Promise<void> {
    const { window, server } = this;
    this.window = undefined;
    this.server = undefined;
    await window?.context.close();
    await server?.stop();
  }

  private windowOf(): Window {
    if (!this.window) throw new Error('The editor is closed.');
    return this.window;
  }

  private readonly readyTimeoutMs = (): number => this.options.readyTimeoutMs ?? 120_000;
}

async function preparePlaces(options: OpenOptions, keeper: Keeper): Promise<Places> {
  const home = options.home ? resolve(options.home) : await temporaryFolder(keeper);
  const places = {
    home,
    userDataDir: options.userDataDir ?? join(home, 'u'),
    extensionsDir: options.extensionsDir ?? join(home, 'x'),
    profileDir: join(home, 'b'),
  };
  for (const path of Object.values(places)) await mkdir(path, { recursive: true });
  return places;
}

// Sockets live in it, and their paths may hold about 100 characters only: macOS's own temporary folder is too deep.
async function temporaryFolder(keeper: Keeper): Promise<string> {
  const parent = existsSync('/tmp') ? '/tmp' : tmpdir();
  const home = await mkdtemp(join(await realpath(parent), 'stet-'));
  keeper.keepFolder(home);
  return home;
}

async function query(options: OpenOptions, places: Places): Promise<string> {
  const workspace = options.workspaceFile ?? (options.folders ? await workspaceFileFor(options.folders, places) : undefined);
  if (workspace) return `?workspace=${encodeURIComponent(resolve(workspace))}`;
  return options.folder ? `?folder=${encodeURIComponent(resolve(options.folder))}` : '?ew=true';
}

async function workspaceFileFor(folders: readonly string[], places: Places): Promise<string> {
  const file = join(places.home, `${folders.map((folder) => basename(folder)).join('-')}.code-workspace`);
  await writeFile(file, JSON.stringify({ folders: folders.map((folder) => ({ path: resolve(folder) })) }, null, 2));
  return file;
}

async function writeSettings(options: OpenOptions, places: Places): Promise<void> {
  const file = join(places.userDataDir, 'User/settings.json');
  const kept = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>) : {};
  await mkdir(join(places.userDataDir, 'User'), { recursive: true });
  await writeFile(file, JSON.stringify({ ...kept, ...quietSettings(options.theme ?? 'dark'), ...options.settings }, null, 2));
}
