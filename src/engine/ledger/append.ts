/** The one function that changes memory. */
import { canonicalJson } from '../domain/canonical';
import { statementOf } from '../domain/events';
import type { NewMemory } from '../domain/memory';
import { nextState } from '../domain/states';
import { valueKey } from '../domain/value-key';
import { alreadyRecorded, unreachable } from '../errors';
import { admitDecision } from './admit';
import { applyDecision, applyProposal, applySave, applySupport } from './apply';
import type { Command, Decide, Propose, Receipt, Save } from './commands';
import type { LedgerParts } from './parts';
import { duplicateOf, keepReceipt, receiptFor, storedReceipt } from './receipts';
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
  return ledger.database.transaction(async (tx) => {
    const replayed = await storedReceipt(tx, call);
    if (replayed !== undefined) return replayed;
    const at = ledger.clock.now().toISOString();
    const known = await duplicateOf(tx, grant, key);
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
    const known = await duplicateOf(tx, command.grant, key);
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

const inferredBy = (session: Propose['session']) =>
  ({ tag: 'inferred', session: session.id, client: session.client, clientVersion: session.clientVersion, model: 'unreported' }) as const;
