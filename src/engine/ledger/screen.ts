/** The gates before the transaction, which may wait: form and size, scope, paths and evidence. What passes is ready to be stored. */
import { draftSchema, parse, proposalSchema, reasonSchema, type Draft, type Proposal } from '../domain/input';
import type { Anchor, Content, NewMemory, Provenance } from '../domain/memory';
import { storedGlob, storedPath, type WorkPlace } from '../evidence/paths';
import { resolveEvidence } from '../evidence/resolve';
import { writeScope } from '../scope/grant';
import { invalidInput } from '../errors';
import type { Decide, Propose, Save } from './commands';
import { isServed, type LedgerParts } from './parts';

/** A proposal's own fields. @throws `invalid_input` or `too_large`, naming the field. */
export const screenProposal = (command: Propose): Proposal => parse(proposalSchema, command.proposal);

/** A draft's own fields. @throws `invalid_input` or `too_large`, naming the field. */
export const screenDraft = (command: Save): Draft => parse(draftSchema, command.draft);

/** A decision's reason. @throws `invalid_input` when an act that needs one has none. */
export function screenReason(command: Decide): string | undefined {
  if (command.type === 'approve' && command.reason === undefined) return undefined;
  return parse(reasonSchema, command.reason);
}

/**
 * The memory that a proposal or draft becomes, with its identity.
 * @throws `outside_grant`, `outside_root`, `invalid_input`, `path_refused` or `evidence_unresolved`.
 */
export async function newMemory(
  input: Proposal | Draft,
  command: Propose | Save,
  provenance: Provenance,
  ledger: LedgerParts,
): Promise<NewMemory> {
  const scope = writeScope(command.grant, input.scope);
  const anchors = (input.anchors ?? []).map((anchor, index) => storedAnchor(anchor, command.place, `"anchors.${index}"`));
  const salt = ledger.ids.salt();
  const evidence = await resolveEvidence(input.evidence, salt, {
    place: command.place,
    repository: ledger.repository,
    readable: (id) => isServed(ledger, command.grant, id),
  });
  const replaces = input.replaces ?? [];
  for (const id of replaces)
    if (!(await isServed(ledger, command.grant, id))) throw invalidInput(`"replaces": there is no memory ${id} here that stands.`);
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
    provenance,
  };
  return { id: ledger.ids.id(), salt, content };
}

function storedAnchor(anchor: NonNullable<Proposal['anchors']>[number], place: WorkPlace, field: string): Anchor {
  if ('glob' in anchor) return { glob: storedGlob(place, anchor.glob, field) };
  if ('folder' in anchor) return { folder: storedPath(place, anchor.folder, field) };
  const file = storedPath(place, anchor.file, field);
  return 'symbol' in anchor ? { file, symbol: anchor.symbol } : { file };
}
