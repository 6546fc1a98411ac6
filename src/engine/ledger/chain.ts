/** The chain of events: add one to its end, read those of some memories, walk it and name the first bad link. */
import { canonicalJson } from '../domain/canonical';
import { chainStart, eventBody, eventHash, type EventBody } from '../domain/events';
import type { SqlValue } from '../ports';
import type { Statements } from '../store/database';

/** An event as it lies in the store; not yet checked. */
export interface StoredEvent {
  readonly seq: number;
  readonly hash: string;
  readonly body: string;
}

type Unlinked<T> = T extends unknown ? Omit<T, 'version' | 'prev'> : never;
export type NewEvent = Unlinked<EventBody>;

/** Links an event to the end of the chain, within a transaction. */
export async function link(tx: Statements, event: NewEvent): Promise<{ seq: number; hash: string }> {
  const last = await tx.get('SELECT hash FROM events ORDER BY seq DESC LIMIT 1');
  const body = canonicalJson({ version: 1, prev: last === undefined ? chainStart : last['hash'], ...event });
  const hash = eventHash(body);
  const { rowid } = await tx.run('INSERT INTO events (hash, body, memory) VALUES (?, ?, ?)', hash, body, event.memory);
  return { seq: rowid, hash };
}

/** The events about each of these memories, oldest first. */
export async function eventsOf(read: Pick<Statements, 'all'>, memories: readonly string[]): Promise<Map<string, StoredEvent[]>> {
  const found = new Map<string, StoredEvent[]>(memories.map((id) => [id, []]));
  if (memories.length === 0) return found;
  const rows = await read.all(
    `SELECT seq, hash, body, memory FROM events WHERE memory IN (SELECT value FROM json_each(?)) ORDER BY seq`,
    JSON.stringify(memories),
  );
  for (const row of rows)
    found.get(String(row['memory']))?.push({ seq: Number(row['seq']), hash: String(row['hash']), body: String(row['body']) });
  return found;
}

/** An event's content, if the event is what its hash says; undefined for one that was altered. */
export function readEvent(event: StoredEvent): EventBody | undefined {
  if (eventHash(event.body) !== event.hash) return undefined;
  try {
    return eventBody.parse(JSON.parse(event.body));
  } catch {
    return undefined; // hashed, but of a form that no ledger writes
  }
}

/** An event at its place in the chain: it is what its hash says, and it follows the one before it. */
export interface LinkedEvent extends StoredEvent {
  readonly content: EventBody;
  /** The memory that the event's row names, which nothing but the row vouches for. */
  readonly filedUnder: SqlValue;
}

/** What can be wrong at an event's place in the chain. */
export type ChainFault = 'missing' | 'altered' | 'unlinked';

/** Some events of the chain, and where it ends too early or goes wrong, if it does. */
export interface ChainPage {
  readonly events: readonly LinkedEvent[];
  /** The sequence number of the first event that does not fit; nothing follows it. */
  readonly broken?: { readonly at: number; readonly why: ChainFault };
}

/** Walks the whole chain from its start. Pages are small, so that a caller who yields between them keeps its process responsive. */
export async function* chainPages(read: Pick<Statements, 'all'>): AsyncGenerator<ChainPage, void> {
  let last = { seq: 0, hash: chainStart };
  for (;;) {
    const rows = await read.all(
      'SELECT seq, hash, body, memory FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
      last.seq === 0 ? Number.MIN_SAFE_INTEGER : last.seq, // the ledger counts from 1; what lies before that is not its own
      pageSize,
    );
    const events: LinkedEvent[] = [];
    for (const row of rows) {
      const event = { seq: Number(row['seq']), hash: String(row['hash']), body: String(row['body']) };
      const content = readEvent(event);
      const why = faultOf(event, content, last);
      if (why !== undefined || content === undefined) {
        yield { events, broken: { at: Math.min(event.seq, last.seq + 1), why: why ?? 'altered' } };
        return;
      }
      events.push({ ...event, content, filedUnder: row['memory'] ?? null });
      last = event;
    }
    if (events.length > 0) yield { events };
    if (rows.length < pageSize) return;
  }
}

function faultOf(event: StoredEvent, content: EventBody | undefined, last: { seq: number; hash: string }): ChainFault | undefined {
  if (event.seq > last.seq + 1) return 'missing';
  if (content === undefined) return 'altered';
  return event.seq === last.seq + 1 && content.prev === last.hash ? undefined : 'unlinked';
}

/** Signatures are verified by the page in the extension host, which must not stall for 50 ms. */
const pageSize = 100;

export type ChainState =
  | { readonly intact: true; readonly length: number; readonly head: string }
  | { readonly intact: false; readonly at: number; readonly why: ChainFault };

/** Walks the whole chain. A break is named by the sequence number of the first event that does not fit. */
export async function walkChain(read: Pick<Statements, 'all'>): Promise<ChainState> {
  let last = { seq: 0, hash: chainStart };
  for await (const { events, broken } of chainPages(read)) {
    if (broken !== undefined) return { intact: false, ...broken };
    last = events.at(-1) ?? last;
  }
  return { intact: true, length: last.seq, head: last.hash };
}
