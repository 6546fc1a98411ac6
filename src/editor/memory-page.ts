/**
 * The page on which a memory is read in full and decided on: the only place where a decision is made. Commands choose what it shows;
 * what decides is a press on a button of the page, which names the one showing it stands under.
 */
import type * as vscode from 'vscode';
import type { Decision, Reviewed } from '../engine';
import { follow } from './follow';
import { pageMemory } from './memory-view';
import { freshToken, openPage, type PagePanel } from './page';
import type { FromPage, Offer, ToPage } from './page-messages';
import { done } from './present';
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
    await this.#draw(target, asks);
  }

  /** Says what has happened to the memory that is shown. */
  say(text: string, options: { readonly failed?: boolean; readonly offers?: Offer } = {}): void {
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
        return; // of the other page
    }
  }

  /** The person has pressed the button under exactly this showing. */
  async #decide(token: string, decision: Decision, reason: string | undefined): Promise<void> {
    const showing = this.#showing;
    if (showing?.token !== token || this.#deciding) return;
    const { store, memory } = showing;
    if (memory.seen === undefined || !memory.decisions.includes(decision)) return;
    this.#deciding = true; // until the page shows what comes next: the decision's own change must not bring back what was decided on
    try {
      const signer = await this.parts.key.signer();
      await store.person.decide(decision, memory.id, memory.seen, signer, reason);
      this.parts.log.info(`${done[decision]} ${memory.id}.`);
      const now = { store, memory: (await store.person.one(memory.id)) ?? memory };
      if (memory.state === 'pending') {
        this.#queue.decided(memory.id);
        await this.#showNext();
      } else {
        await this.#draw(now);
      }
      this.#last = decision === 'approve' ? now : undefined;
      this.say(`${done[decision]}: ${shownLine(memory.title)}`, decision === 'approve' ? { offers: 'retireLast' } : {});
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
    if (next !== undefined) return this.#draw(next, undefined, quietly);
    this.#showing = undefined;
    this.#fill({ type: 'nothing', quietly, ...nothingLeft(this.#queue.skipped) });
  }

  async #showOne({ store, memory }: Target, asks?: 'reject' | 'retire'): Promise<void> {
    const now = await store.person.one(memory.id);
    if (now !== undefined) await this.#draw({ store, memory: now }, asks);
  }

  /** @param quietly without taking the focus or the reader's place, when it was not the person who asked. */
  async #draw({ store, memory }: Target, asks?: 'reject' | 'retire', quietly = false): Promise<void> {
    const isWanted = this.#want(quietly);
    const [drawn, position] = await Promise.all([
      this.parts.key.ownId().then((own) => pageMemory(memory, store.person, own)),
      memory.state === 'pending' ? this.#queue.position() : undefined,
    ]);
    if (!isWanted()) return;
    this.#showing = { store, memory, token: freshToken() };
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
    if (showing !== this.#showing || this.#isDeciding()) return;
    if (memory === undefined || !isSame(memory, showing.memory)) {
      const now = memory ?? { ...showing.memory, decisions: [] };
      await this.#draw({ store: showing.store, memory: now }, undefined, true);
      if (!this.#shows(now)) return; // the person has gone on meanwhile
      const decidedElsewhere = showing.memory.state === 'pending' && memory?.state !== 'pending';
      this.say('This memory has changed. You see it as it is now.', decidedElsewhere ? { offers: 'next' } : {});
    } else if (memory.state === 'pending') {
      this.#page?.say({ type: 'position', position: await this.#queue.position() });
    }
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
      logError(error, this.parts.log);
      this.say(`${error.message} ${error.hint}`, { failed: true });
    }
  }
}

function nothingLeft(skipped: number): { title: string; text: string; restart?: string } {
  if (skipped === 0)
    return { title: 'Nothing waits for review', text: 'What an agent proposes next waits in the Pending view until you look at it.' };
  const still = skipped === 1 ? 'The one you skipped still waits' : `The ${String(skipped)} you skipped still wait`;
  return { title: 'That was the last one', text: `${still}, and agents do not see what waits.`, restart: 'Go through the skipped' };
}

const isSame = (a: Reviewed, b: Reviewed) =>
  a.state === b.state &&
  a.tampering === b.tampering &&
  a.support === b.support &&
  a.seen?.follows === b.seen?.follows &&
  a.seen?.contentHash === b.seen?.contentHash;
