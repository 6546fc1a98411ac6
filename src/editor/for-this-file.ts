/** The view of what applies to the file that is open: one message for each file and each change, and late answers are dropped. */
import * as vscode from 'vscode';
import type { EvidenceState, Reviewed } from '../engine';
import { logError } from './commands';
import { contributed } from './ids';
import type { MemoryPage } from './memory-page';
import { explanations } from './missing';
import { freshToken, pageHtml, webviewOptions } from './page';
import { kindNames, letStand, origin, signedBy, validity, when } from './present';
import { shown } from './shown-text';
import type { Card, FromSidebar, ToSidebar } from './sidebar-messages';
import type { PersonsKey } from './signer';
import type { Missing, PlacedFile, Store, Stores } from './stores';
import { theEngine } from './the-engine';

/** The nearest so many are shown. */
const mostCards = 20;

export interface ForThisFileParts {
  readonly extension: vscode.Uri;
  readonly stores: Stores;
  readonly key: PersonsKey;
  readonly memoryPage: MemoryPage;
  readonly log: vscode.LogOutputChannel;
}

export function registerForThisFile(parts: ForThisFileParts): vscode.Disposable {
  const view = new ForThisFile(parts);
  return vscode.Disposable.from(view, vscode.window.registerWebviewViewProvider(contributed.views.forThisFile, view));
}

class ForThisFile implements vscode.WebviewViewProvider, vscode.Disposable {
  #webview: vscode.Webview | undefined;
  #file: vscode.Uri | undefined = openFile(undefined);
  #cards: { token: string; store: Store; memories: readonly Reviewed[] } | undefined;
  #asked = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #listeners: vscode.Disposable;

  constructor(private readonly parts: ForThisFileParts) {
    const soon = () => {
      this.#showSoon();
    };
    this.#listeners = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(soon),
      vscode.window.tabGroups.onDidChangeTabGroups(soon),
      parts.stores.onDidChange(soon),
      parts.stores.onDidChangeMemories(soon),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listeners.dispose();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { extension, log } = this.parts;
    const { webview } = view;
    webview.options = webviewOptions(extension);
    webview.onDidReceiveMessage(async (message: unknown) => {
      const { fromSidebar } = await import('./sidebar-messages');
      const heard = fromSidebar.safeParse(message);
      if (heard.success) await this.#hear(heard.data);
      else log.warn('A message of the sidebar was dropped.', heard.error.message);
    });
    view.onDidDispose(() => {
      this.#webview = undefined;
    });
    this.#webview = webview;
    webview.html = pageHtml(webview, extension, 'sidebar', 'For This File');
  }

  async #hear(message: FromSidebar): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.#show();
      case 'tryAgain':
        return this.parts.stores.tryAgain();
      case 'open': {
        const memory = message.token === this.#cards?.token ? this.#cards.memories[message.index] : undefined;
        if (this.#cards !== undefined && memory !== undefined)
          await this.parts.memoryPage.show({ store: this.#cards.store, memory }, message.asks);
      }
    }
  }

  #showSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#show(), 60);
  }

  async #show(): Promise<void> {
    if (this.#webview === undefined) return;
    const asked = (this.#asked += 1);
    this.#file = openFile(this.#file);
    const message = await this.#messageFor(this.#file);
    if (asked === this.#asked) await this.#webview.postMessage(message);
  }

  async #messageFor(file: vscode.Uri | undefined): Promise<ToSidebar> {
    const { stores, log } = this.parts;
    if (stores.missing !== undefined) return { type: 'empty', ...explained(stores.missing) };
    await stores.settled();
    if (file === undefined) return { type: 'empty', title: 'No file is open', text: 'Open a file, and what applies to it is shown here.' };
    const place = stores.place(file);
    if (place === undefined)
      return {
        type: 'empty',
        title: 'Outside the workspace',
        text: 'This file is in none of the open folders, so no memory applies to it here.',
      };
    const { opening } = place.store;
    if (opening.is === 'failed')
      return {
        type: 'empty',
        title: 'The memory could not be opened',
        text: `${opening.error.message} ${opening.error.hint}`,
        again: 'Try again',
      };
    try {
      return await this.#cardsFor(place);
    } catch (thrown) {
      const error = (await theEngine()).asStetError(thrown);
      logError(error, log);
      return { type: 'empty', title: 'The memory could not be read', text: `${error.message} ${error.hint}`, again: 'Try again' };
    }
  }

  async #cardsFor({ store, path }: PlacedFile): Promise<ToSidebar> {
    const [{ applies, beyond }, own] = await Promise.all([store.person.forFile(path, mostCards), this.parts.key.ownId()]);
    if (applies.length === 0)
      return {
        type: 'empty',
        title: 'Nothing applies to this file',
        text: 'Memories that name this file, its folder or a pattern it matches are shown here.',
      };
    this.#cards = { token: freshToken(), store, memories: applies.map(({ memory }) => memory) };
    return {
      type: 'cards',
      token: this.#cards.token,
      file: shown(path),
      cards: applies.map(({ memory, why, evidence }) => card(memory, { why, evidence, own })),
      beyond,
    };
  }
}

function explained(missing: Missing): { title: string; text: string } {
  const { title, text } = explanations[missing];
  return { title, text };
}

function card(
  memory: Reviewed,
  { why, evidence, own }: { readonly why: string; readonly evidence: readonly EvidenceState[]; readonly own: string | undefined },
): Card {
  const content = memory.memory?.content;
  const stood = letStand(memory);
  const holds = memory.memory && validity(memory.memory.bounds);
  return {
    kind: content === undefined ? '' : kindNames[content.kind].one,
    title: shown(memory.title),
    statement: shown(content?.statement ?? ''),
    ...(content?.appliesWhen !== undefined && { appliesWhen: shown(content.appliesWhen) }),
    steps: (content?.steps ?? []).map(shown),
    why: shown(why),
    letStand: stood === undefined ? '' : `Let stand by ${signedBy(stood, own)}, ${when(stood.at)}`,
    origin: shown(content === undefined ? '' : origin(content)),
    ...(holds !== undefined && { holds: `Holds ${holds}` }),
    doubts: [...(memory.state === 'contested' ? ['Contested'] : []), ...evidenceDoubts(evidence)],
  };
}

function evidenceDoubts(states: readonly EvidenceState[]): string[] {
  const worst = (['missing', 'changed', 'moved'] as const).find((state) => states.some((one) => one?.state === state));
  return worst === undefined ? [] : [{ missing: 'What it rests on is gone', changed: 'What it rests on has changed', moved: 'What it rests on has moved' }[worst]]; // prettier-ignore
}

/** The file in front of the person: the active tab's; or the one before, while it is open behind something that is no file. */
function openFile(before: vscode.Uri | undefined): vscode.Uri | undefined {
  const { activeTabGroup, all } = vscode.window.tabGroups;
  const active = fileOf(activeTabGroup.activeTab);
  if (active !== undefined) return active;
  const stillOpen = all.some(({ tabs }) => tabs.some((tab) => fileOf(tab)?.toString() === before?.toString()));
  return before !== undefined && stillOpen ? before : all.map((group) => fileOf(group.activeTab)).find((file) => file !== undefined);
}

function fileOf(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const input = tab?.input;
  const isFile = input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom;
  const uri = isFile ? input.uri : input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
  return uri?.scheme === 'file' ? uri : undefined;
}
