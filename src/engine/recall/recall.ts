/** What agents read: search, what applies to a file, one memory by id. Only what stands, and only what is signed as it stands. */
import { servedStates } from '../domain/states';
import { canonicalText } from '../domain/value-key';
import { matchOf, nearestAnchor, type Match } from '../evidence/anchors';
import { CheckBudget, type EvidenceChecker, type EvidenceState } from '../evidence/check';
import { storedPath, type WorkPlace } from '../evidence/paths';
import { challengeCounts } from '../ledger/challenges';
import type { Keys } from '../ledger/keyring';
import { check, mayBeServed, type LedgerParts, type Served } from '../ledger/parts';
import { disputeReasons } from '../ledger/reasons';
import { notFound } from '../errors';
import type { Grant } from '../scope/grant';
import { anchorsNear, memoriesBySeq, memoryById, type NearAnchor } from '../store/memories';
import { estimatedTokens, fit } from './budget';
import { withCompanions } from './companions';
import { lexicalHits, matchExpression, outsideValidity, withdrawn, type Hit } from './lexical';
import type { ForFile, Search } from './query';
import { renderFound, renderItem, renderOverBudget } from './render';
import { itemOf, wholeOf, type About, type Found, type Item, type Whole } from './view';

/** Who asks, and from where. */
export interface Reader {
  readonly grant: Grant;
  readonly place: WorkPlace;
}

/** What recall works with: the ledger's parts, and the look at evidence when it is used. */
export interface RecallParts extends LedgerParts {
  readonly evidence: EvidenceChecker;
}

/** A store that is read, under its own grant. */
export interface Source {
  readonly reader: Reader;
  readonly parts: RecallParts;
}

/** The stores that answer together: the workspace's own, and the user's, which has a few places of its own. */
export interface Sources {
  readonly own: Source;
  readonly user: Source | undefined;
}

/** The memories an answer gave, for the record of what agents saw. */
export interface Given {
  readonly found: Found;
  readonly served: readonly Served[];
}

/** Tokens of a per-file answer. */
const forFileTokens = 600;

/** How many more candidates are looked at than are asked for, when nearness to a file can change their order. */
const reach = 4;

/** The share of the best lexical score that an anchor on the open file itself adds; it falls off with distance. */
const anchorBoost = 0.5;

/** Of how many places the user store has one. */
const userShare = 4;

/** Searches what stands. */
export async function search(asked: Search, { own, user }: Sources): Promise<Given> {
  const path = asked.path === undefined ? undefined : storedPath(own.reader.place, asked.path, '"path"');
  const match = matchExpression(asked.query);
  // Without keys nothing can be told from what somebody wrote into the file, so not even counts are given.
  if (match === undefined || (await own.parts.keyRing.trusted()).size === 0) return answer(own.parts, [], {}, asked.maxTokens);
  const everywhere = user === undefined ? undefined : await matching(asked, match, undefined, Math.ceil(asked.k / userShare), user);
  const here = await matching(asked, match, path, asked.k, own);
  const wider = (everywhere?.ranked ?? []).filter(({ served: one }) => !here.ranked.some((other) => overrules(other.served, one)));
  const ranked = [...here.ranked.slice(0, Math.max(0, asked.k - wider.length)), ...wider];
  const whole = wholeUnits(ranked, asked.k);
  return answer(own.parts, whole, added(here.omitted, everywhere?.omitted ?? {}), asked.maxTokens);
}

/** What one store has for a search. */
async function matching(
  asked: Search,
  match: string,
  path: string | undefined,
  k: number,
  { reader, parts }: Source,
): Promise<{ ranked: Listed[]; omitted: Record<string, number> }> {
  const now = parts.clock.now().toISOString();
  const { read } = parts.database;
  const { grant } = reader;
  const [outside, gone] = await Promise.all([outsideValidity(read, grant, match, asked, now), withdrawn(read, grant, match, asked)]);
  const { listed, ...apart } = await filled(k, { reader, parts }, async (count) => {
    const wanted = count * (path === undefined ? 1 : reach);
    const hits = await soundHits(parts, grant, wanted, (page) => lexicalHits(read, grant, match, asked, now, page));
    return { ranking: path === undefined ? hits : boosted(hits, path), all: hits.length < wanted };
  });
  const omitted = { ...outside, ...gone, ...contestedApart(apart) };
  return { ranked: await described(listed, { reader, parts }), omitted };
}

