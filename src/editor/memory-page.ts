/**
 * The page on which memories are read in full and decided on: the only place where a decision is made. Commands choose what it shows;
 * what decides is a press on a button of the page, which names the one showing it stands under and what it was said to do.
 */
import type * as vscode from 'vscode';
import type { DecisionReceipt, PersonAct, Reviewed, SeenMemory } from '../engine';
import { logError } from './commands';
import type { Foretold } from './deciding';
import { follow } from './follow';
import { openPage, type PagePanel } from './page';
import type { FromPage, Offer, ToPage } from './page-messages';
import { done, stateNames } from './present';
import { ReviewQueue, type Target } from './review-queue';
import { isTheSame, pointerAt, Showings, type Drawing, type Showing } from './showings';
import { shownLine } from './shown-text';
import type { PersonsKey } from './signer';
import type { Store, Stores } from './stores';
import { theEngine } from './the-engine';

export interface MemoryPageParts {
  readonly extension: vscode.Uri;
  readonly stores: Stores;
  readonly key: PersonsKey;
  readonly log: vscode.LogOutputChannel;
}

/** Where a person writes the text that an act needs. */
export interface Writer {
  /** Opens a proposal's text to be edited and approved. */
  amend(target: Target): Promise<void>;
  /** Opens an empty page for the text that takes the place of contested ones. */
  third(store: Store, members: readonly Reviewed[]): Promise<void>;
}

export class MemoryPage implements vscode.Disposable {
  #page: PagePanel | undefined;
  #showing: Showing | undefined;
  /** What the page was told to show, for when it is drawn anew. */
  #content: ToPage | undefined;
  #said: ToPage | undefined;
  /** What takes back the act that was done last. */
  #undo: (Foretold & Target) | undefined;
  #deciding = false;
  /** What is wanted now; what was asked for earlier and arrives later is dropped. */
  #wanted = 0;
  #writer: Writer | undefined;
  readonly #queue: ReviewQueue;
  readonly #showings: Showings;
  readonly #listener: vscode.Disposable;

  constructor(private readonly parts: MemoryPageParts) {
    this.#queue = new ReviewQueue(parts.stores);
    this.#showings = new Showings(parts.key, this.#queue);
    this.#listener = parts.stores.onDidChangeMemories((store) => {
      if (store === this.#showing?.store) void this.#surely(() => this.#lookAgain());
      if (this.#content?.type === 'nothing') void this.#surely(() => this.#showNext(true));
    });
  }

  dispose(): void {
    this.#listener.dispose();
    this.#page?.dispose();
  }

  writesWith(writer: Writer): void {
    this.#writer = writer;
  }

  /** Shows the first memory that waits. */
  async reviewPending(): Promise<void> {
    this.#reveal();
    this.#queue.startAgain();
    await this.#surely(() => this.#showNext());
  }

