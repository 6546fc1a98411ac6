/** Where on the save page's form a refusal of the engine belongs, in the form's own words. */
import type { StetError } from '../engine';
import type { SavePart } from './page-messages';
import { saveLabels } from './save-labels';

export interface SaveProblem {
  readonly part: SavePart;
  readonly text: string;
}

/** The engine's fields that the form calls something else. */
const otherNames: Readonly<Record<string, SavePart>> = { anchors: 'appliesTo', evidence: 'lines' };

/** The parts of a claim are fields of their own on the form. */
const inClaim = /^"claim\.(?<part>subject|predicate|object|cardinality)"/;

/** @returns undefined when the refusal is about no part of the form. */
export function saveProblem({ code, message }: Pick<StetError, 'code' | 'message'>): SaveProblem | undefined {
  // Such as `"anchors.0.file": is empty.`
  const named = /^"(?<field>[A-Za-z]+)(?:\.(?<index>\d+))?[^"]*":? (?<rest>.*)$/s.exec(message)?.groups;
  const part = partNamed(inClaim.exec(message)?.groups?.['part'] ?? named?.['field'] ?? '');
  if (part !== undefined) {
    const line = named?.['index'] === undefined || part === 'lines' ? '' : `, line ${String(Number(named['index']) + 1)},`;
    return { part, text: `“${saveLabels[part]}”${line} ${inOwnWords(named?.['rest'] ?? '')}` };
  }
  // The form's only evidence is the selected lines.
  return code === 'evidence_unresolved' || code === 'path_refused' ? { part: 'lines', text: message } : undefined;
}

function partNamed(field: string): SavePart | undefined {
  if (Object.hasOwn(saveLabels, field)) return field as SavePart;
  return otherNames[field];
}

/** A sentence of the engine's with the form's names for its fields. */
const inOwnWords = (text: string) =>
  text.replace(/\b(?:validFrom|validTo|appliesWhen)\b/g, (field) => `“${saveLabels[field as SavePart]}”`);
