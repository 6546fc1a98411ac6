/**
 * What the derived tables ought to hold, worked out from content and events alone, beside what they hold: statuses, indexes, keys,
 * slots, tombstones, answers. Each difference carries the statements that take it away, or none where nothing can.
 */
import { asPresent, type EventBody } from '../domain/events';
import { servedStates } from '../domain/states';
import { slotKey, valueDigests, valueKey } from '../domain/value-key';
import type { SqlValue } from '../ports';
import { readPredicate, type Grant } from '../scope/grant';
import type { Row, Statements } from '../store/database';
import { claimKeys, everyMemoryJoins, indexText, memoryColumns, storedMemory, type StoredMemory } from '../store/rows';
import { eventsOf, readEvent, type StoredEvent } from './chain';
import type { Keys } from './keyring';
import type { StoreIdentity } from './parts';
import { changesStatus, replay, type HistoryEntry, type Tampering } from './replay';

type Reads = Pick<Statements, 'all' | 'get'>;

/** Where the derived rows lie. `memories` is there for the keys of values, `store` for what the store belongs to. */
export type DerivedTable =
  | 'statuses'
  | 'served_index'
  | 'waiting_index'
  | 'claims'
  | 'slots'
  | 'verdicts'
  | 'rulings'
  | 'tombstones'
  | 'challenges'
  | 'erasures'
  | 'memories'
  | 'store';

export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** A derived row that is missing, has no cause, or says something else than its cause. */
export interface Difference {
  readonly table: DerivedTable;
  readonly is: 'missing' | 'surplus' | 'altered';
  /** Empty where content and events cannot bring it back. */
  readonly repair: readonly Statement[];
}

/** A memory with what its derived rows lack. */
export interface Examined {
  readonly seq: number;
  readonly id: string;
  /** Whether it has no present status, so that no door shows it. */
  readonly hidden: boolean;
  /** What is wrong with its content or events themselves. Then nothing can be derived from them, and nothing is compared. */
  readonly broken: Tampering | undefined;
  readonly differences: readonly Difference[];
}

export interface Examination {
  readonly grant: Grant;
  readonly store: StoreIdentity;
  readonly keys: Keys;
}

/** How many memories are examined at once: signatures are verified in one go, and the extension host must not stall. */
const pageSize = 100;

/** Every memory of the store, oldest first, in pages. */
export async function* examined(read: Reads, how: Examination): AsyncGenerator<readonly Examined[], void> {
  const beside = await besideMemories(read);
  const within = readPredicate(how.grant, 'm.scope');
  for (let last = Number.MIN_SAFE_INTEGER; ;) {
    const rows = await read.all(
      `SELECT ${memoryColumns} FROM ${everyMemoryJoins} WHERE m.seq > ? AND ${within.sql} ORDER BY m.seq LIMIT ${pageSize}`,
      last,
      ...within.values,
    );
    if (rows.length === 0) return;
    yield await examineRows(rows, read, how, beside);
    last = Number(rows.at(-1)?.['seq']);
  }
}

/** Some memories, looked at once more. */
export async function examineAgain(read: Reads, how: Examination, seqs: readonly number[]): Promise<readonly Examined[]> {
  const within = readPredicate(how.grant, 'm.scope');
  const rows = await read.all(
    `SELECT ${memoryColumns} FROM ${everyMemoryJoins} WHERE m.seq IN (SELECT value FROM json_each(?)) AND ${within.sql} ORDER BY m.seq`,
    JSON.stringify(seqs),
    ...within.values,
  );
  return examineRows(rows, read, how, await besideMemories(read));
}

/** Rows of small tables by the event that made them, and what crosses from one memory to another. */
interface Beside {
  readonly slots: ReadonlyMap<number, readonly Row[]>;
  readonly verdicts: ReadonlyMap<number, readonly Row[]>;
  readonly erasures: ReadonlySet<number>;
  readonly challenges: ReadonlyMap<number, readonly Row[]>;
  /** By a memory's sequence number, the event that took its words. */
  readonly erasedBy: ReadonlyMap<number, number>;
}

