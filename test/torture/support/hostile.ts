/** What nobody in their right mind sends, made from what a server says its tools take. */
import fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

/** What exists where the calls go to, so that some of them meet something; and what exists and is not for them. */
export interface World {
  readonly ids: readonly string[];
  readonly paths: readonly string[];
  readonly commit: string;
  /** Answers that the caller was given, which held all of `ids`. */
  readonly recalls: readonly string[];
  /** What claims are about. */
  readonly subjects: readonly string[];
  readonly predicates: readonly string[];
  readonly words: readonly string[];
  readonly otherIds: readonly string[];
  readonly otherPaths: readonly string[];
}

const surrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));

const sql = [
  "' OR 1=1 --",
  "'; DROP TABLE memories; --",
  '%',
  '_',
  "x' UNION SELECT body FROM events --",
  '1; PRAGMA writable_schema=ON',
  '?1',
];
const fullText = [
  '"',
  '""',
  'tide AND',
  'NOT tide',
  'NEAR(tide quay, 2)',
  'title:tide',
  '{title body} : tide',
  'tide*',
  '^tide',
  '(tide',
  'tide)',
  '- tide',
  'tide + quay',
  'tide OR OR quay',
  'rank MATCH bm25(1)',
  '*',
];
const paths = [
  '..',
  '../..',
  'src/../../etc/passwd',
  '/etc/passwd',
  '/',
  '//server/share/x',
  'C:\\Windows\\system32\\config',
  'c:/windows',
  '\\\\server\\share\\x',
  '\\\\?\\C:\\x',
  'src\\..\\..\\x',
  'file:///etc/passwd',
  '~/.ssh/id_rsa',
  '.git/config',
  '.env',
  'CON',
  'src/a.ts:stream',
  'src/%2e%2e/x',
  'src/**/../../*',
  '[',
  '{a,b',
  '!(x)',
  '@(a|b',
  '--version',
];
const nearMisses = [
  'yesterday',
  '2026-02-30',
  '2026-01-01T10:00:00',
  '10000-01-01',
  '0000-01-01T00:00:00+23:59',
  '-000001-01-01T00:00:00Z',
  'user',
  'path:../x/',
  'path:/',
  'HEAD',
  'f'.repeat(40),
  'javascript:1',
  'https://',
  'https://user:pw@example.org',
  'http://[::1',
  'DECISION',
  'stated',
];
const prototypes = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON', 'valueOf'];
const curious = [
  '',
  ' ',
  '\n',
  '\r\n',
  '\u2028',
  '\0',
  'nothing\0here',
  '\ufeff',
  '\u202etxt.exe',
  'a\u200bb\u2060c',
  '\u{e0041}\u{e0042}',
  '👩‍👩‍👧‍👦 🏳️‍🌈',
  '潮汐の高さ',
  'ارتفاع',
  'Ꮯafé'.normalize('NFD'),
  'a\u0301'.repeat(200),
  '${7*7} {{7*7}} <script>alert(1)</script>',
  '%s%n%x',
  '[object Object]',
  'undefined',
  'NaN',
  'null',
  '1e309',
  '```\n<<<end>>>\n```',
];

/** Huge on purpose, and rare: a megabyte in pieces a tokenizer could choke on. */
const huge = fc.constantFrom(
  'x'.repeat(1_000_000),
  'tide '.repeat(200_000),
  '"'.repeat(300_000),
  '潮'.repeat(300_000),
  '../'.repeat(50_000),
);
const long = fc.constantFrom('x'.repeat(201), 'tide '.repeat(1_700), 'a-b.c/d '.repeat(900), '\u0301'.repeat(9_000), '../'.repeat(400));

/** Any text, with the ones that break things overrepresented. */
export const hostileText = (world: World): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...sql) },
    { weight: 5, arbitrary: fc.constantFrom(...fullText) },
    { weight: 5, arbitrary: fc.constantFrom(...paths) },
    { weight: 2, arbitrary: fc.constantFrom(...prototypes) },
    { weight: 5, arbitrary: fc.constantFrom(...curious) },
    { weight: 4, arbitrary: fc.constantFrom(...nearMisses) },
    { weight: 5, arbitrary: fc.constantFrom(...world.otherIds, ...world.otherPaths) },
    { weight: 3, arbitrary: fc.constantFrom(...world.ids, ...world.paths, ...world.words) },
    { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    { weight: 3, arbitrary: fc.string({ maxLength: 60 }) },
    { weight: 3, arbitrary: fc.array(fc.oneof(surrogate, fc.string({ maxLength: 4 })), { maxLength: 6 }).map((parts) => parts.join('')) },
    {
      weight: 4,
      arbitrary: fc.array(fc.constantFrom(...sql, ...fullText, ...curious, ...world.words), { maxLength: 5 }).map((all) => all.join(' ')),
    },
    { weight: 1, arbitrary: long },
  );

