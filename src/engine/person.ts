/** The person's door: everything that is kept, in every state, and every act on it. */
import { prune } from './audit/erase';
import { history, historySchema, type Timeline } from './audit/history';
import { integrityOf, type Finding } from './audit/integrity';
import { leavingsOf, type Elsewhere, type Leavings } from './audit/leavings';
import { recallsOf, sessionsSeen, sessionsThatSaw } from './audit/seen';
import type { Rule } from './domain/events';
import { parse } from './domain/input';
import type { State } from './domain/memory';
import { slotKey } from './domain/value-key';
import type { OpenStore } from './engine';
import { refuseBehind } from './ahead';
import { finishErasures } from './forgetting';
import { append, preview } from './ledger/append';
import { auditLog, type AuditEntry } from './audit/log';
import { cardinalityOf } from './ledger/conflicts';
import { openChallenges, type OpenChallenge } from './ledger/challenges';
import { closeGap, replaceHead } from './ledger/heads';
import type { DecisionReceipt, PersonAct, Receipt } from './ledger/commands';
import { rebuild, type Rebuilt } from './ledger/rebuild';
import { isPaused } from './ledger/rules';
import { verifyStore, type StoreState, type Watch } from './ledger/verify';
import type { Signer } from './ports';
import * as review from './review';
import { backUpIfDue, listBackups, type Backup } from './store/backup';
import { quickCheck, type Health } from './store/health';
import type { JournalHealth } from './store/journal';
import { sessionsProposing, type Page, type ProposingSession } from './store/memories';

/** What one memory goes through in an act. */
export interface PreviewedStep {
  readonly id: string;
  readonly title: string;
  readonly act: string;
  readonly from: State | 'none';
  readonly to: State;
  readonly others: readonly string[];
  readonly validTo: string | null;
}

/** What an act would do. Handing its digest to `decide` makes sure that it does just that. */
export interface Preview {
  readonly digest: string;
  readonly steps: readonly PreviewedStep[];
}

/** What a person may see and do in the editor. */
export interface PersonAccess {
  overview(): Promise<review.Overview>;
  list(page: Page): Promise<review.Reviewed[]>;
  one(id: string): Promise<review.Reviewed | undefined>;
  several(ids: readonly string[]): Promise<review.Reviewed[]>;
  /** What a person should know beside the text before they decide; undefined for a memory without words. */
  nearby(id: string): Promise<review.Nearby | undefined>;
  reasons(id: string): Promise<ReadonlyMap<number, string>>;
  /** @param path absolute, or relative to the session's root. */
  forFile(path: string, k: number): ReturnType<typeof review.applying>;
  search(query: string, k: number): Promise<review.Reviewed[]>;
  challenges(): Promise<OpenChallenge[]>;
  /** Standing memories whose evidence has drifted since anybody looked. */
  drifted(limit: number): Promise<review.Reviewed[]>;
  history(asked: unknown): Promise<Timeline>;
  /** The agent sessions of which something is still remembered, newest first. */
  sessions(limit: number): Promise<ProposingSession[]>;
  /** The events, newest first: all of them, or one memory's. */
  audit(page: { readonly memory?: string; readonly limit: number; readonly before?: number }): Promise<AuditEntry[]>;

  preview(decision: PersonAct): Promise<Preview>;
  /** @param previewed the digest of the preview that was shown; the act fails where it would do anything else. */
  decide(decision: PersonAct, signer: Signer, previewed?: string): Promise<DecisionReceipt>;
  /** @param copyOf `<store id>/<memory id>` of the memory of another store that the person copies here. */
  save(draft: unknown, surface: string, signer: Signer, copyOf?: string): Promise<Receipt>;
  /** What a forgetting of these would leave behind, and what goes with it. */
  leavings(ids: readonly string[]): Promise<Leavings>;
  /** Finishes forgettings that are not finished. */
  finishErasures(): Promise<'done' | 'held'>;
  /** Lets proposals lapse that have waited longer than this. @returns their ids. */
  expireWaiting(days: number): Promise<readonly string[]>;

  paused(): Promise<boolean>;
  pause(paused: boolean, signer: Signer): Promise<void>;
  /** Whether the slot holds one value or many, as a person last said. */
  slot(subject: string, predicate: string): Promise<'one' | 'many' | undefined>;
  setSlot(subject: string, predicate: string, cardinality: 'one' | 'many', signer: Signer): Promise<void>;
  /** The store's folder has moved here. @param identity what it belongs to now: `locate(folder).identity`. */
  adopt(identity: string, signer: Signer): Promise<void>;

  sessionsSeen(page: { readonly limit: number; readonly offset: number }): ReturnType<typeof sessionsSeen>;
  recallsOf(session: string, page: { readonly limit: number; readonly offset: number }): ReturnType<typeof recallsOf>;
  sessionsThatSaw(id: string): ReturnType<typeof sessionsThatSaw>;
  /** Drops the oldest answers from the record of what agents saw, a step at a time. @returns how many. */
  pruneSeen(): Promise<number>;

  /** Where the store's rows are not what content and events say. Changes nothing. */
  integrity(watch?: Watch): Promise<Finding[]>;
  /** Makes every derived row anew from content and events. @throws `store_busy`, after which the store is as it was. */
  rebuild(progress?: (done: number, total: number) => void): Promise<Rebuilt>;
  /** Walks the whole chain of events, and compares its end with what was signed outside. */
  verify(options?: Watch): Promise<StoreState>;
  /**
   * Signs the newest event outside of the file, so that what agents have proposed since the last act cannot be cut off unseen.
   * @throws `store_behind` or `head_unreadable` where the store is not the one that was signed before.
   */
  signHead(signer: Signer): Promise<void>;
  /** Signs the store as it is, whatever was signed of it before: a person has been told what is missing and goes on with it. */
  acceptAsItIs(signer: Signer): Promise<void>;
  health(): Promise<Health>;
  journal(): Promise<JournalHealth>;
  backUpIfDue(): Promise<Backup | undefined>;
  backups(): Promise<Backup[]>;
}

