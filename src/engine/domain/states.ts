/** The transition table: which act leads from which state to which. Who may act is the commands' own form: only a signer decides. */
import { illegalTransition } from '../errors';
import type { State } from './memory';

/** Everything that changes a memory's state. */
export type Act = 'propose' | 'save' | 'approve' | 'reject' | 'retire';

/** Acts that a person decides on a memory that is already there. */
export type Decision = 'approve' | 'reject' | 'retire';

interface Transition {
  /** The states it may start from; `none` is a memory that does not exist yet. */
  readonly from: readonly (State | 'none')[];
  readonly to: State;
  /** The participle, for a sentence about it. */
  readonly participle: string;
}

export const transitions = {
  propose: { from: ['none'], to: 'pending', participle: 'proposed' },
  save: { from: ['none'], to: 'active', participle: 'saved' },
  approve: { from: ['pending'], to: 'active', participle: 'approved' },
  reject: { from: ['pending', 'active', 'retired'], to: 'rejected', participle: 'rejected' },
  retire: { from: ['active'], to: 'retired', participle: 'retired' },
} as const satisfies Record<Act, Transition>;

/** States whose memories agents may read. */
export const servedStates: readonly State[] = ['active'];

/**
 * The state that an act leads to.
 * @throws `illegal_transition` when the act cannot start from that state.
 */
export function nextState(act: Act, from: State | 'none'): State {
  const transition: Transition = transitions[act];
  if (!transition.from.includes(from)) throw illegalTransition(transition.participle, from);
  return transition.to;
}

/** Whether a person could decide this now. */
export const mayDecide = (decision: Decision, state: State): boolean => (transitions[decision] as Transition).from.includes(state);
