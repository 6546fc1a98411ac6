/** One memory as its page draws it, with what a person should know beside its text. */
import type { Bounds, HistoryEntry, Nearby, PersonAccess, Reviewed } from '../engine';
import { evidenceWords } from './evidence-words';
import type { Linked, PageChallenge, PageHistoryEntry, PageMemory, PageText, Pointer } from './page-messages';
import {
  actNames,
  anchorName,
  evidenceName,
  kindNames,
  origin,
  scopeName,
  signedBy,
  stateNames,
  tamperings,
  validity,
  when,
} from './present';
import { shown, type Shown } from './shown-text';
import { changesBetween } from './word-diff';

/** Other memories that are named on a page, by number: the page never learns what it would take to name one itself. */
export class Links {
  readonly #ids: string[] = [];
  readonly #numbers = new Map<string, number>();

  to({ id, title, state }: Pick<Reviewed, 'id' | 'title' | 'state'>): Linked {
    const known = this.#numbers.get(id);
    const link = known ?? this.#ids.push(id) - 1;
    this.#numbers.set(id, link);
    return { link, title: shown(title === '' ? 'A forgotten memory' : title), stateName: stateNames[state] };
  }

  at(link: number): string | undefined {
    return this.#ids[link];
  }
}

export interface Around {
  readonly person: PersonAccess;
  readonly nearby: Nearby | undefined;
  readonly links: Links;
  /** The id of this profile's key. */
  readonly own: string | undefined;
}

export async function pageMemory(reviewed: Reviewed, around: Around): Promise<PageMemory> {
  const { person, nearby, links } = around;
  const content = reviewed.memory?.content;
  const claim = content?.claim;
  const open = nearby?.challenges ?? [];
  const [reasons, resembles, slot, named, counterparts] = await Promise.all([
    person.reasons(reviewed.id),
    Promise.all((nearby?.resembles ?? []).map((one) => resembling(one, around))),
    claim && person.slot(claim.subject, claim.predicate),
    person.several([...new Set(reviewed.history.flatMap(({ others }) => others))]),
    person.several(open.flatMap(({ counterpart }) => counterpart ?? [])),
  ]);
  const memory: Omit<PageMemory, 'hiddenCharacters'> = {
    ...pageText(reviewed, nearby),
    id: reviewed.id,
    waits: reviewed.state === 'pending',
    resembles,
    rejectedIn: (nearby?.rejectedIn ?? []).map((scope) => shown(scopeName(scope))),
    replaces: (nearby?.replaces ?? []).map((one) => ({ ...links.to(one), ...changesAgainst(one, reviewed) })),
    others: (nearby?.others ?? []).map((one) => ({ ...links.to(one), ...relation(one, reviewed) })),
    challenges: open.map((challenge) => challengeOf(challenge, counterparts, links)),
    ...(claim !== undefined && { slot: slot ?? 'unsaid' }),
    ...(nearby?.drift !== undefined && { stillRight: 'stillRight' }),
    history: reviewed.history.map((entry, index) => historyEntry(entry, index, { reviewed, reasons, named, around })),
  };
  return { ...memory, hiddenCharacters: countHidden(memory) };
}

/** A memory's words, and what is known about it. */
export function pageText(reviewed: Reviewed, nearby?: Nearby): PageText {
  const content = reviewed.memory?.content;
  const text: Omit<PageText, 'hiddenCharacters'> = {
    kind: content === undefined ? 'Memory' : kindNames[content.kind].one,
    stateName: reviewed.tampering === undefined ? stateNames[reviewed.state] : 'Tampered with',
    title: shown(reviewed.state === 'forgotten' ? 'A forgotten memory' : reviewed.title),
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
    restsOn: (content?.evidence ?? []).map((evidence, index): Pointer => {
      const state = evidenceWords(nearby?.evidence[index]);
      return {
        text: shown(evidenceName(evidence)),
        opens: evidence.kind === 'file' || evidence.kind === 'url' || evidence.kind === 'memory',
        ...(state !== undefined && { state }),
      };
    }),
    facts: factsAbout(reviewed),
  };
  return { ...text, hiddenCharacters: countHidden(text) };
}

