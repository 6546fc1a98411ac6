/** What agents read: search, what applies to a file, one memory by id. Only what stands, and only what is signed as it stands. */
import { servedStates } from '../domain/states';
import { matchOf, nearestAnchor, type Match } from '../evidence/anchors';
import { storedPath, type WorkPlace } from '../evidence/paths';
import type { Keys } from '../ledger/keyring';
import { check, mayBeServed, type LedgerParts, type Served } from '../ledger/parts';
import { notFound } from '../errors';
import type { Grant } from '../scope/grant';
import { anchorsNear, memoriesBySeq, memoryById, type NearAnchor } from '../store/memories';
import { estimatedTokens, fit } from './budget';
import { lexicalHits, matchExpression, outsideValidity, type Hit } from './lexical';
import type { ForFile, Search } from './query';
import { renderFound, renderItem, renderOverBudget } from './render';
import { itemOf, wholeOf, type Found, type Item, type Whole } from './view';

/** Who asks, and from where. */
export interface Reader {
  readonly grant: Grant;
  readonly place: WorkPlace;
}

/** Tokens of a per-file answer. */
const forFileTokens = 600;

/** How many more candidates are looked at than are asked for, when nearness to a file can change their order. */
const reach = 4;

/** The share of the best lexical score that an anchor on the open file itself adds; it falls off with distance. */
const anchorBoost = 0.5;

/** Searches what stands. */
export async function search(asked: Search, reader: Reader, parts: LedgerParts): Promise<Found> {
  const path = asked.path === undefined ? undefined : storedPath(reader.place, asked.path, '"path"');
  const match = matchExpression(asked.query);
  // Without keys nothing can be told from what somebody wrote into the file, so not even counts are given.
  if (match === undefined || (await parts.keyRing.trusted()).size === 0) return found(parts, [], {}, asked.maxTokens);
  const now = parts.clock.now();
  const { read } = parts.database;
  const [hits, omitted] = await Promise.all([
    soundHits(parts, reader.grant, asked.k * (path === undefined ? 1 : reach), (page) =>
      lexicalHits(read, reader.grant, match, asked, now.toISOString(), page),
    ),
    outsideValidity(read, reader.grant, match, asked, now.toISOString()),
  ]);
  const ranked = path === undefined ? hits.map(({ served }) => itemOf(served, reader.place)) : boosted(hits, path, reader.place);
  return found(parts, ranked.slice(0, asked.k), omitted, asked.maxTokens);
}

/** What applies to a file, the nearest anchor first. */
export async function forFile(asked: ForFile, reader: Reader, parts: LedgerParts): Promise<Found> {
  const path = storedPath(reader.place, asked.path, '"path"');
  const { near, beyond } = await appliesTo(path, asked.k, reader, parts);
  return found(
    parts,
    near.map(({ served, why }) => itemOf(served, reader.place, why)),
    beyond > 0 ? { beyondK: beyond } : {},
    forFileTokens,
  );
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
  return [...nearest.values()].sort((a, b) => a.distance - b.distance || b.since.localeCompare(a.since) || b.seq - a.seq);
}

/**
 * One memory in full.
 * @throws `not_found` for everything that may not be served, whatever the reason.
 */
export async function get(id: string, reader: Reader, parts: LedgerParts): Promise<Whole> {
  const stored = await memoryById(parts.database.read, reader.grant, id);
  const [checked] = await check(parts.database.read, stored === undefined ? [] : [stored], parts.store, await parts.keyRing.trusted());
  if (checked === undefined || !mayBeServed(checked, reader.grant)) throw notFound();
  return wholeOf(checked, reader.place);
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

function boosted(hits: readonly { served: Served; rank: number }[], path: string, place: WorkPlace): Item[] {
  const best = Math.max(...hits.map((hit) => -hit.rank), Number.MIN_VALUE);
  return hits
    .map(({ served: one, rank }) => {
      const match = nearestAnchor(one.stored.memory.content.anchors, path);
      const score = -rank / best + (match === undefined ? 0 : anchorBoost / (1 + match.distance));
      return { item: itemOf(one, place, match?.why), score };
    })
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

/** The answer, its text within the token budget. What does not fit is named in a quarter of it, and the rest of that is counted. */
function found(parts: LedgerParts, ranked: readonly Item[], omitted: Record<string, number>, maxTokens: number): Found {
  const now = parts.clock.now();
  const answer: Found = { recallId: parts.ids.id(), mode: 'lexical', items: [], omitted, overBudget: [] };
  const lineOf = (item: Item) => `20. ${renderItem(item, now)}\n\n`;
  const frame = estimatedTokens(
    renderFound({ ...answer, overBudget: [{ id: '', title: '' }], omitted: { ...omitted, overBudget: 20 } }, now),
  );
  const room = maxTokens - frame;
  const whole = fit(ranked, room, lineOf);
  if (whole.dropped.length === 0) return { ...answer, items: whole.items };

  const { items, dropped } = fit(ranked, room * 0.75, lineOf);
  let left = room - items.reduce((sum, item) => sum + estimatedTokens(lineOf(item)), 0);
  const named = dropped
    .filter((item) => (left -= estimatedTokens(`${renderOverBudget(item)}\n`)) >= 0)
    .map(({ id, title }) => ({ id, title }));
  const unnamed = dropped.length - named.length;
  return { ...answer, items, overBudget: named, omitted: unnamed === 0 ? omitted : { ...omitted, overBudget: unnamed } };
}
