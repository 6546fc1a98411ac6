/** A webview panel of Stet's own: strict about what it may load and about what it may say. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { FromPage, ToPage } from './page-messages';

export interface PagePanel {
  readonly panel: vscode.WebviewPanel;
  say(message: ToPage): void;
  dispose(): void;
}

export interface PageOptions {
  readonly viewType: string;
  readonly title: string;
  readonly extension: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  /** Called with each message of the form that is known; others are dropped. */
  readonly hear: (message: FromPage) => void;
  readonly closed: () => void;
}

export function openPage({ viewType, title, extension, log, hear, closed }: PageOptions): PagePanel {
  const panel = vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active, webviewOptions(extension));
  const icon = (theme: string) => vscode.Uri.joinPath(extension, 'media', `stet-${theme}.svg`);
  panel.iconPath = { light: icon('light'), dark: icon('dark') };
  panel.webview.onDidReceiveMessage(async (message: unknown) => {
    const { fromPage } = await import('./page-messages');
    const heard = fromPage.safeParse(message);
    if (heard.success) hear(heard.data);
    else log.warn(`A message of the page "${title}" was dropped.`, heard.error.message);
  });
  panel.onDidDispose(closed);
  panel.webview.html = pageHtml(panel.webview, extension, 'page', title);
  return {
    panel,
    say: (message) => void panel.webview.postMessage(message),
    dispose: () => {
      panel.dispose();
    },
  };
}

export const webviewOptions = (extension: vscode.Uri): vscode.WebviewOptions => ({
  enableScripts: true,
  enableForms: false,
  enableCommandUris: false,
  localResourceRoots: [vscode.Uri.joinPath(extension, 'dist', 'webview')],
});

/** An empty document with one style sheet and one script, both of the extension's own. */
export function pageHtml(webview: vscode.Webview, extension: vscode.Uri, name: 'page' | 'sidebar', title: string): string {
  const file = (ending: string) => webview.asWebviewUri(vscode.Uri.joinPath(extension, 'dist', 'webview', `${name}.${ending}`)).toString();
  const nonce = randomBytes(18).toString('base64');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${file('css')}">
</head>
<body>
<main id="main"></main>
<script nonce="${nonce}" src="${file('js')}"></script>
</body>
</html>`;
}

/** A name for one showing of something, which nobody can guess and nothing else has. */
export const freshToken = (): string => randomBytes(18).toString('base64url');
