/** What a person reads in the editor: every state, each memory with what is wrong with it if anything is. */
import type { Memory, State } from './domain/memory';
import { mayStart, servedStates, type Act } from './domain/states';
import { storedPath } from './evidence/paths';
import { CheckBudget, type EvidenceState } from './evidence/check';
import { openChallenges, type OpenChallenge } from './ledger/challenges';
import type { PersonAct, Seen } from './ledger/commands';
import { resembling } from './ledger/hints';
import { check, type Checked } from './ledger/parts';
import { reasonsOf } from './ledger/reasons';
import type { HistoryEntry, Tampering } from './ledger/replay';
import { buriedElsewhere } from './ledger/tombstones';
import { driftOf } from './audit/drift';
import { appliesTo, evidenceStates, soundHits, type Reader, type RecallParts } from './recall/recall';
import { lexicalHits, matchExpression } from './recall/lexical';
import { countStates, memoriesById, memoriesInState, memoryById, sessionsWaiting, type Page, type SessionSummary } from './store/memories';

/** A memory as the editor shows it. */
export interface Reviewed {
  readonly id: string;
  readonly title: string;
  /** Where it holds now. */
  readonly scope: string;
  /** The state the store's rows claim; where it was tampered with, `tampering` says so. */
  readonly state: State;
  readonly stateSince: string;
  readonly recordedAt: string;
  /** Absent when its words were forgotten, or cannot be read as a memory. */
  readonly memory: Memory | undefined;
  readonly tampering: Tampering | undefined;
  readonly history: readonly HistoryEntry[];
  /** How often the same value was proposed again. */
  readonly support: number;
  /** What a person could do to it now. */
  readonly acts: readonly PersonAct['act'][];
  /** What a decision has to name as seen; absent when none can be made. */
  readonly seen: Seen | undefined;
}

export interface Overview {
  readonly counts: Readonly<Record<State, number>>;
  readonly sessions: readonly SessionSummary[];
  /** How many challenges wait. */
  readonly challenges: number;
}

/** What is near a memory under review. */
export interface Nearby {
  /** For what could be approved: rejected, withdrawn and standing memories that it resembles; rejected ones first. */
  readonly resembles: readonly Reviewed[];
  /** Scopes beside or inside its own in which the same value was rejected. */
  readonly rejectedIn: readonly string[];
  /** Those it names as replaced, as they are now. */
  readonly replaces: readonly Reviewed[];
  /** What it is contested with, its successor, or the memories it was made from, as they are now. */
  readonly others: readonly Reviewed[];
  readonly challenges: readonly OpenChallenge[];
  /** Whether its evidence still says so, in the order of its evidence. */
  readonly evidence: readonly EvidenceState[];
  /** Names what its evidence has become, for "still right"; absent while nothing has drifted, or a person has said so already. */
  readonly drift: string | undefined;
}

export async function overview(reader: Reader, parts: RecallParts): Promise<Overview> {
  const { read } = parts.database;
  const [counts, sessions, challenges] = await Promise.all([
    countStates(read, reader.grant),
    sessionsWaiting(read, reader.grant),
    openChallenges(read, reader.grant),
  ]);
  return { counts, sessions, challenges: challenges.length };
}

/** Memories in some states, those that entered it last first. */
export async function list(page: Page, reader: Reader, parts: RecallParts): Promise<Reviewed[]> {
  const { read } = parts.database;
  return reviewedAll(await check(read, await memoriesInState(read, reader.grant, page), parts.store, await parts.keyRing.trusted()));
}

export async function one(id: string, reader: Reader, parts: RecallParts): Promise<Reviewed | undefined> {
  const { read } = parts.database;
  const stored = await memoryById(read, reader.grant, id);
  const [checked] = await check(read, stored === undefined ? [] : [stored], parts.store, await parts.keyRing.trusted());
  return checked === undefined ? undefined : reviewed(checked);
}

/** Several memories by id; those that are not there are left out. */
export async function several(ids: readonly string[], reader: Reader, parts: RecallParts): Promise<Reviewed[]> {
  const { read } = parts.database;
  return reviewedAll(await check(read, await memoriesById(read, reader.grant, ids), parts.store, await parts.keyRing.trusted()));
}

/** What a person should know beside the text before they decide. */
export async function nearby(id: string, reader: Reader, parts: RecallParts): Promise<Nearby | undefined> {
  const { read } = parts.database;
  const { grant } = reader;
  const keys = await parts.keyRing.trusted();
  const stored = await memoryById(read, grant, id);
  if (stored?.readable !== true) return undefined;
  const { content, salt } = stored.memory;
  const [alike, rejectedIn, replaces, others, challenges, evidence] = await Promise.all([
    mayStart('approve', stored.state) ? resembling(read, grant, content, parts, keys) : [],
    buriedElsewhere({ read, store: parts.store, keys }, content, stored.scope),
    several(content.replaces, reader, parts),
    several([...stored.others, ...(content.derivedFrom ?? [])], reader, parts),
    openChallenges(read, grant, [id]),
    parts.evidence.check({ id, salt, evidence: content.evidence }, new CheckBudget()),
  ]);
  const resembles = reviewedAll(alike.filter((near) => near.stored.id !== id));
  const drift = servedStates.includes(stored.state) ? await driftOf(read, parts.store, id, evidence) : undefined;
  return {
    resembles: [...resembles.filter(({ state }) => state === 'rejected'), ...resembles.filter(({ state }) => state !== 'rejected')],
    rejectedIn,
    replaces,
    others,
    challenges,
    evidence,
    drift,
  };
}

