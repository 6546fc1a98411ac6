/** One memory as its page draws it. */
import type { HistoryEntry, PersonAccess, Reviewed } from '../engine';
import type { PageMemory, Pointer } from './page-messages';
import { anchorName, evidenceName, kindNames, origin, scopeName, signedBy, stateNames, tamperings, validity, when } from './present';
import { shown, type Shown } from './shown-text';

/** What stands is more often outlived than found to have been wrong. */
const usefulFirst = ['approve', 'retire', 'reject'] as const;

/** @param own the id of this profile's key. */
export async function pageMemory(reviewed: Reviewed, person: PersonAccess, own: string | undefined): Promise<PageMemory> {
  const content = reviewed.memory?.content;
  const [reasons, replaces] = await Promise.all([person.reasons(reviewed.id), titlesOf(content?.replaces ?? [], person)]);
  const memory: Omit<PageMemory, 'hiddenCharacters'> = {
    id: reviewed.id,
    kind: content === undefined ? 'Memory' : kindNames[content.kind].one,
    state: reviewed.state,
    stateName: reviewed.tampering === undefined ? stateNames[reviewed.state] : 'Tampered with',
    title: shown(reviewed.title),
    ...(reviewed.tampering !== undefined && { tampering: tamperings[reviewed.tampering] }),
    ...(content !== undefined && { statement: shown(content.statement) }),
    ...(content?.appliesWhen !== undefined && { appliesWhen: shown(content.appliesWhen) }),
    steps: (content?.steps ?? []).map(shown),
    ...(content?.rationale !== undefined && { rationale: shown(content.rationale) }),
    alternatives: (content?.alternatives ?? []).map(shown),
    ...(content?.claim !== undefined && {
      claim: { subject: shown(content.claim.subject), predicate: shown(content.claim.predicate), object: shown(content.claim.object) },
    }),
    tags: (content?.tags ?? []).map(shown),
    appliesTo: (content?.anchors ?? []).map((anchor): Pointer => ({ text: shown(anchorName(anchor)), opens: 'file' in anchor })),
    restsOn: (content?.evidence ?? []).map((evidence): Pointer => ({
      text: shown(evidenceName(evidence)),
      opens: evidence.kind === 'file' || evidence.kind === 'url' || evidence.kind === 'memory',
    })),
    replaces,
    facts: factsAbout(reviewed),
    history: reviewed.history.map((entry, index) => {
      const reason = reasons.get(entry.event);
      return {
        what: entered(entry, index),
        by: shown(entry.key === undefined && content?.provenance.tag === 'inferred' ? content.provenance.client : signedBy(entry, own)),
        at: when(entry.at),
        ...(reason !== undefined && { reason: shown(reason) }),
      };
    }),
    decisions: reviewed.seen === undefined ? [] : usefulFirst.filter((decision) => reviewed.acts.includes(decision)),
  };
  return { ...memory, hiddenCharacters: countHidden(memory) };
}

/** What is known about a memory beside its text. */
export function factsAbout(reviewed: Reviewed): PageMemory['facts'] {
  const content = reviewed.memory?.content;
  const holds = content && validity(content);
  return [
    ...(content === undefined ? [] : [{ name: 'Origin', value: shown(origin(content)) }]),
    ...(content?.provenance.tag === 'inferred'
      ? [
          { name: 'Session', value: shown(content.provenance.session) },
          ...(content.provenance.model === 'unreported'
            ? []
            : [{ name: 'Model', value: shown(`${content.provenance.model}, as the client reported it`) }]),
        ]
      : []),
    { name: 'Recorded', value: [when(reviewed.recordedAt)] },
    ...(content?.occurredAt === undefined ? [] : [{ name: 'Happened', value: [when(content.occurredAt)] }]),
    ...(holds === undefined ? [] : [{ name: 'Holds', value: [holds] }]),
    { name: 'Scope', value: shown(scopeName(reviewed.scope)) },
    ...(reviewed.support === 0
      ? []
      : [{ name: 'Proposed again', value: [reviewed.support === 1 ? 'once' : `${String(reviewed.support)} times`] }]),
    { name: 'Id', value: [reviewed.id] },
  ];
}

/** The act that led into a state. */
function entered({ state }: HistoryEntry, index: number): string {
  if (state === 'pending') return 'Proposed';
  if (state === 'active') return index === 0 ? 'Saved' : 'Approved';
  return stateNames[state];
}

async function titlesOf(ids: readonly string[], person: PersonAccess): Promise<Shown[]> {
  return Promise.all(ids.map(async (id) => shown((await person.one(id))?.title ?? id)));
}

/** Hidden pieces anywhere in what is shown. */
function countHidden(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countHidden(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return 'hidden' in value ? 1 : countHidden(Object.values(value));
}
