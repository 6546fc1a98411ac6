/**
 * The page on which a person writes a memory of their own: a new one, a proposal in other words, or the text that takes the place of
 * contested ones. Its button is the signature: what it sends stands at once.
 */
import * as vscode from 'vscode';
import type { PersonAct, Reviewed, StetError } from '../engine';
import { logError } from './commands';
import { draftOf, valuesOf, type Lines, type Saved } from './drafts';
import { consequences } from './foreseen';
import type { MemoryPage, Writer } from './memory-page';
import { hasMemory } from './missing';
import { freshToken, openPage, type PagePanel } from './page';
import type { Draft, FromPage, ToPage } from './page-messages';
import { day, evidenceName, kindNames, scopeName } from './present';
import type { Target } from './review-queue';
import { saveLabels } from './save-labels';
import { saveProblem } from './save-problems';
import { shown, shownLine } from './shown-text';
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

/** What becomes of the text. */
type Purpose =
  | { readonly is: 'save' }
  | { readonly is: 'amend'; readonly target: Target }
  | { readonly is: 'third'; readonly store: Store; readonly members: readonly Reviewed[] };

/** Where a memory may hold; `everywhere` is the person's own store, for all projects. */
type Scope = { readonly is: 'here'; readonly scope: string } | { readonly is: 'everywhere' };

interface Writing {
  readonly token: string;
  readonly draft: Draft;
  readonly purpose: Purpose;
  readonly places: readonly PlacedFolder[];
  /** By place. */
  readonly scopes: readonly (readonly Scope[])[];
  readonly lines: Lines | undefined;
}

export class SavePage implements vscode.Disposable, Writer {
  #page: PagePanel | undefined;
  #writing: Writing | undefined;
  /** Whether the form holds what would be lost. */
  #written = false;
  /** What was said about it, for when the page is drawn anew. */
  #said: ToPage | undefined;
  /** The memory that is there already, as was found when it was to be saved again. */
  #same: Target | undefined;
  /** What the person was told the text would do besides, so that the next press means it. */
  #told: { readonly of: string; readonly digest: string } | undefined;
  #saving = false;

  constructor(private readonly parts: SavePageParts) {
    parts.memoryPage.writesWith(this);
  }

  dispose(): void {
    this.#page?.dispose();
  }

  /** Opens an empty page, prefilled with the file that is open. */
  async write(): Promise<void> {
    if (!(await hasMemory(this.parts.stores))) return;
    await this.#openFor(vscode.window.activeTextEditor, undefined);
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
    await this.#openFor(editor, { path: place.path, startLine: start.line + 1, endLine });
  }