/**
 * The best k candidates with their counterparts. Where contested ones were left out since they did not fit together, those further
 * down are looked at as well, so that their places are not lost.
 * @param candidates so many of them, best first, and whether that is all there are.
 */
async function filled(
  k: number,
  { reader, parts }: Source,
  candidates: (count: number) => Promise<{ ranking: readonly { served: Served; why?: string }[]; all: boolean }>,
): ReturnType<typeof withCompanions<{ served: Served; why?: string }>> {
  const keys = await parts.keyRing.trusted();
  const first = await candidates(k);
  const units = await withCompanions(first.ranking, k, reader.grant, parts, keys);
  if (units.tooMany === 0 || units.listed.length >= k || first.all) return units;
  return withCompanions((await candidates(k * reach)).ranking, k, reader.grant, parts, keys);
}

/** Contested memories that were left out since they may not go without their counterparts: those were not to be had, or did not fit. */
const contestedApart = ({ alone, tooMany }: { readonly alone: number; readonly tooMany: number }): Record<string, number> => ({
  ...(alone > 0 && { contestedAlone: alone }),
  ...(tooMany > 0 && { contestedBeyondK: tooMany }),
});

/** Whether a memory of the narrower store says what one that holds everywhere says otherwise: the narrower one counts. */
function overrules(narrower: Served, wider: Served): boolean {
  const [here, there] = [narrower.stored.memory.content.claim, wider.stored.memory.content.claim];
  const slot = (claim: NonNullable<typeof here>) => canonicalText(`${claim.subject}\n${claim.predicate}`);
  return here !== undefined && there !== undefined && slot(here) === slot(there);
}

/** Cuts to k without parting what is contested. */
function wholeUnits(ranked: readonly Listed[], k: number): Listed[] {
  for (let kept = ranked.slice(0, k); ;) {
    const ids = new Set(kept.map(({ item }) => item.id));
    const whole = kept.filter(({ item }) => (item.contestedWith ?? []).every((id) => ids.has(id)));
    if (whole.length === kept.length) return whole;
    kept = whole; // what hung on one that went goes too
  }
}

/** Counts by reason, of two stores together. */
export function added(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((reason) => [reason, (a[reason] ?? 0) + (b[reason] ?? 0)]),
  );
}

/** What applies to a file, the nearest anchor first. */
export async function forFile(asked: ForFile, { own }: Sources): Promise<Given> {
  const { reader, parts } = own;
  const path = storedPath(reader.place, asked.path, '"path"');
  let beyond = 0;
  const { listed, ...apart } = await filled(asked.k, own, async (count) => {
    const applying = await appliesTo(path, count, reader, parts);
    if (count === asked.k) beyond = applying.beyond;
    return { ranking: applying.near, all: applying.beyond === 0 };
  });
  const omitted = { ...(beyond > 0 && { beyondK: beyond }), ...contestedApart(apart) };
  return answer(parts, await described(listed, own), omitted, forFileTokens);
}

/**
 * The served memories whose anchors cover a stored path, nearest first and then the ones let stand last.
 * @returns at most `k` of them, and how many more there are.
 */
