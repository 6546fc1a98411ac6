/** The rows of each event: one small function per event, called inside the ledger's transaction and nowhere else. */
import { boundsIn, contentHash, type Actor, type SignedAct, type SignedRule } from '../domain/events';
import type { Bounds, Content, Evidence, NewMemory, State } from '../domain/memory';
import { servedStates } from '../domain/states';
import { canonicalJson } from '../domain/canonical';
import type { ErrorCode } from '../errors';
import type { Statements } from '../store/database';
import { claimKeys, indexText, insertMemory } from '../store/rows';
import { link } from './chain';
import { challengeHash } from './challenges';
import type { AgentSession } from './commands';
import { eraseWords, noteErasure } from './erase';
import type { PlannedStep } from './plan';
import { boundsOfContent, changesStatus } from './replay';
import { bury, liftAll, liftThoseOf } from './tombstones';

/** A proposal: the memory's rows, waiting. @returns its sequence number. */
export async function applyProposal(
  tx: Statements,
  memory: NewMemory,
  storeSalt: string,
  session: AgentSession,
  at: string,
): Promise<number> {
  await keepSession(tx, session);
  const seq = await insertMemory(tx, memory, storeSalt, at);
  const event = await link(tx, { type: 'proposed', at, memory: memory.id, actor: agentOf(session), contentHash: contentHash(memory) });
  await enterStatus(tx, seq, { state: 'pending', event: event.seq, at, bounds: boundsOfContent(memory.content), others: [] });
  await addToIndex(tx, seq, memory.content, 'pending');
  return seq;
}

/** The same value again: an event, and no second memory. @returns the sequence number of the one that is there. */
export async function applySupport(tx: Statements, known: { seq: number; id: string }, session: AgentSession, at: string): Promise<number> {
  await keepSession(tx, session);
  await link(tx, { type: 'supported', at, memory: known.id, actor: agentOf(session) });
  return known.seq;
}

