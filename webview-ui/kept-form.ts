/** What stands in an act's form, kept for when the page is drawn anew, as after another tab was shown. */
import { host } from './host';

export interface KeptForm {
  /** What it is about: a memory's id, or the kind of the sheet. */
  readonly id: string;
  /** Of the act. */
  readonly key: string;
  readonly values: Readonly<Record<string, string>>;
}

export function keepForm(form: KeptForm): void {
  host.setState({ form });
}

export function dropForm(): void {
  host.setState(undefined);
}

/** What was written about this. */
export function keptForm(id: string): KeptForm | undefined {
  const state = host.getState() as { readonly form?: KeptForm } | undefined;
  return state?.form?.id === id ? state.form : undefined;
}
