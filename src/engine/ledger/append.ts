/** The one function that changes memory. */
import { canonicalJson } from '../domain/canonical';
import { statementOf } from '../domain/events';
import type { NewMemory, State } from '../domain/memory';
import { nextState } from '../domain/states';
import { valueKey } from '../domain/value-key';
import { alreadyRecorded, unreachable } from '../errors';
import type { Grant } from '../scope/grant';
import type { Statements } from '../store/database';
import { memoriesBySeq } from '../store/memories';
import type { StoredMemory } from '../store/rows';
import { admitDecision } from './admit';
import { applyDecision, applyProposal, applySave, applySupport } from './apply';
import type { Command, Decide, Propose, Receipt, Save } from './commands';
import type { Keys } from './keyring';
import { check, type LedgerParts } from './parts';
import type { Replayed } from './replay';
import { claimingValue, keepReceipt, receiptFor, storedReceipt } from './receipts';
import { newMemory, screenDraft, screenProposal, screenReason } from './screen';
import { checkSigned, sign } from './sign';

/**
 * Changes memory, for every caller and every state change: first what can be decided from the text and may wait, then everything
 * that asks the store, in one transaction. When this returns the command is there as a whole; when it throws, nothing changed.
 */
export function append(command: Command, ledger: LedgerParts): Promise<Receipt> {
  switch (command.type) {
    case 'propose':
      return propose(command, ledger);
    case 'save':
      return save(command, ledger);
    case 'approve':
    case 'reject':
    case 'retire':
      return decide(command, ledger);
    default:
      return unreachable(command);
  }
}

async function propose(command: Propose, ledger: LedgerParts): Promise<Receipt> {
  const { commandId, ...proposal } = screenProposal(command);
  const { session, grant } = command;
  const call = { client: session.client, grant, commandId, payload: canonicalJson(proposal) };
  // Asked before the evidence is looked at, too: a retry gets its receipt even when the file has changed since.
  const earlier = await storedReceipt(ledger.database.read, call);
  if (earlier !== undefined) return earlier;

  const memory = await newMemory(proposal, command, inferredBy(session), ledger);
  const key = valueKey(ledger.store.salt, memory.content);
  const keys = await ledger.keyRing.trusted();
  return ledger.database.transaction(async (tx) => {
    const replayed = await storedReceipt(tx, call);
    if (replayed !== undefined) return replayed;
    const at = ledger.clock.now().toISOString();
    const known = await duplicateOf(tx, grant, key, ledger, keys);
    const seq = known === undefined ? await applyProposal(tx, memory, key, session, at) : await applySupport(tx, known, session, at);
    const { id, salt, state } = known ?? { id: memory.id, salt: memory.salt, state: 'pending' };
    await keepReceipt(tx, call, { seq, salt, state, duplicate: known !== undefined });
    return receiptFor(id, state, { duplicate: known !== undefined });
  });
}

async function save(command: Save, ledger: LedgerParts): Promise<Receipt> {
  const draft = screenDraft(command);
  const at = ledger.clock.now().toISOString();
  const memory: NewMemory = await newMemory(draft, command, { tag: 'stated', surface: command.surface, at }, ledger);
  const key = valueKey(ledger.store.salt, memory.content);
  const statement = statementOf(memory, {
    store: ledger.store.id,
    act: 'save',
    from: 'none',
    to: nextState('save', 'none'),
    follows: null,
    reason: null,
    at,
  });
  const signed = await sign(statement, command.signer);
  const keys = await ledger.keyRing.trusted();
  return ledger.database.transaction(async (tx) => {
    checkSigned(signed, statement, keys);
    const known = await duplicateOf(tx, command.grant, key, ledger, keys);
    if (known !== undefined) throw alreadyRecorded(known.state);
    await applySave(tx, memory, key, signed);
    return receiptFor(memory.id, statement.to);
  });
}

async function decide(command: Decide, ledger: LedgerParts): Promise<Receipt> {
  const reason = screenReason(command);
  const keys = await ledger.keyRing.trusted();
  const at = ledger.clock.now().toISOString();
  const proposed = await admitDecision(ledger.database.read, command, reason, at, ledger.store, keys);
  const signed = await sign(proposed.statement, command.signer);
  return ledger.database.transaction(async (tx) => {
    const admitted = await admitDecision(tx, command, reason, at, ledger.store, keys);
    checkSigned(signed, admitted.statement, keys);
    await applyDecision(tx, admitted.memory, signed, reason);
    return receiptFor(command.id, admitted.statement.to);
  });
}

/** The memory that holds exactly this value, as its events tell it: one that was tampered with does not keep the value out. */
async function duplicateOf(tx: Statements, grant: Grant, value: string, ledger: LedgerParts, keys: Keys): Promise<Duplicate | undefined> {
  const claiming = await memoriesBySeq(tx, grant, await claimingValue(tx, grant, value));
  for (const { stored, replayed } of await check(tx, claiming, ledger.store, keys))
    if (stored.readable && isAsItSays(stored, replayed))
      return { seq: stored.seq, id: stored.id, salt: stored.memory.salt, state: stored.state };
  return undefined;
}

interface Duplicate {
  readonly seq: number;
  readonly id: string;
  readonly salt: string;
  readonly state: State;
}

/** Whether a row's state is what its events lead to. Where the key is not known, as without any keys, the row is believed here. */
const isAsItSays = (stored: StoredMemory, { tampering, state }: Replayed): boolean =>
  tampering === 'key_unknown' || (tampering === undefined && state === stored.state);

const inferredBy = (session: Propose['session']) =>
  ({ tag: 'inferred', session: session.id, client: session.client, clientVersion: session.clientVersion, model: 'unreported' }) as const;
