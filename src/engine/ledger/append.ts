/** The one function that changes memory. */
import { canonicalJson } from '../domain/canonical';
import type { Actor, Rule, SignedAct } from '../domain/events';
import type { Content, NewMemory, State } from '../domain/memory';
import { valueKey } from '../domain/value-key';
import {
  alreadyRecorded,
  answeredBefore,
  asStetError,
  changedMeanwhile,
  invalidInput,
  notFound,
  unreachable,
  type StetError,
} from '../errors';
import type { Grant } from '../scope/grant';
import type { Statements } from '../store/database';
import { memoriesById, memoriesBySeq, memoriesWaitingSince } from '../store/memories';
import type { StoredMemory } from '../store/rows';
import { planAct, planSave, questionKey, type PreparedAct } from './acts';
import { agentOf, applyChallenge, applyExpiry, applyProposal, applyRefusal, applyRule, applyStep, applySupport } from './apply';
import { contestSchema, requestRetireSchema, waitingWith } from './challenges';
import type { Challenge, ChallengeReceipt, Command, Decide, DecisionReceipt, Expire, Lay, Propose, Receipt, Save } from './commands';
import { hintsFor, nearTo, noHints } from './hints';
import type { Keys } from './keyring';
import { check, isServed, mayBeServed, type LedgerParts } from './parts';
import type { Plan, PlanContext, PlannedStep } from './plan';
import { claimingValue, keepReceipt, receiptFor, storedReceipt } from './receipts';
import { signedReason } from './reasons';
import type { Replayed } from './replay';
import { refuseWhilePaused, ruleStatement } from './rules';
import { newMemory, resolved, screenAct, screenDraft, screened, screenProposal } from './screen';
import { checkSigned, checkSignedRule, sign, signRule } from './sign';
import { refuseBuried } from './tombstones';

/** What each command is answered with. */
export interface Answers {
  readonly propose: Receipt;
  readonly challenge: ChallengeReceipt;
  readonly save: Receipt;
  readonly decide: DecisionReceipt;
  readonly rule: undefined;
  /** The ids of what lapsed. */
  readonly expire: readonly string[];
}

/**
 * Changes memory, for every caller and every state change: first what can be decided from the text and may wait, then everything
 * that asks the store, in one transaction. When this returns the command is there as a whole; when it throws, no memory changed, and
 * the refusal is an event.
 */
export async function append<C extends Command>(command: C, ledger: LedgerParts): Promise<Answers[C['type']]> {
  try {
    return (await run(command, ledger)) as Answers[C['type']]; // the switch below pairs them
  } catch (thrown) {
    await recordRefusal(command, asStetError(thrown), ledger);
    throw thrown;
  }
}

function run(command: Command, ledger: LedgerParts): Promise<Answers[Command['type']]> {
  switch (command.type) {
    case 'propose':
      return propose(command, ledger);
    case 'challenge':
      return challenge(command, ledger);
    case 'save':
      return save(command, ledger);
    case 'decide':
      return decide(command, ledger);
    case 'rule':
      return lay(command, ledger);
    case 'expire':
      return expire(command, ledger);
    default:
      return unreachable(command);
  }
}

async function propose(command: Propose, ledger: LedgerParts): Promise<Receipt> {
  await refuseWhilePaused(ledger.database.read, ledger);
  const { commandId, ...proposal } = await screenProposal(command.proposal);
  const { session, grant } = command;
  const call = { client: session.client, grant, commandId, payload: canonicalJson(proposal) };
  // Asked before the evidence is looked at, too: a retry gets its receipt even when the file has changed since.
  const earlier = await storedReceipt(ledger, ledger.database.read, call);
  if (earlier !== undefined) return earlier;

  const memory = await newMemory(proposal, command, inferredBy(session), ledger);
  const key = valueKey(ledger.store.salt, memory.content);
  const keys = await ledger.keyRing.trusted();
  const near = await nearTo(ledger.database.read, memory.content, grant, ledger, keys);
  return ledger.database.transaction(async (tx) => {
    const replayed = await storedReceipt(ledger, tx, call);
    if (replayed !== undefined) return replayed;
    await refuseBuried({ read: tx, keys, ...ledger }, memory.content, memory.content.scope);
    const at = ledger.clock.now().toISOString();
    const known = await duplicateOf(tx, grant, memory.content, ledger, keys);
    const hints = known === undefined ? await hintsFor(tx, memory.content, key, near, grant, ledger, keys) : noHints;
    const seq =
      known === undefined ? await applyProposal(tx, memory, ledger.store.salt, session, at) : await applySupport(tx, known, session, at);
    const { id, salt, state } = known ?? { id: memory.id, salt: memory.salt, state: 'pending' };
    await keepReceipt(tx, call, { seq, salt, state, duplicate: known !== undefined, hints });
    return receiptFor(id, state, { duplicate: known !== undefined, hints });
  });
}

