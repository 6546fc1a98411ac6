/**
 * A memory's value in one spelling, so that the same thing said again in other letters is known to be the same.
 * The form is versioned: a key is only compared with keys of its own version, and no version is ever removed.
 */
import { canonicalJson, saltedHash } from './canonical';
import { withoutLookAlikes } from './look-alikes';
import { codeSpan, markdownWords } from './markdown-words';
import type { Claim, Content } from './memory';

export const valueForms = [1, 2] as const;
export type ValueForm = (typeof valueForms)[number];

/** The form that new keys are made in. */
export const valueFormVersion: ValueForm = 2;

/**
 * A text's canonical form.
 * 1: NFKC, unseen characters removed, case folded, white space collapsed, closing `. ! …` dropped.
 * 2: the same with Markdown stripped, look-alikes folded, digits of all scripts as ASCII ones, and numbers that NFKC would run
 * together kept apart (`2⁵`, `1½`). A form taken again is the same form.
 */
export function canonicalText(text: string, version: ValueForm = valueFormVersion): string {
  return version === 1 ? firstForm(text) : secondForm(text);
}

/** A claim's part in the same form as a statement. */
export const claimText = (part: string): string => canonicalText(part);

/** Texts joined so that no other list of texts has the same joint form. */
export const lengthPrefixed = (parts: readonly string[]): string => parts.map((part) => `${part.length}:${part}`).join('');

/** One key of a value: which of its sides, in which form, and the digest (HMAC-SHA256 under the store's salt, hex). */
export interface ValueDigest {
  readonly kind: 'statement' | 'claim';
  readonly form: ValueForm;
  readonly digest: string;
}

/**
 * The keys of a value in every form there is: those that a tombstone stores, and those that a new value is looked up by. They hold no
 * scope, which stands beside them.
 * @param storeSalt the store's own salt, hex, so that keys of two stores cannot be compared.
 */
export function valueDigests(storeSalt: string, value: Value): readonly ValueDigest[] {
  return valueForms.flatMap((form) => {
    const { statement, claim } = spelled(value, form);
    return [
      digestOf(storeSalt, 'statement', form, [statement]),
      ...(claim === undefined ? [] : [digestOf(storeSalt, 'claim', form, claim)]),
    ];
  });
}

type Value = Pick<Content, 'statement' | 'claim'>;

interface Spelled {
  readonly statement: string;
  /** Subject, predicate and object. */
  readonly claim: readonly string[] | undefined;
}

/**
 * Several gates ask for the keys of the same content, under the salts of two stores, and spelling is what they cost. A form is worked
 * out once and goes with the content it is of.
 */
const spellings = new WeakMap<Value, Map<ValueForm, Spelled>>();

function spelled(value: Value, form: ValueForm): Spelled {
  const known = spellings.get(value) ?? new Map<ValueForm, Spelled>();
  spellings.set(value, known);
  const { statement, claim } = value;
  const one = known.get(form) ?? {
    statement: canonicalText(statement, form),
    claim: claim && [claim.subject, claim.predicate, claim.object].map((part) => canonicalText(part, form)),
  };
  known.set(form, one);
  return one;
}

function digestOf(storeSalt: string, kind: ValueDigest['kind'], form: ValueForm, parts: readonly string[]): ValueDigest {
  return { kind, form, digest: keyed(storeSalt, kind, form, parts) };
}

/** @param parts in the canonical form named. */
const keyed = (storeSalt: string, what: string, form: ValueForm, parts: readonly string[]): string =>
  saltedHash(storeSalt, lengthPrefixed([what, String(form), ...parts]));

/** The key of the slot that a claim fills, in the present form. @param storeSalt hex. */
export const slotKey = (storeSalt: string, subject: Claim['subject'], predicate: Claim['predicate']): string =>
  keyed(storeSalt, 'slot', valueFormVersion, [subject, predicate].map(claimText));

/** The key of what a claim fills its slot with, in the present form. @param storeSalt hex. */
export const objectKey = (storeSalt: string, object: Claim['object']): string =>
  keyed(storeSalt, 'object', valueFormVersion, [claimText(object)]);

/**
 * The key under which an exact duplicate is found: what holds, where, when and under which condition, but not how it is titled,
 * explained or evidenced. Salted with the store's own salt (hex), so that keys of two stores cannot be compared.
 */