  async amend(target: Target): Promise<void> {
    const content = target.memory.memory?.content;
    if (content === undefined) return;
    const replaced = await target.store.person.several(content.replaces);
    const scopes = scopesIn(target.store, content.scope);
    await this.#open({
      purpose: { is: 'amend', target },
      places: target.store.folders.slice(0, 1),
      scopes: [scopes],
      lines: undefined,
      draft: {
        heading: 'Edit and approve',
        intro: 'Your text is signed with your key and stands at once. The proposal is kept as it was worded, and is never recalled.',
        confirms: 'Approve',
        values: valuesOf(content),
        ...(content.evidence.length > 0 && { lines: { name: content.evidence.map((one) => shownLine(evidenceName(one))).join('; ') } }),
        ...(replaced.length > 0 && { replaces: replaced.map(({ title }) => `“${shownLine(title)}”`).join(', ') }),
        against: { title: content.title, statement: content.statement },
        asksReason: false,
      },
    });
  }

  async third(store: Store, members: readonly Reviewed[]): Promise<void> {
    const [first] = members;
    if (first === undefined) return;
    const scopes = scopesIn(store, first.scope);
    const names = members.map(({ title }) => `“${shownLine(title)}”`).join(' and ');
    await this.#open({
      purpose: { is: 'third', store, members },
      places: store.folders.slice(0, 1),
      scopes: [scopes],
      lines: undefined,
      draft: {
        heading: 'Write what holds instead',
        intro: `What you write takes the place of ${names}, which no longer hold. It is signed with your key and stands at once.`,
        confirms: 'Resolve',
        values: { kind: first.memory?.content.kind ?? 'decision' },
        asksReason: true,
      },
    });
  }

  async #openFor(editor: vscode.TextEditor | undefined, lines: Lines | undefined): Promise<void> {
    const { stores } = this.parts;
    const places = await stores.folders();
    const placed = editor && stores.place(editor.document.uri);
    // The folder that is meant comes first.
    const ordered = placed === undefined ? places : [placed.folder, ...places.filter((folder) => folder !== placed.folder)];
    const folder = placed?.path.includes('/') === true ? `path:${placed.path.slice(0, placed.path.lastIndexOf('/'))}/` : undefined;
    await this.#open({
      purpose: { is: 'save' },
      places: ordered,
      scopes: ordered.map((place, index): Scope[] => [
        { is: 'here', scope: 'workspace' },
        ...(index === 0 && folder !== undefined ? [{ is: 'here', scope: folder } as const] : []),
        ...(this.#storeOf(place)?.everywhere === undefined ? [] : [{ is: 'everywhere' } as const]),
      ]),
      lines,
      draft: {
        heading: 'Save a memory',
        intro: 'What you save is signed with your key and stands at once: agents of this workspace can recall it.',
        confirms: 'Save',
        values: { kind: 'decision', appliesTo: placed?.path ?? '' },
        ...(lines !== undefined &&
          editor !== undefined && { lines: { name: linesName(lines), excerpt: shown(textOf(editor.document, lines)) } }),
        asksReason: false,
      },
    });
  }

  async #open({
    draft,
    ...writing
  }: Omit<Writing, 'token' | 'draft'> & { draft: Omit<Draft, 'labels' | 'kinds' | 'places' | 'scopes' | 'limits'> }): Promise<void> {
    if (this.#page !== undefined && this.#written) {
      this.#reveal();
      if (writing.purpose.is !== 'save')
        this.#say('What you were writing is still here. Save it or close this page first.', { failed: false });
      else if (writing.lines !== undefined)
        this.#say('What you were writing is still here. Save it or close this page; then save the selection.', { failed: false });
      return;
    }
    const { kinds, guidanceKinds, limits } = await theEngine();
    this.#written = false;
    this.#said = undefined;
    this.#told = undefined;
    this.#writing = {
      token: freshToken(),
      ...writing,
      draft: {
        labels: saveLabels,
        kinds: kinds.map((value) => ({ value, name: kindNames[value].one, guidance: guidanceKinds.includes(value) })),
        places: writing.places.map(({ folder }) => folder.name),
        scopes: writing.scopes.map((scopes) =>
          scopes.map((scope) => ({
            name: scope.is === 'everywhere' ? 'Everywhere (all my projects)' : scopeName(scope.scope),
            everywhere: scope.is === 'everywhere',
          })),
        ),
        limits,
        ...draft,
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
      await (writing.purpose.is === 'save' ? this.#save(saved, writing) : this.#decide(saved, writing, writing.purpose));
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
      this.#say('This memory is already here.', {
        failed: true,
        again,
        ...(this.#same !== undefined && { offers: [{ is: 'openSame' } as const] }),
      });
    } else if (problem !== undefined) {
      this.#said = undefined;
      this.#page?.say({ type: 'problem', ...problem });
    } else {
      this.#say(`${error.message} ${error.hint}`, { failed: true, again });
    }
  }

  #storeAt({ place }: Saved, { places, purpose }: Writing): Store | undefined {
    if (purpose.is === 'amend') return purpose.target.store;
    if (purpose.is === 'third') return purpose.store;
    const folder = places[place];
    return folder && this.#storeOf(folder);
  }

  #storeOf({ storeFile }: PlacedFolder): Store | undefined {
    return this.parts.stores.all.find(({ file }) => file === storeFile);
  }

  async #save(saved: Saved, writing: Writing): Promise<void> {
    const { stores, key, memoryPage, log } = this.parts;
    const { places, lines, scopes } = writing;
    const folder = places[saved.place];
    const store = this.#storeAt(saved, writing);
    if (folder === undefined || store === undefined) throw (await theEngine()).noFolder();
    const scope = scopes[saved.place]?.[Number(saved.fields.scope)];
    const surface = lines === undefined ? 'save page' : 'save page, from a selection';
    if (scope?.is === 'everywhere') return this.#saveEverywhere(saved, store, surface);
    const person = await stores.personAt(store, folder);
    const draft = draftOf(saved, { lines, before: undefined, scope: scope?.scope });
    const receipt = await person.save(draft, surface, await key.signer());
    log.info(`Saved ${receipt.id}.`);
    const memory = await store.person.one(receipt.id);
    this.#page?.dispose();
    if (memory === undefined) return;
    await memoryPage.show({ store, memory });
    memoryPage.say(
      receipt.state === 'contested' ? 'Saved. It says otherwise than what stands: the two are contested.' : 'Saved. It stands from now on.',
    );
  }

  async #saveEverywhere(saved: Saved, store: Store, surface: string): Promise<void> {
    const { everywhere } = this.parts.stores;
    const person = store.everywhere;
    if (person === undefined) throw (await theEngine()).noFolder();
    // Files and folders are this workspace's and mean nothing elsewhere; the form does not offer them.
    const elsewhere = { ...saved, fields: { ...saved.fields, appliesTo: '' } };
    const draft = draftOf(elsewhere, { lines: undefined, before: undefined, scope: undefined });
    const receipt = await person.save(draft, surface, await this.parts.key.signer());
    this.parts.log.info(`Saved ${receipt.id} for everywhere.`);
    this.#page?.dispose();
    const memory = await everywhere.person.one(receipt.id);
    if (memory === undefined) return;
    await this.parts.memoryPage.show({ store: everywhere, memory });
    this.parts.memoryPage.say('Saved. It stands in all your projects from now on.');
  }

  /** Lets the text stand as the answer to what waits or is contested: what else that does is told first, and the next press means it. */
  async #decide(saved: Saved, writing: Writing, purpose: Exclude<Purpose, { is: 'save' }>): Promise<void> {
    const { key, memoryPage, log, stores } = this.parts;
    const { store, act } = decisionOf(saved, writing, purpose);
    const [folder] = writing.places;
    const person = folder === undefined ? store.person : await stores.personAt(store, folder);
    const of = JSON.stringify(saved);
    const preview = await person.preview(act);
    const about = purpose.is === 'amend' ? [purpose.target.memory.id] : purpose.members.map(({ id }) => id);
    const lines = consequences(preview, about, day);
    if (lines.length > 0 && this.#told?.of !== of) {
      this.#told = { of, digest: preview.digest };
      this.#say(`${lines.join(' ')} Press ${writing.draft.confirms} again to go on.`, { failed: false, again: true });
      return;
    }
    const receipt = await person.decide(act, await key.signer(), this.#told?.of === of ? this.#told.digest : preview.digest);
    log.info(`Let stand ${receipt.id}.`);
    this.#page?.dispose();
    await memoryPage.showDone(store, act, receipt);
  }
}

