/** What a look at a whole store has found, in words for a person, with what they can do about it. */
import type { CarriedOver, Finding, Health, Rebuilt, StoreState } from '../engine';

export interface Verdict {
  readonly sound: boolean;
  /** One sentence where something is wrong. */
  readonly text: string;
  /** What it means and what to do about it, where there is anything to do; empty otherwise. */
  readonly next: string;
  /** Whether a person may go on with the store as it is, once they know what is missing. */
  readonly mayAccept: boolean;
  /** Whether rebuilding would put it right. */
  readonly mayRebuild: boolean;
}

const nothingToDo = { next: '', mayAccept: false, mayRebuild: false } as const;

/** @param name the store's, for the start of a sentence. */
export function verdictOn(state: StoreState, name: string): Verdict {
  switch (state.is) {
    case 'intact':
      return { sound: true, text: intact(state, name), ...nothingToDo };
    case 'broken':
      return {
        sound: false,
        text: `The record of ${name} is broken at entry ${String(state.at)}: ${faults[state.why]}`,
        next: 'Restore a backup from before that. What no entry vouches for is not served to agents.',
        mayAccept: false,
        mayRebuild: false,
      };
    case 'truncated':
      return {
        sound: false,
        text: `The end of the record of ${name} was cut off: ${gone(state.signed - state.length)} after entry ${String(state.length)}.`,
        next: lostNext,
        mayAccept: true,
        mayRebuild: false,
      };
    case 'rolled_back':
      return {
        sound: false,
        text: `An older copy of ${name} was put back: it ends at entry ${String(state.length)}, and entry ${String(state.signed)} was there before.`,
        next: lostNext,
        mayAccept: true,
        mayRebuild: false,
      };
    case 'forked':
      return {
        sound: false,
        text: `The record of ${name} is not the one that was signed here: entry ${String(state.at)} was another.`,
        next: lostNext,
        mayAccept: true,
        mayRebuild: false,
      };
    case 'cancelled':
      return { sound: true, text: `Stopped after ${entries(state.done)} of ${name}; no fault until there.`, ...nothingToDo };
  }
}

/** The head beside the keys cannot be read: what it vouched for has to be said anew. */
export const headLost = (name: string): Verdict => ({
  sound: false,
  text: `The signed note of the newest entry of ${name} is damaged, so it cannot be told whether the record was cut off.`,
  next: lostNext,
  mayAccept: true,
  mayRebuild: false,
});

export function damaged(health: Health, name: string): Verdict | undefined {
  return health.sound
    ? undefined
    : {
        sound: false,
        text: `The file of ${name} is damaged.`,
        next: 'Nothing was overwritten. Restore a backup; the damaged file is set aside.',
        mayAccept: false,
        mayRebuild: false,
      };
}

/** What the rows say beside the record, where the record itself is whole. */
export function afterIntegrity(verdict: Verdict, findings: readonly Finding[], name: string): Verdict {
  const count = (is: Finding['is']) => findings.filter((finding) => finding.is === is).length;
  const tampered = findings.filter((finding) => finding.is === 'tampered' && finding.why !== 'key_unknown').length;
  const wrong = [
    ...sentence(count('hidden'), 'is shown nowhere, since its row is gone', 'are shown nowhere, since their rows are gone'),
    ...sentence(count('differs'), 'is not where its record puts it', 'are not where their records put them'),
    ...sentence(
      count('unburied'),
      'was rejected or forgotten and could be proposed again',
      'were rejected or forgotten and could be proposed again',
    ),
    ...sentence(count('gone'), 'is gone with its words', 'are gone with their words'),
  ];
  const marked = sentence(
    tampered,
    'was changed by something other than Stet and is not served',
    'were changed by something other than Stet and are not served',
  );
  if (wrong.length === 0) return { ...verdict, text: [verdict.text, ...marked].join(' ') };
  const mayRebuild = findings.some(({ is }) => is === 'hidden' || is === 'differs' || is === 'unburied');
  return {
    sound: false,
    text: `The rows of ${name} are not what its record says.`,
    next: [...wrong, ...marked, mayRebuild ? 'Rebuilding puts right what the record knows.' : 'A backup may still have them.'].join(' '),
    mayAccept: false,
    mayRebuild,
  };
}

/** @returns nothing for a count of none. */
const sentence = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [count === 1 ? `1 memory ${one}.` : `${String(count)} memories ${many}.`];

export function rebuiltWords({ memories, repaired, left, lost }: Rebuilt, name: string): string {
  const rows = Object.values(repaired).reduce((sum, count) => sum + count, 0);
  return [
    rows === 0
      ? `${name}: everything was as its record says.`
      : `${name}: ${rows === 1 ? '1 row was' : `${String(rows)} rows were`} put right.`,
    memories === 1 ? '1 memory was looked at.' : `${String(memories)} memories were looked at.`,
    ...sentence(
      left.length,
      'was left as it is, since its record is not sound',
      'were left as they are, since their records are not sound',
    ),
    ...sentence(lost.length, 'has lost what no record can bring back', 'have lost what no record can bring back'),
  ].join(' ');
}

/** What became of the person's own decisions when a backup was put back. */
export function carriedWords(carried: CarriedOver): string {
  if (carried.is === 'done')
    return [
      'What you rejected or forgot since stays so.',
      ...sentence(
        carried.undecided.length,
        'could not be decided on again and is not served',
        'could not be decided on again and are not served',
      ),
    ].join(' ');
  switch (carried.because) {
    case 'no_store':
      return 'No store was there any more, so what was rejected or forgotten after the backup may be proposed again.';
    case 'unreadable':
      return 'The former store could not be read, so what was rejected or forgotten after the backup may be proposed again.';
    case 'other_store':
      return 'The former store was another one, so nothing that was rejected or forgotten in it is known here.';
  }
}

const lostNext = 'Agents are served nothing of it until you restore a backup or accept the store as it is.';

function intact({ length, unknownKeys }: Extract<StoreState, { is: 'intact' }>, name: string): string {
  const fits = `${name}: ${entries(length)}, each as it was written${length === 0 ? '' : ' and signed'}.`;
  if (unknownKeys.count === 0) return fits;
  const acts = unknownKeys.count === 1 ? '1 decision is' : `${String(unknownKeys.count)} decisions are`;
  return `${fits} ${acts} signed with a key that is not trusted here, the first at entry ${String(unknownKeys.first)}; what rests on that is not served.`;
}

const faults: Readonly<Record<Extract<StoreState, { is: 'broken' }>['why'], string>> = {
  missing: 'an entry is missing.',
  altered: 'the entry was altered.',
  unlinked: 'the entry does not follow the one before it.',
  misfiled: 'the entry is filed under another memory.',
  other_store: 'the entry was signed for another store.',
  signature_invalid: 'the signature does not belong to it.',
};

const gone = (count: number): string => (count === 1 ? '1 entry is gone' : `${String(count)} entries are gone`);
const entries = (count: number): string => (count === 1 ? '1 entry' : `${String(count)} entries`);
