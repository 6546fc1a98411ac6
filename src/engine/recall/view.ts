/** A served memory as an agent sees it: the shapes of the tools' answers. */
import { globPrefix } from '../domain/globs';
import type { Anchor, Claim, Evidence, Kind } from '../domain/memory';
import { folderOf, shownPath, type WorkPlace } from '../evidence/paths';
import type { Act } from '../domain/states';
import type { EvidenceState } from '../evidence/check';
import type { Served } from '../ledger/parts';

export interface EvidenceView {
  readonly kind: string;
  /** Where to look, in words: a path with lines, a commit, a link, who said it. */
  readonly source: string;
  /** Whether it still says so; absent where no check was made. */
  readonly state?: NonNullable<EvidenceState>['state'];
  /** Where the lines are now, when they have moved. */
  readonly now?: string;
}

export interface Item {
  readonly id: string;
  readonly kind: Kind;
  readonly title: string;
  readonly statement: string;
  readonly shortened?: true;
  readonly state: 'active' | 'contested';
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
  /** The memories that say otherwise; they are in the same answer. */
  readonly contestedWith?: readonly string[];
  /** Why it is in doubt by itself. */
  readonly disputed?: string;
  /** How many challenges by agents wait for a person. */
  readonly challenges?: number;
  /** Why it applies to the file that was asked about. */
  readonly why?: string;
}

/** A memory that this session was served and that stands no longer. */
export interface NoLongerHeld {
  readonly id: string;
  /** What became of it. */
  readonly state: string;
}

export interface Found {
  readonly recallId: string;
  readonly mode: 'lexical';
  readonly items: readonly Item[];
  readonly omitted: Readonly<Record<string, number>>;
  /** What matched and did not fit the token budget. */
  readonly overBudget: readonly { readonly id: string; readonly title: string }[];
  /** What this session was served before and no longer holds. */
  readonly noLongerHolds?: readonly NoLongerHeld[];
}

/** One memory in full. */
export interface Whole extends Item {
  readonly rationale?: string;
  readonly alternatives: readonly string[];
  readonly tags: readonly string[];
  readonly occurredAt?: string;
  readonly recordedAt: string;
  readonly history: readonly { readonly state: string; readonly at: string; readonly by: string }[];
  /** What it is contested with: it is never read without. */
  readonly counterparts?: readonly Item[];
}

/** The acts by which a person lets a memory stand. */
const standingActs: readonly Act[] = ['save', 'approve', 'restore'];

export const keyName = (key: string) => `person (key ${key.slice(0, 8)})`;

/** What is known of a served memory beside its own rows. */
export interface About {
  readonly why?: string;
  readonly disputed?: string;
  readonly challenges?: number;
  /** In the order of the evidence. */
  readonly evidence?: readonly EvidenceState[];
}

/** A served memory in a list. @param place paths are shown as its client would name them, so that they can be given back. */
export function itemOf({ stored, replayed }: Served, place: WorkPlace, about: About = {}): Item {
  const { content, id, bounds } = stored.memory;
  const { why, disputed, challenges } = about;
  const stood = replayed.history.findLast((entry) => entry.key !== undefined && standingActs.includes(entry.act));
  return {
    id,
    kind: content.kind,
    title: content.title,
    statement: content.statement,
    state: stored.state === 'contested' ? 'contested' : 'active',
    letStandBy: keyName(stood?.key ?? ''),
    letStandAt: stood?.at ?? stored.stateSince,
    origin: content.provenance.tag === 'stated' ? 'stated by the person' : `reported by ${content.provenance.client}`,
    scope: bounds.scope,
    ...(content.appliesWhen !== undefined && { appliesWhen: content.appliesWhen }),
    ...(content.steps.length > 0 && { steps: content.steps }),
    ...(content.claim !== undefined && { claim: content.claim }),
    anchors: content.anchors.map((anchor) => shownAnchor(anchor, place)),
    evidence: content.evidence.map((pointer, index) => evidenceView(pointer, place, about.evidence?.[index])),
    ...(bounds.validFrom !== undefined && { validFrom: bounds.validFrom }),
    ...(bounds.validTo !== undefined && { validTo: bounds.validTo }),
    ...(stored.others.length > 0 && { contestedWith: stored.others }),
    ...(disputed !== undefined && { disputed }),
    ...(challenges !== undefined && challenges > 0 && { challenges }),
    ...(why !== undefined && { why }),
  };
}

/** A served memory in full. */
export function wholeOf(served: Served, place: WorkPlace, about: About): Whole {
  const { content, recordedAt } = served.stored.memory;
  return {
    ...itemOf(served, place, about),
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

function evidenceView(evidence: Evidence, place: WorkPlace, checked: EvidenceState): EvidenceView {
  const view = sourceOf(evidence, place);
  if (checked === undefined) return view;
  if (checked.state !== 'moved' || evidence.kind !== 'file') return { ...view, state: checked.state };
  return { ...view, state: 'moved', now: `${shownPath(place, evidence.path)}#L${checked.startLine}-L${checked.endLine}` };
}

function sourceOf(evidence: Evidence, place: WorkPlace): EvidenceView {
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
