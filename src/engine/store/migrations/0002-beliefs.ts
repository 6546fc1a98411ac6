/**
 * The second schema: every state with the bounds that hold in it, what was rejected for good, what agents doubt, what a person
 * answered, slots of claims, rules of the store, and the words of a forgotten memory allowed to go. Tables whose checks change are
 * built anew, which the runner prepares for.
 */
import type { Content } from '../../domain/memory';
import { valueDigests, valueKey } from '../../domain/value-key';
import type { Row, Statements } from '../database';
import { claimKeys, contentOfRow, indexText, memoryColumns, memoryJoins, writtenText } from '../rows';
import { exposureSchema } from './exposure-tables';

const schema = `
CREATE TABLE memories_2 (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL CHECK (scope IN ('workspace', 'user') OR (scope LIKE 'path:%/' AND length(scope) > 6)),
  kind TEXT NOT NULL CHECK (kind IN ('decision', 'constraint', 'preference', 'lesson', 'workflow', 'fact')),
  recorded_at TEXT NOT NULL,
  occurred_at TEXT,
  valid_from TEXT,
  valid_to TEXT,
  salt TEXT NOT NULL,
  value_key TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('stated', 'inferred')),
  surface TEXT,
  stated_at TEXT,
  session TEXT REFERENCES sessions (id),
  model TEXT,
  -- The event by which its words were forgotten.
  erased INTEGER REFERENCES events (seq),
  -- Lists and the claim are JSON.
  tags TEXT NOT NULL,
  replaces TEXT NOT NULL,
  derived_from TEXT,
  copy_of TEXT,
  claim TEXT,
  title TEXT NOT NULL,
  applies_when TEXT,
  alternatives TEXT NOT NULL,
  steps TEXT NOT NULL,
  rationale TEXT,
  statement TEXT NOT NULL,
  CHECK ((origin = 'stated') = (surface IS NOT NULL AND stated_at IS NOT NULL)),
  CHECK ((origin = 'inferred') = (session IS NOT NULL AND model IS NOT NULL)),
  CHECK (valid_from IS NULL OR valid_to IS NULL OR valid_from < valid_to),
  CHECK (erased IS NOT NULL OR kind NOT IN ('constraint', 'preference', 'lesson', 'workflow') OR applies_when IS NOT NULL)
) STRICT;
INSERT INTO memories_2 (seq, id, scope, kind, recorded_at, occurred_at, valid_from, valid_to, salt, value_key, origin, surface, stated_at,
    session, model, tags, replaces, claim, title, applies_when, alternatives, steps, rationale, statement)
  SELECT seq, id, scope, kind, recorded_at, occurred_at, valid_from, valid_to, salt, value_key, origin, surface, stated_at,
    session, model, tags, replaces, claim, title, applies_when, alternatives, steps, rationale, statement FROM memories;

-- A status carries the bounds that hold as long as it does, so that both times can be asked: what was believed when, of when.
CREATE TABLE statuses_2 (
  memory INTEGER NOT NULL REFERENCES memories (seq),
  state TEXT NOT NULL CHECK (state IN ('pending', 'active', 'contested', 'superseded', 'retired', 'rejected', 'amended', 'expired', 'forgotten')),
  event INTEGER NOT NULL REFERENCES events (seq),
  known_from TEXT NOT NULL,
  known_to TEXT,
  scope TEXT NOT NULL,
  valid_from TEXT,
  valid_to TEXT,
  -- Ids of the memories the state is about, as JSON.
  others TEXT NOT NULL,
  PRIMARY KEY (memory, event)
) STRICT, WITHOUT ROWID;
INSERT INTO statuses_2 (memory, state, event, known_from, known_to, scope, valid_from, valid_to, others)
  SELECT s.memory, s.state, s.event, s.known_from, s.known_to, m.scope, m.valid_from, m.valid_to, '[]'
  FROM statuses s JOIN memories_2 m ON m.seq = s.memory;

DROP TABLE statuses;
DROP TABLE memories;
ALTER TABLE memories_2 RENAME TO memories;
ALTER TABLE statuses_2 RENAME TO statuses;
CREATE INDEX memories_by_value ON memories (value_key);
CREATE UNIQUE INDEX statuses_present ON statuses (memory) WHERE known_to IS NULL;
CREATE INDEX statuses_by_state ON statuses (state, known_from) WHERE known_to IS NULL;
CREATE INDEX statuses_by_bounds ON statuses (valid_to, valid_from) WHERE known_to IS NULL AND (valid_to IS NOT NULL OR valid_from IS NOT NULL);

-- Salted keys of claims: which slot, and which value in it.
CREATE TABLE claims (
  memory INTEGER PRIMARY KEY REFERENCES memories (seq),
  slot TEXT NOT NULL,
  object TEXT NOT NULL
) STRICT;
CREATE INDEX claims_by_slot ON claims (slot, memory);

CREATE TABLE slots (
  slot TEXT NOT NULL,
  event INTEGER NOT NULL REFERENCES events (seq),
  cardinality TEXT NOT NULL CHECK (cardinality IN ('one', 'many')),
  PRIMARY KEY (slot, event)
) STRICT, WITHOUT ROWID;

-- No words, no expiry: salted digests of a value, in every form that keys were ever made in.
CREATE TABLE tombstones (
  digest TEXT NOT NULL,
  scope TEXT NOT NULL,
  event INTEGER NOT NULL REFERENCES events (seq),
  kind TEXT NOT NULL CHECK (kind IN ('statement', 'claim')),
  form INTEGER NOT NULL,
  -- Null for one that was carried over with a backup from which its memory is missing.
  memory INTEGER REFERENCES memories (seq),
  lifted INTEGER REFERENCES events (seq),
  PRIMARY KEY (digest, scope, event)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_by_memory ON tombstones (memory);

CREATE TABLE challenges (
  id TEXT PRIMARY KEY,
  memory INTEGER NOT NULL REFERENCES memories (seq),
  event INTEGER NOT NULL UNIQUE REFERENCES events (seq),
  wants TEXT NOT NULL CHECK (wants IN ('contest', 'retire')),
  counterpart INTEGER REFERENCES memories (seq),
  session TEXT NOT NULL REFERENCES sessions (id),
  at TEXT NOT NULL,
  salt TEXT NOT NULL,
  -- The salted name of the question, under which an answer is remembered.
  question TEXT NOT NULL,
  reason TEXT NOT NULL,
  evidence TEXT NOT NULL,
  -- The act that answered it.
  answer INTEGER REFERENCES events (seq),
  erased INTEGER REFERENCES events (seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX challenges_by_memory ON challenges (memory) WHERE answer IS NULL;
CREATE INDEX challenges_by_question ON challenges (question);

-- What a person answered, under the exact members of the question.
CREATE TABLE verdicts (
  question TEXT NOT NULL,
  event INTEGER NOT NULL REFERENCES events (seq),
  PRIMARY KEY (question, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE rulings (
  event INTEGER PRIMARY KEY REFERENCES events (seq),
  subject TEXT NOT NULL
) STRICT;
CREATE INDEX rulings_by_subject ON rulings (subject, event);

-- Words that left the tables and may still lie in the journal or on free pages.
CREATE TABLE erasures (
  event INTEGER PRIMARY KEY REFERENCES events (seq),
  at TEXT NOT NULL,
  swept_at TEXT
) STRICT;
CREATE INDEX erasures_open ON erasures (event) WHERE swept_at IS NULL;

-- The hints a receipt gave, as ids: their titles are looked up anew.
ALTER TABLE receipts ADD COLUMN hints TEXT NOT NULL DEFAULT '{}';

CREATE TRIGGER memories_kept BEFORE DELETE ON memories BEGIN SELECT RAISE (ABORT, 'memories are kept'); END;
CREATE TRIGGER tombstones_kept BEFORE DELETE ON tombstones BEGIN SELECT RAISE (ABORT, 'tombstones are kept'); END;
CREATE TRIGGER tombstones_immutable BEFORE UPDATE ON tombstones
WHEN NOT (OLD.lifted IS NULL AND NEW.lifted IS NOT NULL AND NEW.digest = OLD.digest AND NEW.scope = OLD.scope AND NEW.event = OLD.event)
BEGIN SELECT RAISE (ABORT, 'tombstones are lifted, never changed'); END;
`;

