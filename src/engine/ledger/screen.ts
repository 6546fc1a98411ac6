/** The gates before the transaction, which may wait: form and size, hidden text, secrets, scope, paths and evidence. */
import type * as z from 'zod';
import { boundsSchema, draftSchema, instant, parse, proposalSchema, reasonSchema, type Draft, type Proposal } from '../domain/input';
import { hiddenIn } from '../domain/hidden-text';
import type { Anchor, Content, Evidence, NewMemory, Provenance } from '../domain/memory';
import { hiddenCharacters, invalidInput, secretFound } from '../errors';
import { storedGlob, storedPath, type WorkPlace } from '../evidence/paths';
import { resolveEvidence } from '../evidence/resolve';
import { writeScope, type Grant } from '../scope/grant';
import type { Outcome, PersonAct } from './commands';
import { isServed, type LedgerParts } from './parts';
import { secretIn } from './secrets';

/** A text of a caller's, with the field it stands in. */
export interface FieldText {
  readonly field: string;
  readonly text: string;
}

/** Every text in parsed input, however deep, so that no field can be forgotten. */
export function textsIn(value: unknown, field = ''): FieldText[] {
  if (typeof value === 'string') return [{ field, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, field === '' ? name : `${field}.${name}`));
}

/**
 * What an agent sent, parsed and screened.
 * @throws `invalid_input`, `too_large`, `hidden_characters` or `secret_refused`, naming the field.
 */
export async function screened<T extends z.ZodType>(schema: T, sent: unknown): Promise<z.output<T>> {
  const parsed = parse(schema, sent);
  const texts = textsIn(parsed);
  for (const { field, text } of texts) {
    const hidden = hiddenIn(text);
    if (hidden.length > 0) throw hiddenCharacters(field, [...new Set(hidden.map(({ codePoint }) => codePoint))]);
  }
  await refuseSecrets(texts);
  return parsed;
}

export const screenProposal = (sent: unknown): Promise<Proposal> => screened(proposalSchema, sent);

/** What a person wrote. Hidden characters are shown to them where they read it, and may stay. @throws as {@link screened}. */
export async function screenDraft(draft: unknown): Promise<Draft> {
  const parsed = parse(draftSchema, draft);
  await refuseSecrets(textsIn(parsed));
  return parsed;
}

async function refuseSecrets(texts: readonly FieldText[]): Promise<void> {
  const found = await secretIn(texts);
  if (found !== undefined) throw secretFound(found.field, found.rule);
}

/** A person's act with its reason, dates and bounds parsed and screened. @throws as {@link screened}. */
export async function screenAct(decision: PersonAct): Promise<PersonAct> {
  const screenedParts: Record<string, unknown> = {};
  const { reason, effective }: { readonly act: string; readonly reason?: unknown; readonly effective?: unknown } = decision;
  if (reason !== undefined) screenedParts['reason'] = parse(reasonSchema, reason);
  if (effective !== undefined) screenedParts['effective'] = parse(instant, effective);
  if ('bounds' in decision) screenedParts['bounds'] = parse(boundsSchema, decision.bounds);
  if (decision.act === 'resolve') screenedParts['outcome'] = screenOutcome(decision.outcome);
  await refuseSecrets(textsIn({ reason: screenedParts['reason'] }));
  if (needsReason.includes(decision.act) && screenedParts['reason'] === undefined) throw invalidInput('"reason" is missing.');
  return { ...decision, ...screenedParts };
}

/** Acts that withdraw or overrule something, and so say why. */
const needsReason: readonly PersonAct['act'][] = ['reject', 'retire', 'limit', 'contest', 'resolve', 'decline', 'stillRight', 'lift'];

function screenOutcome(outcome: Outcome): Outcome {
  if (outcome.is !== 'all' || outcome.bounds === undefined) return outcome;
  return { is: 'all', bounds: Object.fromEntries(Object.entries(outcome.bounds).map(([id, bounds]) => [id, parse(boundsSchema, bounds)])) };
}

/** Where a text is written from and to. */
export interface Origin {
  readonly grant: Grant;
  readonly place: WorkPlace;
}

/** What a new memory is made from besides the caller's fields. */
export interface Lineage {
  readonly derivedFrom?: readonly string[];
  readonly copyOf?: string;
}

/** `<store id>/<memory id>`. */
const copyName = /^[\w-]{1,64}\/[\w-]{1,64}$/;

/**
 * The memory that a proposal or draft becomes, with its identity.
 * @throws `outside_grant`, `outside_root`, `invalid_input`, `path_refused` or `evidence_unresolved`.
 */
export async function newMemory(
  input: Proposal | Draft,
  origin: Origin,
  provenance: Provenance,
  ledger: LedgerParts,
  { derivedFrom, copyOf }: Lineage = {},
): Promise<NewMemory> {
  const scope = writeScope(origin.grant, input.scope);
  if (copyOf !== undefined && !copyName.test(copyOf)) throw invalidInput('"copyOf" names no memory of a store.');
  const anchors = (input.anchors ?? []).map((anchor, index) => storedAnchor(anchor, origin.place, `"anchors.${index}"`));
  const salt = ledger.ids.salt();
  const evidence = await resolved(input.evidence, salt, origin, ledger);
  const replaces = input.replaces ?? [];
  for (const id of replaces)
    if (!(await isServed(ledger, origin.grant, id))) throw invalidInput(`"replaces": there is no memory ${id} here that stands.`);
  const content: Content = {
    kind: input.kind,
    title: input.title.trim(),
    statement: input.statement,
    ...(input.rationale !== undefined && { rationale: input.rationale }),
    alternatives: input.alternatives ?? [],
    tags: input.tags ?? [],
    ...(input.appliesWhen !== undefined && { appliesWhen: input.appliesWhen }),
    steps: input.steps ?? [],
    ...(input.claim !== undefined && {
      claim: {
        subject: input.claim.subject,
        predicate: input.claim.predicate,
        object: input.claim.object,
        ...(input.claim.cardinality !== undefined && { cardinality: input.claim.cardinality }),
      },
    }),
    anchors,
    evidence,
    scope,
    ...(input.occurredAt !== undefined && { occurredAt: input.occurredAt }),
    ...(input.validFrom !== undefined && { validFrom: input.validFrom }),
    ...(input.validTo !== undefined && { validTo: input.validTo }),
    replaces,
    ...(derivedFrom !== undefined && derivedFrom.length > 0 && { derivedFrom }),
    ...(copyOf !== undefined && { copyOf }),
    provenance,
  };
  return { id: ledger.ids.id(), salt, content };
}

/** A caller's pointers followed. @throws `evidence_unresolved`, `path_refused` or `outside_root`. */
export const resolved = (
  evidence: Proposal['evidence'],
  salt: string,
  { grant, place }: Origin,
  ledger: LedgerParts,
): Promise<readonly Evidence[]> =>
  resolveEvidence(evidence, salt, { place, repository: ledger.repository, readable: (id) => isServed(ledger, grant, id) });

function storedAnchor(anchor: NonNullable<Proposal['anchors']>[number], place: WorkPlace, field: string): Anchor {
  if ('glob' in anchor) return { glob: storedGlob(place, anchor.glob, field) };
  if ('folder' in anchor) return { folder: storedPath(place, anchor.folder, field) };
  const file = storedPath(place, anchor.file, field);
  return 'symbol' in anchor ? { file, symbol: anchor.symbol } : { file };
}
