/** The reasons that persons gave, which lie beside the events so that forgetting can clear them. One that was altered is not shown. */
import { reasonHash } from '../domain/events';
import type { Statements } from '../store/database';
import { readEvent, type StoredEvent } from './chain';
import type { Keys } from './keyring';
import type { Checked } from './parts';

type Reads = Pick<Statements, 'all'>;

/** The reasons in the histories of these memories, by event: those that are what was signed. */
export async function reasonsOf(read: Reads, memories: readonly Checked[]): Promise<ReadonlyMap<number, string>> {
  const signed = new Map(
    memories.flatMap(({ stored, replayed }) =>
      replayed.history.flatMap((entry) =>
        entry.reason === null || !stored.readable ? [] : [[entry.event, { hash: entry.reason, salt: stored.memory.salt }] as const],
      ),
    ),
  );
  if (signed.size === 0) return new Map();
  const rows = await read.all(
    'SELECT event, text FROM reasons WHERE event IN (SELECT value FROM json_each(?))',
    JSON.stringify([...signed.keys()]),
  );
  return new Map(
    rows.flatMap((row) => {
      const [event, text] = [Number(row['event']), String(row['text'])];
      const made = signed.get(event);
      if (made === undefined) return [];
      return reasonHash(made.salt, text) === made.hash ? [[event, text] as const] : [];
    }),
  );
}

/** A reason as it lies beside the event of an act on a memory, with the memory's salt. */
export interface ReasonBeside {
  readonly event: StoredEvent;
  readonly salt: string;
  readonly text: string;
}

/** The reason, if it is what a person signed with the act. */
export function signedReason({ event, salt, text }: ReasonBeside, keys: Keys): string | undefined {
  const body = readEvent(event);
  if (body?.type !== 'decided' || body.statement.reason !== reasonHash(salt, text)) return undefined;
  try {
    keys.verify(body, event.hash);
    return text;
  } catch {
    return undefined; // a key that is not known here, or a signature of nobody's
  }
}

/** Why memories are in doubt by themselves and not only by others, by id. */
export async function disputeReasons(read: Reads, memories: readonly Checked[]): Promise<ReadonlyMap<string, string>> {
  const disputes = memories.flatMap((one) => {
    const entry = disputeOf(one);
    return entry === undefined ? [] : [{ one, event: entry.event }];
  });
  if (disputes.length === 0) return new Map();
  const reasons = await reasonsOf(
    read,
    disputes.map(({ one }) => one),
  );
  return new Map(disputes.map(({ one, event }) => [one.stored.id, reasons.get(event) ?? 'no reason is kept']));
}

/** The act by which a memory that is contested now came into doubt by itself; undefined where only other memories say otherwise. */
export function disputeOf({ replayed }: Checked) {
  const streak = replayed.history.slice(replayed.history.findLastIndex(({ state }) => state !== 'contested') + 1);
  // It has a reason of its own and adds no counterpart; one without a reason only goes on after a counterpart has left.
  return streak.findLast(
    ({ act, others, reason }, index) => act === 'contest' && reason !== null && others.join() === (streak[index - 1]?.others ?? []).join(),
  );
}