async function challenge(command: Challenge, ledger: LedgerParts): Promise<ChallengeReceipt> {
  await refuseWhilePaused(ledger.database.read, ledger);
  const { session, grant, wants } = command;
  const asked =
    wants === 'contest'
      ? await screened(contestSchema, command.asked)
      : { ...(await screened(requestRetireSchema, command.asked)), evidence: [], with: undefined };
  if (asked.with === asked.id) throw invalidInput('"with" names the memory itself.');
  for (const id of [asked.id, ...(asked.with === undefined ? [] : [asked.with])])
    if (!(await isServed(ledger, grant, id))) throw notFound();
  const salt = ledger.ids.salt();
  const evidence = await resolved(asked.evidence, salt, command, ledger);
  const question = questionKey(ledger, wants, [
    asked.id,
    `with ${asked.with ?? 'none'}`,
    ...asked.evidence.map((one) => canonicalJson(one)),
  ]);
  return ledger.database.transaction(async (tx) => {
    const waiting = await waitingWith(tx, question);
    if (waiting !== undefined) return { id: waiting, memory: asked.id, state: 'waiting', duplicate: true } as const;
    const keys = await ledger.keyRing.trusted();
    await refuseAnswered(tx, question, keys);
    const [about, other] = await check(
      tx,
      await memoriesById(tx, grant, [asked.id, ...(asked.with === undefined ? [] : [asked.with])]),
      ledger.store,
      keys,
    );
    // Once more, within the transaction: it may have been withdrawn since.
    if (about === undefined || !mayBeServed(about, grant)) throw notFound();
    if (asked.with !== undefined && (other === undefined || !mayBeServed(other, grant))) throw notFound();
    const id = ledger.ids.id();
    await applyChallenge(
      tx,
      { id, salt, memory: about.stored, wants, counterpart: other?.stored.seq, question, reason: asked.reason, evidence },
      session,
      ledger.clock.now().toISOString(),
    );
    return { id, memory: asked.id, state: 'waiting', duplicate: false } as const;
  });
}

async function refuseAnswered(tx: Statements, question: string, keys: Keys): Promise<void> {
  const row = await tx.get(
    `SELECT e.body ->> '$.at' AS at, e.seq, e.hash, e.body, m.salt, r.text
     FROM verdicts v JOIN events e ON e.seq = v.event LEFT JOIN reasons r ON r.event = v.event LEFT JOIN memories m ON m.id = e.memory
     WHERE v.question = ? ORDER BY v.event DESC LIMIT 1`,
    question,
  );
  if (row === undefined) return;
  const event = { seq: Number(row['seq']), hash: String(row['hash']), body: String(row['body']) };
  const text = row['text'];
  const reason = typeof text === 'string' ? signedReason({ event, salt: String(row['salt']), text }, keys) : undefined;
  throw answeredBefore(String(row['at']), reason);
}

async function save(command: Save, ledger: LedgerParts): Promise<Receipt> {
  const at = ledger.clock.now().toISOString();
  const draft = await screenDraft(command.draft);
  const lineage = command.copyOf === undefined ? {} : { copyOf: command.copyOf };
  const memory = await newMemory(draft, command, { tag: 'stated', surface: command.surface, at }, ledger, lineage);
  const plan = await signedAndApplied(
    command,
    ledger,
    at,
    (context) => planSave(memory, context),
    async (tx, keys) => {
      await refuseSame(tx, command.grant, memory, ledger, keys);
    },
  );
  return receiptFor(memory.id, plan.steps[0]?.statement.to ?? 'active');
}