/** What is known about a memory beside its text. */
export function factsAbout(reviewed: Reviewed): PageMemory['facts'] {
  const content = reviewed.memory?.content;
  const holds = reviewed.memory && validity(reviewed.memory.bounds);
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

async function resembling(one: Reviewed, { person, links }: Around): Promise<PageMemory['resembles'][number]> {
  const linked = links.to(one); // before anything is waited for, so that the numbers are the same each time
  const last = one.history.findLast(({ state, reason }) => state === one.state && reason !== null);
  const reason = last && (await person.reasons(one.id)).get(last.event);
  return { ...linked, rejected: one.state === 'rejected', ...(reason !== undefined && { reason: shown(reason) }) };
}

function challengeOf(
  { id, wants, client, at, reason, evidence, counterpart }: Nearby['challenges'][number],
  counterparts: readonly Reviewed[],
  links: Links,
): PageChallenge {
  const other = counterparts.find((one) => one.id === counterpart);
  return {
    what: wants === 'retire' ? 'Asks to retire it' : 'Says otherwise',
    by: shown(client),
    at: when(at),
    reason: shown(reason),
    evidence: evidenceNames(evidence),
    ...(other !== undefined && { counterpart: links.to(other) }),
    accept: `accept ${id}`,
    decline: `decline ${id}`,
  };
}

/** Of an agent's pointers, which are stored as the engine resolved them. */
function evidenceNames(stored: string): Shown[] {
  const pointers = JSON.parse(stored) as Parameters<typeof evidenceName>[0][];
  return pointers.map((pointer) => shown(evidenceName(pointer)));
}

/** What `now` says otherwise than `before`. */
function changesAgainst(before: Reviewed, now: Reviewed): Pick<PageMemory['replaces'][number], 'changes'> {
  const [old, text] = [before.memory?.content.statement, now.memory?.content.statement];
  return old === undefined || text === undefined || old === text ? {} : { changes: changesBetween(old, text) };
}

/** How another memory hangs together with this one. */
function relation(one: Reviewed, { state, memory }: Reviewed): Pick<PageMemory['others'][number], 'how' | 'changes'> {
  if (memory?.content.derivedFrom?.includes(one.id) === true)
    return {
      how: 'Made from',
      ...(one.memory !== undefined && { changes: changesBetween(one.memory.content.statement, memory.content.statement) }),
    };
  if (state === 'contested') return { how: 'Contested with' };
  return { how: state === 'amended' ? 'Approved as' : 'Replaced by' };
}

interface HistoryContext {
  readonly reviewed: Reviewed;
  readonly reasons: ReadonlyMap<number, string>;
  readonly named: readonly Reviewed[];
  readonly around: Around;
}

function historyEntry(entry: HistoryEntry, index: number, { reviewed, reasons, named, around }: HistoryContext): PageHistoryEntry {
  const reason = reasons.get(entry.event);
  const provenance = reviewed.memory?.content.provenance;
  const before = reviewed.history[index - 1]?.bounds;
  const holds = before && entry.bounds && newBounds(before, entry.bounds);
  const others = entry.others.flatMap((id) => named.find((one) => one.id === id) ?? []);
  return {
    what: actNames[entry.act],
    by: shown(
      entry.key === undefined && provenance?.tag === 'inferred' && entry.act === 'propose'
        ? provenance.client
        : signedBy(entry, around.own),
    ),
    at: when(entry.at),
    ...(reason !== undefined && { reason: shown(reason) }),
    others: others.map((one) => around.links.to(one)),
    ...(holds !== undefined && { holds }),
  };
}

/** Where and when it holds from an act on, if that act has changed it. */
function newBounds(before: Bounds, now: Bounds): string | undefined {
  const parts = [
    ...(validity(before) === validity(now) ? [] : [`holds ${validity(now) ?? 'without end'}`]),
    ...(before.scope === now.scope ? [] : [`in ${scopeName(now.scope)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** Hidden pieces anywhere in what is shown. */
function countHidden(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countHidden(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return 'hidden' in value ? 1 : countHidden(Object.values(value));
}
