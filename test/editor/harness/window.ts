import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { findBrowser } from '../../../scripts/editor/browser';

export interface WindowOptions {
  readonly url: string;
  /** The browser's profile. The editor's SecretStorage lives in it, under the address of the page. */
  readonly profileDir: string;
  /** The file that gets what the page prints, the extension host's errors among it. */
  readonly consoleLog: string;
  readonly theme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
  readonly locale: string;
  readonly readyTimeoutMs: number;
}

/** A browser window that shows the workbench. */
export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
}

export async function openWindow(options: WindowOptions): Promise<Window> {
  const { executable, env } = await findBrowser();
  const context = await chromium.launchPersistentContext(options.profileDir, {
    executablePath: executable,
    env: { ...definedOnly(process.env), ...env },
    args: flags,
    artifactsDir: join(options.profileDir, 'artifacts'),
    headless: true,
    // A signal ends the script at once, and the keeper tidies up after it.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    viewport: { ...options.viewport },
    colorScheme: options.theme,
    reducedMotion: 'reduce',
    locale: options.locale,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    // "Leave site?" would otherwise hold up a reload.
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
    page.on('console', (message) => {
      appendFileSync(options.consoleLog, `[${message.type()}] ${message.text()}\n`);
    });
    await page.goto(options.url, { waitUntil: 'domcontentloaded' });
    await workbenchIsReady(page, options.readyTimeoutMs);
    return { context, page };
  } catch (error) {
    await context.close();
    throw error;
  }
}

/** Resolves when the workbench is drawn and its extension host has answered. */
export async function workbenchIsReady(page: Page, timeoutMs: number): Promise<void> {
  await page.locator('.monaco-workbench .part.statusbar .statusbar-item').first().waitFor({ timeout: timeoutMs });
  await page.locator('.monaco-workbench .part.activitybar .action-item').first().waitFor({ timeout: timeoutMs });
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
  '--font-render-hinting=none',
];

const definedOnly = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
