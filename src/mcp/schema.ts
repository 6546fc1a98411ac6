/** The JSON Schemas that clients show to a model, kept short: every agent pays for them in every session. */
import * as z from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;
type ObjectSchema = JsonSchema & { readonly type: 'object' };

/** A tool's arguments. @param fields what to say about each, by name. */
export function inputSchemaOf(schema: z.ZodType, fields: Readonly<Record<string, string>>): ObjectSchema {
  const { properties, ...rest } = compact(z.toJSONSchema(schema, { io: 'input' }));
  const described = Object.entries(properties as Properties).map(([name, property]) => [
    name,
    fields[name] === undefined ? property : { ...property, description: fields[name] },
  ]);
  return { ...rest, type: 'object', properties: Object.fromEntries(described) as Properties };
}

/** A tool's `structuredContent`: its own answer, or an error, since clients check errors against the same schema. */
export const outputSchemaOf = (schema: z.ZodType): ObjectSchema => ({
  type: 'object',
  anyOf: [withoutSaidTypes(compact(z.toJSONSchema(schema, { io: 'input' }))), { required: ['error'] }],
});

/** Leaves out types that are said already: of an arm, by the schema around it, and of a value that is one of a few. */
function withoutSaidTypes({ properties, required }: JsonSchema): JsonSchema {
  const said = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const kept = 'enum' in value || 'const' in value ? Object.entries(value).filter(([key]) => key !== 'type') : Object.entries(value);
    return Object.fromEntries(kept.map(([key, inner]) => [key, said(inner)]));
  };
  return { properties: said(properties), required };
}

type Properties = Readonly<Record<string, JsonSchema>>;

/**
 * Keywords left out. They say nothing that helps to write a good call: a dialect that clients assume anyway, and limits and
 * patterns (a date's alone has 300 characters) that the engine checks, and names when they are crossed.
 */
const noise = new Set(['$schema', 'pattern', 'format', 'maxLength', 'minLength', 'maxItems', 'propertyNames']);

/**
 * The same schema in fewer words: without {@link noise}, a date as one text, and a choice between objects as one object that names
 * the choices. It may allow more than the engine does and never less, so a client that checks against it refuses nothing good.
 */
function compact(schema: JsonSchema): JsonSchema {
  const arms = (schema['anyOf'] ?? schema['oneOf']) as readonly JsonSchema[] | undefined;
  if (arms?.some((arm) => arm['format'] === 'date-time')) return { type: 'string', description: 'ISO 8601 with zone, or a date' };
  if (arms?.every((arm) => arm['type'] === 'object')) return choice(arms.map(compact));
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !noise.has(key) && !saysNothing(value))
      .map(([key, value]) => [key, key === 'properties' ? ofEach(value as Properties) : inside(value)]),
  );
}

/** Bounds that only keep numbers sane, and schemas of anything. */
const saysNothing = (value: unknown) =>
  typeof value === 'number' ? Math.abs(value) > 1_000_000 : typeof value === 'object' && value !== null && Object.keys(value).length === 0;

// The names of properties are not keywords, so they are walked past.
const ofEach = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, compact(property)]));

function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inside);
  return typeof value === 'object' && value !== null ? compact(value as JsonSchema) : value;
}

/** Objects to choose from as one, whose description lists them: `file: path, startLine?; commit: sha` or `file | glob`. */
function choice(arms: readonly JsonSchema[]): JsonSchema {
  const properties = Object.assign({}, ...arms.map((arm) => arm['properties'])) as Properties;
  const tags = arms.map((arm) => (arm['properties'] as Properties)['kind']?.['const'] as string | undefined);
  const tagged = tags.every((tag) => tag !== undefined);
  const forms = arms.map((arm, index) => {
    const required = arm['required'] as readonly string[];
    const names = Object.keys(arm['properties'] as Properties).map((name) => (required.includes(name) ? name : `${name}?`));
    return tagged ? `${tags[index] ?? ''}: ${names.filter((name) => name !== 'kind').join(', ')}` : names.join(', ');
  });
  return {
    type: 'object',
    description: forms.join(tagged ? '; ' : ' | '),
    properties: tagged ? { ...properties, kind: { type: 'string', enum: tags } } : properties,
    ...(tagged && { required: ['kind'] }),
    additionalProperties: false,
  };
}