  /** Shows one memory. @param asks the act whose form is opened at once, if it can be done. */
  async show(target: Target, asks?: PersonAct['act']): Promise<void> {
    if (asks === 'amend' && target.memory.acts.includes('amend')) return this.#writer?.amend(target);
    this.#reveal();
    await this.#surely(async () => {
      if (asks === 'forget' && target.memory.acts.includes('forget')) return this.#draw({ is: 'forget', targets: [target] });
      if (asks === 'resolve' && target.memory.acts.includes('resolve')) return this.#showContest(target);
      await this.#draw({ is: 'memory', target, ...(asks !== undefined && { asks }) });
    });
  }

  /**
   * Shows several memories to be decided on together: to forget them, or to approve those whose text was read. Memories of one store
   * at a time, that of the first.
   */
  async showSeveral(targets: readonly Target[], purpose: 'forget' | 'approve'): Promise<void> {
    const [first] = targets;
    if (first === undefined) return;
    const ofOneStore = targets.filter(({ store }) => store === first.store);
    this.#reveal();
    await this.#surely(() =>
      this.#draw(purpose === 'forget' ? { is: 'forget', targets: ofOneStore } : { is: 'approveRead', targets: ofOneStore }),
    );
    if (ofOneStore.length < targets.length) this.say(`Only what is kept for ${first.store.name} is shown. Choose the rest by itself.`);
  }

  /** Shows contested memories side by side, to be resolved. */
  async resolve(store: Store, ids: readonly string[]): Promise<void> {
    this.#reveal();
    await this.#surely(async () => this.#draw({ is: 'contest', store, members: await store.person.several(ids) }));
  }

  /** Says what has happened to the memory that is shown. */
  say(text: string, options: { readonly failed?: boolean; readonly again?: boolean; readonly offers?: readonly Offer[] } = {}): void {
    this.#said = { type: 'said', text, failed: false, ...options };
    this.#page?.say(this.#said);
  }

  /** Shows what an act of another page has led to, with the way back. */
  async showDone(store: Store, act: PersonAct, receipt: DecisionReceipt): Promise<void> {
    this.#reveal();
    await this.#surely(async () => {
      if ('id' in act) this.#queue.decided(act.id);
      const memory = await store.person.one(receipt.id);
      if (memory === undefined) return;
      await this.#draw({ is: 'memory', target: { store, memory } });
      this.say(`${done[act.act]}: ${shownLine(memory.title)}`, { offers: await this.#waysOn({ store, memory }) });
    });
  }

  #reveal(): void {
    if (this.#page !== undefined) {
      this.#page.panel.reveal(undefined, false);
      return;
    }
    this.#page = openPage({
      viewType: 'stet.memory',
      title: 'Memory',
      extension: this.parts.extension,
      log: this.parts.log,
      hear: (message) => void this.#surely(() => this.#hear(message)),
      closed: () => {
        this.#page = undefined;
        this.#showing = undefined;
        this.#content = undefined;
        this.#said = undefined;
      },
    });
  }

  async #hear(message: FromPage): Promise<void> {
    switch (message.type) {
      case 'ready':
        for (const message of [this.#content, this.#said]) if (message !== undefined) this.#page?.say(message);
        return;
      case 'startAgain':
        return this.reviewPending();
      case 'next':
        return this.#showNext();
      case 'undo':
        return this.#takeBack();
      case 'save':
      case 'openSame':
      case 'written':
        return; // of the other page
      default: {
        const showing = this.#showing;
        if (showing?.token === message.token) await this.#hearAbout(message, showing);
      }
    }
  }

  async #hearAbout(message: Extract<FromPage, { token: string }>, showing: Showing): Promise<void> {
    switch (message.type) {
      case 'ask':
        return this.#foresee(message, showing);
      case 'decide':
        return this.#decide(message, showing);
      case 'approveRead':
        if (showing.is === 'approveRead') await this.#approveRead(message.read, showing);
        return;
      case 'slot':
        return this.#setSlot(message.cardinality, showing);
      case 'go':
        return this.#go(message.key, showing);
      case 'find': {
        const memories = await this.#showings.find(message.query, showing);
        if (this.#isShown(showing)) this.#page?.say({ type: 'found', asked: message.asked, memories });
        return;
      }
      case 'open': {
        const id = showing.links.at(message.link);
        const memory = id === undefined ? undefined : await showing.store.person.one(id);
        if (memory !== undefined) await this.#draw({ is: 'memory', target: { store: showing.store, memory } });
        return;
      }
      case 'skip':
        if (showing.is !== 'memory') return;
        this.#queue.skip(showing.memory.id);
        return this.#showNext();
      case 'follow':
        if (showing.is === 'memory') await this.#follow(showing, message.list, message.index);
        return;
      case 'save':
      case 'written':
        return; // of the other page
    }
  }

  /** Says what an act would do, with what stands in its form now. */
  async #foresee({ key, asked, values }: Extract<FromPage, { type: 'ask' }>, showing: Showing): Promise<void> {
    if (!showing.deciding.offers(key)) return;
    const foreseen = await showing.deciding.foresee(key, asked, values);
    const leavings = showing.is === 'forget' ? await this.#showings.leavings(showing, values) : undefined;
    if (!this.#isShown(showing)) return;
    this.#page?.say({
      type: 'foreseen',
      token: showing.token,
      key,
      foreseen: { ...foreseen, ...(leavings !== undefined && { leavings }) },
    });
  }

  /** The person has pressed the button under exactly this showing. */
  async #decide({ key, asked, values }: Extract<FromPage, { type: 'decide' }>, showing: Showing): Promise<void> {
    if (this.#deciding) return;
    const foretold = showing.deciding.take(key, asked, values);
    if (foretold === undefined) {
      this.say('This was not looked at yet with what stands in the form now. Press again.', { again: true });
      return;
    }
    await this.#whileDeciding(async () => {
      const signer = await this.parts.key.signer();
      const receipt = await showing.store.person.decide(foretold.act, signer, foretold.digest);
      this.parts.log.info(`${done[foretold.act.act]} ${receipt.changed.map(({ id }) => id).join(', ')}.`);
      await this.#afterwards(showing, foretold.act, receipt);
    });
  }

  /** Shows what an act has led to. */
  async #afterwards(showing: Showing, act: PersonAct, receipt: DecisionReceipt): Promise<void> {
    const { store } = showing;
    const memory = await store.person.one(receipt.id);
    const title = shownLine(act.act === 'forget' || memory === undefined ? '' : memory.title);
    const waited = showing.is === 'memory' && showing.memory.state === 'pending';
    if (waited) {
      this.#queue.decided(showing.memory.id);
      await this.#showNext();
    } else if (memory !== undefined) {
      await this.#draw({ is: 'memory', target: { store, memory } });
    }
    const offers = memory === undefined ? [] : await this.#waysOn({ store, memory }, !waited);
    this.say(act.act === 'forget' ? forgotten(receipt) : `${whatWasDone(act, receipt)}: ${title}`, { offers });
  }

  /** Offers to take back what was done last to a memory, and to go on to what waits. */
  async #waysOn(target: Target, goOn = true): Promise<readonly Offer[]> {
    const { memory, store } = target;
    this.#undo = undefined;
    if (memory.seen !== undefined && memory.acts.includes('undo')) {
      const act = { act: 'undo', id: memory.id, seen: memory.seen } as const;
      // What cannot be taken back any more is not offered.
      const preview = await store.person.preview(act).catch(() => undefined);
      if (preview !== undefined) this.#undo = { ...target, act, digest: preview.digest };
    }
    const waiting = goOn && (await this.#queue.position(false)).of > 0;
    return [
      ...(this.#undo === undefined ? [] : [{ is: 'undo', about: shownLine(memory.title) } as const]),
      ...(waiting ? [{ is: 'next' } as const] : []),
    ];
  }

  async #takeBack(): Promise<void> {
    const last = this.#undo;
    if (last === undefined || this.#deciding) return;
    this.#undo = undefined;
    await this.#whileDeciding(async () => {
      const { store, act, digest } = last;
      const receipt = await store.person.decide(act, await this.parts.key.signer(), digest);
      this.parts.log.info(`Took back the last act on ${receipt.changed.map(({ id }) => id).join(', ')}.`);
      const memory = await store.person.one(receipt.id);
      if (memory === undefined) return;
      await this.#draw({ is: 'memory', target: { store, memory } });
      const waits = (await this.#queue.position(false)).of > 0;
      this.say(`${done.undo}: ${shownLine(memory.title)}`, { offers: waits ? [{ is: 'next' }] : [] });
    });
  }

  /** Approves one after the other what was read; what cannot be approved, or no longer as it was shown, stays. */
  async #approveRead(read: readonly number[], showing: Extract<Showing, { is: 'approveRead' }>): Promise<void> {
    if (this.#deciding) return;
    const chosen = [...new Set(read)].flatMap((number) => showing.items[number] ?? []);
    if (chosen.length === 0) return;
    await this.#whileDeciding(async () => {
      const signer = await this.parts.key.signer();
      const refused: string[] = [];
      for (const { memory, foretold } of chosen) {
        try {
          if (foretold === undefined) continue;
          await showing.store.person.decide(foretold.act, signer, foretold.digest);
          this.#queue.decided(memory.id);
          this.parts.log.info(`Approved ${memory.id}.`);
        } catch (thrown) {
          const { message } = (await theEngine()).asStetError(thrown);
          refused.push(`${shownLine(memory.title)}: ${message}`);
        }
      }
      const approved = chosen.length - refused.length;
      const left = await showing.store.person.several(showing.items.map(({ memory }) => memory.id));
      const waiting = left.filter(({ state }) => state === 'pending').map((memory) => ({ store: showing.store, memory }));
      if (waiting.length > 0) await this.#draw({ is: 'approveRead', targets: waiting });
      else await this.#showNext();
      this.say([`Approved ${String(approved)}.`, ...refused.map((why) => `Not approved: ${why}`)].join(' '), {
        failed: refused.length > 0,
      });
    });
  }

  async #setSlot(cardinality: 'one' | 'many', showing: Showing): Promise<void> {
    const claim = showing.is === 'memory' ? showing.memory.memory?.content.claim : undefined;
    if (claim === undefined || showing.is !== 'memory' || this.#deciding) return;
    await this.#whileDeciding(async () => {
      await showing.store.person.setSlot(claim.subject, claim.predicate, cardinality, await this.parts.key.signer());
      await this.#draw({ is: 'memory', target: showing, quietly: true, onTheWay: showing.onTheWay });
      const holds = cardinality === 'one' ? 'one value: another one contests it' : 'many values: they stand beside each other';
      this.say(`“${shownLine(claim.subject)} ${shownLine(claim.predicate)}” holds ${holds}.`);
    });
  }

  /** Leads to the page of an act that has one. */
  async #go(key: string, showing: Showing): Promise<void> {
    if (!showing.deciding.offers(key)) return;
    const { store } = showing;
    if (showing.is === 'memory') {
      const target = { store, memory: showing.memory };
      if (key === 'amend') await this.#writer?.amend(target);
      if (key === 'forget') await this.#draw({ is: 'forget', targets: [target] });
      if (key === 'resolve') await this.#showContest(target);
    }
    if (showing.is === 'contest' && key === 'third') await this.#writer?.third(store, showing.members);
    if (showing.is === 'forget' && key === 'back') {
      const memory = await store.person.one(showing.targets[0]?.id ?? '');
      if (memory !== undefined) await this.#draw({ is: 'memory', target: { store, memory } });
    }
  }

  /** Shows a memory with all that it is contested with, over however many others. */
  async #showContest({ store, memory }: Target): Promise<void> {
    const members = new Map([[memory.id, memory]]);
    for (let open: readonly Reviewed[] = [memory]; open.length > 0 && members.size < mostMembers;) {
      const ids = open.flatMap((one) => one.memory?.others ?? []).filter((id) => !members.has(id));
      open = (await store.person.several([...new Set(ids)])).filter(({ state }) => state === 'contested');
      for (const one of open) members.set(one.id, one);
    }
    await this.#draw({ is: 'contest', store, members: [...members.values()] });
  }

  async #showNext(quietly = false): Promise<void> {
    const isWanted = this.#want(quietly);
    await this.parts.stores.settled();
    const next = await this.#queue.next();
    if (!isWanted()) return;
    if (next !== undefined) return this.#draw({ is: 'memory', target: next, quietly, onTheWay: true });
    this.#showing = undefined;
    this.#fill({ type: 'nothing', quietly, ...nothingLeft(this.#queue.skipped) });
  }

  async #draw(drawing: Drawing): Promise<void> {
    const isWanted = this.#want(drawing.quietly ?? false);
    const { showing, content } = await this.#showings.draw(drawing);
    if (!isWanted()) return;
    this.#showing = showing;
    this.#fill(content);
  }

  /**
   * Notes what is wanted now. What nobody asked for yields to what a person asks for, before or after.
   * @returns whether it is still wanted.
   */
  #want(quietly: boolean): () => boolean {
    const wanted = quietly ? this.#wanted : (this.#wanted += 1);
    const content = this.#content;
    return () => wanted === this.#wanted && (!quietly || content === this.#content);
  }

  #fill(content: ToPage): void {
    this.#content = content;
    this.#said = undefined;
    this.#page?.say(content);
  }

  #isShown(showing: Showing): boolean {
    return this.#showing === showing;
  }

  #isDeciding(): boolean {
    return this.#deciding;
  }

  /** Until the page shows what comes next, the decision's own change must not bring back what was decided on. */
  async #whileDeciding(work: () => Promise<void>): Promise<void> {
    this.#deciding = true;
    try {
      await work();
    } catch (error) {
      this.#deciding = false;
      await this.#lookAgain();
      throw error;
    }
    this.#deciding = false;
  }

  /** Something in the store has changed: what is shown is shown anew if it is concerned, and never under the old token. */
  async #lookAgain(): Promise<void> {
    const showing = this.#showing;
    if (showing === undefined || this.#deciding) return;
    if (showing.is === 'approveRead') return; // what is read stays where it is; a press on what has changed is refused
    if (showing.is !== 'memory') return this.#lookAgainAtSeveral(showing);
    const { store, onTheWay } = showing;
    const memory = await store.person.one(showing.memory.id);
    if (!this.#isShown(showing) || this.#isDeciding()) return;
    const now = memory ?? { ...showing.memory, acts: [] };
    const drawn = await this.#showings.draw({ is: 'memory', target: { store, memory: now }, quietly: true, onTheWay });
    if (!this.#isShown(showing) || this.#isDeciding()) return; // the person has gone on meanwhile
    const content = this.#content;
    if (content?.type === 'memory' && drawn.content.type === 'memory' && isTheSame(content, drawn.content)) {
      const { position, memory: shownNow } = drawn.content;
      this.#content = { ...content, memory: { ...content.memory, facts: shownNow.facts }, ...(position !== undefined && { position }) };
      this.#page?.say({ type: 'counts', position, facts: shownNow.facts });
      return;
    }
    const offered = this.#said?.type === 'said' ? this.#said.offers : undefined; // what could be done before can be done still
    this.#showing = drawn.showing;
    this.#fill(drawn.content);
    const noLongerWaits = showing.memory.state === 'pending' && memory?.state !== 'pending';
    this.say(whatHappened(showing.memory, memory), { offers: noLongerWaits ? [{ is: 'next' }] : (offered ?? []) });
  }

  async #lookAgainAtSeveral(showing: Extract<Showing, { is: 'forget' | 'contest' }>): Promise<void> {
    const before: readonly SeenMemory[] = showing.is === 'forget' ? showing.targets : showing.members.flatMap(seenOf);
    const now = await showing.store.person.several(before.map(({ id }) => id));
    if (!this.#isShown(showing) || this.#isDeciding()) return;
    const { store } = showing;
    if (now.length === before.length && now.every(({ id, seen }) => before.find((one) => one.id === id)?.seen.follows === seen?.follows))
      return;
    const left = now.filter(({ acts }) => acts.includes(showing.is === 'forget' ? 'forget' : 'resolve'));
    const [first] = left.length > 0 ? left : now;
    if (first === undefined) return;
    if (left.length === 0) await this.#draw({ is: 'memory', target: { store, memory: first }, quietly: true });
    else if (showing.is === 'contest') await this.#draw({ is: 'contest', store, members: left, quietly: true });
    else await this.#draw({ is: 'forget', targets: left.map((memory) => ({ store, memory })), quietly: true });
    this.say(hasChanged);
  }

  async #follow({ store, memory }: Extract<Showing, { is: 'memory' }>, list: 'appliesTo' | 'restsOn', index: number): Promise<void> {
    const pointer = pointerAt(memory, list, index);
    if (pointer === undefined) return;
    if ('kind' in pointer && pointer.kind === 'memory') {
      const other = await store.person.one(pointer.id);
      if (other !== undefined) await this.#draw({ is: 'memory', target: { store, memory: other } });
      return;
    }
    const workTrees = new Set(store.folders.map(({ workTree }) => workTree));
    const missing = await follow(pointer, [...workTrees]);
    if (missing !== undefined) this.say(missing, { failed: true });
  }

  /** What fails on the page is said on the page. */
  async #surely(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      const error = (await theEngine()).asStetError(thrown);
      if (error.code === 'signing_key_missing') {
        this.say('Not decided: no key was made.', { again: true });
        return;
      }
      logError(error, this.parts.log);
      const text = error.code === 'changed_meanwhile' ? changedSince : `${error.message} ${error.hint}`;
      this.say(text, { failed: true, again: true });
    }
  }
}

