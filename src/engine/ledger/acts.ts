/** What each of a person's acts does: one function for each, which notes it in a draft. */
import { saltedHash } from '../domain/canonical';
import type { Bounds, NewMemory } from '../domain/memory';
import { lengthPrefixed } from '../domain/value-key';
import { servedStates } from '../domain/states';
import { invalidInput, notFound, notUndoable, tampered, unreachable } from '../errors';
import { challengeById, isAsAsked } from './challenges';
import type { Outcome, PersonAct, SeenMemory } from './commands';
import { conflictingWith, isAnswered } from './conflicts';
import type { Checked } from './parts';
import { asSigned, Draft, isStanding, isWithin, overlap, readable, type Change, type Plan, type PlanContext } from './plan';
import { boundsOfContent } from './replay';
import { refuseBuried } from './tombstones';

/** An act ready to be planned: its texts screened, and the memory that it makes, if it makes one. */
export interface PreparedAct {
  readonly decision: PersonAct;
  readonly made: NewMemory | undefined;
}

/**
 * Plans an act against the store as it is now.
 * @throws `not_found`, `changed_meanwhile`, `tampered`, `illegal_transition`, `not_authorised`, `rejected_before`, `not_undoable` or
 * `invalid_input`.
 */
export async function planAct({ decision, made }: PreparedAct, context: PlanContext): Promise<Plan> {
  const draft = new Draft(context);
  return draft.plan(await note(decision, made, draft));
}

/** A person's own memory, saved. */
export async function planSave(made: NewMemory, context: PlanContext): Promise<Plan> {
  const draft = new Draft(context);
  await stand(draft, made, 'save', { replaced: made.content.replaces });
  return draft.plan(made.id);
}

/** @returns the id of what the act is about. */
async function note(decision: PersonAct, made: NewMemory | undefined, draft: Draft): Promise<string> {
  switch (decision.act) {
    case 'approve':
      return approve(decision, draft);
    case 'amend':
      return amend(decision, draft, required(made));
    case 'reject':
      await draft.seen(decision);
      draft.change(decision.id, { act: 'reject', to: 'rejected', reason: decision.reason, effects: { buries: true } });
      await draft.leave([decision.id]);
      return decision.id;
    case 'lapse':
      await draft.seen(decision);
      draft.change(decision.id, { act: 'lapse', to: 'expired', ...withReason(decision.reason) });
      return decision.id;
    case 'retire':
      await end(draft, await draft.seen(decision), decision);
      return decision.id;
    case 'supersede':
      return supersede(decision, draft);
    case 'limit':
      return limit(decision, draft);
    case 'contest':
      return contest(decision, draft);
    case 'resolve':
      return resolve(decision, draft, made);
    case 'restore':
      return restore(decision, draft);
    case 'undo':
      return undo(decision, draft);
    case 'accept':
      return accept(decision, draft);
    case 'decline':
      return decline(decision, draft);
    case 'stillRight': {
      const { stored } = await draft.sound(decision);
      const verdict = questionKey(draft.context, 'drift', [stored.id, decision.drift]);
      draft.change(stored.id, { act: 'affirm', to: stored.state, about: verdict, reason: decision.reason, effects: { verdict } });
      return stored.id;
    }
    case 'lift': {
      const { stored } = await draft.seen(decision);
      draft.change(stored.id, { act: 'lift', to: stored.state, reason: decision.reason, effects: { lifts: true } });
      return stored.id;
    }
    case 'forget':
      return forget(decision, draft);
    default:
      return unreachable(decision);
  }
}

type Of<A extends PersonAct['act']> = Extract<PersonAct, { act: A }>;

async function approve(decision: Of<'approve'>, draft: Draft): Promise<string> {
  const { stored } = await draft.sound(decision);
  await stand(draft, stored.memory, 'approve', {
    replaced: stored.memory.content.replaces,
    ...(decision.effective !== undefined && { effective: decision.effective }),
  });
  return decision.id;
}

async function amend(decision: Of<'amend'>, draft: Draft, made: NewMemory): Promise<string> {
  await draft.seen(decision);
  draft.change(decision.id, { act: 'amend', to: 'amended', others: new Set([made.id]) });
  await stand(draft, made, 'save', { replaced: made.content.replaces });
  return made.id;
}

