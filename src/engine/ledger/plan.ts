/**
 * A person's act as the signed steps it takes: one statement for each memory it touches. It is planned once to be shown and signed,
 * and once more inside the transaction, where it must come out the same.
 */
import { canonicalJson, sha256 } from '../domain/canonical';
import { contentHash, evidenceHashes, reasonHash, statedBounds, type ActStatement } from '../domain/events';
import type { Bounds, Content, NewMemory, State } from '../domain/memory';
import { checkTransition, servedStates, type SignedActName } from '../domain/states';
import { changedMeanwhile, illegalTransition, notFound, tampered } from '../errors';
import { contains, type Grant } from '../scope/grant';
import type { Statements } from '../store/database';
import { memoriesById } from '../store/memories';
import type { SeenMemory } from './commands';
import type { Keys } from './keyring';
import { check, type Checked, type StoreIdentity, type UserStore } from './parts';
import { disputeOf } from './reasons';
import { boundsOfContent, changesStatus } from './replay';

export interface PlanContext {
  readonly read: Pick<Statements, 'all' | 'get'>;
  readonly grant: Grant;
  readonly store: StoreIdentity;
  readonly keys: Keys;
  readonly authority: 'person' | 'policy';
  readonly at: string;
  readonly group: string;
  /** The user store, whose tombstones hold here too. */
  readonly user?: UserStore;
}

/** What an act does besides the memory's own state. */
export interface Effects {
  /** The value is refused from now on, in the act's scope and inside it. */
  readonly buries?: boolean;
  /** Every tombstone of the memory is lifted. */
  readonly lifts?: boolean;
  /** The event of the act that is taken back, with what that act did beside the memory's state. */
  readonly undoes?: number;
  /** The question that is answered for good, by its key. */
  readonly verdict?: string;
  /** The challenge that is answered. */
  readonly answers?: string;
}

export interface PlannedStep {
  /** Undefined for a memory that the act makes. */
  readonly seq: number | undefined;
  /** Undefined where its words are gone or cannot be read. */
  readonly memory: NewMemory | undefined;
  readonly title: string;
  readonly statement: ActStatement;
  readonly reason: string | undefined;
  readonly effects: Effects;
}

export interface Plan {
  /** The memory the act is about, or the one it makes. */
  readonly about: string;
  readonly steps: readonly PlannedStep[];
  /** A name of everything that it does: two plans with the same name do the same to the same. */
  readonly digest: string;
}

/** What happens to one memory. */
export interface Change {
  act?: SignedActName;
  to?: State;
  bounds?: Bounds;
  others?: Set<string>;
  reason?: string;
  about?: string;
  effects?: Effects;
}

/** Collects what an act does, memory by memory, and keeps both sides of every contest in step. */
export class Draft {
  readonly #known = new Map<string, Checked>();
  readonly #made = new Map<string, NewMemory>();
  readonly #changes = new Map<string, Change>();

  constructor(readonly context: PlanContext) {}

  /**
   * A memory the person decides on, as it is now.
   * @throws `not_found`, or `changed_meanwhile` when it is not what the person saw.
   */
  async seen({ id, seen }: SeenMemory): Promise<Checked> {
    const checked = await this.known(id);
    const { contentHash: committed, follows } = checked.replayed;
    if (follows !== seen.follows || (committed ?? '') !== seen.contentHash) throw changedMeanwhile();
    return checked;
  }

  /** The same, for acts that may only be done to what is exactly as it was signed. @throws `tampered` besides. */
  async sound(memory: SeenMemory): Promise<Checked & { readonly stored: { readonly readable: true } }> {
    const checked = await this.seen(memory);
    if (checked.replayed.tampering !== undefined) throw tampered();
    return readable(checked);
  }

  /** A memory of the store. @throws `not_found`. */
  async known(id: string): Promise<Checked> {
    const [checked] = await this.several([id]);
    if (checked === undefined) throw notFound();
    return checked;
  }