export async function appliesTo(
  path: string,
  k: number,
  reader: Reader,
  parts: LedgerParts,
): Promise<{ near: { served: Served; why: string }[]; beyond: number }> {
  const ranking = rankByNearness(
    await anchorsNear(parts.database.read, reader.grant, path, servedStates, parts.clock.now().toISOString()),
    path,
  );
  const near: { served: Served; why: string }[] = [];
  const keys = await parts.keyRing.trusted();
  for (
    let [offset, limit] = [0, k];
    near.length < k && offset < ranking.length;
    [offset, limit] = [offset + limit, Math.max(limit * 4, 100)]
  ) {
    const page = ranking.slice(offset, offset + limit);
    const reasons = new Map(page.map(({ seq, why }) => [seq, why]));
    for (const one of await served(
      parts,
      reader.grant,
      page.map(({ seq }) => seq),
      keys,
    ))
      near.push({ served: one, why: reasons.get(one.stored.seq) ?? '' });
  }
  return { near: near.slice(0, k), beyond: near.length < k ? 0 : Math.max(0, ranking.length - k) };
}

function rankByNearness(anchors: readonly NearAnchor[], path: string): { seq: number; why: string }[] {
  const nearest = new Map<number, Match & { seq: number; since: string }>();
  for (const { anchor, seq, since } of anchors) {
    const match = matchOf(anchor, path);
    const known = nearest.get(seq);
    if (match !== undefined && (known === undefined || match.distance < known.distance)) nearest.set(seq, { ...match, seq, since });
  }
  return [...nearest.values()].sort((a, b) => a.distance - b.distance || (a.since < b.since ? 1 : a.since > b.since ? -1 : b.seq - a.seq));
}

/**
 * One memory in full, and the contested ones that it may not be read without.
 * @throws `not_found` for everything that may not be served, whatever the reason.
 */
export async function get(id: string, { own, user }: Sources): Promise<{ whole: Whole; served: readonly Served[] }> {
  for (const source of user === undefined ? [own] : [own, user]) {
    const { reader, parts } = source;
    const stored = await memoryById(parts.database.read, reader.grant, id);
    const keys = await parts.keyRing.trusted();
    const [checked] = await check(parts.database.read, stored === undefined ? [] : [stored], parts.store, keys);
    if (checked === undefined || !mayBeServed(checked, reader.grant)) continue;
    const { listed } = await withCompanions([{ served: checked }], 20, reader.grant, parts, keys);
    const [about, ...counterparts] = await described(listed, source);
    if (about === undefined) throw notFound(); // contested by what may not be read
    const whole = wholeOf(checked, reader.place, about.about);
    return {
      whole: counterparts.length === 0 ? whole : { ...whole, counterparts: counterparts.map(({ item }) => item) },
      served: listed.map(({ served: one }) => one),
    };
  }
  throw notFound();
}

/** Walks down a ranking until enough sound memories are found, so that an altered row never takes a place. */
export async function soundHits(
  parts: LedgerParts,
  grant: Grant,
  wanted: number,
  hitsOf: (page: { limit: number; offset: number }) => Promise<Hit[]>,
): Promise<{ served: Served; rank: number }[]> {
  const sound: { served: Served; rank: number }[] = [];
  const keys = await parts.keyRing.trusted();
  if (keys.size === 0) return sound;
  // The first stretch nearly always does; after it they grow, since each one ranks anew.
  for (let [offset, limit] = [0, wanted]; sound.length < wanted; [offset, limit] = [offset + limit, Math.max(limit * 4, 100)]) {
    const hits = await hitsOf({ limit, offset });
    const ranks = new Map(hits.map((hit) => [hit.seq, hit.rank]));
    for (const one of await served(
      parts,
      grant,
      hits.map((hit) => hit.seq),
      keys,
    ))
      sound.push({ served: one, rank: ranks.get(one.stored.seq) ?? 0 });
    if (hits.length < limit) break;
  }
  return sound.slice(0, wanted);
}

async function served(parts: LedgerParts, grant: Grant, seqs: readonly number[], keys: Keys): Promise<Served[]> {
  const { read } = parts.database;
  const checked = await check(read, await memoriesBySeq(read, grant, seqs), parts.store, keys);
  return checked.filter((one) => mayBeServed(one, grant));
}

