/** The lexical arm: any text to a safe full-text query, and the ranking of what stands, filtered before it is cut. */
import { scriptRuns, spaced } from '../domain/script-runs';
import { withdrawnStates } from '../domain/states';
import { readPredicate, type Grant, type Predicate } from '../scope/grant';
import type { Statements } from '../store/database';
import type { Search } from './query';

/** Words that say how something is asked and not what about. Short on purpose: a rare word is worth more than a clean list. */
const stopWords = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can could did do does doing for from had has have having he her ' +
    'here his how i if in into is it its just me more most my no not of on or our out over she should so some such than that the their them then there ' +
    'these they this those to too up us was we were what when where which who why will with would you your'
  ).split(' '),
);

/** More words than this add time and no precision. */
const mostTerms = 64;

/**
 * An FTS5 query that cannot be a syntax error: every word in quotes, joined by OR, and each run of glued words (`src/api.ts`,
 * `host:8080`, `don't`) as a phrase besides, so that the exact spelling ranks first.
 * @returns undefined when the text holds no word to look for.
 */
export function matchExpression(text: string): string | undefined {
  const runs = text
    .normalize('NFC')
    .split(/\s+/u)
    .map((run) => run.match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu) ?? []);
  const telling = runs
    .flat()
    .flatMap(searchedFor)
    .filter((word) => !stopWords.has(word.toLowerCase()));
  const phrases = runs.map((run) => phraseOf(run.join(' '))).filter((phrase, index) => phrase !== runs[index]?.[0]);
  const terms = [...new Set([...telling.slice(0, mostTerms), ...(telling.length > 0 ? phrases.slice(0, mostTerms) : [])])].filter((term) => term !== ''); // prettier-ignore
  return terms.length === 0 ? undefined : terms.map((term) => `"${term}"`).join(' OR ');
}

/** A word as it is looked for. Where no blanks are written, a run is looked for whole and by each two neighbours in it. */
function searchedFor(word: string): string[] {
  return scriptRuns(word).flatMap(({ text, characters }) => {
    if (characters.length === 0) return [text];
    const pairs = characters.slice(0, mostTerms).flatMap((one, index) => (index === 0 ? [] : [`${characters[index - 1] ?? ''} ${one}`]));
    return [...new Set([characters.join(' '), ...pairs])];
  });
}

/** Words next to each other, as the index has them. */
const phraseOf = (words: string): string => spaced(words).replace(/\s+/gu, ' ').trim();

export interface Hit {
  readonly seq: number;
  /** BM25 with the title counted twice; smaller is better, as SQLite has it. */
  readonly rank: number;
}

/**
 * A stretch of the ranking of what stands: filtered by grant, state, validity and the asked-for narrowing, best first.
 */
export async function lexicalHits(
  read: Pick<Statements, 'all'>,
  grant: Grant,
  match: string,
  search: Search,
  now: string,
  page: { limit: number; offset: number },
): Promise<Hit[]> {
  const within = allOf(readPredicate(grant, 's.scope'), narrowing(search), validity(search.validAt ?? now));
  // The index hands out its rows best first, and each is asked at once whether it may be taken: no row is ranked for nothing, and the
  // cut comes after the conditions. CROSS JOIN keeps SQLite from starting at the other end.
  const rows = await read.all(
    `SELECT m.seq, served_index.rank AS rank
     FROM served_index
     CROSS JOIN memories m ON m.seq = served_index.rowid
     CROSS JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL AND s.state IN ('active', 'contested')
     WHERE served_index MATCH ? AND served_index.rank MATCH 'bm25(2.0, 1.0)' AND ${within.sql}
     ORDER BY served_index.rank LIMIT ? OFFSET ?`,
    match,
    ...within.values,
    page.limit,
    page.offset,
  );
  return rows.map((row) => ({ seq: Number(row['seq']), rank: Number(row['rank']) }));
}

/** How many hits were left out because they do not hold at the time asked about, by reason. */
export async function outsideValidity(
  read: Pick<Statements, 'all'>,
  grant: Grant,
  match: string,
  search: Search,
  now: string,
): Promise<Record<string, number>> {
  const within = allOf(readPredicate(grant, 's.scope'), narrowing(search));
  const at = search.validAt ?? now;
  const rows = await read.all(
    `SELECT CASE WHEN s.valid_to IS NOT NULL AND s.valid_to <= ? THEN 'noLongerValid' ELSE 'notYetValid' END AS reason, count(*) AS n
     FROM statuses s INDEXED BY statuses_by_bounds
     JOIN memories m ON m.seq = s.memory
     WHERE s.known_to IS NULL AND s.state IN ('active', 'contested')
       AND (s.valid_to IS NOT NULL OR s.valid_from IS NOT NULL) AND (s.valid_to <= ? OR s.valid_from > ?)
       AND ${within.sql} AND m.seq IN (SELECT rowid FROM served_index WHERE served_index MATCH ?)
     GROUP BY reason`,
    at,
    at,
    at,
    ...within.values,
    match,
  );
  return Object.fromEntries(rows.map((row) => [String(row['reason']), Number(row['n'])]));
}

/** How many matches are looked at to count what was withdrawn: a count that says "many" is as good as an exact one. */
const mostCounted = 200;

/** How many matches were once let stand and have been withdrawn, by state. Nothing is said of what no person reviewed. */
export async function withdrawn(
  read: Pick<Statements, 'all'>,
  grant: Grant,
  match: string,
  search: Search,
): Promise<Record<string, number>> {
  const within = allOf(readPredicate(grant, 's.scope'), narrowing(search));
  const rows = await read.all(
    `SELECT s.state, count(*) AS n
     FROM (SELECT rowid FROM waiting_index WHERE waiting_index MATCH ? LIMIT ${mostCounted}) w
     CROSS JOIN memories m ON m.seq = w.rowid
     CROSS JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
     WHERE s.state IN (SELECT value FROM json_each(?)) AND ${within.sql} GROUP BY s.state`,
    match,
    JSON.stringify(withdrawnStates),
    ...within.values,
  );
  return Object.fromEntries(rows.map((row) => [String(row['state']), Number(row['n'])]));
}

/** Half-open: it holds from `validFrom` on, and from `validTo` on no longer. */
const validity = (at: string): Predicate => ({
  sql: '(s.valid_from IS NULL OR s.valid_from <= ?) AND (s.valid_to IS NULL OR s.valid_to > ?)',
  values: [at, at],
});

function narrowing(search: Search): Predicate {
  const conditions: Predicate[] = [];
  if (search.kinds !== undefined && search.kinds.length > 0)
    conditions.push({ sql: 'm.kind IN (SELECT value FROM json_each(?))', values: [JSON.stringify(search.kinds)] });
  for (const tag of search.tags ?? []) conditions.push({ sql: 'EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)', values: [tag] });
  if (search.since !== undefined) conditions.push({ sql: 'coalesce(m.occurred_at, m.recorded_at) >= ?', values: [search.since] });
  if (search.until !== undefined) conditions.push({ sql: 'coalesce(m.occurred_at, m.recorded_at) < ?', values: [search.until] });
  return allOf(...conditions);
}

const allOf = (...conditions: readonly Predicate[]): Predicate => ({
  sql: ['1', ...conditions.map((one) => one.sql)].join(' AND '),
  values: conditions.flatMap((one) => one.values),
});
