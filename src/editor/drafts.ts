/** Between the save page's form and the engine's draft. */
import type { Anchor, Content, Draft as EngineDraft } from '../engine';
import type { FromPage, SavedFields } from './page-messages';

export type Saved = Extract<FromPage, { type: 'save' }>;

/** Lines of a file that a memory rests on. */
export interface Lines {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

export interface DraftBasis {
  readonly lines: Lines | undefined;
  /** The memory whose text is edited. */
  readonly before: Content | undefined;
  /** The scope that was chosen; undefined where there is no choice. */
  readonly scope: string | undefined;
}

/** The draft as the engine takes it; what is left empty is left out. It is the engine that judges it. */
export function draftOf(
  { fields, withLines, withReplaces }: Saved,
  { lines, before, scope }: DraftBasis,
): Readonly<Record<string, unknown>> {
  const given = (name: 'rationale' | 'appliesWhen') => (fields[name].trim() === '' ? {} : { [name]: fields[name] });
  const dated = (name: DateField) =>
    fields[name].trim() === '' ? {} : { [name]: fields[name] === dayOf(before?.[name]) ? before?.[name] : fields[name] };
  const claim = [fields.subject, fields.predicate, fields.object].some((part) => part.trim() !== '');
  const evidence = before === undefined ? (lines === undefined ? [] : [{ kind: 'file', ...lines }]) : before.evidence.map(asInput);
  return {
    kind: fields.kind,
    title: fields.title,
    statement: fields.statement,
    ...given('rationale'),
    ...given('appliesWhen'),
    ...dated('validFrom'),
    ...dated('validTo'),
    ...dated('occurredAt'),
    ...(fields.kind === 'workflow' && { steps: linesOf(fields.steps) }),
    alternatives: linesOf(fields.alternatives),
    tags: fields.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    ...(claim && {
      claim: {
        subject: fields.subject.trim(),
        predicate: fields.predicate.trim(),
        object: fields.object.trim(),
        ...(fields.cardinality !== '' && { cardinality: fields.cardinality }),
      },
    }),
    anchors: linesOf(fields.appliesTo).map(anchorOf),
    evidence: withLines ? evidence : [],
    ...(scope !== undefined && { scope }),
    ...(withReplaces && before !== undefined && { replaces: before.replaces }),
  };
}

type DateField = 'validFrom' | 'validTo' | 'occurredAt';

/** What the form begins with for a memory whose text is edited. */
export function valuesOf(content: Content): Partial<SavedFields> {
  return {
    kind: content.kind,
    title: content.title,
    statement: content.statement,
    rationale: content.rationale ?? '',
    appliesWhen: content.appliesWhen ?? '',
    steps: content.steps.map(oneLine).join('\n'),
    alternatives: content.alternatives.map(oneLine).join('\n'),
    tags: content.tags.join(', '),
    appliesTo: content.anchors.map(lineOf).join('\n'),
    validFrom: dayOf(content.validFrom) ?? '',
    validTo: dayOf(content.validTo) ?? '',
    occurredAt: dayOf(content.occurredAt) ?? '',
    subject: content.claim?.subject ?? '',
    predicate: content.claim?.predicate ?? '',
    object: content.claim?.object ?? '',
    cardinality: content.claim?.cardinality ?? '',
  };
}

/** A pointer as it is handed in: what it is compared by is found out anew. */
function asInput(evidence: Content['evidence'][number]): EngineDraft['evidence'][number] {
  if (evidence.kind !== 'file') return evidence;
  const { kind, path, startLine, endLine } = evidence;
  return { kind, path, ...(startLine !== undefined && { startLine }), ...(endLine !== undefined && { endLine }) };
}

const oneLine = (text: string) => text.replace(/\s*\n\s*/g, ' ');
const dayOf = (iso: string | undefined) => iso?.slice(0, 10);

const linesOf = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `src/billing/` is a folder, `src/**` a pattern, `src/a.ts#name` a symbol, anything else a file. */
function anchorOf(line: string): Anchor {
  if (line.endsWith('/')) return { folder: line };
  if (/[*?[\]{}]/.test(line)) return { glob: line };
  const symbol = /^(?<file>[^#]+)#(?<symbol>[^#]+)$/.exec(line)?.groups;
  return symbol === undefined ? { file: line } : { file: symbol['file'] ?? '', symbol: symbol['symbol'] ?? '' };
}

function lineOf(anchor: Anchor): string {
  if ('symbol' in anchor) return `${anchor.file}#${anchor.symbol}`;
  if ('file' in anchor) return anchor.file;
  return 'glob' in anchor ? anchor.glob : `${anchor.folder}/`;
}
