/** The audit log as a person reads it: who did what to which memory and when, refusals included. It holds no words of any memory. */
import { asPresent, type EventBody } from '../domain/events';
import { readEvent } from '../ledger/chain';
import { readPredicate, type Grant } from '../scope/grant';
import type { Statements } from '../store/database';

export interface AuditEntry {
  readonly seq: number;
  readonly at: string;
  /** The act, or `proposed`, `supported`, `challenged`, `expired`, `refused`, `ruled`; `altered` for an event that is not what its hash says. */
  readonly what: string;
  /** Who: a client's name for an agent, the key's id for a person, `system`. */
  readonly who: string;
  /** The memory's id; empty for what is about the store. */
  readonly memory: string;
  /** What a refusal was for, or what a rule says. */
  readonly detail: string | undefined;
  readonly hash: string;
}

/** @param page `before` is the sequence number of the last entry that was shown. */
export async function auditLog(
  read: Pick<Statements, 'all'>,
  grant: Grant,
  page: { readonly memory?: string; readonly limit: number; readonly before?: number },
): Promise<AuditEntry[]> {
  const within = readPredicate(grant, 's.scope');
  const rows = await read.all(
    `SELECT e.seq, e.hash, e.body, e.memory FROM events e
     WHERE (? IS NULL OR e.seq < ?) AND (? IS NULL OR e.memory = ?)
       AND (e.memory = '' OR EXISTS (SELECT 1 FROM memories m JOIN statuses s ON s.memory = m.seq AND s.known_to IS NULL
                                     WHERE m.id = e.memory AND ${within.sql}))
     ORDER BY e.seq DESC LIMIT ?`,
    page.before ?? null,
    page.before ?? null,
    page.memory ?? null,
    page.memory ?? null,
    ...within.values,
    page.limit,
  );
  const clients = new Map((await read.all('SELECT id, client FROM sessions')).map((row) => [String(row['id']), String(row['client'])]));
  return rows.map((row) => {
    const event = { seq: Number(row['seq']), hash: String(row['hash']), body: String(row['body']) };
    const body = readEvent(event);
    const base = { seq: event.seq, hash: event.hash, memory: String(row['memory']) };
    return body === undefined
      ? { ...base, at: '', what: 'altered', who: '', detail: undefined }
      : { ...base, at: body.at, ...toldOf(body, (session) => clients.get(session) ?? 'an agent') };
  });
}

function toldOf(body: EventBody, clientOf: (session: string) => string): Pick<AuditEntry, 'what' | 'who' | 'detail'> {
  switch (body.type) {
    case 'decided': {
      const { act, from, to } = asPresent(body.statement);
      return { what: act, who: body.key, detail: from === to ? undefined : `${from} → ${to}` };
    }
    case 'ruled':
      return { what: 'ruled', who: body.key, detail: ruleText(body.statement.rule) };
    case 'refused':
      return { what: 'refused', who: nameOf(body.actor, clientOf), detail: `${body.command}: ${body.code}` };
    case 'challenged':
      return { what: 'challenged', who: nameOf(body.actor, clientOf), detail: body.wants };
    case 'proposed':
    case 'supported':
    case 'expired':
      return { what: body.type, who: nameOf(body.actor, clientOf), detail: undefined };
  }
}

const nameOf = (actor: { authority: string; session?: string }, clientOf: (session: string) => string): string =>
  actor.session === undefined ? actor.authority : clientOf(actor.session);

function ruleText(rule: Extract<EventBody, { type: 'ruled' }>['statement']['rule']): string {
  switch (rule.is) {
    case 'paused':
      return rule.paused ? 'memory paused' : 'memory resumed';
    case 'slot':
      return `a slot holds ${rule.cardinality}`;
    case 'folder':
      return 'the folder has moved';
    case 'restored':
      return `restored from a backup with ${rule.seq} events`;
  }
}