/** Values too deep for `JSON.stringify` stand as a marker until {@link asJson} writes them out. */
const deep = fc.constantFrom('list 100', 'list 3000', 'list 100000', 'object 3000').map((how) => `«deep ${how}»`);

/** Any value that JSON can hold. */
const anything = (world: World): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 8, arbitrary: hostileText(world) },
    { weight: 4, arbitrary: fc.constantFrom(null, true, false, 0, -1, 1.5, 1e9, Number.MAX_SAFE_INTEGER + 2, -0, 5e-324, 1.7e308) },
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    { weight: 2, arbitrary: fc.array(hostileText(world), { maxLength: 60 }) },
    { weight: 2, arbitrary: fc.dictionary(fc.constantFrom(...prototypes, 'id', 'kind', 'path'), hostileText(world), { maxKeys: 4 }) },
    { weight: 1, arbitrary: fc.oneof({ weight: 2, arbitrary: deep }, { weight: 1, arbitrary: huge }) },
  );

const date = fc.constantFrom(
  '2026-01-01',
  '2026-06-30T10:00:00Z',
  '2025-12-31T23:59:59.999+14:00',
  '2027-01-01',
  '0001-01-01',
  '9999-12-31',
);

const mostly = <T>(often: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: often }, { weight: 1, arbitrary: seldom });

/** What a caller would write into a field of this name, now and then by mistake; any words where the name says nothing. */
function goodText(name: string, world: World): fc.Arbitrary<string> {
  const words = fc.array(fc.constantFrom(...world.words), { minLength: 1, maxLength: 8 }).map((all) => all.join(' '));
  const known: Readonly<Record<string, fc.Arbitrary<string>>> = {
    id: mostly(fc.constantFrom(...world.ids), fc.constantFrom(...world.otherIds)),
    replaces: mostly(fc.constantFrom(...world.ids), fc.constantFrom(...world.otherIds)),
    with: mostly(fc.constantFrom(...world.ids), fc.constantFrom(...world.otherIds)),
    ids: mostly(fc.constantFrom(...world.ids), fc.constantFrom(...world.otherIds)),
    recallId: mostly(fc.constantFrom(...world.recalls), fc.uuid()),
    subject: mostly(fc.constantFrom(...world.subjects), words),
    predicate: mostly(fc.constantFrom(...world.predicates), words),
    path: mostly(fc.constantFrom(...world.paths), fc.constantFrom(...world.otherPaths, ...paths)),
    file: mostly(fc.constantFrom(...world.paths), fc.constantFrom(...world.otherPaths, ...paths)),
    folder: mostly(fc.constantFrom('src', 'src/billing', 'planned'), fc.constantFrom(...world.otherPaths, ...paths)),
    glob: mostly(fc.constantFrom('src/**', '**/*.ts', '*.md'), fc.constantFrom(...paths)),
    scope: fc.constantFrom('workspace', 'path:src/', 'path:src/billing/'),
    sha: fc.constantFrom(world.commit, world.commit.slice(0, 10)),
    url: fc.constantFrom('https://example.org/a', 'http://localhost:8080/?q=%27#x'),
    commandId: fc.oneof(fc.constantFrom('c1', 'c2', 'c3'), fc.uuid()),
    since: date,
    until: date,
    validAt: date,
    knownAt: date,
    occurredAt: date,
    validFrom: date,
    validTo: date,
  };
  const plain = fc.tuple(words, fc.nat(9_999)).map(([text, number]) => `${text} ${number}`);
  return Object.hasOwn(known, name) ? (known[name] ?? plain) : plain;
}

/** A value of the form that the schema asks for. */
function good(schema: Schema, name: string, world: World): fc.Arbitrary<unknown> {
  const choices = schema['enum'] as readonly unknown[] | undefined;
  // The first one more often, since the others may ask for more.
  if (choices !== undefined) return fc.oneof(fc.constant(choices[0]), fc.constantFrom(...choices));
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return fc.integer({ min: Number(schema['minimum'] ?? 1), max: Number(schema['maximum'] ?? 60) });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(good((schema['items'] ?? {}) as Schema, name, world), { minLength: 1, maxLength: 3 });
    case 'object':
      return fc.oneof(...formsOf(schema).map((form) => goodObject(schema, form, world)));
    default:
      return goodText(name, world);
  }
}

interface Form {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly fixed: Readonly<Record<string, string>>;
}

/**
 * The forms an object may have. A choice between objects is told in its description, as agents read it:
 * `file: path, startLine?; commit: sha` or `file | glob`.
 */
