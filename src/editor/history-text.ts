/** A memory's timeline, and a page of the audit log, as plain text: nothing in it is drawn as anything but its words. */
import type { AuditEntry, HistoryEntry, Memory, PersonAccess, Reviewed } from '../engine';
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
import { shownLine } from './shown-text';
import { titleOf } from './tree-items';

/** @param own the id of this profile's key. @param place the store's name. */
export async function historyText(memory: Reviewed, person: PersonAccess, own: string | undefined, place: string): Promise<string> {
  const others = [...new Set(memory.history.flatMap(({ others }) => others))];
  const [reasons, named] = await Promise.all([person.reasons(memory.id), person.several(others)]);
  const titles = new Map(named.map((other) => [other.id, titleOf(other)]));
  return [
    `History of: ${titleOf(memory)}`,
    `In ${shownLine(place)}, id ${memory.id}`,
    '',
    ...(memory.tampering === undefined ? [] : [`Changed by something other than Stet: ${tamperings[memory.tampering]}`, '']),
    `${stateNames[memory.state]} since ${when(memory.stateSince)}`,
    ...(memory.memory === undefined ? ['Its words are gone; what happened to it stays.'] : whatItSays(memory.memory)),
    '',
    'WHAT HAPPENED',
    ...memory.history.flatMap((entry, index) => happened(entry, memory.history[index - 1], memory.memory, reasons, titles, own)),
    ...(memory.support === 0 ? [] : ['', `Proposed again ${memory.support === 1 ? 'once' : `${String(memory.support)} times`}.`]),
    '',
  ].join('\n');
}

function whatItSays({ content, bounds, recordedAt }: Memory): string[] {
  const part = (name: string, text: string | undefined) => (text === undefined || text === '' ? [] : [`${name}: ${indented(text)}`]);
  return [
    '',
    kindNames[content.kind].one.toUpperCase(),
    ...part('Title', content.title),
    ...part('What holds', content.statement),
    ...part('Applies when', content.appliesWhen),
    ...content.steps.map((step, index) => `Step ${String(index + 1)}: ${indented(step)}`),
    ...part('Why', content.rationale),
    ...content.alternatives.flatMap((alternative) => part('Considered', alternative)),
    ...part('Claim', content.claim && `${content.claim.subject} | ${content.claim.predicate} | ${content.claim.object}`),
    ...part('Tags', content.tags.join(', ')),
    ...content.anchors.flatMap((anchor) => part('Applies to', anchorName(anchor))),
    ...content.evidence.flatMap((evidence) => part('Rests on', evidenceName(evidence))),
    ...part('Origin', origin(content)),
    ...part('Scope', scopeName(bounds.scope)),
    ...part('Holds', validity(bounds)),
    ...part('Happened', content.occurredAt && when(content.occurredAt)),
    `Recorded: ${when(recordedAt)}`,
  ];
}

function happened(
  entry: HistoryEntry,
  before: HistoryEntry | undefined,
  memory: Memory | undefined,
  reasons: ReadonlyMap<number, string>,
  titles: ReadonlyMap<string, string>,
  own: string | undefined,
): string[] {
  const provenance = memory?.content.provenance;
  const by = entry.act === 'propose' && provenance?.tag === 'inferred' ? shownLine(provenance.client) : signedBy(entry, own);
  const reason = reasons.get(entry.event);
  const holds = entry.bounds && validity(entry.bounds);
  const held = before?.bounds && validity(before.bounds);
  const scope = entry.bounds?.scope;
  return [
    '',
    `${when(entry.at)}  ${actNames[entry.act]} by ${by}`,
    ...(entry.state === before?.state ? [] : [`    then: ${stateNames[entry.state]}`]),
    ...(holds === held ? [] : [`    holds: ${holds ?? 'without dates'}`]),
    ...(scope === undefined || scope === before?.bounds?.scope ? [] : [`    where: ${shownLine(scopeName(scope))}`]),
    ...entry.others.map((id) => `    with: ${titles.get(id) ?? 'a memory that is not here'} (${id})`),
    ...(reason === undefined ? [] : [`    reason: ${indented(reason)}`]),
    `    entry ${String(entry.event)}, ${entry.hash.slice(0, 16)}`,
  ];
}

/** @param more whether there are older entries than these. */
export function auditText(entries: readonly AuditEntry[], place: string, own: string | undefined, more: boolean): string {
  const rows = entries.map(({ seq, at, what, who, memory, detail, hash }) => [
    `#${String(seq)}`,
    at === '' ? 'altered outside Stet' : when(at),
    what in actNames ? actNames[what as HistoryEntry['act']].toLowerCase() : what,
    shownLine(whose(who, own)),
    shownLine(detail ?? ''),
    shownLine(memory === '' ? 'the store' : memory),
    hash.slice(0, 16),
  ]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return [
    `Audit log of ${shownLine(place)}, newest first. It holds no words of any memory.`,
    '',
    ...(rows.length === 0
      ? ['Nothing has happened yet.']
      : rows.map((row) =>
          row
            .map((cell, column) => cell.padEnd(widths[column] ?? 0))
            .join('  ')
            .trimEnd(),
        )),
    '',
    more ? 'There are older entries: Show Older Entries, in the title of this editor, adds them.' : 'That is all.',
    '',
  ].join('\n');
}

const whose = (who: string, own: string | undefined): string =>
  who === own ? 'you' : /^[0-9a-f]{64}$/.test(who) ? `key ${who.slice(0, 8)}` : who;

const indented = (text: string): string => text.split('\n').map(shownLine).join('\n        ');
