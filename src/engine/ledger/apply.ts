/** The rows of each event: one small function per event, called inside the ledger's transaction and nowhere else. */
import type { SignedAct } from '../domain/events';
import type { Content, NewMemory, State } from '../domain/memory';
import { servedStates } from '../domain/states';
import type { Statements } from '../store/database';
import { indexText, insertMemory, type StoredMemory } from '../store/rows';
import { link } from './chain';
import type { AgentSession } from './commands';
import { contentHash } from '../domain/events';

/** A proposal: the memory's rows, waiting. @returns its sequence number. */
export async function applyProposal(
  tx: Statements,
  memory: NewMemory,
  valueKey: string,
  session: AgentSession,
  at: string,
): Promise<number> {
  await keepSession(tx, session);
  const seq = await insertMemory(tx, memory, valueKey, at);
  const event = await link(tx, { type: 'proposed', at, memory: memory.id, actor: agentOf(session), contentHash: contentHash(memory) });
  await enterState(tx, seq, 'pending', event.seq, at);
  await index(tx, seq, memory.content, 'pending');
  return seq;
}

/** The same value again: an event, and no second memory. @returns the sequence number of the one that is there. */
export async function applySupport(tx: Statements, known: { seq: number; id: string }, session: AgentSession, at: string): Promise<number> {
  await keepSession(tx, session);
  await link(tx, { type: 'supported', at, memory: known.id, actor: agentOf(session) });
  return known.seq;
}

/** A person's own memory: it stands at once. */
export async function applySave(tx: Statements, memory: NewMemory, valueKey: string, signed: SignedAct): Promise<void> {
  const { at, to } = signed.statement;
  const seq = await insertMemory(tx, memory, valueKey, at);
  const event = await link(tx, { type: 'decided', at, memory: memory.id, ...signed });
  await enterState(tx, seq, to, event.seq, at);
  await index(tx, seq, memory.content, to);
}

/** A person's decision: the event, the status interval, the index that belongs to the new state, and the reason beside it. */
export async function applyDecision(
  tx: Statements,
  stored: Extract<StoredMemory, { readable: true }>,
  signed: SignedAct,
  reason: string | undefined,
): Promise<void> {
  const { at, to } = signed.statement;
  const event = await link(tx, { type: 'decided', at, memory: stored.id, ...signed });
  await enterState(tx, stored.seq, to, event.seq, at);
  await index(tx, stored.seq, stored.memory.content, to);
  if (reason !== undefined) await tx.run('INSERT INTO reasons (event, text) VALUES (?, ?)', event.seq, reason);
}

const agentOf = (session: AgentSession) => ({ authority: 'agent', session: session.id }) as const;

async function keepSession(tx: Statements, session: AgentSession): Promise<void> {
  await tx.run(
    'INSERT INTO sessions (id, client, client_version, started_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
    session.id,
    session.client,
    session.clientVersion,
    session.startedAt,
  );
}

async function enterState(tx: Statements, memory: number, state: State, event: number, at: string): Promise<void> {
  await tx.run('UPDATE statuses SET known_to = ? WHERE memory = ? AND known_to IS NULL', at, memory);
  await tx.run('INSERT INTO statuses (memory, state, event, known_from) VALUES (?, ?, ?, ?)', memory, state, event, at);
}

/** Puts the memory's text into the one index that its state belongs to. */
async function index(tx: Statements, seq: number, content: Content, state: State): Promise<void> {
  const { title, body } = indexText(content);
  await tx.run('DELETE FROM served_index WHERE rowid = ?', seq);
  await tx.run('DELETE FROM waiting_index WHERE rowid = ?', seq);
  await tx.run(
    `INSERT INTO ${servedStates.includes(state) ? 'served_index' : 'waiting_index'} (rowid, title, body) VALUES (?, ?, ?)`,
    seq,
    title,
    body,
  );
}
