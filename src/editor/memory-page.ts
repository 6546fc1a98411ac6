/**
 * The page on which a memory is read in full and decided on: the only place where a decision is made. Commands choose what it shows;
 * what decides is a press on a button of the page, which names the one showing it stands under.
 */
import type * as vscode from 'vscode';
import type { Reviewed } from '../engine';
import { follow } from './follow';
import { factsAbout, pageMemory } from './memory-view';
import { freshToken, openPage, type PagePanel } from './page';
import type { FromPage, Offer, PageDecision, ToPage } from './page-messages';
import { done, stateNames } from './present';
import { ReviewQueue, type Target } from './review-queue';
import { shownLine } from './shown-text';
import type { PersonsKey } from './signer';
import type { Stores } from './stores';
import { logError } from './commands';
import { theEngine } from './the-engine';

export interface MemoryPageParts {
  readonly extension: vscode.Uri;
  readonly stores: Stores;
  readonly key: PersonsKey;
  readonly log: vscode.LogOutputChannel;
}

/** What is on the page, under the name of this one showing. */
interface Showing extends Target {
  readonly token: string;
  /** The reader goes through what waits, and did not choose this one. */
  readonly onTheWay: boolean;
}

interface Drawing {
  /** The decision whose reason is asked for at once, if it can be made. */
  readonly asks?: 'reject' | 'retire';
  /** Without taking the focus or the reader's place, since it was not the person who asked. */
  readonly quietly?: boolean;
  readonly onTheWay?: boolean;
}

export class MemoryPage implements vscode.Disposable {
  #page: PagePanel | undefined;
  #showing: Showing | undefined;
  /** What the page was told to show, for when it is drawn anew. */
  #content: ToPage | undefined;
  #said: ToPage | undefined;
  /** What was let stand last, for the way back. */
  #last: Target | undefined;
  #deciding = false;
  /** What is wanted now; what was asked for earlier and arrives later is dropped. */
  #wanted = 0;
  readonly #queue: ReviewQueue;
  readonly #listener: vscode.Disposable;

  constructor(private readonly parts: MemoryPageParts) {
    this.#queue = new ReviewQueue(parts.stores);
    this.#listener = parts.stores.onDidChangeMemories((store) => {
      if (store === this.#showing?.store) void this.#surely(() => this.#lookAgain());
      if (this.#content?.type === 'nothing') void this.#surely(() => this.#showNext(true));
    });
  }

  dispose(): void {
    this.#listener.dispose();
    this.#page?.dispose();
  }

  /** Shows the first memory that waits. */
  async reviewPending(): Promise<void> {
    this.#reveal();
    this.#queue.startAgain();
    await this.#showNext();
  }

  /** Shows one memory. @param asks the decision whose reason is asked for at once, if it can be made. */
  async show(target: Target, asks?: 'reject' | 'retire'): Promise<void> {
    this.#reveal();
    await this.#draw(target, { ...(asks !== undefined && { asks }) });
  }

  /** Says what has happened to the memory that is shown. */
  say(text: string, options: { readonly failed?: boolean; readonly again?: boolean; readonly offers?: Offer } = {}): void {
    this.#said = { type: 'said', text, failed: false, ...options };
    this.#page?.say(this.#said);
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
      case 'retireLast':
        if (this.#last !== undefined) await this.#showOne(this.#last, 'retire');
        return;
      case 'decide':
        return this.#decide(message.token, message.decision, message.reason);
      case 'skip':
        if (this.#showing?.token === message.token) return this.#skip(this.#showing);
        return;
      case 'follow':
        if (this.#showing?.token === message.token) return this.#follow(this.#showing, message.list, message.index);
        return;
      case 'save':
      case 'openSame':
      case 'written':
        return; // of the other page
    }
  }

  /** The person has pressed the button under exactly this showing. */
  async #decide(token: string, decision: PageDecision, reason: string | undefined): Promise<void> {
    const showing = this.#showing;
    if (showing?.token !== token || this.#deciding) return;
    const { store, memory } = showing;
    if (memory.seen === undefined || !memory.acts.includes(decision)) return;
    this.#deciding = true; // until the page shows what comes next: the decision's own change must not bring back what was decided on
    try {
      const signer = await this.parts.key.signer();
      const about = { id: memory.id, seen: memory.seen };
      const act = decision === 'approve' ? { act: decision, ...about } : { act: decision, ...about, reason: reason ?? '' };
      await store.person.decide(act, signer);
      this.parts.log.info(`${done[decision]} ${memory.id}.`);
      const now = { store, memory: (await store.person.one(memory.id)) ?? memory };
      if (memory.state === 'pending') {
        this.#queue.decided(memory.id);
        await this.#showNext();
      } else {
        await this.#draw(now);
      }
      this.#last = decision === 'approve' ? now : undefined;
      const title = shownLine(memory.title);
      const goesOn = memory.state !== 'pending' && (await this.#queue.position(false)).of > 0;
      const offers: Offer | undefined = decision === 'approve' ? { is: 'retireLast', about: title } : goesOn ? { is: 'next' } : undefined;
      this.say(`${done[decision]}: ${title}`, { ...(offers !== undefined && { offers }) });
    } catch (error) {
      this.#deciding = false;
      await this.#lookAgain();
      throw error;
    }
    this.#deciding = false;
  }

  async #skip(showing: Showing): Promise<void> {
    this.#queue.skip(showing.memory.id);
    await this.#showNext();
  }

  async #showNext(quietly = false): Promise<void> {
    const isWanted = this.#want(quietly);
    await this.parts.stores.settled();
    const next = await this.#queue.next();
    if (!isWanted()) return;
    if (next !== undefined) return this.#draw(next, { quietly, onTheWay: true });
    this.#showing = undefined;
    this.#fill({ type: 'nothing', quietly, ...nothingLeft(this.#queue.skipped) });
  }

  async #showOne({ store, memory }: Target, asks: 'reject' | 'retire'): Promise<void> {
    const now = await store.person.one(memory.id);
    if (now !== undefined) await this.#draw({ store, memory: now }, { asks });
  }

