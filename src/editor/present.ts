/** Memories in the words and signs that people see. */
import * as vscode from 'vscode';
import type { Anchor, Content, Evidence, HistoryEntry, Kind, PersonAct, Reviewed, State, Tampering } from '../engine';

export const kindNames: Readonly<Record<Kind, { readonly one: string; readonly many: string; readonly icon: string }>> = {
  decision: { one: 'Decision', many: 'Decisions', icon: 'law' },
  constraint: { one: 'Constraint', many: 'Constraints', icon: 'shield' },
  preference: { one: 'Preference', many: 'Preferences', icon: 'heart' },
  lesson: { one: 'Lesson', many: 'Lessons', icon: 'mortar-board' },
  workflow: { one: 'Workflow', many: 'Workflows', icon: 'list-ordered' },
  fact: { one: 'Fact', many: 'Facts', icon: 'info' },
};

export const stateNames: Readonly<Record<State, string>> = {
  pending: 'Waits for review',
  active: 'Stands',
  contested: 'Contested',
  superseded: 'Replaced',
  retired: 'Retired',
  rejected: 'Rejected',
  amended: 'Approved in other words',
  expired: 'Set aside',
  forgotten: 'Forgotten',
};

/** What an act has done, as the start of a sentence. */
export const done: Readonly<Record<PersonAct['act'], string>> = {
  approve: 'Approved',
  amend: 'Approved in your words',
  reject: 'Rejected',
  lapse: 'Set aside',
  retire: 'Retired',
  supersede: 'Replaced',
  limit: 'Narrowed',
  contest: 'Marked as contested',
  resolve: 'Resolved',
  restore: 'Restored',
  undo: 'Taken back',
  accept: 'Challenge accepted',
  decline: 'Challenge declined',
  stillRight: 'Still right',
  lift: 'Allowed again',
  forget: 'Forgotten',
};

/** What has happened to a memory, as the start of a sentence that says by whom. */
export const actNames: Readonly<Record<HistoryEntry['act'], string>> = {
  propose: 'Proposed',
  save: 'Saved',
  approve: 'Approved',
  amend: 'Approved in other words',
  reject: 'Rejected',
  lapse: 'Set aside',
  expire: 'Expired',
  retire: 'Retired',
  supersede: 'Replaced',
  limit: 'Narrowed',
  contest: 'Marked as contested',
  settle: 'Settled',
  restore: 'Restored',
  undo: 'Taken back',
  affirm: 'Confirmed',
  lift: 'Allowed again',
  forget: 'Forgotten',
};

/** What is wrong, as the second half of "Changed by something other than Stet: …". */
export const tamperings: Readonly<Record<Tampering, string>> = {
  unreadable: 'its record can no longer be read.',
  event_altered: 'an entry of its history was altered.',
  history_broken: 'its history does not fit together.',
  content_altered: 'its text, scope, anchors or dates are not the ones that were recorded.',
  key_unknown: 'it was signed with a key that is not trusted here.',
  signature_invalid: 'its signature does not belong to it.',
  state_altered: 'its state is not the one its history leads to.',
  index_altered: 'what search would find is not what it says.',
};

/** When, in the person's own format. */
export const when = (iso: string): string =>
  new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));

/** When, where there is little room: of today the time alone. */
export function timeOrDay(iso: string, now: Date): string {
  const then = new Date(iso);
  if (then.toDateString() !== now.toDateString()) return when(iso);
  return new Intl.DateTimeFormat(vscode.env.language, { timeStyle: 'short' }).format(then);
}

/** A day or instant of validity: midnight in UTC was given as a day. */
export const day = (iso: string): string =>
  iso.endsWith('T00:00:00.000Z')
    ? new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(iso))
    : when(iso);

export function validity({ validFrom, validTo }: Pick<Content, 'validFrom' | 'validTo'>): string | undefined {
  if (validFrom !== undefined && validTo !== undefined) return `from ${day(validFrom)} until ${day(validTo)}`;
  if (validFrom !== undefined) return `from ${day(validFrom)}`;
  return validTo === undefined ? undefined : `until ${day(validTo)}`;
}

/** Validity where the present lies outside it, for a row of a list. */
export function outsideValidity({ validFrom, validTo }: Pick<Content, 'validFrom' | 'validTo'>, now: Date): string | undefined {
  if (validFrom !== undefined && new Date(validFrom) > now) return `not before ${day(validFrom)}`;
  if (validTo !== undefined && new Date(validTo) <= now) return `no longer, since ${day(validTo)}`;
  return undefined;
}

export const origin = ({ provenance }: Content): string =>
  provenance.tag === 'stated' ? 'Stated by a person' : `Reported by ${provenance.client} ${provenance.clientVersion}`;

export const scopeName = (scope: string): string =>
  scope === 'workspace' ? 'The whole workspace' : scope === 'user' ? 'Everywhere' : scope.replace(/^path:/, '');

export function anchorName(anchor: Anchor): string {
  if ('symbol' in anchor) return `${anchor.symbol} in ${anchor.file}`;
  if ('file' in anchor) return anchor.file;
  if ('glob' in anchor) return anchor.glob;
  return anchor.folder === '' ? 'The whole folder' : `${anchor.folder}/`;
}

export function evidenceName(evidence: Evidence): string {
  switch (evidence.kind) {
    case 'file':
      return `${evidence.path}${linesName(evidence.startLine, evidence.endLine)}`;
    case 'commit':
      return `Commit ${evidence.sha.slice(0, 12)}`;
    case 'url':
      return evidence.url;
    case 'issue':
      return evidence.ref;
    case 'quote':
      return `${evidence.speaker}: “${evidence.text}”`;
    case 'memory':
      return `Memory ${evidence.id}`;
  }
}

function linesName(start: number | undefined, end: number | undefined): string {
  if (start === undefined) return end === undefined ? '' : `, up to line ${String(end)}`;
  return end === undefined || end === start ? `, line ${String(start)}` : `, lines ${String(start)} to ${String(end)}`;
}

/** Who signed, where `own` is this profile's key. */
export function signedBy(entry: HistoryEntry, own: string | undefined): string {
  if (entry.key === undefined) return entry.act === 'expire' ? 'Stet' : 'an agent';
  return entry.key === own ? 'you' : `the holder of key ${entry.key.slice(0, 8)}`;
}

/** The act that made it stand. */
export const letStand = (memory: Reviewed): HistoryEntry | undefined =>
  memory.history.findLast(({ act, key }) => key !== undefined && (act === 'save' || act === 'approve' || act === 'restore'));

/** A text where `$(name)` would be drawn as an icon. */
export const withoutIcons = (text: string): string => text.replaceAll('$(', '\\$(');