/** Standing memories whose evidence is not what it was and which nobody has looked at since. */
export async function drifted(reader: Reader, parts: RecallParts, limit: number): Promise<Reviewed[]> {
  const { read } = parts.database;
  const keys = await parts.keyRing.trusted();
  const found: Reviewed[] = [];
  for (let offset = 0; found.length < limit; offset += 200) {
    const page = await memoriesInState(read, reader.grant, { states: servedStates, limit: 200, offset });
    for (const checked of await check(read, page, parts.store, keys)) {
      if (!checked.stored.readable || checked.replayed.tampering !== undefined) continue;
      const { id, salt, content } = checked.stored.memory;
      const states = await parts.evidence.check({ id, salt, evidence: content.evidence }, new CheckBudget());
      if ((await driftOf(read, parts.store, id, states)) !== undefined) found.push(reviewed(checked));
    }
    if (page.length < 200) break;
  }
  return found.slice(0, limit);
}

/** What applies to a file, with the reason in words. @param path absolute, or relative to the session's root. */
export async function applying(
  path: string,
  k: number,
  reader: Reader,
  parts: RecallParts,
): Promise<{ applies: { memory: Reviewed; why: string; evidence: readonly EvidenceState[] }[]; beyond: number }> {
  const { near, beyond } = await appliesTo(storedPath(reader.place, path, 'The file'), k, reader, parts);
  const evidence = await evidenceStates(
    parts.evidence,
    near.map(({ served }) => served),
  );
  const applies = near.map(({ served, why }, index) => ({ memory: reviewed(served), why, evidence: evidence[index] ?? [] }));
  return { applies, beyond };
}

/** What stands and matches, best first. */
export async function matching(query: string, k: number, reader: Reader, parts: RecallParts): Promise<Reviewed[]> {
  const match = matchExpression(query);
  if (match === undefined) return [];
  const now = parts.clock.now().toISOString();
  const hits = await soundHits(parts, reader.grant, k, (page) =>
    lexicalHits(parts.database.read, reader.grant, match, { query, k, maxTokens: 0 }, now, page),
  );
  return hits.map(({ served }) => reviewed(served));
}

/** The reasons that persons gave in a memory's history, by event: those that are still what was signed. */
export async function reasons(id: string, reader: Reader, parts: RecallParts): Promise<ReadonlyMap<number, string>> {
  const { read } = parts.database;
  const stored = await memoryById(read, reader.grant, id);
  return reasonsOf(read, await check(read, stored === undefined ? [] : [stored], parts.store, await parts.keyRing.trusted()));
}

const reviewedAll = (all: readonly Checked[]): Reviewed[] => all.map(reviewed);

function reviewed({ stored, replayed }: Checked): Reviewed {
  const { follows, tampering, history, support, contentHash } = replayed;
  return {
    id: stored.id,
    title: stored.title,
    scope: stored.scope,
    state: stored.state,
    stateSince: stored.stateSince,
    recordedAt: stored.recordedAt,
    memory: stored.readable ? stored.memory : undefined,
    tampering,
    history,
    support,
    acts: actsFor(stored, replayed),
    seen: follows === null ? undefined : { contentHash: contentHash ?? '', follows },
  };
}

/** The acts and the transition each begins with. */
const acts = [
  ['approve', 'approve'],
  ['amend', 'amend'],
  ['reject', 'reject'],
  ['lapse', 'lapse'],
  ['retire', 'retire'],
  ['supersede', 'supersede'],
  ['limit', 'limit'],
  ['contest', 'contest'],
  ['resolve', 'settle'],
  ['restore', 'restore'],
  ['lift', 'lift'],
  ['forget', 'forget'],
] as const satisfies readonly (readonly [PersonAct['act'], Act])[];

/** Withdrawing what was altered is always safe; letting it stand never is. */
const evenTampered: readonly PersonAct['act'][] = ['reject', 'lapse', 'retire', 'forget'];

function actsFor({ readable }: Checked['stored'], { state, tampering, history }: Checked['replayed']): PersonAct['act'][] {
  if (state === undefined) return [];
  const possible: PersonAct['act'][] = acts.filter(([, begins]) => mayStart(begins, state)).map(([act]) => act);
  const last = history.at(-1);
  if (last !== undefined && last.group !== '' && history.length > 1 && !neverUndone.includes(last.act)) possible.push('undo');
  if (tampering !== undefined) return possible.filter((act) => evenTampered.includes(act));
  return readable ? possible : possible.filter((act) => act === 'lift');
}

/** Acts that are confirmed before and not taken back after. */
const neverUndone: readonly Act[] = ['undo', 'forget', 'amend', 'lift'];