  /** Memories of the store; those that are not there are left out. */
  async several(ids: readonly string[]): Promise<Checked[]> {
    const { read, grant, store, keys } = this.context;
    const missing = ids.filter((id) => !this.#known.has(id));
    for (const one of await check(read, await memoriesById(read, grant, missing), store, keys)) this.#known.set(one.stored.id, one);
    return ids.flatMap((id) => this.#known.get(id) ?? []);
  }

  /** Notes a new memory, which the person states. */
  make(memory: NewMemory, change: Change): void {
    this.#made.set(memory.id, memory);
    this.#changes.set(memory.id, change);
  }

  /** Notes what happens to a memory that is there. */
  change(id: string, change: Change): void {
    this.#changes.set(id, { ...this.#changes.get(id), ...change });
  }

  /** Contests two memories with each other. */
  async contest(a: string, b: string): Promise<void> {
    (await this.#othersOf(a)).add(b);
    (await this.#othersOf(b)).add(a);
  }

  /** Takes memories that stand no longer out of every contest they are in. */
  async leave(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const checked = this.#known.get(id);
      for (const { stored, replayed } of await this.several(checked === undefined ? [] : asSigned(checked).others))
        if (!ids.includes(stored.id) && replayed.state === 'contested') (await this.#othersOf(stored.id)).delete(id);
    }
  }

  /** The steps, in a fixed order: what is made first, then the memories by id. */
  async plan(about: string): Promise<Plan> {
    const steps: PlannedStep[] = [];
    for (const [id, memory] of this.#made) steps.push(this.#stepOf(id, memory));
    for (const id of [...this.#changes.keys()].filter((one) => !this.#made.has(one)).sort())
      steps.push(this.#stepOf(id, await this.known(id)));
    const digest = sha256(
      canonicalJson(
        steps.map(({ statement: { memory, act, from, to, follows, others, scope, validFrom, validTo } }) => ({
          memory: this.#made.has(memory) ? 'new' : memory,
          act,
          from,
          to,
          follows,
          others: others.map((id) => (this.#made.has(id) ? 'new' : id)),
          scope,
          validFrom,
          validTo: validTo === this.context.at ? 'now' : validTo,
        })),
      ),
    );
    return { about, steps, digest };
  }

  async #othersOf(id: string): Promise<Set<string>> {
    const change = this.#changes.get(id) ?? {};
    this.#changes.set(id, change);
    return (change.others ??= new Set(this.#made.has(id) ? [] : asSigned(await this.known(id)).others));
  }

  #stepOf(id: string, about: NewMemory | Checked): PlannedStep {
    const { store, at, authority, group } = this.context;
    const change = this.#changes.get(id) ?? {};
    const checked = 'stored' in about ? about : undefined;
    const memory = 'content' in about ? about : about.stored.readable ? about.stored.memory : undefined;
    const from = checked === undefined ? 'none' : checked.replayed.state;
    if (from === undefined) throw tampered(); // no event says what it is
    const { act, to } = actOf(change, from, checked);
    checkTransition(act, from, to, authority);
    const others = to === 'contested' || (change.others !== undefined && to !== 'active') ? [...(change.others ?? (checked === undefined ? [] : asSigned(checked).others))].sort() : []; // prettier-ignore
    const reason = change.reason;
    const statement: ActStatement = {
      version: 2,
      act,
      authority,
      store: store.id,
      memory: id,
      contentHash: 'content' in about ? contentHash(about) : (about.replayed.contentHash ?? nothing),
      ...statedBounds(change.bounds ?? ('content' in about ? boundsOfContent(about.content) : asSigned(about).bounds)),
      evidenceHashes: memory === undefined ? [] : evidenceHashes(memory.salt, memory.content.evidence),
      from,
      to,
      follows: checked?.replayed.follows ?? null,
      reason: reason === undefined || memory === undefined ? null : reasonHash(memory.salt, reason),
      at,
      others,
      about: change.about ?? null,
      group,
    };
    return {
      seq: checked?.stored.seq,
      memory,
      title: memory?.content.title ?? '',
      statement,
      reason,
      effects: change.effects ?? {},
    };
  }
}

const nothing = '0'.repeat(64);

/** The act of a change. Where only its contests changed, it is still contested by what is left, or has settled. */
function actOf(change: Change, from: State | 'none', checked: Checked | undefined): { act: SignedActName; to: State } {
  const contested = change.others !== undefined && change.others.size > 0;
  if (change.act !== undefined) return { act: change.act, to: change.to ?? (contested ? 'contested' : 'active') };
  const disputed = checked !== undefined && from === 'contested' && disputeOf(checked) !== undefined;
  return contested || disputed ? { act: 'contest', to: 'contested' } : { act: 'settle', to: 'active' };
}

/**
 * Where and when a memory holds and what it is contested with, as its events say it: a row that says otherwise may not get a
 * signature by an act on something else.
 */
export function asSigned({ stored, replayed }: Checked): { readonly bounds: Bounds; readonly others: readonly string[] } {
  const status = replayed.history.findLast(({ act }) => changesStatus(act));
  return { bounds: status?.bounds ?? stored.bounds, others: status?.others ?? stored.others };
}

/** @throws `illegal_transition` for a memory that was forgotten, `tampered` for another whose words cannot be read. */
export function readable<T extends Checked>(checked: T): T & { readonly stored: { readonly readable: true } } {
  const { state, tampering } = checked.replayed;
  if (state === 'forgotten' && tampering === undefined) throw illegalTransition('changed any more', state);
  if (!checked.stored.readable) throw tampered();
  return checked as T & { readonly stored: { readonly readable: true } };
}

export const isStanding = ({ replayed }: Checked): boolean => replayed.state !== undefined && servedStates.includes(replayed.state);

/** Whether two validities share an instant; they are half-open, and open ends reach for ever. */
export const overlap = (a: Bounds, b: Bounds): boolean =>
  (a.validTo === undefined || b.validFrom === undefined || b.validFrom < a.validTo) &&
  (b.validTo === undefined || a.validFrom === undefined || a.validFrom < b.validTo);

/** Whether bounds lie within the content's own scope. */
export const isWithin = (bounds: Bounds, content: Content): boolean => contains(content.scope, bounds.scope);
