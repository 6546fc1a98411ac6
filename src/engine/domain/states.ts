/**
 * The transition table: which act leads from which state to which, and in whose name it may be done. The ledger knows the authority
 * of a policy and gives it nothing: no act names it.
 */
import { illegalTransition, notAuthorised } from '../errors';
import { states, type State } from './memory';

export type Authority = 'agent' | 'person' | 'policy' | 'system';

interface Transition {
  /** The states it may start from; `none` is a memory that does not exist yet. */
  readonly from: readonly (State | 'none')[];
  /** Where it may lead; `same` leaves the state as it was. */
  readonly to: readonly State[] | 'same';
  readonly by: readonly Authority[];
  /** The participle, for a sentence about it. */
  readonly participle: string;
}

const standing = ['active', 'contested'] as const;
const known = states.filter((state) => state !== 'forgotten');

export const transitions = {
  propose: { from: ['none'], to: ['pending'], by: ['agent'], participle: 'proposed' },
  /** A person's own memory. It contests at once where its claim says otherwise than one that stands. */
  save: { from: ['none'], to: standing, by: ['person'], participle: 'saved' },
  approve: { from: ['pending', 'expired'], to: standing, by: ['person'], participle: 'approved' },
  /** The person let stand another wording of it. */
  amend: { from: ['pending', 'expired'], to: ['amended'], by: ['person'], participle: 'amended' },
  /** Never again: it was never right. */
  reject: { from: known.filter((state) => state !== 'rejected'), to: ['rejected'], by: ['person'], participle: 'rejected' },
  /** Not now. */
  lapse: { from: ['pending'], to: ['expired'], by: ['person'], participle: 'set aside' },
  expire: { from: ['pending'], to: ['expired'], by: ['system'], participle: 'expired' },
  /** It held, and holds no longer. */
  retire: { from: standing, to: ['retired'], by: ['person'], participle: 'retired' },
  supersede: { from: standing, to: ['superseded'], by: ['person'], participle: 'superseded' },
  /** Narrows where or when it holds; an end that lies in the future keeps it standing until then. */
  limit: { from: standing, to: 'same', by: ['person'], participle: 'narrowed' },
  contest: { from: standing, to: ['contested'], by: ['person'], participle: 'contested' },
  /** The end of a contest in which it goes on standing. */
  settle: { from: ['contested'], to: ['active'], by: ['person'], participle: 'settled' },
  restore: { from: ['retired', 'superseded'], to: standing, by: ['person'], participle: 'restored' },
  /** Takes back the act before it, when nothing has happened since. */
  undo: { from: known.filter((state) => state !== 'amended'), to: states.filter((state) => state !== 'forgotten' && state !== 'amended'), by: ['person'], participle: 'undone' }, // prettier-ignore
  /** A person's answer to a question about it that leaves it as it is: a challenge declined, or drifted evidence found still right. */
  affirm: { from: standing, to: 'same', by: ['person'], participle: 'affirmed' },
  /** Lets its value be proposed again. */
  lift: { from: ['rejected', 'forgotten'], to: 'same', by: ['person'], participle: 'allowed again' },
  forget: { from: known, to: ['forgotten'], by: ['person'], participle: 'forgotten' },
} as const satisfies Record<string, Transition>;

/** Everything that changes a memory, or says something of it that is kept. */
export type Act = keyof typeof transitions;

/** Acts that a person signs. */
export type SignedActName = Exclude<Act, 'propose' | 'expire'>;
export const signedActs = Object.keys(transitions).filter((act): act is SignedActName => act !== 'propose' && act !== 'expire');

/** States whose memories agents may read. */
export const servedStates: readonly State[] = standing;

/** States of what a person once let stand and then withdrew, without saying that it was never right. */
export const withdrawnStates: readonly State[] = ['superseded', 'retired'];

/**
 * Checks one step.
 * @throws `illegal_transition` when the act cannot start from that state or lead to that one, `not_authorised` when this authority
 * may not do it.
 */
export function checkTransition(act: Act, from: State | 'none', to: State, authority: Authority): void {
  const transition: Transition = transitions[act];
  if (!transition.by.includes(authority)) throw notAuthorised(transition.participle, authority);
  const leads = transition.to === 'same' ? to === from : transition.to.includes(to);
  if (!transition.from.includes(from) || !leads) throw illegalTransition(transition.participle, from);
}

/** Whether the act could start from this state. */
export const mayStart = (act: Act, from: State): boolean => (transitions[act] as Transition).from.includes(from);
