/** What callers may send: the schema of a proposal and of its parts. Parsed once, at the door. */
import * as z from 'zod';
import { invalidInput, tooLarge } from '../errors';
import { guidanceKinds, kinds } from './memory';

/** Longest texts, in UTF-16 units, and longest lists. */
export const limits = {
  title: 200,
  statement: 8_000,
  rationale: 8_000,
  appliesWhen: 1_000,
  item: 1_000,
  tag: 64,
  claim: 500,
  path: 1_000,
  glob: 300,
  url: 2_000,
  quote: 2_000,
  reason: 1_000,
  commandId: 200,
  query: 20_000,
  list: 50,
} as const;

/** A text that is well-formed UTF-16 without NUL, not blank, and within its limit. */
export const wellFormed = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'holds a lone surrogate or a NUL, which no text file can hold')
    .refine((value) => value.trim() !== '', 'is empty');

const line = (max: number) => wellFormed(max).refine((value) => !/[\r\n\u2028\u2029]/.test(value), 'must be a single line');

const list = <T extends z.ZodType>(item: T) => z.array(item).max(limits.list);

const dateForm = 'must be a date or an instant with a zone, such as 2026-05-01 or 2026-05-01T12:00:00Z';

/** An instant with its zone, or a date (its midnight in UTC), as an ISO instant in UTC. */
export const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], dateForm)
  .transform((value) => new Date(value).toISOString())
  .refine((value) => /^\d{4}-/.test(value), 'must lie in the years 0 to 9999');

const anchor = z.union([
  z.strictObject({ file: line(limits.path) }),
  z.strictObject({ glob: line(limits.glob) }),
  z.strictObject({ folder: line(limits.path) }),
  z.strictObject({ file: line(limits.path), symbol: line(limits.item) }),
]);

const evidence = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('file'),
    path: line(limits.path),
    startLine: z.int().min(1).max(10_000_000).optional(),
    endLine: z.int().min(1).max(10_000_000).optional(),
  }),
  z.strictObject({ kind: z.literal('commit'), sha: z.string().regex(/^[0-9a-fA-F]{7,64}$/, 'must be 7 to 64 hexadecimal digits') }),
  z.strictObject({ kind: z.literal('url'), url: z.url({ protocol: /^https?$/ }).max(limits.url) }),
  z.strictObject({ kind: z.literal('issue'), ref: line(limits.item) }),
  z.strictObject({ kind: z.literal('quote'), speaker: line(limits.claim), text: wellFormed(limits.quote) }),
  z.strictObject({ kind: z.literal('memory'), id: z.uuid() }),
]);
export type EvidenceInput = z.infer<typeof evidence>;

/** Pointers to what something rests on. */
export const evidenceList = list(evidence);

const claim = z.strictObject({
  subject: line(limits.claim),
  predicate: line(limits.claim),
  object: line(limits.claim),
  cardinality: z.enum(['one', 'many']).optional(),
});

const fields = {
  kind: z.enum(kinds),
  title: line(limits.title),
  statement: wellFormed(limits.statement),
  rationale: wellFormed(limits.rationale).optional(),
  alternatives: list(wellFormed(limits.item)).optional(),
  tags: list(line(limits.tag)).optional(),
  appliesWhen: wellFormed(limits.appliesWhen).optional(),
  steps: list(wellFormed(limits.item)).optional(),
  claim: claim.optional(),
  anchors: list(anchor).optional(),
  evidence: evidenceList,
  scope: line(limits.path).optional(),
  occurredAt: instant.optional(),
  validFrom: instant.optional(),
  validTo: instant.optional(),
  replaces: list(z.uuid()).optional(),
};

/** The rules that tie fields to each other. */
function checkTogether(value: z.infer<z.ZodObject<typeof fields>>, context: z.core.$RefinementCtx): void {
  const refuse = (field: string, message: string) => {
    context.addIssue({ code: 'custom', path: [field], message });
  };
  if (guidanceKinds.includes(value.kind) && value.appliesWhen === undefined) refuse('appliesWhen', `is needed for a ${value.kind}`);
  if (value.kind === 'workflow' && (value.steps?.length ?? 0) === 0) refuse('steps', 'needs at least one step for a workflow');
  if (value.kind !== 'workflow' && value.steps !== undefined) refuse('steps', 'belongs to a workflow only');
  if (value.validFrom !== undefined && value.validTo !== undefined && value.validFrom >= value.validTo)
    refuse('validTo', 'must be later than validFrom');
  value.evidence.forEach((item, index) => {
    if (item.kind !== 'file') return;
    if (item.endLine !== undefined && (item.startLine ?? 1) > item.endLine)
      context.addIssue({ code: 'custom', path: ['evidence', index, 'endLine'], message: 'must not be before startLine' });
  });
}

