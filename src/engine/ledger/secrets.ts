/**
 * Secrets in texts that would be stored: secretlint's recommended rules and a few of our own, all of them patterns. Random-looking
 * text alone is no finding, since ids, hashes and names are ordinary in decisions. No finding holds the text that was found.
 */
import type { rules as recommended } from '@secretlint/secretlint-rule-preset-recommend';

/** The first secret in any of the texts: the field that holds its beginning, and the rule that found it. */
export async function secretIn(
  texts: readonly { readonly field: string; readonly text: string }[],
): Promise<{ readonly field: string; readonly rule: string } | undefined> {
  const [first] = await secretsOf(texts.map(({ text }) => text).join('\n'));
  if (first === undefined) return undefined;
  let end = 0;
  const holder = texts.find(({ text }) => (end += text.length + 1) > first.from);
  return { field: holder?.field ?? '', rule: first.rule };
}

/** The text with each secret replaced in full by `[secret: rule]`. */
export async function maskSecrets(text: string): Promise<string> {
  let masked = '';
  let from = 0;
  for (const secret of await secretsOf(text)) {
    if (secret.to <= from) continue;
    masked += `${text.slice(from, Math.max(from, secret.from))}[secret: ${secret.rule}]`;
    from = secret.to;
  }
  return masked + text.slice(from);
}

interface Secret {
  readonly rule: string;
  /** In UTF-16 units; `to` is the first that is no longer the secret's. */
  readonly from: number;
  readonly to: number;
}

/** All findings, by where they begin; they may overlap. */
async function secretsOf(text: string): Promise<readonly Secret[]> {
  const found = [...(await recommendedFindings(text)), ...ownFindings(text)];
  return found.sort((one, other) => one.from - other.from || other.to - one.to);
}

type Rule = (typeof recommended)[number];
type RuleContext = Parameters<Rule['create']>[0];
type RuleSource = Parameters<NonNullable<ReturnType<Rule['create']>['file']>>[0];

/** The rule by which a text can switch off the others, which none of ours may. */
const directives = '@secretlint/secretlint-rule-filter-comments';

/**
 * The rules are run here, and not by secretlint's own core, which keeps every run's timing marks for as long as the process lives and
 * obeys the directives. They are loaded at the first scan: a process that only reads never pays for them.
 */
async function recommendedFindings(text: string): Promise<readonly Secret[]> {
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend');
  const found: Secret[] = [];
  const scanned = rules
    .filter(({ meta }) => meta.id !== directives)
    .map(async (rule) => {
      const context: RuleContext = {
        sharedOptions: {},
        // A rule's own message may quote what it found, so none is ever made.
        createTranslator: () => (messageId) => ({ message: '', messageId: String(messageId), data: undefined }),
        report: ({ range: [from, to] }) => found.push({ rule: rule.meta.id.replace(/^.*rule-/, ''), ...wholeToken(text, from, to) }),
        ignore: () => undefined,
      };
      await rule.create(context, {}).file?.(asSource(text));
    });
  await Promise.all(scanned);
  return found;
}

/** What rules read of a source. Under this name also the registry tokens of npm are looked for, which belong to such a file. */
const asSource = (content: string) => ({ content, filePath: '.npmrc', contentType: 'text', ext: '' }) as RuleSource;

/** Some rules stop at the first dot of a key; a secret reaches as far as its characters do. */
function wholeToken(text: string, from: number, to: number): { readonly from: number; readonly to: number } {
  let [start, end] = [from, to];
  while (start > 0 && /[\w.~+/-]/.test(text.charAt(start - 1))) start -= 1;
  while (end < text.length && /[\w.~+/=-]/.test(text.charAt(end))) end += 1;
  while (end > to && text.charAt(end - 1) === '.') end -= 1;
  return { from: start, to: end };
}

interface OwnRule {
  readonly rule: string;
  /** What it looks for; a group named `value` is the secret, and otherwise all of it is. */
  readonly pattern: RegExp;
  readonly isSecret?: (value: string) => boolean;
}

const value = String.raw`(?<value>"[^"\r\n]+"|'[^'\r\n]+'|\`[^\`\r\n]+\`|[^\s"'\`,;]+)`;
const assigned = String.raw`\\?["'\`]?[ \t]{0,4}(?:=>|:=|={1,2}|:)[ \t]{0,4}\\?`;

