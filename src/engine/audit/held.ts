/** What a session was given and holds no longer: kept in the process, and found again in the record by the session's next process. */
import { servedStates } from '../domain/states';
import type { Clock } from '../ports';
import { readPredicate, type Grant } from '../scope/grant';
import type { Statements } from '../store/database';
import type { Recall, Withdrawn } from './answer';

export interface NoLongerHeld {
  readonly named: readonly Withdrawn[];
  /** How many more there are; they are named in the replies after this one. */
  readonly more: number;
}

export interface HeldReads {
  /** Ids of the memories whose words this session was given, the last one first; at most 10,000. */
  served(session: string): readonly string[];
  /**
   * What this session was given before and no longer holds, each told once: call it last on the way to an answer, and note the answer
   * with it. Two indexed queries at most, and none while nothing changed; one more the first time a session is seen by this process.
   */
  noLongerHeld(session: string, read: Pick<Statements, 'all'>, grant: Grant): Promise<NoLongerHeld>;
}

/** The longest memory of a session; what was given longest ago is dropped. */
const longestMemory = 10_000;
/** How many sessions are kept; one that was dropped is found again in the record. */
const mostSessions = 50;
const namedPerReply = 20;

interface Given {
  readonly id: string;
  readonly told: boolean;
}

interface Kept {
  /** By sequence number, in the order in which they were given last. */
  readonly given: Map<number, Given>;
  /** What the last look saw; undefined when it has to look at everything again. */
  look: { readonly changes: number; readonly nextEnd: string | undefined } | undefined;
  /** What was given since. */
  readonly unlooked: Set<number>;
  seeded: boolean;
}

interface HeldMemories extends HeldReads {
  serve(recall: Recall): void;
}

export function heldMemories({ newestEvent, clock }: { newestEvent: () => Promise<number>; clock: Clock }): HeldMemories {
  const sessions = new Map<string, Kept>();

  const keptOf = (session: string): Kept => {
    const kept = sessions.get(session) ?? { given: new Map(), look: undefined, unlooked: new Set<number>(), seeded: false };
    sessions.delete(session);
    sessions.set(session, kept);
    dropOldest(sessions, mostSessions);
    return kept;
  };

  const serve = ({ session, surface, items }: Recall) => {
    if (surface === 'history') return; // what did not hold when it was given, and said so
    const kept = keptOf(session.id);
    for (const { seq, id } of items) {
      if (kept.given.get(seq)?.told !== false) kept.unlooked.add(seq);
      kept.given.delete(seq);
      kept.given.set(seq, { id, told: false });
    }
    dropOldest(kept.given, longestMemory);
  };

  const noLongerHeld = async (session: string, read: Pick<Statements, 'all'>, grant: Grant): Promise<NoLongerHeld> => {
    const kept = keptOf(session);
    if (!kept.seeded) await seed(kept, session, read, grant);
    const now = clock.now().toISOString();
    const changes = await newestEvent(); // before the look, so that what changes during it is looked at again
    const { look } = kept;
    const stillHolds = look !== undefined && (look.nextEnd === undefined || now < look.nextEnd);
    const changed = stillHolds ? await changedBetween(look.changes, changes, read) : undefined;
    const fresh = [...kept.unlooked];
    const isDue = ([seq, { id, told }]: [number, Given]) => !told && (changed === undefined || changed.has(id) || kept.unlooked.has(seq));
    const due = [...kept.given].filter(isDue).map(([seq]) => seq);
    const { withdrawn, nextEnd } = await lookAt(due.reverse(), read, grant, now);
    for (const seq of fresh) kept.unlooked.delete(seq);
    // Another reply may have told some of them meanwhile.
    const news = withdrawn.flatMap(({ seq, state }): Withdrawn[] => {
      const one = kept.given.get(seq);
      return one === undefined || one.told ? [] : [{ seq, id: one.id, state }];
    });
    const named = news.slice(0, namedPerReply);
    for (const { seq, id } of named) kept.given.set(seq, { id, told: true });
    const more = news.length - named.length;
    const ends = [nextEnd, ...(stillHolds ? [look.nextEnd] : [])].filter((end) => end !== undefined);
    kept.look = more === 0 ? { changes, nextEnd: ends.sort()[0] } : undefined;
    return { named, more };
  };

  return {
    serve,
    noLongerHeld,
    served: (session) => [...(sessions.get(session)?.given.values() ?? [])].map(({ id }) => id).reverse(),
  };
}