/** A memory begins to stand: what it replaces ends, and what says otherwise contests it. */
async function stand(
  draft: Draft,
  memory: NewMemory,
  act: 'save' | 'approve' | 'restore',
  how: { readonly replaced: readonly string[]; readonly effective?: string; readonly bounds?: Bounds },
): Promise<void> {
  const { content } = memory;
  const { at } = draft.context;
  const given = how.bounds ?? boundsOfContent(content);
  await refuseBuried(draft.context, content, given.scope);
  const replaced = (await draft.several(how.replaced)).filter(isStanding);
  const effective = how.effective ?? (replaced.length > 0 ? (given.validFrom ?? at) : at);
  const bounds: Bounds =
    replaced.length > 0 && effective > at && given.validFrom === undefined ? { ...given, validFrom: effective } : given;
  const change = { act, bounds } as const;
  if (act === 'save') draft.make(memory, change);
  else draft.change(memory.id, change);
  for (const one of replaced) await end(draft, one, { effective, by: memory.id });
  const gone = new Set([memory.id, ...replaced.map(({ stored }) => stored.id)]);
  const against = (await conflictingWith(draft.context, content, bounds)).filter((id) => !gone.has(id));
  if (against.length === 0 || (await isAnswered(draft.context, bothHold(draft.context, [memory.id, ...against])))) return;
  await draft.several(against);
  for (const id of against) await draft.contest(memory.id, id);
}

/** The end of a memory's validity: at once as retired or superseded, or on a later day, until which it goes on standing. */
async function end(
  draft: Draft,
  checked: Checked,
  how: { readonly effective?: string; readonly by?: string; readonly reason?: string; readonly about?: string; readonly effects?: object },
): Promise<void> {
  const { stored, replayed } = checked;
  const { at } = draft.context;
  const effective = how.effective ?? at;
  const present = asSigned(checked).bounds;
  const { validFrom, validTo } = present;
  if (validFrom !== undefined && effective <= validFrom && validFrom <= at)
    throw invalidInput(`It holds since ${validFrom}, so it cannot have ended by ${effective}.`);
  const ended = validTo !== undefined && validTo < effective ? validTo : effective;
  // What was to begin later and is ended before has no time in which it held; its bounds stay as they were said.
  const neverHolds = validFrom !== undefined && validFrom >= ended;
  const bounds = neverHolds ? present : { ...present, validTo: ended };
  const common = { bounds, ...withReason(how.reason), ...(how.about !== undefined && { about: how.about }), ...(how.effects !== undefined && { effects: how.effects }) }; // prettier-ignore
  if (effective > at && !neverHolds && replayed.state !== undefined) {
    draft.change(stored.id, { act: 'limit', to: replayed.state, ...common });
    return;
  }
  draft.change(
    stored.id,
    how.by === undefined
      ? { act: 'retire', to: 'retired', ...common }
      : { act: 'supersede', to: 'superseded', others: new Set([how.by]), ...common },
  );
  await draft.leave([stored.id]);
}

async function supersede(decision: Of<'supersede'>, draft: Draft): Promise<string> {
  const [old, by] = [await draft.seen(decision), await draft.sound(decision.by)];
  if (!isStanding(by) || by.stored.id === old.stored.id) throw invalidInput('Only another memory that stands can take its place.');
  await end(draft, old, { ...decision, by: by.stored.id });
  return old.stored.id;
}

async function limit(decision: Of<'limit'>, draft: Draft): Promise<string> {
  const checked = await draft.sound(decision);
  await checkBounds(checked, decision.bounds, draft);
  if ((await newlyAgainst(checked, decision.bounds, draft)).length > 0)
    throw invalidInput('In these bounds it would contradict another memory that stands.');
  draft.change(decision.id, { act: 'limit', to: checked.stored.state, bounds: decision.bounds, reason: decision.reason });
  return decision.id;
}

async function checkBounds(checked: Checked, bounds: Bounds, draft: Draft): Promise<void> {
  const { content } = readable(checked).stored.memory;
  if (!isWithin(bounds, content)) throw invalidInput('A scope can be narrowed, not widened.');
  if (bounds.validFrom !== undefined && bounds.validTo !== undefined && bounds.validFrom >= bounds.validTo)
    throw invalidInput('The end of its validity must be later than the beginning.');
  if (bounds.scope !== checked.stored.bounds.scope) await refuseBuried(draft.context, content, bounds.scope);
}

/** The standing memories that a claim contradicts in these bounds, and does not as it is now. */
async function newlyAgainst(checked: Checked, bounds: Bounds, draft: Draft): Promise<string[]> {
  const { id, memory } = readable(checked).stored;
  const before = isStanding(checked) ? await conflictingWith(draft.context, memory.content, checked.stored.bounds) : [];
  const known = new Set([id, ...before, ...checked.stored.others]);
  const against = (await conflictingWith(draft.context, memory.content, bounds)).filter((one) => !known.has(one));
  return (await isAnswered(draft.context, bothHold(draft.context, [id, ...against]))) ? [] : against;
}

