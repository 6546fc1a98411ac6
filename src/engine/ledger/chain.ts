/** The chain of events: add one to its end, read those of some memories, walk it and name the first bad link. */
import { canonicalJson } from '../domain/canonical';
import { chainStart, eventBody, eventHash, type EventBody } from '../domain/events';
import type { Database, Statements } from '../store/database';

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

export type ChainState =
  | { readonly intact: true; readonly length: number; readonly head: string }
  | { readonly intact: false; readonly at: number; readonly why: string };

/** Walks the whole chain in pages. A break is named by the sequence number of the first event that does not fit. */
export async function walkChain(read: Database['read']): Promise<ChainState> {
  let prev = chainStart;
  let expected = 1;
  for (;;) {
    const rows = await read.all('SELECT seq, hash, body FROM events WHERE seq >= ? ORDER BY seq LIMIT 500', expected);
    for (const row of rows) {
      const event = { seq: Number(row['seq']), hash: String(row['hash']), body: String(row['body']) };
      if (event.seq !== expected) return { intact: false, at: expected, why: 'An event is missing.' };
      const body = readEvent(event);
      if (body === undefined) return { intact: false, at: event.seq, why: 'An event was altered.' };
      if (body.prev !== prev) return { intact: false, at: event.seq, why: 'An event does not follow the one before it.' };
      prev = event.hash;
      expected += 1;
    }
    if (rows.length < 500) return { intact: true, length: expected - 1, head: prev };
  }
}
