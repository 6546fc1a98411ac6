/** A served memory as an agent sees it: the shapes of the tools' answers. */
import { globPrefix } from '../domain/globs';
import type { Anchor, Claim, Evidence, Kind } from '../domain/memory';
import { folderOf, shownPath, type WorkPlace } from '../evidence/paths';
import type { Served } from '../ledger/parts';

export interface EvidenceView {
  readonly kind: string;
  /** Where to look, in words: a path with lines, a commit, a link, who said it. */
  readonly source: string;
}

export interface Item {
  readonly id: string;
  readonly kind: Kind;
  readonly title: string;
  readonly statement: string;
  readonly shortened?: true;
  readonly state: 'active';
  /** Who let it stand: `person` and the first digits of the key. */
  readonly letStandBy: string;
  readonly letStandAt: string;
  /** Who said it first: the person, or the client that reported it. */
  readonly origin: string;
  readonly scope: string;
  readonly appliesWhen?: string;
  readonly steps?: readonly string[];
  readonly claim?: Claim;
  readonly anchors: readonly Anchor[];
  readonly evidence: readonly EvidenceView[];
  readonly validFrom?: string;
  readonly validTo?: string;
  /** Why it applies to the file that was asked about. */
  readonly why?: string;
}

export interface Found {
  readonly recallId: string;
  readonly mode: 'lexical';
  readonly items: readonly Item[];
  readonly omitted: Readonly<Record<string, number>>;
  /** What matched and did not fit the token budget. */
  readonly overBudget: readonly { readonly id: string; readonly title: string }[];
}

/** One memory in full. */
export interface Whole extends Item {
  readonly rationale?: string;
  readonly alternatives: readonly string[];
  readonly tags: readonly string[];
  readonly occurredAt?: string;
  readonly recordedAt: string;
  readonly history: readonly { readonly state: string; readonly at: string; readonly by: string }[];
}

const keyName = (key: string) => `person (key ${key.slice(0, 8)})`;

/** A served memory in a list. @param place paths are shown as its client would name them, so that they can be given back. */
export function itemOf({ stored, replayed }: Served, place: WorkPlace, why?: string): Item {
  const { content, id } = stored.memory;
  const stood = replayed.history.findLast((entry) => entry.key !== undefined);
  return {
    id,
    kind: content.kind,
    title: content.title,
    statement: content.statement,
    state: 'active',
    letStandBy: keyName(stood?.key ?? ''),
    letStandAt: stood?.at ?? stored.stateSince,
    origin: content.provenance.tag === 'stated' ? 'stated by the person' : `reported by ${content.provenance.client}`,
    scope: content.scope,
    ...(content.appliesWhen !== undefined && { appliesWhen: content.appliesWhen }),
    ...(content.steps.length > 0 && { steps: content.steps }),
    ...(content.claim !== undefined && { claim: content.claim }),
    anchors: content.anchors.map((anchor) => shownAnchor(anchor, place)),
    evidence: content.evidence.map((pointer) => evidenceView(pointer, place)),
    ...(content.validFrom !== undefined && { validFrom: content.validFrom }),
    ...(content.validTo !== undefined && { validTo: content.validTo }),
    ...(why !== undefined && { why }),
  };
}

/** A served memory in full. */
export function wholeOf(served: Served, place: WorkPlace): Whole {
  const { content, recordedAt } = served.stored.memory;
  return {
    ...itemOf(served, place),
    ...(content.rationale !== undefined && { rationale: content.rationale }),
    alternatives: content.alternatives,
    tags: content.tags,
    ...(content.occurredAt !== undefined && { occurredAt: content.occurredAt }),
    recordedAt,
    history: served.replayed.history
      .filter((entry) => entry.key !== undefined)
      .map((entry) => ({ state: entry.state, at: entry.at, by: keyName(entry.key ?? '') })),
  };
}

function shownAnchor(anchor: Anchor, place: WorkPlace): Anchor {
  if ('symbol' in anchor) return { file: shownPath(place, anchor.file), symbol: anchor.symbol };
  if ('file' in anchor) return { file: shownPath(place, anchor.file) };
  if ('folder' in anchor) return { folder: shownPath(place, anchor.folder) };
  const prefix = globPrefix(folderOf(place));
  return { glob: prefix !== '' && anchor.glob.startsWith(`${prefix}/`) ? anchor.glob.slice(prefix.length + 1) : anchor.glob };
}

function evidenceView(evidence: Evidence, place: WorkPlace): EvidenceView {
  switch (evidence.kind) {
    case 'file': {
      const { startLine, endLine } = evidence;
      const lines =
        startLine === undefined && endLine === undefined ? '' : `#L${startLine ?? 1}${endLine === undefined ? '' : `-L${endLine}`}`;
      return { kind: 'file', source: `${shownPath(place, evidence.path)}${lines}` };
    }
    case 'commit':
      return { kind: 'commit', source: evidence.sha };
    case 'url':
      return { kind: 'url', source: evidence.url };
    case 'issue':
      return { kind: 'issue', source: evidence.ref };
    case 'quote':
      return { kind: 'quote', source: `${evidence.speaker}: ${evidence.text}` };
    case 'memory':
      return { kind: 'memory', source: evidence.id };
  }
}