const ownRules: readonly OwnRule[] = [
  {
    rule: 'private-key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,16000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})*)/g,
  },
  // The id is half of a key, and its other half has no shape of its own.
  { rule: 'aws', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, isSecret: (found) => !found.endsWith('EXAMPLE') },
  { rule: 'jwt', pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]{6,}){1,3}/g },
  {
    rule: 'api-key',
    pattern: /\b(?:[sr]k[-_]|ya29\.|AIza|whsec_)[\w.-]{16,}/g,
    isSecret: (found) => (found.match(/\d/g)?.length ?? 0) > 1,
  },
  {
    rule: 'authorization',
    pattern:
      /\b(?:bearer|basic|authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:token|apikey|digest|bearer|basic)?)\s{1,4}(?<value>[\w.~+/-]{12,}=*)/gi,
    isSecret: (found) => isMixed(found) && isReal(found),
  },
  {
    rule: 'password',
    pattern: new RegExp(String.raw`(?:passw(?:or)?d|passphrase|pwd)(?:_?\d{1,2})?${assigned}${value}`, 'gi'),
    isSecret: (found) => found.length >= 6 && isReal(found),
  },
  {
    rule: 'secret-assignment',
    pattern: new RegExp(
      String.raw`(?:secret|(?:api|access|auth|private|secret|encryption|signing)[ _-]?(?:key|token))(?:_?\d{1,2})?${assigned}${value}`,
      'gi',
    ),
    isSecret: (found) => found.length >= 8 && isReal(found),
  },
  {
    rule: 'key-assignment',
    pattern: new RegExp(
      String.raw`(?<=_)(?<!(?:PUBLIC|PRIMARY|FOREIGN|CACHE|SORT|PARTITION|INDEX)_)(?:KEY|TOKEN|PASS|CREDENTIALS?)[ \t]{0,4}=[ \t]{0,4}${value}`,
      'g',
    ),
    isSecret: (found) => found.length >= 12 && isMixed(found) && isReal(found),
  },
];

function ownFindings(text: string): readonly Secret[] {
  return ownRules.flatMap(({ rule, pattern, isSecret }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: whole, index, groups }) => {
      const found = groups?.['value'] ?? whole;
      if (isSecret !== undefined && (isElided(found) || !isSecret(bare(found)))) return [];
      return [{ rule, from: index + whole.length - found.length, to: index + whole.length }];
    }),
  );
}

/** A value without its quotes, and without what closes the sentence around it. */
const bare = (found: string) =>
  /^(["'`]).*\1$/.test(found) ? found.slice(1, -1) : found.replace(/(?<!["')\]}>.!?])\\?["')\]}>.!?]+$/, '');

const isElided = (found: string) => /(?:\.{3}|…)\W*$/.test(found.slice(-6));

const isMixed = (found: string) => /\d/.test(found) && /[A-Za-z]/.test(found);

/** Whether an assigned value could be a secret, and is not the place of one, a name, a type or an ordinary word. */
function isReal(found: string): boolean {
  if (notReal.some((pattern) => pattern.test(found))) return false;
  if (/^\d+$/.test(found) || isMixed(found)) return true;
  return found.length >= 8 && /[A-Za-z]/.test(found) && /[!@#$%^&*+?~]/.test(found) && !/\s/.test(found);
}

const notReal: readonly RegExp[] = [
  // placeholders: <your password>, ${SECRET}, $SECRET, {{ secret }}, %SECRET%, ****, xxxx
  /^(?:[<[({]|\$[{(A-Za-z_]|%\w+%)/,
  /\$\{|\{\{|<[^<>]*>/,
  /^(.)\1*$/,
  /^(?:your|example|sample|dummy|fake|placeholder|change[_-]?me|redacted|todo|xxx|\.\.\.|\*\*)/i,
  // code: process.env.X, import.meta.env.X, config.apiKey, z.string().min(32), secrets[0]
  /^[A-Za-z_$][A-Za-z_$]*(?:\??\.(?:[A-Za-z_$]+|[A-Z_]*\d[A-Z\d_]*))+$/,
  /^(?:process\.env|import\.meta|os\.environ|env|secrets|vars)\b/,
  /^[A-Za-z_$][\w$.]*[([]/,
  // where it is kept, and not what it is: vault:kv/app, model-1_api-key
  /^(?=.*(?:key|secret|token|passw|cred|name|ref))[a-z]+(?:[-_.:/](?:[a-z]+\d?|\d{1,2}))+$/i,
  /^(?:\w[\w+.-]*:\/\/|\.{0,2}\/|~\/|(?:arn|vault|ssm|env|file|ref):)/,
  // types, algorithms, versions, dates, counts
  /^(?:u?int|float|big(?:u?int)?|base|utf-?|oauth|sha-?|md|ed|x|[erhp]s|aes-?|argon|pbkdf|[bs]crypt-?|rsa-?|hmac-?)\d{1,5}[A-Za-z_<>[\]-]*$/i,
  /^v?\d+(?:\.\d+)+$/,
  /^\d{4}-\d\d-\d\d/,
  /^\d+[-–]?[A-Za-z]+(?:-[A-Za-z]+)*$/,
];
