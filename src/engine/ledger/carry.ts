/**
 * What persons decided against in a store, read from it when another takes its place: what was forgotten and rejected, as signed
 * events tell it, and the tombstones. Read without the tables that searches use, since those may be what is damaged.
 */
import { reasonHash } from '../domain/events';
import { storeUnusable } from '../errors';
import { readPredicate, type Grant } from '../scope/grant';
import type { Statements } from '../store/database';
import type { StoredMemory } from '../store/rows';
import { eventsOf } from './chain';
import type { KeyRing } from './keyring';
import type { StoreIdentity } from './parts';
import { replay } from './replay';
import { isPaused } from './rules';

type Reads = Pick<Statements, 'all' | 'get'>;

export interface Decided {
  readonly store: StoreIdentity;
  /** Ids of forgotten memories. */
  readonly forgotten: readonly string[];
  readonly rejected: readonly Rejected[];
  readonly tombstones: readonly Tombstone[];
  /** Of the forgotten ones, those whose bytes may still lie in journals and backups. */
  readonly unswept: readonly string[];
  readonly paused: boolean;
}

interface Rejected {
  readonly id: string;
  /** The person's words, which {@link reasonOf} compares with what was signed. */
  readonly reason: string | undefined;
  readonly signed: string | null;
}

/** A tombstone that is not lifted. */
export interface Tombstone {
  readonly digest: string;
  readonly scope: string;
  readonly kind: string;
  readonly form: number;
  /** The memory's id, if the tombstone is of one. */
  readonly memory: string | undefined;
}

/** @param grantOf the person's grant over a store. @throws `store_damaged` or `store_unusable` where it cannot be read. */
export async function decidedIn(read: Reads, keyRing: KeyRing, grantOf: (store: string) => Grant): Promise<Decided> {
  const row = await read.get('SELECT id, salt FROM store');
  if (row === undefined) throw storeUnusable('The memory store has lost its name.');
  const store = { id: String(row['id']), salt: String(row['salt']) };
  const last = await lastDecisions(read, store, keyRing);
  const reasons = new Map((await read.all('SELECT event, text FROM reasons')).map((one) => [Number(one['event']), String(one['text'])]));
  const within = readPredicate(grantOf(store.id), 'm.scope');
  const tombstones = await read.all(
    `SELECT t.digest, t.scope, t.kind, t.form, m.id FROM tombstones t LEFT JOIN memories m ON m.seq = t.memory AND ${within.sql}
     WHERE t.lifted IS NULL ORDER BY t.event, t.digest`,
    ...within.values,
  );
  const unswept = await read.all(
    'SELECT DISTINCT e.memory FROM erasures x JOIN events e ON e.seq = x.event WHERE x.swept_at IS NULL ORDER BY 1',
  );
  return {
    store,
    forgotten: last.filter(({ state }) => state === 'forgotten').map(({ id }) => id),
    rejected: last
      .filter(({ state }) => state === 'rejected')
      .map(({ id, event, reason }) => ({ id, reason: reasons.get(event), signed: reason })),
    tombstones: tombstones.map((one) => ({
      digest: String(one['digest']),
      scope: String(one['scope']),
      kind: String(one['kind']),
      form: Number(one['form']),
      memory: typeof one['id'] === 'string' ? one['id'] : undefined,
    })),
    unswept: unswept.map((one) => String(one['memory'])),
    paused: await isPaused(read, { keyRing, store }),
  };
}

/** The state of each memory that was ever rejected or forgotten, by its sound events: rows have no say in what is erased for good. */
async function lastDecisions(read: Reads, store: StoreIdentity, keyRing: KeyRing) {
  const rows = await read.all(
    `SELECT DISTINCT memory FROM events WHERE json_valid(body) AND body ->> '$.statement.to' IN ('rejected', 'forgotten') ORDER BY 1`,
  );
  const ids = rows.map((row) => String(row['memory']));
  const events = await eventsOf(read, ids);
  const keys = await keyRing.trusted();
  return ids.flatMap((id) => {
    const { history } = replay(withoutRows(id), events.get(id) ?? [], store.id, keys);
    const [last, cause] = [history.at(-1), history.findLast(({ act }) => act === 'reject' || act === 'forget')];
    return last === undefined || cause === undefined ? [] : [{ id, state: last.state, event: cause.event, reason: cause.reason }];
  });
}

/** A memory of which only the events are looked at. */
const withoutRows = (id: string): StoredMemory => ({
  seq: 0,
  id,
  scope: '',
  title: '',
  state: 'pending',
  stateEvent: 0,
  stateSince: '',
  recordedAt: '',
  bounds: { scope: '' },
  others: [],
  erased: false,
  indexed: false,
  readable: false,
});

/** The reason of a rejection, if it is what was signed. @param salt of the memory. */
export const reasonOf = ({ reason, signed }: Rejected, salt: string): string | undefined =>
  reason !== undefined && signed !== null && reasonHash(salt, reason) === signed ? reason : undefined;

/**
 * Sets tombstones that are not there yet, within a transaction: each with the event by which its memory was rejected or forgotten
 * here, or with the one that put the store back.
 * @returns how many it set.
 */
export async function carryTombstones(tx: Statements, tombstones: readonly Tombstone[], grant: Grant): Promise<number> {
  const within = readPredicate(grant, 'm.scope');
  const restored = Number((await tx.get(`SELECT max(event) AS event FROM rulings WHERE subject = 'restored'`))?.['event']);
  let carried = 0;
  for (const { digest, scope, kind, form, memory } of tombstones) {
    if ((await tx.get('SELECT 1 FROM tombstones WHERE digest = ? AND scope = ? AND lifted IS NULL', digest, scope)) !== undefined) continue;
    const here = await tx.get(
      `SELECT m.seq, (SELECT max(e.seq) FROM events e WHERE e.memory = m.id AND e.body ->> '$.statement.act' IN ('reject', 'forget')) AS event
       FROM memories m WHERE m.id = ? AND ${within.sql}`,
      memory ?? null,
      ...within.values,
    );
    const { changes } = await tx.run(
      'INSERT INTO tombstones (digest, scope, event, kind, form, memory) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      digest,
      scope,
      here?.['event'] ?? restored,
      kind,
      form,
      here?.['seq'] ?? null,
    );
    carried += changes;
  }
  return carried;
}