  async #draw({ store, memory }: Target, { asks, quietly = false, onTheWay = false }: Drawing = {}): Promise<void> {
    const isWanted = this.#want(quietly);
    const [drawn, position] = await Promise.all([
      this.parts.key.ownId().then((own) => pageMemory(memory, store.person, own)),
      memory.state === 'pending' ? this.#queue.position(onTheWay) : undefined,
    ]);
    if (!isWanted()) return;
    this.#showing = { store, memory, token: freshToken(), onTheWay };
    this.#fill({
      type: 'memory',
      token: this.#showing.token,
      memory: drawn,
      quietly,
      ...(position !== undefined && { position }),
      ...(asks !== undefined && drawn.decisions.includes(asks) && { asks }),
    });
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

  #shows(memory: Reviewed): boolean {
    return this.#showing?.memory === memory;
  }

  #isDeciding(): boolean {
    return this.#deciding;
  }

  /** Something in the store has changed: what is shown is shown anew if it is concerned, and never under the old token. */
  async #lookAgain(): Promise<void> {
    const showing = this.#showing;
    if (showing === undefined || this.#deciding) return;
    const memory = await showing.store.person.one(showing.memory.id);
    if (showing.token !== this.#showing?.token || this.#isDeciding()) return;
    if (memory !== undefined && isSame(memory, showing.memory)) return this.#count(showing, memory);
    const now = memory ?? { ...showing.memory, acts: [] };
    await this.#draw({ store: showing.store, memory: now }, { quietly: true, onTheWay: showing.onTheWay });
    if (!this.#shows(now)) return; // the person has gone on meanwhile
    const noLongerWaits = showing.memory.state === 'pending' && memory?.state !== 'pending';
    this.say(whatHappened(showing.memory, memory), noLongerWaits ? { offers: { is: 'next' } } : {});
  }

  /** Brings up to date what is counted around the memory, and leaves the page as it is. */
  async #count({ token, onTheWay }: Showing, memory: Reviewed): Promise<void> {
    const position = memory.state === 'pending' ? await this.#queue.position(onTheWay) : undefined;
    const content = this.#content;
    if (content?.type !== 'memory' || content.token !== token) return;
    const { quietly, asks } = content;
    const facts = factsAbout(memory);
    this.#content = {
      type: 'memory',
      token,
      memory: { ...content.memory, facts },
      quietly,
      ...(position !== undefined && { position }),
      ...(asks !== undefined && { asks }),
    };
    this.#page?.say({ type: 'counts', position, facts });
  }

  async #follow({ store, memory }: Showing, list: 'appliesTo' | 'restsOn', index: number): Promise<void> {
    const content = memory.memory?.content;
    const pointer = list === 'appliesTo' ? content?.anchors[index] : content?.evidence[index];
    if (pointer === undefined) return;
    if ('kind' in pointer && pointer.kind === 'memory') {
      const other = await store.person.one(pointer.id);
      if (other !== undefined) await this.#draw({ store, memory: other });
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
      this.say(`${error.message} ${error.hint}`, { failed: true, again: true });
    }
  }
}

function nothingLeft(skipped: number): { title: string; text: string; restart?: string } {
  if (skipped === 0)
    return { title: 'Nothing waits for review', text: 'What an agent proposes next waits in the Pending view until you look at it.' };
  const still = skipped === 1 ? 'The one you skipped still waits' : `The ${String(skipped)} you skipped still wait`;
  return { title: 'That was the last one', text: `${still}, and agents do not see what waits.`, restart: 'Go through the skipped' };
}

/** Why a memory is shown anew that nobody has decided on here. */
function whatHappened(before: Reviewed, now: Reviewed | undefined): string {
  const decided = now !== undefined && now.tampering === undefined && now.state !== before.state;
  if (!decided || now.state === 'pending') return 'This memory has changed. You see it as it is now.';
  return `${now.state === 'active' ? done.approve : stateNames[now.state]} in another window.`;
}

/** What a person would decide on is the same. How often it was proposed again does not matter to that. */
const isSame = (a: Reviewed, b: Reviewed) =>
  a.state === b.state && a.tampering === b.tampering && a.seen?.follows === b.seen?.follows && a.seen?.contentHash === b.seen?.contentHash;
