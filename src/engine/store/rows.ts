/** Rows to memories and back. A row is data that anything with the file could have written, so it is parsed like a caller's. */
import * as z from 'zod';
import { kinds, type Anchor, type Bounds, type Content, type Memory, type NewMemory, type Provenance, type State } from '../domain/memory';
import { servedStates } from '../domain/states';
import { globBase } from '../domain/globs';
import { spaced } from '../domain/script-runs';
import { objectKey, slotKey, valueKey } from '../domain/value-key';
import type { Row, Statements } from './database';

/** A memory as the store's rows have it, before its events were asked. */
export type StoredMemory = {
  readonly seq: number;
  readonly id: string;
  /** Where it holds now. */
  readonly scope: string;
  readonly title: string;
  readonly state: State;
  /** The sequence number of the event that the present status names. */
  readonly stateEvent: number;
  readonly stateSince: string;
  readonly recordedAt: string;
  readonly bounds: Bounds;
  readonly others: readonly string[];
  /** Whether its words were forgotten, and every one of them is gone from the rows. */
  readonly erased: boolean;
  /** Whether the index that belongs to its state, and no other, holds exactly its text. */
  readonly indexed: boolean;
} & ({ readonly readable: true; readonly memory: Memory } | { readonly readable: false });

/** The select list and joins for {@link storedMemory}; `m` is the memory and `s` its present status. */
export const memoryColumns = `
  m.*, c.client, c.client_version, s.state, s.event AS state_event, s.known_from AS state_since,
  s.scope AS present_scope, s.valid_from AS present_from, s.valid_to AS present_to, s.others,
  (SELECT json_group_array(json_object('kind', kind, 'path', path, 'symbol', symbol, 'base', base))
     FROM (SELECT kind, path, symbol, base FROM anchors WHERE memory = m.seq ORDER BY position)) AS anchors,
  (SELECT json_group_array(pointer) FROM (SELECT pointer FROM evidence WHERE memory = m.seq ORDER BY position)) AS evidence,
  f.title AS served_title, f.body AS served_body, w.title AS waiting_title, w.body AS waiting_body`;

const joins = (statuses: 'JOIN' | 'LEFT JOIN') => `
  memories m
  ${statuses} statuses s ON s.memory = m.seq AND s.known_to IS NULL
  LEFT JOIN sessions c ON c.id = m.session
  LEFT JOIN served_index f ON f.rowid = m.seq
  LEFT JOIN waiting_index w ON w.rowid = m.seq`;
export const memoryJoins = joins('JOIN');
/** The same with the memories that have no present status, as none that the ledger wrote: every other read passes them over. */
export const everyMemoryJoins = joins('LEFT JOIN');

const optional = z.string().nullable();
const texts = z.array(z.string());

const evidence = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('file'),
    path: z.string(),
    startLine: z.int().optional(),
    endLine: z.int().optional(),
    excerptHash: z.string(),
    commit: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('commit'), sha: z.string() }),
  z.strictObject({ kind: z.literal('url'), url: z.string() }),
  z.strictObject({ kind: z.literal('issue'), ref: z.string() }),
  z.strictObject({ kind: z.literal('quote'), speaker: z.string(), text: z.string() }),
  z.strictObject({ kind: z.literal('memory'), id: z.string() }),
]);

const provenance = z
  .discriminatedUnion('origin', [
    z.object({ origin: z.literal('stated'), surface: z.string(), stated_at: z.string() }),
    z.object({ origin: z.literal('inferred'), session: z.string(), client: z.string(), client_version: z.string(), model: z.string() }),
  ])
  .transform((row): Provenance =>
    row.origin === 'stated'
      ? { tag: 'stated', surface: row.surface, at: row.stated_at }
      : { tag: 'inferred', session: row.session, client: row.client, clientVersion: row.client_version, model: row.model },
  );

const claim = z.strictObject({
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  cardinality: z.enum(['one', 'many']).optional(),
});

const anchorRow = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['file', 'glob', 'folder']), path: z.string(), symbol: z.null(), base: z.string() }),
  z.strictObject({ kind: z.literal('symbol'), path: z.string(), symbol: z.string(), base: z.string() }),
]);

const erasedRow = z.object({
  erased: z.number(),
  title: z.literal(''),
  statement: z.literal(''),
  salt: z.literal(''),
  value_key: z.literal(''),
  rationale: z.null(),
  applies_when: z.null(),
  claim: z.null(),
  tags: z.literal('[]'),
  alternatives: z.literal('[]'),
  steps: z.literal('[]'),
  anchors: z.literal('[]'),
  evidence: z.literal('[]'),
  served_title: z.null(),
  waiting_title: z.null(),
});