async function contest(decision: Of<'contest'>, draft: Draft): Promise<string> {
  const { stored } = await draft.sound(decision);
  draft.change(decision.id, { reason: decision.reason });
  if (decision.with === undefined) draft.change(decision.id, { act: 'contest', to: 'contested', others: contestedWith(stored) });
  else await contestPair(decision.id, await draft.sound(decision.with), draft);
  return decision.id;
}

/** What is in doubt by itself is still contested by what contested it before: both sides go on naming each other. */
const contestedWith = ({ state, others }: Checked['stored']): Set<string> => new Set(state === 'contested' ? others : []);

async function contestPair(id: string, other: Checked, draft: Draft): Promise<void> {
  if (!isStanding(other) || other.stored.id === id) throw invalidInput('Only another memory that stands can be its counterpart.');
  await draft.contest(id, other.stored.id);
}

async function resolve({ members, outcome, reason }: Of<'resolve'>, draft: Draft, made: NewMemory | undefined): Promise<string> {
  const all: (Checked & { readonly stored: { readonly readable: true } })[] = [];
  for (const member of members) all.push(outcome.is === 'none' ? readable(await draft.seen(member)) : await draft.sound(member));
  const ids = all.map(({ stored }) => stored.id);
  const [first] = ids;
  if (first === undefined || all.some(({ replayed }) => replayed.state !== 'contested'))
    throw invalidInput('Only what is contested can be resolved.');
  const go = async (checked: Checked, by: string | undefined, neverRight: boolean) => {
    if (neverRight) {
      draft.change(checked.stored.id, { act: 'reject', to: 'rejected', reason, effects: { buries: true } });
      await draft.leave([checked.stored.id]);
    } else await end(draft, checked, { reason, ...(by !== undefined && { by }) });
  };
  switch (outcome.is) {
    case 'keep': {
      const kept = all.find(({ stored }) => stored.id === outcome.id);
      if (kept === undefined) throw invalidInput('What is kept must be one of the contested memories.');
      const elsewhere = kept.stored.others.filter((id) => !ids.includes(id));
      if (all.length === 1 && elsewhere.length > 0) throw invalidInput('Name what it is contested with as well.');
      for (const one of all) if (one !== kept) await go(one, kept.stored.id, outcome.neverRight);
      const verdict = questionKey(draft.context, 'kept', ids);
      draft.change(kept.stored.id, { ...outOf(elsewhere), reason, about: verdict, effects: { verdict } });
      return kept.stored.id;
    }
    case 'all':
      return allHold(all, outcome, reason, draft);
    case 'none':
      for (const one of all) await go(one, undefined, outcome.neverRight);
      return first;
    case 'third': {
      const third = required(made);
      for (const one of all) await end(draft, one, { by: third.id, reason });
      await stand(draft, third, 'save', { replaced: [] });
      return third.id;
    }
  }
}

/** The end of a contest; one with somebody else goes on. */
const outOf = (elsewhere: readonly string[]): Pick<Change, 'act' | 'to' | 'others'> =>
  ({ ...(elsewhere.length === 0 ? { act: 'settle', to: 'active' } : { act: 'contest', to: 'contested' }), others: new Set(elsewhere) }); // prettier-ignore

async function allHold(
  all: readonly (Checked & { readonly stored: { readonly readable: true } })[],
  { bounds }: Extract<Outcome, { is: 'all' }>,
  reason: string,
  draft: Draft,
): Promise<string> {
  const ids = all.map(({ stored }) => stored.id);
  const verdict = bothHold(draft.context, ids);
  for (const checked of all) {
    const narrowed = bounds?.[checked.stored.id];
    if (narrowed !== undefined) await checkBounds(checked, narrowed, draft);
    draft.change(checked.stored.id, {
      ...outOf(checked.stored.others.filter((id) => !ids.includes(id))),
      reason,
      about: verdict,
      effects: { verdict },
      ...(narrowed !== undefined && { bounds: narrowed }),
    });
  }
  return ids[0] ?? '';
}

async function restore(decision: Of<'restore'>, draft: Draft): Promise<string> {
  const checked = await draft.sound(decision);
  const { stored, replayed } = checked;
  const last = replayed.history.findLastIndex(({ state, act }) => state === stored.state && act !== 'affirm');
  const before = replayed.history[last - 1]?.bounds;
  const successors = stored.state === 'superseded' ? (await draft.several(stored.others)).filter(isStanding) : [];
  const bounds = before ?? boundsOfContent(stored.memory.content);
  const reverse = decision.successor === 'reverse';
  draft.change(stored.id, withReason(decision.reason));
  // What is reversed ends now: it may well have begun after this one did.
  const replaced = reverse ? successors.map((one) => one.stored.id) : [];
  await stand(draft, stored.memory, 'restore', { replaced, effective: draft.context.at, bounds });
  if (!reverse) for (const one of successors) if (overlap(bounds, one.stored.bounds)) await draft.contest(stored.id, one.stored.id);
  return stored.id;
}