async function besideMemories(read: Reads): Promise<Beside> {
  const erased = await read.all('SELECT seq, erased FROM memories WHERE erased IS NOT NULL');
  return {
    slots: grouped(await read.all('SELECT slot, event, cardinality FROM slots ORDER BY slot, event'), 'event'),
    verdicts: grouped(await read.all('SELECT question, event FROM verdicts ORDER BY question, event'), 'event'),
    erasures: new Set((await read.all('SELECT event FROM erasures')).map((row) => Number(row['event']))),
    challenges: grouped(await read.all('SELECT id, memory, event, counterpart, question, answer FROM challenges ORDER BY event'), 'memory'),
    erasedBy: new Map(erased.map((row) => [Number(row['seq']), Number(row['erased'])])),
  };
}

async function examineRows(rows: readonly Row[], read: Reads, how: Examination, beside: Beside): Promise<readonly Examined[]> {
  const seqs = JSON.stringify(rows.map((row) => Number(row['seq'])));
  const events = await eventsOf(
    read,
    rows.map((row) => String(row['id'])),
  );
  const actual: Actual = {
    statuses: grouped(await read.all(`SELECT ${statusColumns.join()} FROM statuses WHERE memory IN (SELECT value FROM json_each(?)) ORDER BY event`, seqs), 'memory'), // prettier-ignore
    claims: grouped(await read.all('SELECT memory, slot, object FROM claims WHERE memory IN (SELECT value FROM json_each(?))', seqs), 'memory'), // prettier-ignore
    tombstones: grouped(await read.all(`SELECT ${stoneColumns.join()} FROM tombstones WHERE memory IN (SELECT value FROM json_each(?)) ORDER BY event`, seqs), 'memory'), // prettier-ignore
    beside,
  };
  return rows.map((row) => examineOne(row, events.get(String(row['id'])) ?? [], how, actual));
}

interface Actual {
  readonly statuses: ReadonlyMap<number, readonly Row[]>;
  readonly claims: ReadonlyMap<number, readonly Row[]>;
  readonly tombstones: ReadonlyMap<number, readonly Row[]>;
  readonly beside: Beside;
}

function examineOne(row: Row, events: readonly StoredEvent[], { store, keys }: Examination, actual: Actual): Examined {
  const stored = storedMemory(row);
  const told = toldBy(stored, row, events, store, keys);
  const found = { seq: stored.seq, id: stored.id, hidden: row['state'] === null };
  if ('broken' in told) return { ...found, broken: told.broken, differences: [] };
  const one: Sound = { row, stored, history: told.history, bodies: events.map((event) => ({ event: event.seq, body: readEvent(event) })) };
  const { beside } = actual;
  const stones = actual.tombstones.get(stored.seq) ?? [];
  const made = one.history.map(({ event }) => event);
  return {
    ...found,
    broken: undefined,
    differences: [
      ...compared('statuses', statusColumns, ['memory', 'event'], statusesOf(one), actual.statuses.get(stored.seq) ?? []),
      ...compared('claims', ['memory', 'slot', 'object'], ['memory'], claimsOf(one, store), actual.claims.get(stored.seq) ?? []),
      ...indexDifferences(one),
      ...valueKeyDifference(one, store),
      ...compared('slots', ['slot', 'event', 'cardinality'], ['slot', 'event'], slotsOf(one, store, beside), of(beside.slots, made)),
      ...compared('verdicts', ['question', 'event'], ['question', 'event'], verdictsOf(one, beside), of(beside.verdicts, made)),
      ...stoneDifferences(one, store, stones),
      ...answerDifferences(one, beside),
      ...one.history
        .filter(({ act, event }) => act === 'forget' && !beside.erasures.has(event))
        .map(({ event, at }): Difference => insertion('erasures', { event, at, swept_at: null })),
    ],
  };
}

/** A memory whose content and events are sound, whatever its derived rows say. */
interface Sound {
  readonly row: Row;
  readonly stored: StoredMemory;
  readonly history: readonly HistoryEntry[];
  readonly bodies: readonly { readonly event: number; readonly body: EventBody | undefined }[];
}

/** Replays the events, and once more against rows that say just what came out: what is wrong then is no derived row. */
function toldBy(
  stored: StoredMemory,
  row: Row,
  events: readonly StoredEvent[],
  store: StoreIdentity,
  keys: Keys,
): { readonly history: readonly HistoryEntry[] } | { readonly broken: Tampering } {
  const { history } = replay(stored, events, store.id, keys);
  const status = history.findLast(({ act }) => changesStatus(act));
  if (status === undefined) return { broken: replay(stored, events, store.id, keys).tampering ?? 'history_broken' };
  const bounds = status.bounds ?? ownBounds(row);
  const asTold: StoredMemory = { ...stored, state: status.state, stateEvent: status.event, stateSince: status.at, scope: bounds.scope, bounds, others: status.others, indexed: true }; // prettier-ignore
  const { tampering } = replay(asTold, events, store.id, keys);
  return tampering === undefined ? { history } : { broken: tampering };
}