const contentRow = z.object({
  scope: z.string(),
  kind: z.enum(kinds),
  title: z.string(),
  statement: z.string(),
  rationale: optional,
  applies_when: optional,
  occurred_at: optional,
  valid_from: optional,
  valid_to: optional,
  derived_from: optional,
  copy_of: optional,
  salt: z.string().regex(/^[0-9a-f]{32}$/),
});

/** A row of {@link memoryColumns} as a memory. What does not read as one is kept as unreadable, so that it can be shown as such. */
export function storedMemory(row: Row): StoredMemory {
  const state = row['state'] as State; // a CHECK on the column
  const bounds = boundsOf(row);
  const head = {
    seq: Number(row['seq']),
    id: String(row['id']),
    scope: bounds.scope,
    title: String(row['title']),
    state,
    stateEvent: Number(row['state_event']),
    stateSince: String(row['state_since']),
    recordedAt: String(row['recorded_at']),
    bounds,
    others: othersOf(row),
    erased: erasedRow.safeParse(row).success,
  };
  const content = contentOfRow(row);
  if (content === undefined) return { ...head, indexed: false, readable: false };
  const { id, recordedAt, stateSince, others } = head;
  const memory = { id, salt: String(row['salt']), content, recordedAt, state, stateSince, bounds, others };
  return { ...head, indexed: isIndexed(row, content, state), readable: true, memory };
}

function boundsOf(row: Row): Bounds {
  const [from, to] = [row['present_from'], row['present_to']];
  return {
    scope: String(row['present_scope']),
    ...(typeof from === 'string' && { validFrom: from }),
    ...(typeof to === 'string' && { validTo: to }),
  };
}

function othersOf(row: Row): readonly string[] {
  try {
    return texts.parse(JSON.parse(String(row['others'])));
  } catch {
    return ['unreadable']; // no memory's id, so that it agrees with no event and shows as altered
  }
}

/** The salted keys of a memory's claim, if it makes one. */
export const claimKeys = (storeSalt: string, { claim: made }: Content): { slot: string; object: string } | undefined =>
  made === undefined ? undefined : { slot: slotKey(storeSalt, made.subject, made.predicate), object: objectKey(storeSalt, made.object) };

/** The content that a row of {@link memoryColumns} holds; undefined where it holds none that reads as one. */
export function contentOfRow(row: Row): Content | undefined {
  try {
    const plain = contentRow.parse(row);
    const json = (column: string): unknown => JSON.parse(String(row[column]));
    const claimed = row['claim'] === null ? undefined : claim.parse(json('claim'));
    // Optional parts are absent and not undefined, since absence is what was hashed.
    return {
      kind: plain.kind,
      title: plain.title,
      statement: plain.statement,
      ...(plain.rationale !== null && { rationale: plain.rationale }),
      alternatives: texts.parse(json('alternatives')),
      tags: texts.parse(json('tags')),
      ...(plain.applies_when !== null && { appliesWhen: plain.applies_when }),
      steps: texts.parse(json('steps')),
      ...(claimed !== undefined && { claim: defined(claimed) }),
      anchors: z.array(anchorRow).parse(json('anchors')).map(placedAnchor),
      evidence: texts.parse(json('evidence')).map((pointer) => defined(evidence.parse(JSON.parse(pointer)))),
      scope: plain.scope,
      ...(plain.occurred_at !== null && { occurredAt: plain.occurred_at }),
      ...(plain.valid_from !== null && { validFrom: plain.valid_from }),
      ...(plain.valid_to !== null && { validTo: plain.valid_to }),
      replaces: texts.parse(json('replaces')),
      ...(plain.derived_from !== null && { derivedFrom: texts.parse(json('derived_from')) }),
      ...(plain.copy_of !== null && { copyOf: plain.copy_of }),
      provenance: provenance.parse(row),
    };
  } catch {
    return undefined; // shown as unreadable; the row itself is left as it is
  }
}

type Defined<T> = T extends unknown ? { [K in keyof T]: Exclude<T[K], undefined> } : never;

/** The same object for the compiler: zod's optional parts are absent, never present and undefined. */
const defined = <T extends object>(value: T): Defined<T> => value as Defined<T>;

/** An anchor's row as an anchor; undefined for a row that is none. */
export function anchorOf(row: Row): Anchor | undefined {
  const parsed = anchorRow.safeParse({ kind: row['kind'], path: row['path'], symbol: row['symbol'], base: row['base'] });
  return parsed.success ? plainAnchor(parsed.data) : undefined;
}

