/** What a look at a whole store has found, in words for a person, with what they can do about it. */
import type { Health, StoreState } from '../engine';

export interface Verdict {
  readonly sound: boolean;
  /** One or two sentences. */
  readonly text: string;
  /** The next step, where there is one; empty otherwise. */
  readonly next: string;
  /** Whether a person may go on with the store as it is, once they know what is missing. */
  readonly mayAccept: boolean;
}

/** @param name the store's, for the start of a sentence. */
export function verdictOn(state: StoreState, name: string): Verdict {
  switch (state.is) {
    case 'intact':
      return { sound: true, text: intact(state, name), next: '', mayAccept: false };
    case 'broken':
      return {
        sound: false,
        text: `The record of ${name} is broken at entry ${String(state.at)}: ${faults[state.why]}`,
        next: 'Restore a backup from before that. What no entry vouches for is not served to agents.',
        mayAccept: false,
      };
    case 'truncated':
      return {
        sound: false,
        text: `The end of the record of ${name} was cut off: ${entries(state.signed - state.length)} after entry ${String(state.length)} are gone.`,
        next: lostNext,
        mayAccept: true,
      };
    case 'rolled_back':
      return {
        sound: false,
        text: `An older copy of ${name} was put back: it ends at entry ${String(state.length)}, and entry ${String(state.signed)} was there before.`,
        next: lostNext,
        mayAccept: true,
      };
    case 'forked':
      return {
        sound: false,
        text: `The record of ${name} is not the one that was signed here: entry ${String(state.at)} was another.`,
        next: lostNext,
        mayAccept: true,
      };
    case 'cancelled':
      return { sound: true, text: `Stopped after ${entries(state.done)} of ${name}; no fault until there.`, next: '', mayAccept: false };
  }
}

/** The head beside the keys cannot be read: what it vouched for has to be said anew. */
export const headLost = (name: string): Verdict => ({
  sound: false,
  text: `The signed note of the newest entry of ${name} is damaged, so it cannot be told whether the record was cut off.`,
  next: lostNext,
  mayAccept: true,
});

export function damaged(health: Health, name: string): Verdict | undefined {
  return health.sound
    ? undefined
    : {
        sound: false,
        text: `The file of ${name} is damaged.`,
        next: 'Nothing was overwritten. Restore a backup; the damaged file is set aside.',
        mayAccept: false,
      };
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

const entries = (count: number): string => (count === 1 ? '1 entry' : `${String(count)} entries`);
