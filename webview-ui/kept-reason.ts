/** The reason that is being written for a decision, kept for when the page is drawn anew, as after another tab was shown. */
import { host } from './host';

export interface KeptReason {
  /** Of the memory that it is about. */
  readonly id: string;
  readonly decision: 'reject' | 'retire';
  readonly text: string;
}

export function keepReason(reason: KeptReason): void {
  host.setState({ reason });
}

export function forgetReason(): void {
  host.setState(undefined);
}

/** What was written about this memory. */
export function keptReason(id: string): KeptReason | undefined {
  const state = host.getState() as { readonly reason?: KeptReason } | undefined;
  return state?.reason?.id === id ? state.reason : undefined;
}