function formsOf(schema: Schema): Form[] {
  const properties = Object.keys(schema['properties'] ?? {});
  const told = (schema['description'] ?? '') as string;
  const fieldsOf = (text: string) => text.split(',').map((field) => field.trim());
  const split = (fields: readonly string[]) => ({
    required: fields.filter((field) => !field.endsWith('?')),
    optional: fields.filter((field) => field.endsWith('?')).map((field) => field.slice(0, -1)),
  });
  const tagged = [...told.matchAll(/(\w+): ([^;]+)/g)].map(([, kind, fields]) => ({
    ...split(fieldsOf(fields ?? '')),
    fixed: { kind: kind ?? '' },
  }));
  const untagged = told.includes(' | ') ? told.split(' | ').map((fields) => ({ ...split(fieldsOf(fields)), fixed: {} })) : [];
  const forms: Form[] = tagged.length > 0 ? tagged : untagged;
  const known = forms.filter((form) => [...form.required, ...form.optional].every((field) => properties.includes(field)));
  const required = (schema['required'] ?? []) as readonly string[];
  return known.length > 0 ? known : [{ required, optional: properties.filter((name) => !required.includes(name)), fixed: {} }];
}

function goodObject(schema: Schema, form: Form, world: World): fc.Arbitrary<object> {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const field = (name: string) => good(properties[name] ?? {}, name, world);
  const names = [...form.required, ...form.optional];
  return fc
    .tuple(
      fc.tuple(...names.map(field)),
      // Few of the optional ones, since each is one more that may be refused.
      fc.subarray([...form.optional], { maxLength: Math.min(3, form.optional.length) }),
    )
    .map(([values, taken]): object => ({
      ...form.fixed,
      ...Object.fromEntries(
        names.map((name, index) => [name, values[index]] as const).filter(([name]) => form.required.includes(name) || taken.includes(name)),
      ),
    }));
}

/** Arguments for a tool, from what is in order to what is no argument at all. */
export function argumentsFor(schema: Schema, world: World): fc.Arbitrary<unknown> {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const names = Object.keys(properties);
  const fair = fc.oneof(...formsOf(schema).map((form) => goodObject(schema, form, world)));
  const having = (key: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>) =>
    fc
      .tuple(fair, key, value)
      .map(([args, name, instead]) => Object.fromEntries([...Object.entries(args).filter(([each]) => each !== name), [name, instead]]));
  const wrongType = fc.oneof(...names.map((name) => good(properties[name] ?? {}, name, world)));
  return fc.oneof(
    { weight: 6, arbitrary: fair },
    { weight: 6, arbitrary: fc.tuple(fair, fc.nat(40), hostileText(world)).map(([args, place, text]) => spoiled(args, place, text)) },
    { weight: 3, arbitrary: having(fc.constantFrom(...names), hostileText(world)) },
    { weight: 4, arbitrary: having(fc.constantFrom(...names), anything(world)) },
    { weight: 3, arbitrary: having(fc.constantFrom(...names), wrongType) },
    {
      weight: 2,
      arbitrary: having(
        fc.oneof(fc.constantFrom(...prototypes, 'state', 'store', 'root', 'provenance', 'grant'), hostileText(world)),
        anything(world),
      ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fair, fc.constantFrom(...names))
        .map(([args, gone]) => Object.fromEntries(Object.entries(args).filter(([name]) => name !== gone))),
    },
    { weight: 2, arbitrary: fc.dictionary(fc.constantFrom(...names, ...prototypes), anything(world), { maxKeys: 6 }) },
    { weight: 1, arbitrary: anything(world) },
  );
}

/** The same arguments, with one of the texts in them another one, however deep it lies. @param place which, counted around. */
function spoiled(args: object, place: number, text: string): unknown {
  const count = countTexts(args);
  let left = count === 0 ? -1 : place % count;
  return JSON.parse(JSON.stringify(args, (_, value: unknown) => (typeof value === 'string' && left-- === 0 ? text : value)));
}

const countTexts = (value: unknown): number =>
  typeof value === 'string'
    ? 1
    : typeof value === 'object' && value !== null
      ? Object.values(value).reduce((sum: number, one) => sum + countTexts(one), 0)
      : 0;

/** The value as JSON. @returns what to send. */
export function asJson(value: unknown): string {
  return JSON.stringify(value).replace(/"«deep (list|object) (\d+)»"/g, (_, form, depth) =>
    form === 'list'
      ? '['.repeat(Number(depth)) + ']'.repeat(Number(depth))
      : '{"a":'.repeat(Number(depth)) + '1' + '}'.repeat(Number(depth)),
  );
}

/** Every text in a value, keys among them. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}