async function decide(command: Decide, ledger: LedgerParts): Promise<DecisionReceipt> {
  const at = ledger.clock.now().toISOString();
  const prepared = await prepare(command, at, ledger);
  const plan = await signedAndApplied(
    command,
    ledger,
    at,
    (context) => planAct(prepared, context),
    async (tx, keys, steps) => {
      if (prepared.made !== undefined) await refuseSame(tx, command.grant, prepared.made, ledger, keys, memberIds(prepared));
      if (prepared.decision.act === 'forget') await ledger.forgetQuestions(tx, steps, prepared.decision.questions);
    },
  );
  const main = plan.steps.find(({ statement }) => statement.memory === plan.about);
  return {
    id: plan.about,
    state: main?.statement.to ?? 'active',
    changed: plan.steps.map(({ statement }) => ({ id: statement.memory, act: statement.act, state: statement.to })),
  };
}

/**
 * What a person's act would do, step by step, without doing it.
 * @throws what doing it would.
 */
export async function preview(command: Omit<Decide, 'type' | 'signer' | 'previewed'>, ledger: LedgerParts): Promise<Plan> {
  const at = ledger.clock.now().toISOString();
  const prepared = await prepare(command, at, ledger);
  return planAct(prepared, await contextOf(ledger.database.read, command.grant, ledger, at, 'person'));
}

/** Screens an act's texts and makes the memory that it makes, before anything is asked of the store. */
async function prepare(command: Pick<Decide, 'decision' | 'grant' | 'place'>, at: string, ledger: LedgerParts): Promise<PreparedAct> {
  const decision = await screenAct(command.decision);
  const draft = decision.act === 'amend' ? decision.draft : decision.act === 'resolve' && decision.outcome.is === 'third' ? decision.outcome.draft : undefined; // prettier-ignore
  if (draft === undefined || !('surface' in decision)) return { decision, made: undefined };
  const derivedFrom = memberIds({ decision });
  const text = await screenDraft(draft);
  return { decision, made: await newMemory(text, command, { tag: 'stated', surface: decision.surface, at }, ledger, { derivedFrom }) };
}

const memberIds = ({ decision }: Pick<PreparedAct, 'decision'>): string[] =>
  decision.act === 'resolve' ? decision.members.map(({ id }) => id).sort() : decision.act === 'amend' ? [decision.id] : [];

/** Plans, has it signed, and does it if it comes out the same in the transaction. */
async function signedAndApplied(
  command: Save | Decide,
  ledger: LedgerParts,
  at: string,
  planned: (context: PlanContext) => Promise<Plan>,
  also: (tx: Statements, keys: Keys, steps: readonly PlannedStep[]) => Promise<void>,
): Promise<Plan> {
  const context = await contextOf(ledger.database.read, command.grant, ledger, at, command.signer.authority);
  const first = await planned(context);
  if (command.type === 'decide' && command.previewed !== undefined && command.previewed !== first.digest) throw changedMeanwhile();
  const signed: SignedAct[] = [];
  for (const { statement } of first.steps) signed.push(await sign(statement, command.signer));
  return ledger.database.transaction(async (tx) => {
    const plan = await planned({ ...context, read: tx });
    await also(tx, context.keys, plan.steps);
    if (plan.steps.length !== signed.length) throw changedMeanwhile();
    for (const [index, step] of plan.steps.entries()) {
      const act = signed[index];
      if (act === undefined) throw changedMeanwhile();
      checkSigned(act, step.statement, context.keys);
      await applyStep(tx, step, act, ledger.store.salt);
    }
    return plan;
  });
}

const contextOf = async (
  read: PlanContext['read'],
  grant: Grant,
  ledger: LedgerParts,
  at: string,
  authority: PlanContext['authority'],
): Promise<PlanContext> => ({
  read,
  grant,
  store: ledger.store,
  keys: await ledger.keyRing.trusted(),
  authority,
  at,
  group: ledger.ids.id(),
  ...(ledger.user !== undefined && { user: ledger.user }),
});

/** A person writes down what is there already: they are led to it instead. @throws `already_recorded`. */
async function refuseSame(
  tx: Statements,
  grant: Grant,
  memory: NewMemory,
  ledger: LedgerParts,
  keys: Keys,
  but: readonly string[] = [],
): Promise<void> {
  const known = await duplicateOf(tx, grant, memory.content, ledger, keys, [memory.id, ...but]);
  if (known !== undefined) throw alreadyRecorded(known.state);
}