/** Content never changes; it can only go, all of it, by the event that says so. The value's key is made of it and can be made anew. */
const immutable = `
CREATE TRIGGER memories_immutable BEFORE UPDATE OF seq, id, scope, kind, recorded_at, occurred_at, valid_from, valid_to, salt, origin,
  surface, stated_at, session, model, erased, tags, replaces, derived_from, copy_of, claim, title, applies_when, alternatives, steps,
  rationale, statement ON memories
WHEN NOT (OLD.erased IS NULL AND NEW.erased IS NOT NULL AND NEW.seq = OLD.seq AND NEW.id = OLD.id AND NEW.scope = OLD.scope
  AND NEW.kind = OLD.kind AND NEW.recorded_at = OLD.recorded_at AND NEW.origin = OLD.origin AND NEW.session IS OLD.session
  AND NEW.title = '' AND NEW.statement = '' AND NEW.rationale IS NULL AND NEW.alternatives = '[]' AND NEW.tags = '[]' AND NEW.steps = '[]'
  AND NEW.applies_when IS NULL AND NEW.claim IS NULL AND NEW.salt = '' AND NEW.value_key = '')
BEGIN SELECT RAISE (ABORT, 'content is immutable'); END;
`;

/**
 * Applies it, and gives the memories that are there what the ledger writes from now on: their present keys, the tombstones of what was
 * rejected, and for their slots what a person let stand.
 */
