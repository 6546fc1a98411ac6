/** What became of a memory's evidence, in the words that people see. */
import type { EvidenceState } from '../engine';

/** Undefined where nothing was checked. */
export function evidenceWords(state: EvidenceState): { readonly name: string; readonly drifted: boolean } | undefined {
  switch (state?.state) {
    case 'intact':
      return { name: 'as it was', drifted: false };
    case 'moved':
      return { name: `now ${lines(state.startLine, state.endLine)}`, drifted: false };
    case 'changed':
      return { name: 'changed since', drifted: true };
    case 'missing':
      return { name: 'no longer there', drifted: true };
    case 'unverifiable':
      return { name: 'cannot be checked', drifted: false };
    case undefined:
      return undefined;
  }
}

const lines = (start: number, end: number) => (start === end ? `line ${String(start)}` : `lines ${String(start)} to ${String(end)}`);