function boosted(hits: readonly { served: Served; rank: number }[], path: string): { served: Served; why?: string }[] {
  const best = Math.max(...hits.map((hit) => -hit.rank), Number.MIN_VALUE);
  return hits
    .map(({ served: one, rank }) => {
      const match = nearestAnchor(one.stored.memory.content.anchors, path);
      const score = -rank / best + (match === undefined ? 0 : anchorBoost / (1 + match.distance));
      return { served: one, score, ...(match !== undefined && { why: match.why }) };
    })
    .sort((a, b) => b.score - a.score);
}

/** A memory of an answer, with what is known about it beside its rows. */
interface Listed {
  readonly served: Served;
  readonly about: About;
  readonly item: Item;
}

/** Looks up what belongs to each: why it is in doubt, how many challenges wait, whether its evidence still says so. */
async function described(
  listed: readonly { readonly served: Served; readonly why?: string }[],
  { reader, parts }: Source,
): Promise<Listed[]> {
  const { read } = parts.database;
  const memories = listed.map(({ served: one }) => one);
  const [challenges, disputes, evidence] = await Promise.all([
    challengeCounts(
      read,
      reader.grant,
      memories.map(({ stored }) => stored.seq),
    ),
    disputeReasons(read, memories),
    evidenceStates(parts.evidence, memories),
  ]);
  return listed.map((one, index) => {
    const disputed = disputes.get(one.served.stored.id);
    const checkedEvidence = evidence[index];
    const about: About = {
      ...(one.why !== undefined && { why: one.why }),
      ...(disputed !== undefined && { disputed }),
      challenges: challenges.get(one.served.stored.seq) ?? 0,
      ...(checkedEvidence !== undefined && { evidence: checkedEvidence }),
    };
    return { served: one.served, about, item: itemOf(one.served, reader.place, about) };
  });
}

/** The evidence of each, looked at in the order of the answer, as far as the reply's budget reaches. */
export async function evidenceStates(checker: EvidenceChecker, memories: readonly Served[]): Promise<(readonly EvidenceState[])[]> {
  const budget = new CheckBudget();
  const states: (readonly EvidenceState[])[] = [];
  for (const { stored } of memories) {
    const { salt, content } = stored.memory;
    states.push(await checker.check({ id: stored.id, salt, evidence: content.evidence }, budget));
  }
  return states;
}

/** The answer, its text within the token budget. What does not fit is named in a quarter of it, and the rest of that is counted. */
function answer(parts: LedgerParts, listed: readonly Listed[], omitted: Record<string, number>, maxTokens: number): Given {
  const found = fitted(
    parts,
    listed.map(({ item }) => item),
    omitted,
    maxTokens,
  );
  const given = new Set(found.items.map(({ id }) => id));
  return { found, served: listed.flatMap(({ served: one }) => (given.has(one.stored.id) ? [one] : [])) };
}

function fitted(parts: LedgerParts, ranked: readonly Item[], omitted: Record<string, number>, maxTokens: number): Found {
  const now = parts.clock.now();
  const empty: Found = { recallId: parts.ids.id(), mode: 'lexical', items: [], omitted, overBudget: [] };
  const lineOf = (item: Item) => `20. ${renderItem(item, now)}\n\n`;
  const frame = estimatedTokens(
    renderFound({ ...empty, overBudget: [{ id: '', title: '' }], omitted: { ...omitted, overBudget: 20 } }, now),
  );
  const room = maxTokens - frame;
  const whole = fit(ranked, room, lineOf);
  if (whole.dropped.length === 0) return { ...empty, items: whole.items };

  const { items, dropped } = fit(ranked, room * 0.75, lineOf);
  let left = room - items.reduce((sum, item) => sum + estimatedTokens(lineOf(item)), 0);
  const named = dropped
    .filter((item) => (left -= estimatedTokens(`${renderOverBudget(item)}\n`)) >= 0)
    .map(({ id, title }) => ({ id, title }));
  const unnamed = dropped.length - named.length;
  return { ...empty, items, overBudget: named, omitted: unnamed === 0 ? omitted : { ...omitted, overBudget: unnamed } };
}