export async function beliefs(tx: Statements): Promise<void> {
  await tx.exec(schema);
  await tx.exec(exposureSchema);
  const salt = String((await tx.get('SELECT salt FROM store'))?.['salt']);
  const rows = await tx.all(`SELECT ${memoryColumns} FROM ${memoryJoins}`);
  for (const row of rows) {
    const content = contentOfRow(row);
    if (content === undefined) continue; // shown as unreadable, and has no value to compare
    const [seq, state, event] = [Number(row['seq']), row['state'], Number(row['state_event'])];
    await tx.run('UPDATE memories SET value_key = ? WHERE seq = ?', valueKey(salt, content), seq);
    if (state === 'rejected') await bury(tx, salt, content, seq, event);
    await indexAnew(tx, seq, row, content);
    const keys = claimKeys(salt, content);
    if (keys === undefined) continue;
    await tx.run('INSERT INTO claims (memory, slot, object) VALUES (?, ?, ?)', seq, keys.slot, keys.object);
    const cardinality = content.claim?.cardinality;
    if (state === 'active' && cardinality !== undefined)
      await tx.run('INSERT INTO slots (slot, event, cardinality) VALUES (?, ?, ?)', keys.slot, event, cardinality);
  }
  await tx.exec(immutable);
}

/** The index had words as they are written. A row that holds anything else was altered, and stays to be found so. */
async function indexAnew(tx: Statements, seq: number, row: Row, content: Content): Promise<void> {
  const [before, now] = [writtenText(content), indexText(content)];
  if (before.title === now.title && before.body === now.body) return;
  for (const index of ['served', 'waiting'])
    if (row[`${index}_title`] === before.title && row[`${index}_body`] === before.body)
      await tx.run(`UPDATE ${index}_index SET title = ?, body = ? WHERE rowid = ?`, now.title, now.body, seq);
}

async function bury(tx: Statements, salt: string, content: Content, memory: number, event: number): Promise<void> {
  for (const { kind, form, digest } of valueDigests(salt, content))
    await tx.run(
      'INSERT INTO tombstones (digest, scope, event, kind, form, memory) VALUES (?, ?, ?, ?, ?, ?)',
      digest,
      content.scope,
      event,
      kind,
      form,
      memory,
    );
}