/** An anchor whose place in the index is the one that belongs to it; elsewhere it would not be found. */
function placedAnchor(row: z.infer<typeof anchorRow>): Anchor {
  const anchor = plainAnchor(row);
  if (anchorColumns(anchor).base !== row.base) throw new Error('an anchor lies elsewhere in the index');
  return anchor;
}

function plainAnchor(row: z.infer<typeof anchorRow>): Anchor {
  switch (row.kind) {
    case 'file':
      return { file: row.path };
    case 'glob':
      return { glob: row.path };
    case 'folder':
      return { folder: row.path };
    case 'symbol':
      return { file: row.path, symbol: row.symbol };
  }
}

/** What the full-text indexes hold of a memory. */
export function indexText(content: Content): { title: string; body: string } {
  const { title, body } = writtenText(content);
  return { title: spaced(title), body: spaced(body) };
}

/** The same as it is written. */
export function writtenText(content: Content): { title: string; body: string } {
  const { statement, rationale, alternatives, appliesWhen, steps, tags, claim } = content;
  const claimed = claim === undefined ? [] : [claim.subject, claim.predicate, claim.object];
  return {
    title: content.title,
    body: [statement, appliesWhen ?? '', ...steps, rationale ?? '', ...alternatives, ...claimed, ...tags]
      .filter((part) => part !== '')
      .join('\n'),
  };
}

function isIndexed(row: Row, content: Content, state: State): boolean {
  const { title, body } = indexText(content);
  const [here, elsewhere] = servedStates.includes(state) ? ['served', 'waiting'] : ['waiting', 'served'];
  return row[`${here}_title`] === title && row[`${here}_body`] === body && row[`${elsewhere}_title`] === null;
}

/**
 * Writes a new memory's rows: content, anchors, evidence, the keys of its value and claim.
 * @returns its sequence number.
 */
export async function insertMemory(tx: Statements, memory: NewMemory, storeSalt: string, recordedAt: string): Promise<number> {
  const { content } = memory;
  const from = content.provenance;
  const { rowid } = await tx.run(
    `INSERT INTO memories (id, scope, kind, recorded_at, occurred_at, valid_from, valid_to, salt, value_key, origin, surface, stated_at, session, model,
       tags, replaces, derived_from, copy_of, claim, title, applies_when, alternatives, steps, rationale, statement)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    memory.id,
    content.scope,
    content.kind,
    recordedAt,
    content.occurredAt ?? null,
    content.validFrom ?? null,
    content.validTo ?? null,
    memory.salt,
    valueKey(storeSalt, content),
    from.tag,
    ...(from.tag === 'stated' ? [from.surface, from.at, null, null] : [null, null, from.session, from.model]),
    JSON.stringify(content.tags),
    JSON.stringify(content.replaces),
    content.derivedFrom === undefined ? null : JSON.stringify(content.derivedFrom),
    content.copyOf ?? null,
    content.claim === undefined ? null : JSON.stringify(content.claim),
    content.title,
    content.appliesWhen ?? null,
    JSON.stringify(content.alternatives),
    JSON.stringify(content.steps),
    content.rationale ?? null,
    content.statement,
  );
  for (const [position, anchor] of content.anchors.entries()) {
    const { kind, path, symbol, base } = anchorColumns(anchor);
    await tx.run(
      'INSERT INTO anchors (memory, position, kind, path, symbol, base) VALUES (?, ?, ?, ?, ?, ?)',
      rowid,
      position,
      kind,
      path,
      symbol,
      base,
    );
  }
  for (const [position, pointer] of content.evidence.entries())
    await tx.run('INSERT INTO evidence (memory, position, pointer) VALUES (?, ?, ?)', rowid, position, JSON.stringify(pointer));
  const keys = claimKeys(storeSalt, content);
  if (keys !== undefined) await tx.run('INSERT INTO claims (memory, slot, object) VALUES (?, ?, ?)', rowid, keys.slot, keys.object);
  return rowid;
}

function anchorColumns(anchor: Anchor): { kind: string; path: string; symbol: string | null; base: string } {
  if ('symbol' in anchor) return { kind: 'symbol', path: anchor.file, symbol: anchor.symbol, base: anchor.file };
  if ('file' in anchor) return { kind: 'file', path: anchor.file, symbol: null, base: anchor.file };
  if ('glob' in anchor) return { kind: 'glob', path: anchor.glob, symbol: null, base: globBase(anchor.glob) };
  return { kind: 'folder', path: anchor.folder, symbol: null, base: anchor.folder };
}