/** The bounds of the content, also where its words are gone. */
const ownBounds = (row: Row) => ({
  scope: String(row['scope']),
  ...(typeof row['valid_from'] === 'string' && { validFrom: row['valid_from'] }),
  ...(typeof row['valid_to'] === 'string' && { validTo: row['valid_to'] }),
});

const statusColumns = ['memory', 'state', 'event', 'known_from', 'known_to', 'scope', 'valid_from', 'valid_to', 'others'];

function statusesOf({ row, stored, history }: Sound): Row[] {
  const changes = history.filter(({ act }) => changesStatus(act));
  return changes.map(({ state, event, at, bounds, others }, index) => {
    const { scope, validFrom, validTo } = bounds ?? ownBounds(row);
    return {
      memory: stored.seq,
      state,
      event,
      known_from: at,
      known_to: changes[index + 1]?.at ?? null,
      scope,
      valid_from: validFrom ?? null,
      valid_to: validTo ?? null,
      others: JSON.stringify(others),
    };
  });
}

function claimsOf({ stored }: Sound, store: StoreIdentity): Row[] {
  const keys = stored.readable ? claimKeys(store.salt, stored.memory.content) : undefined;
  return keys === undefined ? [] : [{ memory: stored.seq, slot: keys.slot, object: keys.object }];
}

function indexDifferences({ row, stored, history }: Sound): Difference[] {
  const state = history.at(-1)?.state;
  const here = state !== undefined && servedStates.includes(state) ? 'served' : 'waiting';
  const text = stored.readable ? indexText(stored.memory.content) : undefined;
  return (['served', 'waiting'] as const).flatMap((index) => {
    const table = `${index}_index` as const;
    const wanted = index === here && text !== undefined ? [{ rowid: stored.seq, ...text }] : [];
    const there = row[`${index}_title`] === null && row[`${index}_body`] === null ? [] : [{ rowid: stored.seq, title: row[`${index}_title`] ?? null, body: row[`${index}_body`] ?? null }]; // prettier-ignore
    return compared(table, ['rowid', 'title', 'body'], ['rowid'], wanted, there);
  });
}

function valueKeyDifference({ row, stored }: Sound, store: StoreIdentity): Difference[] {
  if (!stored.readable) return [];
  const key = valueKey(store.salt, stored.memory.content);
  if (row['value_key'] === key) return [];
  return [{ table: 'memories', is: 'altered', repair: [{ sql: 'UPDATE memories SET value_key = ? WHERE seq = ?', values: [key, stored.seq] }] }]; // prettier-ignore
}

/** What approving and saving said of the slot of its claim. Of forgotten words nothing can be told, so the row that is there stays. */
function slotsOf({ stored, history }: Sound, store: StoreIdentity, { slots }: Beside): Row[] {
  const undone = takenBack(history);
  const stood = history.filter(({ act, event }) => (act === 'approve' || act === 'save') && !undone.has(event)).map(({ event }) => event);
  if (!stored.readable) return of(slots, stood);
  const keys = claimKeys(store.salt, stored.memory.content);
  const cardinality = stored.memory.content.claim?.cardinality;
  return keys === undefined || cardinality === undefined ? [] : stood.map((event) => ({ slot: keys.slot, event, cardinality }));
}

/** The questions that its acts answered for good: named by their key, or by the challenge that a person declined. */
function verdictsOf({ stored, bodies, history }: Sound, { verdicts, challenges }: Beside): Row[] {
  const undone = takenBack(history);
  return bodies.flatMap(({ event, body }) => {
    if (body?.type !== 'decided' || undone.has(event)) return [];
    const { act, about } = asPresent(body.statement);
    if (about === null || act === 'undo') return [];
    if (/^[0-9a-f]{64}$/.test(about)) return [{ question: about, event }];
    if (act !== 'affirm') return [];
    const question = (challenges.get(stored.seq) ?? []).find((one) => one['id'] === about)?.['question'];
    return typeof question === 'string' && question !== '' ? [{ question, event }] : of(verdicts, [event]);
  });
}

const stoneColumns = ['digest', 'scope', 'event', 'kind', 'form', 'memory', 'lifted'];