/** The fields of a proposal as JSON Schema needs them, before the rules that tie them together. */
export const proposalFields = z.strictObject({
  ...fields,
  evidence: fields.evidence.min(1, 'needs at least one pointer: what does this rest on?'),
  commandId: line(limits.commandId).optional(),
});

/** What an agent sends to `memory_propose`. */
export const proposalSchema = proposalFields.superRefine(checkTogether);
export type Proposal = z.infer<typeof proposalSchema>;

/** What a person saves: the same, where evidence may be left out, since the person is the witness. */
export const draftSchema = z.strictObject({ ...fields, evidence: fields.evidence.optional().default([]) }).superRefine(checkTogether);
export type Draft = z.infer<typeof draftSchema>;

export const reasonSchema = wellFormed(limits.reason);

/** Bounds that a person narrows a memory to. */
export const boundsSchema = z
  .strictObject({ scope: line(limits.path), validFrom: instant.optional(), validTo: instant.optional() })
  .transform(({ scope, validFrom, validTo }) => ({ scope, ...(validFrom !== undefined && { validFrom }), ...(validTo !== undefined && { validTo }) })); // prettier-ignore

/**
 * Parses a caller's data.
 * @throws `invalid_input` or `too_large`, naming the first field that is wrong.
 */
export function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw asInputError(result.error.issues[0]);
}

function asInputError(issue: z.core.$ZodIssue | undefined): Error {
  if (issue === undefined) return invalidInput('The input does not have the expected form.');
  const field = issue.path.length === 0 ? 'The input' : `"${issue.path.map(String).join('.')}"`;
  switch (issue.code) {
    case 'unrecognized_keys':
      return invalidInput(
        `Unknown field ${issue.keys
          .slice(0, 5)
          .map((key) => JSON.stringify(key.slice(0, 80)))
          .join(', ')} in ${field === 'The input' ? 'the input' : field}.`,
      );
    case 'too_big':
      if (issue.origin === 'string') return tooLarge(field, Number(issue.maximum));
      return invalidInput(
        issue.origin === 'array' ? `${field} has more than ${issue.maximum} entries.` : `${field} must be at most ${issue.maximum}.`,
      );
    case 'too_small':
      return invalidInput(
        issue.origin === 'number' || issue.origin === 'int' ? `${field} must be at least ${issue.minimum}.` : asSentence(field, issue),
      );
    case 'invalid_type':
      return invalidInput(issue.input === undefined ? `${field} is missing.` : `${field} must be ${wanted(issue.expected)}.`);
    case 'invalid_value':
      return invalidInput(
        issue.input === undefined ? `${field} is missing.` : `${field} must be one of ${issue.values.map(String).join(', ')}.`,
      );
    case 'invalid_union':
      return asUnionError(issue, field);
    default:
      return invalidInput(asSentence(field, issue));
  }
}

const asSentence = (field: string, { message }: z.core.$ZodIssue) => `${field}: ${message}.`.replace(/[.?]\.$/, (end) => end.slice(0, 1));

/** A type's name with its article. */
const wanted = (type: string) => (type === 'int' ? 'a whole number' : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`);

/** The arm that came closest names what is wrong; where none did, the sentence says that the form is not known. */
function asUnionError(issue: z.core.$ZodIssueInvalidUnion, field: string): Error {
  if (issue.message === dateForm) return invalidInput(`${field} ${dateForm}.`);
  const closest = issue.errors.find(
    (arm) => arm.length > 0 && arm.every((inner) => inner.path.length > 0 && inner.code !== 'invalid_type'),
  );
  const inner = closest?.[0];
  if (inner === undefined) return invalidInput(`${field} has none of the forms that are allowed there.`);
  return asInputError({ ...inner, path: [...issue.path, ...inner.path] });
}
