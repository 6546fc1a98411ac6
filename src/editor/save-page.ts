/** The page on which a person writes a memory of their own. Its Save button is the signature: what it sends stands at once. */
import * as vscode from 'vscode';
import { logError } from './commands';
import type { MemoryPage } from './memory-page';
import { hasMemory } from './missing';
import { freshToken, openPage, type PagePanel } from './page';
import type { Draft, FromPage } from './page-messages';
import { kindNames } from './present';
import { shown } from './shown-text';
import type { PersonsKey } from './signer';
import type { PlacedFolder, Stores } from './stores';
import { theEngine } from './the-engine';

export interface SavePageParts {
  readonly extension: vscode.Uri;
  readonly stores: Stores;
  readonly key: PersonsKey;
  readonly log: vscode.LogOutputChannel;
  readonly memoryPage: MemoryPage;
}

/** Lines of a file that a memory rests on. */
interface Lines {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

interface Writing {
  readonly token: string;
  readonly draft: Draft;
  readonly places: readonly PlacedFolder[];
  readonly lines: Lines | undefined;
}

type Saved = Extract<FromPage, { type: 'save' }>;

export class SavePage implements vscode.Disposable {
  #page: PagePanel | undefined;
  #writing: Writing | undefined;
  #saving = false;

  constructor(private readonly parts: SavePageParts) {}

  dispose(): void {
    this.#page?.dispose();
  }

  /** Opens an empty page, prefilled with the file that is open. */
  async write(): Promise<void> {
    if (!(await hasMemory(this.parts.stores))) return;
    await this.#open(vscode.window.activeTextEditor, undefined, 'decision');
  }

  /** Opens a page for a decision that rests on the selected lines. */
  async writeFromSelection(): Promise<void> {
    if (!(await hasMemory(this.parts.stores))) return;
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || editor.selection.isEmpty) {
      void vscode.window.showInformationMessage('Select the lines that the decision is about, then save them.');
      return;
    }
    const place = this.parts.stores.place(editor.document.uri);
    if (place === undefined) {
      void vscode.window.showInformationMessage('This file is in no folder that Stet keeps a memory for. Open its folder first.');
      return;
    }
    if (editor.document.isDirty) {
      void vscode.window.showInformationMessage('Save the file first: a memory rests on its lines as they are on disk.');
      return;
    }
    const { start, end } = editor.selection;
    // A selection that ends at the start of a line does not reach into it.
    const endLine = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
    await this.#open(editor, { path: place.path, startLine: start.line + 1, endLine }, 'decision');
  }

  async #open(editor: vscode.TextEditor | undefined, lines: Lines | undefined, kind: string): Promise<void> {
    const { stores } = this.parts;
    const { kinds, guidanceKinds, limits } = await theEngine();
    const places = await stores.folders();
    const placed = editor && stores.place(editor.document.uri);
    // The folder that is meant comes first.
    const ordered = placed === undefined ? places : [placed.folder, ...places.filter((folder) => folder !== placed.folder)];
    this.#writing = {
      token: freshToken(),
      places: ordered,
      lines,
      draft: {
        kinds: kinds.map((value) => ({ value, name: kindNames[value].one, guidance: guidanceKinds.includes(value) })),
        kind,
        places: ordered.map(({ folder }) => folder.name),
        appliesTo: placed?.path ?? '',
        ...(lines !== undefined &&
          editor !== undefined && { lines: { name: linesName(lines), excerpt: shown(textOf(editor.document, lines)) } }),
        limits: { title: limits.title, statement: limits.statement, rationale: limits.rationale, appliesWhen: limits.appliesWhen },
      },
    };
    this.#reveal();
    this.#fill();
  }

  #reveal(): void {
    if (this.#page !== undefined) {
      this.#page.panel.reveal(undefined, false);
      return;
    }
    this.#page = openPage({
      viewType: 'stet.save',
      title: 'Save Memory',
      extension: this.parts.extension,
      log: this.parts.log,
      hear: (message) => void this.#hear(message),
      closed: () => {
        this.#page = undefined;
        this.#writing = undefined;
      },
    });
  }

  #fill(): void {
    if (this.#writing !== undefined) this.#page?.say({ type: 'draft', token: this.#writing.token, draft: this.#writing.draft });
  }

  async #hear(message: FromPage): Promise<void> {
    if (message.type === 'ready') this.#fill();
    if (message.type !== 'save' || message.token !== this.#writing?.token || this.#saving) return;
    this.#saving = true;
    try {
      await this.#save(message, this.#writing);
    } catch (thrown) {
      const error = (await theEngine()).asStetError(thrown);
      logError(error, this.parts.log);
      this.#page?.say({ type: 'said', text: `${error.message} ${error.hint}`, failed: true });
    } finally {
      this.#saving = false;
    }
  }

  async #save(saved: Saved, { places, lines }: Writing): Promise<void> {
    const { stores, key, memoryPage, log } = this.parts;
    const folder = places[saved.place];
    const store = folder && stores.all.find(({ file }) => file === folder.storeFile);
    if (folder === undefined || store === undefined) throw (await theEngine()).noFolder();
    const person = await stores.personAt(store, folder);
    const receipt = await person.save(
      draftOf(saved, lines),
      lines === undefined ? 'save page' : 'save page, from a selection',
      await key.signer(),
    );
    log.info(`Saved ${receipt.id}.`);
    const memory = await store.person.one(receipt.id);
    this.#page?.dispose();
    if (memory === undefined) return;
    await memoryPage.show({ store, memory });
    memoryPage.say('Saved. It stands from now on.');
  }
}

/** The draft as the engine takes it; what is left empty is left out. It is the engine that judges it. */
function draftOf({ fields, withLines }: Saved, lines: Lines | undefined): Readonly<Record<string, unknown>> {
  const given = (name: 'rationale' | 'appliesWhen' | 'validFrom' | 'validTo') =>
    fields[name].trim() === '' ? {} : { [name]: fields[name] };
  return {
    kind: fields.kind,
    title: fields.title,
    statement: fields.statement,
    ...given('rationale'),
    ...given('appliesWhen'),
    ...given('validFrom'),
    ...given('validTo'),
    ...(fields.kind === 'workflow' && { steps: linesOf(fields.steps) }),
    tags: fields.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    anchors: linesOf(fields.appliesTo).map(anchorOf),
    evidence: withLines && lines !== undefined ? [{ kind: 'file', ...lines }] : [],
  };
}

const linesOf = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `src/billing/` is a folder, `src/**` a pattern, anything else a file. */
function anchorOf(line: string): { folder: string } | { glob: string } | { file: string } {
  if (line.endsWith('/')) return { folder: line };
  return /[*?[\]{}]/.test(line) ? { glob: line } : { file: line };
}

const linesName = ({ path, startLine, endLine }: Lines) =>
  startLine === endLine ? `${path}, line ${String(startLine)}` : `${path}, lines ${String(startLine)} to ${String(endLine)}`;

function textOf(document: vscode.TextDocument, { startLine, endLine }: Lines): string {
  const text = document.getText(new vscode.Range(startLine - 1, 0, endLine, 0)).trimEnd();
  return text.length > 4_000 ? `${text.slice(0, 4_000)}…` : text;
}
