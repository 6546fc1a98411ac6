/**
 * A memory's value in one spelling, so that the same thing said again in other letters is known to be the same.
 * The form is versioned: a key is only compared with keys of its own version, and no version is ever removed.
 */
import { canonicalJson, saltedHash } from './canonical';
import type { Content } from './memory';

export const valueFormVersion = 1;

/** Characters that are not seen: format characters (bidi, joiners, tags), variation selectors, soft hyphen, fillers. */
const unseen = /[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F\uFFA0\u{E0100}-\u{E01EF}]/gu;

/** Version 1: NFKC, unseen characters removed, case folded, white space collapsed, closing `. ! …` dropped. */
export function canonicalText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(unseen, '')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[.!…\s]+$/u, '');
}

/**
 * The key under which an exact duplicate is found: what holds, where, when and under which condition, but not how it is titled,
 * explained or evidenced. Salted with the store's own salt (hex), so that keys of two stores cannot be compared.
 */
export function valueKey(storeSalt: string, content: Content): string {
  const { kind, scope, statement, appliesWhen, steps, claim, validFrom, validTo } = content;
  return saltedHash(
    storeSalt,
    canonicalJson({
      form: valueFormVersion,
      kind,
      scope,
      statement: canonicalText(statement),
      appliesWhen: appliesWhen === undefined ? null : canonicalText(appliesWhen),
      steps: steps.map(canonicalText),
      claim: claim === undefined ? null : [claim.subject, claim.predicate, claim.object].map(canonicalText),
      validFrom: validFrom ?? null,
      validTo: validTo ?? null,
    }),
  );
}