/** Tombstones are never dropped: one whose cause is not told any more stays as it is, but for the mark that it was lifted. */
function stoneDifferences({ stored, history }: Sound, store: StoreIdentity, actual: readonly Row[]): Difference[] {
  const burying = history.filter(
    ({ act }, index) => act === 'reject' || act === 'forget' || (act === 'undo' && history[index - 1]?.act === 'lift'),
  );
  const digests = stored.readable ? valueDigests(store.salt, stored.memory.content) : [];
  const scope = stored.readable ? stored.memory.content.scope : '';
  const made: Row[] = burying.flatMap(({ event }) =>
    digests.map(({ kind, form, digest }) => ({ digest, scope, event, kind, form, memory: stored.seq })),
  );
  const keyOf = (row: Row) => JSON.stringify([row['digest'], row['scope'], row['event']]);
  const makes = new Set(made.map(keyOf));
  const wanted = [...made, ...actual.filter((row) => !makes.has(keyOf(row)))].map((row): Row => ({
    ...row,
    lifted: liftedBy(history, Number(row['event'])) ?? null,
  }));
  const lost = burying.filter(({ event }) => !wanted.some((row) => row['event'] === event));
  return [
    ...compared('tombstones', stoneColumns, ['digest', 'scope', 'event'], wanted, actual).map(
      // REPLACE, since the table's triggers let a mark be set and never be taken back.
      (one): Difference => ({ ...one, repair: one.repair.filter(({ sql }) => sql.startsWith('INSERT')).map(({ sql, values }) => ({ sql: sql.replace('INSERT', 'INSERT OR REPLACE'), values })) }), // prettier-ignore
    ),
    ...lost.map((): Difference => ({ table: 'tombstones', is: 'missing', repair: [] })),
  ];
}

/** The act that lifted the tombstones of an event: a lift of all there were, or the undoing of just that event. */
const liftedBy = (history: readonly HistoryEntry[], stone: number): number | undefined =>
  history.find(({ act, event }, index) => event > stone && (act === 'lift' || (act === 'undo' && history[index - 1]?.event === stone)))
    ?.event;

/** The events of acts that were taken back. */
const takenBack = (history: readonly HistoryEntry[]): ReadonlySet<number> =>
  new Set(history.flatMap(({ act }, index) => (act === 'undo' ? (history[index - 1]?.event ?? []) : [])));

/** A challenge is answered by the act that names it, by whatever ends its memory, and by the forgetting of either side. */
function answerDifferences({ stored, bodies, history }: Sound, { challenges, erasedBy }: Beside): Difference[] {
  const undone = takenBack(history);
  return (challenges.get(stored.seq) ?? []).flatMap((challenge) => {
    const asked = Number(challenge['event']);
    const answers = bodies.flatMap(({ event, body }) => {
      if (body?.type !== 'decided' || undone.has(event)) return [];
      const { about, to } = asPresent(body.statement);
      return about === challenge['id'] || !servedStates.includes(to) ? [event] : [];
    });
    const gone = challenge['counterpart'] === null ? undefined : erasedBy.get(Number(challenge['counterpart']));
    const later = [...answers.filter((event) => event > asked), ...(gone === undefined || gone < asked ? [] : [gone])];
    const answer = later.sort((a, b) => a - b)[0] ?? null;
    if (challenge['answer'] === answer) return [];
    const repair = { sql: 'UPDATE challenges SET answer = ? WHERE id = ?', values: [answer, challenge['id'] ?? null] };
    return [{ table: 'challenges', is: 'altered', repair: [repair] } as const];
  });
}