/** A challenge, waiting beside its memory. */
export async function applyChallenge(
  tx: Statements,
  challenge: {
    readonly id: string;
    readonly salt: string;
    readonly memory: { readonly seq: number; readonly id: string };
    readonly wants: 'contest' | 'retire';
    readonly counterpart: number | undefined;
    readonly question: string;
    readonly reason: string;
    readonly evidence: readonly Evidence[];
  },
  session: AgentSession,
  at: string,
): Promise<void> {
  await keepSession(tx, session);
  const { id, salt, memory, wants, counterpart, question, reason } = challenge;
  const evidence = canonicalJson(challenge.evidence);
  const commitment = challengeHash(salt, reason, evidence);
  const event = await link(tx, { type: 'challenged', at, memory: memory.id, actor: agentOf(session), challenge: id, wants, commitment });
  await tx.run(
    `INSERT INTO challenges (id, memory, event, wants, counterpart, session, at, salt, question, reason, evidence)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    memory.seq,
    event.seq,
    wants,
    counterpart ?? null,
    session.id,
    at,
    salt,
    question,
    reason,
    evidence,
  );
}

/** A step of a person's act: the event, the status it opens, the index that belongs to it, the reason beside it, and its effects. */
export async function applyStep(tx: Statements, step: PlannedStep, signed: SignedAct, storeSalt: string): Promise<void> {
  const { statement, memory, reason, effects } = step;
  const { act, at, to, others, from } = statement;
  const seq = step.seq ?? (await insertMemory(tx, written(step), storeSalt, at));
  const event = await link(tx, { type: 'decided', at, memory: statement.memory, ...signed });
  if (changesStatus(act)) {
    await enterStatus(tx, seq, { state: to, event: event.seq, at, bounds: boundsIn(statement), others });
    const moves = from !== 'none' && indexOf(from) !== indexOf(to);
    if (memory !== undefined && moves) await tx.run(`DELETE FROM ${indexOf(from)} WHERE rowid = ?`, seq);
    if (memory !== undefined && (moves || from === 'none')) await addToIndex(tx, seq, memory.content, to);
  }
  if (reason !== undefined) await tx.run('INSERT INTO reasons (event, text) VALUES (?, ?)', event.seq, reason);
  if (effects.buries === true && memory !== undefined) await bury(tx, storeSalt, memory, seq, memory.content.scope, event.seq);
  if (effects.lifts === true) await liftAll(tx, seq, event.seq);
  if (effects.undoes !== undefined) await takeBack(tx, effects.undoes, event.seq);
  if (effects.verdict !== undefined) await tx.run('INSERT INTO verdicts (question, event) VALUES (?, ?)', effects.verdict, event.seq);
  if (effects.answers !== undefined) await answer(tx, 'id = ?', effects.answers, event.seq);
  if (!servedStates.includes(to)) await answer(tx, 'memory = ?', seq, event.seq); // nothing is left to be doubted
  if (act === 'approve' || act === 'save') await settleSlot(tx, written(step).content, storeSalt, event.seq);
  if (act === 'forget') {
    await eraseWords(tx, seq, event.seq);
    await noteErasure(tx, event.seq, at);
  }
}

/** A proposal that has waited too long. */
export async function applyExpiry(tx: Statements, memory: { seq: number; id: string; bounds: Bounds }, at: string): Promise<void> {
  const event = await link(tx, { type: 'expired', at, memory: memory.id, actor: { authority: 'system' } });
  await enterStatus(tx, memory.seq, { state: 'expired', event: event.seq, at, bounds: memory.bounds, others: [] });
}

/** Something that was asked for and not done. */
export async function applyRefusal(
  tx: Statements,
  refusal: {
    readonly actor: Actor;
    readonly session?: AgentSession;
    readonly command: string;
    readonly code: ErrorCode;
    readonly memory: string;
  },
  at: string,
): Promise<void> {
  const { session, ...told } = refusal;
  if (session !== undefined) await keepSession(tx, session);
  await link(tx, { type: 'refused', at, ...told });
}

/** A person's rule for the store. */
export async function applyRule(tx: Statements, signed: SignedRule, identity: string | undefined): Promise<void> {
  const { rule, at } = signed.statement;
  const event = await link(tx, { type: 'ruled', at, memory: '', ...signed });
  await tx.run('INSERT INTO rulings (event, subject) VALUES (?, ?)', event.seq, rule.is);
  if (rule.is === 'slot')
    await tx.run('INSERT INTO slots (slot, event, cardinality) VALUES (?, ?, ?)', rule.slot, event.seq, rule.cardinality);
  if (rule.is === 'folder' && identity !== undefined) await tx.run('UPDATE store SET identity = ?', identity);
}

export const agentOf = (session: AgentSession) => ({ authority: 'agent', session: session.id }) as const;

async function keepSession(tx: Statements, session: AgentSession): Promise<void> {
  await tx.run(
    'INSERT INTO sessions (id, client, client_version, started_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
    session.id,
    session.client,
    session.clientVersion,
    session.startedAt,
  );
}

/** Closes the open status and opens the next. */
async function enterStatus(
  tx: Statements,
  memory: number,
  status: {
    readonly state: State;
    readonly event: number;
    readonly at: string;
    readonly bounds: Bounds;
    readonly others: readonly string[];
  },
): Promise<void> {
  const { state, event, at, bounds, others } = status;
  await tx.run('UPDATE statuses SET known_to = ? WHERE memory = ? AND known_to IS NULL', at, memory);
  await tx.run(
    'INSERT INTO statuses (memory, state, event, known_from, scope, valid_from, valid_to, others) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    memory,
    state,
    event,
    at,
    bounds.scope,
    bounds.validFrom ?? null,
    bounds.validTo ?? null,
    JSON.stringify(others),
  );
}

/** What an act did beside the memory's own state goes with it: its tombstones, its answers, what it said of a slot. */
async function takeBack(tx: Statements, undone: number, event: number): Promise<void> {
  await liftThoseOf(tx, undone, event);
  await tx.run('DELETE FROM verdicts WHERE event = ?', undone);
  await tx.run('DELETE FROM slots WHERE event = ?', undone);
  await tx.run('UPDATE challenges SET answer = NULL WHERE answer = ? AND erased IS NULL', undone);
}

/** A claim that a person let stand as one of one says so for its slot. */
async function settleSlot(tx: Statements, content: Content, storeSalt: string, event: number): Promise<void> {
  const keys = claimKeys(storeSalt, content);
  const cardinality = content.claim?.cardinality;
  if (keys === undefined || cardinality === undefined) return;
  await tx.run('INSERT INTO slots (slot, event, cardinality) VALUES (?, ?, ?)', keys.slot, event, cardinality);
}

const answer = (tx: Statements, which: 'id = ?' | 'memory = ?', value: string | number, event: number) =>
  tx.run(`UPDATE challenges SET answer = ? WHERE ${which} AND answer IS NULL`, event, value);

/** The memory of a step that cannot be without its words. */
function written({ memory }: PlannedStep): NewMemory {
  if (memory === undefined) throw new TypeError('a step that makes or approves a memory has its words');
  return memory;
}

/** Puts the memory's text into the one index that its state belongs to. */
async function addToIndex(tx: Statements, seq: number, content: Content, state: State): Promise<void> {
  const { title, body } = indexText(content);
  await tx.run(`REPLACE INTO ${indexOf(state)} (rowid, title, body) VALUES (?, ?, ?)`, seq, title, body);
}

const indexOf = (state: State) => (servedStates.includes(state) ? 'served_index' : 'waiting_index');