function dropOldest(map: Map<unknown, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

/** What the record has of this session from earlier processes, before what this process gave. */
async function seed(kept: Kept, session: string, read: Pick<Statements, 'all'>, grant: Grant): Promise<void> {
  const within = readPredicate(grant, 'r.scope');
  // Of each memory the last answer that had it, by SQLite's rule for columns beside a max().
  const rows = await read.all(
    `SELECT d.memory AS seq, m.id, d.withdrawn, max(r.seq) AS last
     FROM recalls r JOIN recalled d ON d.recall = r.seq JOIN memories m ON m.seq = d.memory
     WHERE r.session = ? AND r.surface <> 'history' AND ${within.sql}
     GROUP BY d.memory ORDER BY last DESC LIMIT ?`,
    session,
    ...within.values,
    longestMemory,
  );
  kept.seeded = true;
  const own = [...kept.given];
  kept.given.clear();
  for (const row of rows.reverse()) kept.given.set(Number(row['seq']), { id: String(row['id']), told: row['withdrawn'] === 1 });
  for (const [seq, one] of own) {
    kept.given.delete(seq);
    kept.given.set(seq, one);
  }
  dropOldest(kept.given, longestMemory);
  kept.look = undefined;
}

/** More changes than this are not gone through one by one: everything is looked at again. */
const mostChanges = 1_000;

/** The memories that something happened to; undefined where that cannot be said of a stretch, or is not worth it. */
async function changedBetween(before: number, now: number, read: Pick<Statements, 'all'>): Promise<ReadonlySet<string> | undefined> {
  if (now === before) return new Set();
  if (now < before || now - before > mostChanges) return undefined;
  const rows = await read.all('SELECT DISTINCT memory FROM events WHERE seq > ?', before);
  return new Set(rows.map((row) => String(row['memory'])));
}

/** Which of these do not stand now in the grant, in their order, and when the next of the others ends. */
async function lookAt(
  seqs: readonly number[],
  read: Pick<Statements, 'all'>,
  grant: Grant,
  now: string,
): Promise<{ withdrawn: Pick<Withdrawn, 'seq' | 'state'>[]; nextEnd: string | undefined }> {
  if (seqs.length === 0) return { withdrawn: [], nextEnd: undefined };
  const within = readPredicate(grant, 's.scope');
  const served = JSON.stringify(servedStates);
  const rows = await read.all(
    `SELECT given.value AS seq, s.state, s.state IN (SELECT value FROM json_each(?)) AS served, s.valid_to AS ends
     FROM json_each(?) given
     LEFT JOIN statuses s ON s.memory = given.value AND s.known_to IS NULL AND ${within.sql}
     WHERE s.state IS NULL OR s.state NOT IN (SELECT value FROM json_each(?)) OR s.valid_to IS NOT NULL
     ORDER BY given.key`,
    served,
    JSON.stringify(seqs),
    ...within.values,
    served,
  );
  const stands = rows.filter((row) => row['served'] === 1 && String(row['ends']) > now);
  return {
    withdrawn: rows
      .filter((row) => !stands.includes(row))
      .map((row) => ({ seq: Number(row['seq']), state: row['served'] === 1 ? 'noLongerValid' : tellable(row['state']) })),
    nextEnd: stands.map((row) => String(row['ends'])).sort()[0],
  };
}

/** The reviewed states that a session may be told of; the others are bare facts. */
const tellable = (state: unknown): Withdrawn['state'] => (state === 'superseded' || state === 'retired' ? state : 'withdrawn');