/** Most memories of one contest that are shown side by side. */
const mostMembers = 12;

const hasChanged = 'What is shown here has changed. You see it as it is now.';
const changedSince =
  'Something has changed since this was shown, so nothing was done. You see it as it is now; look at it and decide again.';

function seenOf({ id, seen }: Reviewed): SeenMemory[] {
  return seen === undefined ? [] : [{ id, seen }];
}

function nothingLeft(skipped: number): { title: string; text: string; restart?: string } {
  if (skipped === 0)
    return { title: 'Nothing waits for review', text: 'What an agent proposes next waits in the Pending view until you look at it.' };
  const still = skipped === 1 ? 'The one you skipped still waits' : `The ${String(skipped)} you skipped still wait`;
  return { title: 'That was the last one', text: `${still}, and agents do not see what waits.`, restart: 'Go through the skipped' };
}

/** An act as the start of a sentence; an end that is still to come has not happened yet. */
function whatWasDone(act: PersonAct, { state }: DecisionReceipt): string {
  const goesOn = state === 'active' || state === 'contested';
  if (goesOn && (act.act === 'retire' || act.act === 'supersede' || act.act === 'accept') && 'effective' in act) return 'Its end is set';
  return done[act.act];
}

function forgotten({ changed, erased }: DecisionReceipt): string {
  const count = changed.filter(({ act }) => act === 'forget').length;
  const what = count === 1 ? 'Forgotten.' : `Forgotten: ${String(count)} memories.`;
  return erased === 'held'
    ? `${what} Its words are still in the journal that another process keeps; Stet finishes as soon as it lets go.`
    : `${what} Its words are gone from everything that Stet keeps.`;
}

/** Why a memory is shown anew that nobody has decided on here. */
function whatHappened(before: Reviewed, now: Reviewed | undefined): string {
  const isSame = now?.state === before.state && now.seen?.follows === before.seen?.follows && now.tampering === before.tampering;
  if (isSame) return 'What lies around this memory has changed. You see it as it is now.';
  const decided = now !== undefined && now.tampering === undefined && now.state !== before.state;
  if (!decided || now.state === 'pending') return 'This memory has changed. You see it as it is now.';
  return `${now.state === 'active' ? done.approve : stateNames[now.state]} in another window.`;
}