/** @param elsewhere the other store that is open beside this one, for what a forgetting leaves there. */
export function personAccess(store: OpenStore, elsewhere?: Elsewhere): PersonAccess {
  const { source, heads, keysFile, file } = store;
  const { reader, parts } = source;
  const { grant } = reader;
  const { read } = parts.database;
  const origin = { grant, place: reader.place };

  const headed = () => ({ read, storeFile: file, at: parts.clock.now().toISOString() });

  /** After an act the newest event is signed outside of the file as well. */
  async function signed<T>(act: () => Promise<T>, signer: Signer): Promise<T> {
    await refuseBehind(store);
    const result = await act();
    // The act is done, whatever becomes of this: what could not be signed now is signed with the next change.
    await heads
      ?.advance({ read, storeFile: file, at: parts.clock.now().toISOString() }, signer, await parts.keyRing.trusted())
      .catch(() => undefined);
    store.changed();
    return result;
  }
  const lay = async (rule: Rule, signer: Signer, identity?: string) => {
    await signed(() => append({ type: 'rule', rule, signer, ...origin, ...(identity !== undefined && { identity }) }, parts), signer);
  };
  return {
    overview: () => review.overview(reader, parts),
    list: (page) => review.list(page, reader, parts),
    one: (id) => review.one(id, reader, parts),
    several: (ids) => review.several(ids, reader, parts),
    nearby: (id) => review.nearby(id, reader, parts),
    reasons: (id) => review.reasons(id, reader, parts),
    forFile: async (path, k) => review.applying(path, k, reader, parts),
    search: (query, k) => review.matching(query, k, reader, parts),
    challenges: () => openChallenges(read, grant),
    drifted: (limit) => review.drifted(reader, parts, limit),
    history: async (asked) => (await history(parse(historySchema, asked), grant, parts)).timeline,
    sessions: (limit) => sessionsProposing(read, grant, limit),
    audit: (page) => auditLog(read, grant, page),

    preview: async (decision) => {
      const { digest, steps } = await preview({ decision, ...origin }, parts);
      return {
        digest,
        steps: steps.map(({ title, statement: { memory, act, from, to, others, validTo } }) => ({ id: memory, title, act, from, to, others, validTo })), // prettier-ignore
      };
    },
    decide: async (decision, signer, previewed) => {
      const receipt = await signed(
        () => append({ type: 'decide', decision, signer, ...origin, ...(previewed !== undefined && { previewed }) }, parts),
        signer,
      );
      if (decision.act !== 'forget') return receipt;
      // The forgetting is done and signed by now: what keeps its bytes for a while is no failure of it, and is tried again later.
      return { ...receipt, erased: await finishErasures(parts).catch(() => 'held' as const) };
    },
    save: (draft, surface, signer, copyOf) =>
      signed(() => append({ type: 'save', draft, surface, signer, ...origin, ...(copyOf !== undefined && { copyOf }) }, parts), signer),
    leavings: (ids) => leavingsOf(ids, grant, parts, elsewhere),
    finishErasures: () => finishErasures(parts),
    expireWaiting: async (days) => {
      const before = new Date(parts.clock.now().getTime() - days * 24 * 60 * 60 * 1000).toISOString();
      const lapsed = await append({ type: 'expire', before, ...origin }, parts);
      if (lapsed.length > 0) store.changed();
      return lapsed;
    },

    paused: () => isPaused(read, parts),
    pause: (paused, signer) => lay({ is: 'paused', paused }, signer),
    slot: (subject, predicate) => cardinalityOf(read, slotKey(parts.store.salt, subject, predicate)),
    setSlot: (subject, predicate, cardinality, signer) =>
      lay({ is: 'slot', slot: slotKey(parts.store.salt, subject, predicate), cardinality }, signer),
    adopt: (identity, signer) => lay({ is: 'folder', identity: slotKey(parts.store.salt, 'folder', identity) }, signer, identity),

    sessionsSeen: (page) => sessionsSeen(read, grant, page),
    recallsOf: (session, page) => recallsOf(read, grant, session, page),
    sessionsThatSaw: async (id) => {
      const seq = (await read.get('SELECT seq FROM memories WHERE id = ?', id))?.['seq'];
      return typeof seq === 'number' ? sessionsThatSaw(read, grant, seq) : [];
    },
    pruneSeen: () => parts.database.sideTransaction((tx) => prune(tx, parts.clock.now())),

    integrity: (watch) => integrityOf(grant, parts, watch),
    rebuild: async (progress) => {
      const rebuilt = await rebuild(grant, parts, progress);
      store.changed();
      return rebuilt;
    },
    verify: async (how) => {
      const keys = await parts.keyRing.trusted();
      return verifyStore({ read, id: parts.store.id, head: await heads?.read(keys), keys }, how);
    },
    signHead: async (signer) => {
      await heads?.advance(headed(), signer, await parts.keyRing.trusted());
    },
    acceptAsItIs: async (signer) => {
      await parts.database.transaction(closeGap);
      if (keysFile !== undefined) await replaceHead(keysFile, parts.store.id, headed(), signer);
      store.changed();
    },
    health: () => quickCheck(parts.database),
    journal: () => parts.database.journalHealth(),
    backUpIfDue: () => backUpIfDue(parts.database, parts.clock),
    backups: () => listBackups(file),
  };
}