async function lay(command: Lay, ledger: LedgerParts): Promise<undefined> {
  const at = ledger.clock.now().toISOString();
  const rule: Rule = command.rule;
  const statement = await ruleStatement(ledger.database.read, rule, ledger.store.id, command.signer.authority, at);
  const signed = await signRule(statement, command.signer);
  const keys = await ledger.keyRing.trusted();
  await ledger.database.transaction(async (tx) => {
    checkSignedRule(signed, await ruleStatement(tx, rule, ledger.store.id, command.signer.authority, at), keys);
    await applyRule(tx, signed, command.identity);
  });
  return undefined;
}

async function expire(command: Expire, ledger: LedgerParts): Promise<readonly string[]> {
  const waiting = await memoriesWaitingSince(ledger.database.read, command.grant, command.before);
  if (waiting.length === 0) return [];
  const keys = await ledger.keyRing.trusted();
  return ledger.database.transaction(async (tx) => {
    const at = ledger.clock.now().toISOString();
    const checked = await check(tx, await memoriesById(tx, command.grant, waiting), ledger.store, keys);
    const lapsed = checked.filter(({ stored, replayed }) => stored.state === 'pending' && replayed.state === 'pending');
    for (const { stored } of lapsed) await applyExpiry(tx, stored, at);
    return lapsed.map(({ stored }) => stored.id);
  });
}

/** The memory that holds exactly this value, as its events tell it: one that was tampered with does not keep the value out. */
async function duplicateOf(
  tx: Statements,
  grant: Grant,
  content: Content,
  ledger: LedgerParts,
  keys: Keys,
  but: readonly string[] = [],
): Promise<Duplicate | undefined> {
  const claiming = await memoriesBySeq(tx, grant, await claimingValue(tx, grant, valueKey(ledger.store.salt, content)));
  const now = ledger.clock.now().toISOString();
  for (const { stored, replayed } of await check(tx, claiming, ledger.store, keys))
    if (stored.readable && !but.includes(stored.id) && isAsItSays(stored, replayed) && stillSays(stored, content, now))
      return { seq: stored.seq, id: stored.id, salt: stored.memory.salt, state: stored.state };
  return undefined;
}

/** Whether a memory holds where the same words would, and has not ended before them: one that was narrowed does not keep them out. */
const stillSays = ({ bounds }: StoredMemory, { scope, validTo }: Content, now: string): boolean =>
  bounds.scope === scope && (bounds.validTo === undefined || bounds.validTo === validTo || bounds.validTo > now);

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

/** Failures of the machine, and not of what was asked. */
const notRefusals = ['store_busy', 'store_unusable', 'store_damaged', 'store_newer', 'internal', 'signing_key_missing', 'keys_unreadable'];

/** A refusal is an event. Where it cannot be written, the refusal itself still stands. */
async function recordRefusal(command: Command, error: StetError, ledger: LedgerParts): Promise<void> {
  if (notRefusals.includes(error.code) || command.type === 'expire') return;
  const by = 'session' in command ? { actor: agentOf(command.session), session: command.session } : { actor: personOf(command) };
  const name = command.type === 'decide' ? command.decision.act : command.type === 'challenge' ? command.wants : command.type;
  await ledger.database
    .transaction(async (tx) => {
      const memory = await idMet(tx, error, command);
      await applyRefusal(tx, { ...by, command: name, code: error.code, memory }, ledger.clock.now().toISOString());
    })
    .catch(() => undefined); // busy or full: the caller has the refusal, and nothing has changed
}

const personOf = ({ signer }: Save | Decide | Lay): Actor => ({ authority: signer.authority });

/** The memory that stood in the way, or the one that was to be decided on; empty where there is none. */
async function idMet(tx: Statements, error: StetError, command: Command): Promise<string> {
  const met = (error.cause as { memory?: unknown } | undefined)?.memory;
  if (typeof met === 'number') return String((await tx.get('SELECT id FROM memories WHERE seq = ?', met))?.['id'] ?? '');
  if (command.type !== 'decide' || !('id' in command.decision)) return '';
  const known = await tx.get('SELECT id FROM memories WHERE id = ?', command.decision.id);
  return known === undefined ? '' : command.decision.id;
}