export function valueKey(storeSalt: string, content: Content): string {
  const { kind, scope, appliesWhen, steps, validFrom, validTo } = content;
  const { statement, claim } = spelled(content, valueFormVersion);
  return saltedHash(
    storeSalt,
    canonicalJson({
      form: valueFormVersion,
      kind,
      scope,
      statement,
      appliesWhen: appliesWhen === undefined ? null : canonicalText(appliesWhen),
      steps: steps.map((step) => canonicalText(step)),
      claim: claim ?? null,
      validFrom: validFrom ?? null,
      validTo: validTo ?? null,
    }),
  );
}

/** Characters that the first form takes for unseen. */
const firstUnseen = /[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F\uFFA0\u{E0100}-\u{E01EF}]/gu;

function firstForm(text: string): string {
  return text
    .normalize('NFKC')
    .replace(firstUnseen, '')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/(?<![.!…\s])[.!…\s]+$/u, '');
}

/** The rounds in which texts settle; what has more layers of escapes than that is no longer a spelling of something. */
const mostRounds = 5;

/** Taking marks off can bring up others (`&lt;`, `\*`), so it is done until nothing changes. */
function secondForm(text: string): string {
  const settled = settle(text, withoutMarks);
  if (settled !== undefined) return settled;
  const plain = settle(text, plainLine) ?? plainLine(text);
  return settle(plain, withoutMarks) ?? codeSpan(plain);
}

function settle(text: string, step: (text: string) => string): string | undefined {
  let now = text;
  for (let round = 0; round <= mostRounds; round += 1) {
    const next = step(now);
    if (next === now) return now;
    now = next;
  }
  return undefined;
}

const plainLine = (text: string) => ending(plainCharacters(text));

function withoutMarks(text: string): string {
  const plain = plainCharacters(text);
  const words = markdownWords(plain);
  return ending(words === '' ? plain : words);
}

/** White space collapsed and the closing `. ! …` dropped, unless there is nothing else. */
function ending(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.replace(/(?<![.!…。\s])[.!…。\s]+$/u, '') || line;
}

/**
 * Format, ignorable and control characters, and letters that draw nothing. Arabic and other signs that stand before a number are
 * format characters that are seen.
 */
const unseen =
  /(?![\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]|(?![\t-\r\u0085])\p{Cc}/gu;

/** Characters in one spelling and one case; lines stay lines. */
function plainCharacters(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.replace(unseen, '').replace(lineEnd, '\n').toLowerCase();
  const spelled = apart(text.replace(unseen, ''))
    .normalize('NFKC')
    .replace(unseen, '')
    .replace(lineEnd, '\n')
    .replace(/\p{Zs}/gu, ' ');
  return caseFolded(withoutLookAlikes(spelled)).normalize('NFKC');
}

const lineEnd = /\r\n?|[\v\f\u0085\u2028\u2029]/gu;

/** Full case folding: `ß` is `ss`, and a closing sigma is a sigma. */
const caseFolded = (text: string) => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');

const raised = /[²³¹⁰⁴-⁾ʰ-ʸˠ-ˤᴬ-ᵡᵸᶛ-ᶿⁱⁿⱽ]+/gu;
const lowered = /[₀-₎ₐ-ₜᵢ-ᵪⱼ]+/gu;
const compatibleNumber = /(?![\p{Nd}²³¹⁰⁴-⁹₀-₉])[\p{No}\p{Nl}]/gu;

/** Keeps what NFKC would run together apart: powers and indices behind `^` and `_`, other numbers behind a space. */
function apart(text: string): string {
  return text
    .replace(compatibleNumber, (number, at: number) => {
      const spelled = number.normalize('NFKC');
      const before = /[\p{N}.,]$/u.test(text.slice(Math.max(0, at - 2), at)) && /^\d/.test(spelled) ? ' ' : '';
      const after = /^\p{N}/u.test(text.slice(at + number.length, at + number.length + 2)) && /\d$/.test(spelled) ? ' ' : '';
      return `${before}${number}${after}`;
    })
    .replace(raised, (run, at: number, whole: string) => marked('^', run, at, whole))
    .replace(lowered, (run, at: number, whole: string) => marked('_', run, at, whole));
}

/** Small letters that begin a word are letters in a small type; after something they say a power or an index of it. */
function marked(mark: string, run: string, at: number, whole: string): string {
  if (/^\p{L}/u.test(run) && !/[\p{L}\p{N})\]}]$/u.test(whole.slice(Math.max(0, at - 2), at))) return run;
  return `${mark}${run}${/^[\p{L}\p{N}]/u.test(whole.slice(at + run.length, at + run.length + 2)) ? ' ' : ''}`;
}
