/** The page on which a person writes a memory of their own. Its Save button is the signature: what it sends stands at once. */
import * as vscode from 'vscode';
import type { Reviewed, StetError } from '../engine';
import { logError } from './commands';
import type { MemoryPage } from './memory-page';
import { hasMemory } from './missing';
import { freshToken, openPage, type PagePanel } from './page';
import type { Draft, FromPage, ToPage } from './page-messages';
import { kindNames } from './present';
import type { Target } from './review-queue';
import { saveLabels } from './save-labels';
import { saveProblem } from './save-problems';
import { shown } from './shown-text';
import type { PersonsKey } from './signer';
import type { PlacedFolder, Store, Stores } from './stores';
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
  /** Whether the form holds what would be lost. */
  #written = false;
  /** What was said about it, for when the page is drawn anew. */
  #said: ToPage | undefined;
  /** The memory that is there already, as was found when it was to be saved again. */
  #same: Target | undefined;
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
    if (this.#page !== undefined && this.#written) {
      this.#reveal();
      if (lines !== undefined)
        this.#say('What you were writing is still here. Save it or close this page; then save the selection.', { failed: false });
      return;
    }
    const { stores } = this.parts;
    const { kinds, guidanceKinds, limits } = await theEngine();
    const places = await stores.folders();
    const placed = editor && stores.place(editor.document.uri);
    // The folder that is meant comes first.
    const ordered = placed === undefined ? places : [placed.folder, ...places.filter((folder) => folder !== placed.folder)];
    this.#written = false;
    this.#said = undefined;
    this.#writing = {
      token: freshToken(),
      places: ordered,
      lines,
      draft: {
        labels: saveLabels,
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
        this.#written = false;
        this.#said = undefined;
      },
    });
  }

  #fill(): void {
    if (this.#writing !== undefined) this.#page?.say({ type: 'draft', token: this.#writing.token, draft: this.#writing.draft });
  }

  #say(text: string, options: Omit<Extract<ToPage, { type: 'said' }>, 'type' | 'text'>): void {
    this.#said = { type: 'said', text, ...options };
    this.#page?.say(this.#said);
  }

  async #hear(message: FromPage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#fill();
        if (this.#said !== undefined) this.#page?.say(this.#said);
        return;
      case 'written':
        if (message.token === this.#writing?.token) this.#written = !message.empty;
        return;
      case 'openSame':
        if (this.#same !== undefined) await this.parts.memoryPage.show(this.#same);
        return;
      case 'save':
        if (message.token === this.#writing?.token && !this.#saving) await this.#trySaving(message, this.#writing);
        return;
      default: // of the other page
    }
  }

  async #trySaving(saved: Saved, writing: Writing): Promise<void> {
    this.#saving = true;
    try {
      await this.#save(saved, writing);
    } catch (thrown) {
      const error = (await theEngine()).asStetError(thrown);
      logError(error, this.parts.log);
      await this.#sayRefused(error, saved, writing);
    } finally {
      this.#saving = false;
    }
  }

  /** Says what is wrong where it is wrong, in the words of the form. */
  async #sayRefused(error: StetError, saved: Saved, writing: Writing): Promise<void> {
    const again = true;
    const problem = saveProblem(error);
    if (error.code === 'signing_key_missing') {
      this.#say('Not saved: no key was made.', { failed: false, again });
    } else if (error.code === 'already_recorded') {
      const store = this.#storeAt(saved, writing);
      this.#same = store && (await sameAs(saved, store));
      this.#say('This memory is already here.', { failed: true, again, ...(this.#same !== undefined && { offers: { is: 'openSame' } }) });
    } else if (problem !== undefined) {
      this.#said = undefined;
      this.#page?.say({ type: 'problem', ...problem });
    } else {
      this.#say(`${error.message} ${error.hint}`, { failed: true, again });
    }
  }

  #storeAt({ place }: Saved, { places }: Writing): Store | undefined {
    return this.parts.stores.all.find(({ file }) => file === places[place]?.storeFile);
  }

  async #save(saved: Saved, writing: Writing): Promise<void> {
    const { stores, key, memoryPage, log } = this.parts;
    const { places, lines } = writing;
    const folder = places[saved.place];
    const store = this.#storeAt(saved, writing);
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

/** The memory that says the same, if it can be found by its words. */
async function sameAs({ fields }: Saved, store: Store): Promise<Target | undefined> {
  const states = ['pending', 'active', 'retired', 'rejected'] as const;
  const all = await store.person.list({ states: [...states], limit: 1_000, offset: 0 });
  const isSame = ({ title, memory }: Reviewed) => title === fields.title.trim() && memory?.content.statement === fields.statement;
  const memory = all.find(isSame);
  return memory && { store, memory };
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