/** What is derived from the rules of the store, or belongs to no memory at all. */
export async function storeDifferences(read: Reads, { store, keys }: Examination): Promise<readonly Difference[]> {
  const rows = await read.all(`SELECT seq, hash, body FROM events WHERE memory = '' ORDER BY seq`);
  const rulings: Row[] = [];
  const slots: Row[] = [];
  /** Rules that nobody vouches for here: what was derived from them stays as it is. */
  const unsure = new Set<number>();
  let identity: string | undefined;
  for (const row of rows) {
    const event = { seq: Number(row['seq']), hash: String(row['hash']), body: String(row['body']) };
    const body = readEvent(event);
    if (body === undefined) unsure.add(event.seq);
    if (body?.type !== 'ruled') continue;
    if (body.statement.store !== store.id || !isVouchedFor(body, event.hash, keys)) {
      unsure.add(event.seq);
      continue;
    }
    const { rule } = body.statement;
    rulings.push({ event: event.seq, subject: rule.is });
    if (rule.is === 'slot') slots.push({ slot: rule.slot, event: event.seq, cardinality: rule.cardinality });
    if (rule.is === 'folder') identity = rule.identity;
  }
  const sure = (row: Row) => !unsure.has(Number(row['event']));
  const without = (table: string) => `SELECT t.* FROM ${table} t LEFT JOIN events e ON e.seq = t.event WHERE coalesce(e.memory, '') = ''`;
  return [
    ...compared('rulings', ['event', 'subject'], ['event'], rulings, (await read.all('SELECT event, subject FROM rulings')).filter(sure)),
    ...compared('slots', ['slot', 'event', 'cardinality'], ['slot', 'event'], slots, (await read.all(without('slots'))).filter(sure)),
    ...compared('verdicts', ['question', 'event'], ['question', 'event'], [], (await read.all(without('verdicts'))).filter(sure)),
    ...(await strayIndexRows(read)),
    ...(await identityDifference(read, store, identity)),
  ];
}

async function strayIndexRows(read: Reads): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const table of ['served_index', 'waiting_index'] as const) {
    const rows = await read.all(`SELECT rowid FROM ${table} WHERE rowid NOT IN (SELECT seq FROM memories)`);
    found.push(...compared(table, ['rowid'], ['rowid'], [], rows));
  }
  return found;
}

/** The folder is in no event, only a commitment to it: one that was changed can be told, and not be brought back. */
async function identityDifference(read: Reads, { salt }: StoreIdentity, ruled: string | undefined): Promise<Difference[]> {
  if (ruled === undefined) return [];
  const identity = String((await read.get('SELECT identity FROM store'))?.['identity']);
  return slotKey(salt, 'folder', identity) === ruled ? [] : [{ table: 'store', is: 'altered', repair: [] }];
}

function isVouchedFor(body: Extract<EventBody, { type: 'ruled' }>, hash: string, keys: Keys): boolean {
  try {
    keys.verify(body, hash);
    return true;
  } catch {
    return false; // a key that is not known here, or a signature of nobody's
  }
}

/** The ids that events tell of and that no row is there for: their words cannot be brought back. */
export async function memoriesWithoutRow(read: Reads): Promise<string[]> {
  const rows = await read.all(
    `SELECT DISTINCT e.memory FROM events e LEFT JOIN memories m ON m.id = e.memory WHERE e.memory <> '' AND m.seq IS NULL ORDER BY 1`,
  );
  return rows.map((row) => String(row['memory']));
}

/** Compares the rows that ought to be there with those that are; removals come before insertions. */
function compared(
  table: DerivedTable,
  columns: readonly string[],
  key: readonly string[],
  wanted: readonly Row[],
  actual: readonly Row[],
): Difference[] {
  const named = (row: Row, by: readonly string[]) => JSON.stringify(by.map((column) => row[column] ?? null));
  const there = new Map(actual.map((row) => [named(row, key), row]));
  const wantedKeys = new Set(wanted.map((row) => named(row, key)));
  const removal = (row: Row): Statement => ({
    sql: `DELETE FROM ${table} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`,
    values: key.map((column) => row[column] ?? null),
  });
  const surplus = actual
    .filter((row) => !wantedKeys.has(named(row, key)))
    .map((row): Difference => ({ table, is: 'surplus', repair: [removal(row)] }));
  const others = wanted.flatMap((row): Difference[] => {
    const found = there.get(named(row, key));
    if (found === undefined) return [insertion(table, row, columns)];
    if (named(found, columns) === named(row, columns)) return [];
    return [{ table, is: 'altered', repair: [removal(found), ...insertion(table, row, columns).repair] }];
  });
  // What is altered gives up its place before anything takes one: a memory has one present status.
  return [...surplus, ...others.filter(({ is }) => is === 'altered'), ...others.filter(({ is }) => is === 'missing')];
}

function insertion(table: DerivedTable, row: Row, columns: readonly string[] = Object.keys(row)): Difference {
  const sql = `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`;
  return { table, is: 'missing', repair: [{ sql, values: columns.map((column) => row[column] ?? null) }] };
}

function grouped(rows: readonly Row[], by: string): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const key = Number(row[by]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

const of = (rows: ReadonlyMap<number, readonly Row[]>, events: readonly number[]): Row[] =>
  events.flatMap((event) => rows.get(event) ?? []);