/** Takes back the last act on a memory, on every memory it was an act on, if nothing has happened to any of them since. */
async function undo(decision: Of<'undo'>, draft: Draft): Promise<string> {
  const { replayed } = await draft.sound(decision);
  const group = replayed.history.at(-1)?.group ?? '';
  if (group === '') throw notUndoable();
  const members = await membersOf(draft.context, group);
  for (const id of members) {
    const checked = await draft.known(id);
    const [before, undone] = checked.replayed.history.slice(-2);
    if (checked.replayed.tampering !== undefined || before?.bounds === undefined || undone?.group !== group || undone.act === 'undo')
      throw notUndoable();
    if (servedStates.includes(before.state)) {
      await refuseBuried(draft.context, readable(checked).stored.memory.content, before.bounds.scope, undone.event);
      // What has come to stand since, and says otherwise, happened to it too.
      const against = await newlyAgainst(checked, before.bounds, draft);
      if (against.some((one) => !members.includes(one) && !before.others.includes(one))) throw notUndoable();
    }
    draft.change(id, {
      act: 'undo',
      to: before.state,
      bounds: before.bounds,
      others: new Set(before.others),
      about: undone.hash,
      effects: { undoes: undone.event, buries: undone.act === 'lift' },
    });
  }
  return decision.id;
}

async function membersOf({ read }: PlanContext, group: string): Promise<string[]> {
  const rows = await read.all(
    // The group is part of the signed body; events have no index on it, but those of one act lie side by side.
    `SELECT memory FROM events WHERE json_extract(body, '$.statement.group') = ? AND seq > (SELECT max(seq) FROM events) - 5000 ORDER BY seq`,
    group,
  );
  if (rows.length === 0) throw notUndoable();
  return rows.map((row) => String(row['memory']));
}

async function accept(decision: Of<'accept'>, draft: Draft): Promise<string> {
  const checked = await draft.sound(decision);
  const challenge = await openChallenge(decision.challenge, decision, draft);
  if (!(await isAsAsked(draft.context.read, challenge))) throw tampered();
  const { id, wants, counterpart, reason } = challenge;
  const note = { reason: decision.reason ?? reason, about: id, effects: { answers: id } };
  if (wants === 'retire')
    await end(draft, checked, { ...note, ...(decision.effective !== undefined && { effective: decision.effective }) });
  else {
    draft.change(decision.id, note);
    if (counterpart === undefined) draft.change(decision.id, { act: 'contest', to: 'contested', others: contestedWith(checked.stored) });
    else await contestPair(decision.id, await draft.known(counterpart), draft);
  }
  return decision.id;
}

async function decline(decision: Of<'decline'>, draft: Draft): Promise<string> {
  const { stored } = await draft.seen(decision);
  const { id, question } = await openChallenge(decision.challenge, decision, draft);
  const effects = { answers: id, verdict: question };
  draft.change(stored.id, { act: 'affirm', to: stored.state, reason: decision.reason, about: id, effects });
  return stored.id;
}

async function openChallenge(id: string, about: SeenMemory, { context }: Draft) {
  const challenge = await challengeById(context.read, context.grant, id);
  if (challenge?.memory !== about.id || challenge.answered) throw notFound();
  return challenge;
}

async function forget(decision: Of<'forget'>, draft: Draft): Promise<string> {
  for (const memory of decision.memories) {
    await draft.seen(memory);
    draft.change(memory.id, { act: 'forget', to: 'forgotten', effects: { buries: true } });
  }
  await draft.leave(decision.memories.map(({ id }) => id));
  const [first] = decision.memories;
  if (first === undefined) throw invalidInput('Choose at least one memory to forget.');
  return first.id;
}

/** The key of a question with exactly these members, in whatever order. */
export const questionKey = ({ store }: Pick<PlanContext, 'store'>, kind: string, members: readonly string[]): string =>
  saltedHash(store.salt, `question\n${lengthPrefixed([kind, ...[...members].sort()])}`);

/** The question whether memories that say different things can all hold. */
const bothHold = (context: PlanContext, ids: readonly string[]) => questionKey(context, 'all hold', ids);

const withReason = (reason: string | undefined) => (reason === undefined ? {} : { reason });

function required(made: NewMemory | undefined): NewMemory {
  if (made === undefined) throw invalidInput('"draft" is missing.');
  return made;
}