function decisionOf(
  saved: Saved,
  { scopes }: Writing,
  purpose: Exclude<Purpose, { is: 'save' }>,
): { readonly store: Store; readonly act: PersonAct } {
  const chosen = scopes[0]?.[Number(saved.fields.scope)];
  const scope = chosen?.is === 'here' ? chosen.scope : undefined;
  if (purpose.is === 'amend') {
    const { store, memory } = purpose.target;
    const draft = draftOf(saved, { lines: undefined, before: memory.memory?.content, scope });
    const seen = memory.seen ?? { contentHash: '', follows: '' };
    return { store, act: { act: 'amend', id: memory.id, seen, draft, surface: 'save page' } };
  }
  const { store, members } = purpose;
  const draft = draftOf(saved, { lines: undefined, before: undefined, scope });
  const seen = members.flatMap(({ id, seen }) => (seen === undefined ? [] : [{ id, seen }]));
  const reason = saved.fields.reason;
  return { store, act: { act: 'resolve', members: seen, outcome: { is: 'third', draft }, reason, surface: 'save page' } };
}

/** A text that takes the place of another one holds where that did, or in the whole workspace. */
const scopesIn = (store: Store, before: string): Scope[] =>
  store.isEverywhere ? [] : [...new Set([before, 'workspace'])].map((scope) => ({ is: 'here', scope }));

/** The memory that says the same, if it can be found by its words. */
async function sameAs({ fields }: Saved, store: Store): Promise<Target | undefined> {
  const { states } = await theEngine();
  const all = await store.person.list({ states, limit: 1_000, offset: 0 });
  const isSame = ({ title, memory }: Reviewed) => title === fields.title.trim() && memory?.content.statement === fields.statement;
  const memory = all.find(isSame);
  return memory && { store, memory };
}

const linesName = ({ path, startLine, endLine }: Lines) =>
  startLine === endLine ? `${path}, line ${String(startLine)}` : `${path}, lines ${String(startLine)} to ${String(endLine)}`;

function textOf(document: vscode.TextDocument, { startLine, endLine }: Lines): string {
  const text = document.getText(new vscode.Range(startLine - 1, 0, endLine, 0)).trimEnd();
  return text.length > 4_000 ? `${text.slice(0, 4_000)}…` : text;
}
