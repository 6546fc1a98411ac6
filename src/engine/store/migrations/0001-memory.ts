/**
 * The first schema. Content is immutable (triggers refuse to change it); what changes is appended: events, and status intervals of
 * which the open one is the present. Agents search `served_index`, which holds only what stands; the editor searches `waiting_index`
 * for the rest.
 */
export const memorySchema = `
CREATE TABLE store (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL,
  salt TEXT NOT NULL,
  -- What the store belongs to: a repository's common directory, or a folder.
  identity TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  client_version TEXT NOT NULL,
  started_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The short columns come first: a search looks at them for every hit, and long texts lie on pages of their own.
CREATE TABLE memories (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL CHECK (scope = 'workspace' OR (scope LIKE 'path:%/' AND length(scope) > 6)),
  kind TEXT NOT NULL CHECK (kind IN ('decision', 'constraint', 'preference', 'lesson', 'workflow', 'fact')),
  recorded_at TEXT NOT NULL,
  occurred_at TEXT,
  valid_from TEXT,
  valid_to TEXT,
  salt TEXT NOT NULL,
  value_key TEXT NOT NULL,
  -- Where it came from: each origin with its own proof.
  origin TEXT NOT NULL CHECK (origin IN ('stated', 'inferred')),
  surface TEXT,
  stated_at TEXT,
  session TEXT REFERENCES sessions (id),
  model TEXT,
  -- Lists and the claim are JSON.
  tags TEXT NOT NULL,
  replaces TEXT NOT NULL,
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
  CHECK (kind NOT IN ('constraint', 'preference', 'lesson', 'workflow') OR applies_when IS NOT NULL)
) STRICT;
CREATE INDEX memories_by_value ON memories (value_key);
CREATE INDEX memories_by_bounds ON memories (valid_to, valid_from) WHERE valid_to IS NOT NULL OR valid_from IS NOT NULL;

CREATE TABLE anchors (
  memory INTEGER NOT NULL REFERENCES memories (seq),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('file', 'glob', 'folder', 'symbol')),
  path TEXT NOT NULL,
  symbol TEXT CHECK ((symbol IS NOT NULL) = (kind = 'symbol')),
  -- The folder below which a glob can match; its own path for the other kinds.
  base TEXT NOT NULL,
  PRIMARY KEY (memory, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX anchors_by_place ON anchors (base, kind, memory);

CREATE TABLE evidence (
  memory INTEGER NOT NULL REFERENCES memories (seq),
  position INTEGER NOT NULL,
  pointer TEXT NOT NULL,
  PRIMARY KEY (memory, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL,
  -- The memory it is about, as the body says too.
  memory TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_memory ON events (memory, seq);

CREATE TABLE reasons (
  event INTEGER PRIMARY KEY REFERENCES events (seq),
  text TEXT NOT NULL
) STRICT;

CREATE TABLE statuses (
  memory INTEGER NOT NULL REFERENCES memories (seq),
  state TEXT NOT NULL CHECK (state IN ('pending', 'active', 'retired', 'rejected')),
  event INTEGER NOT NULL REFERENCES events (seq),
  known_from TEXT NOT NULL,
  known_to TEXT,
  PRIMARY KEY (memory, event)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX statuses_present ON statuses (memory) WHERE known_to IS NULL;
CREATE INDEX statuses_by_state ON statuses (state, known_from) WHERE known_to IS NULL;

CREATE TABLE receipts (
  client TEXT NOT NULL,
  grant_name TEXT NOT NULL,
  command TEXT NOT NULL,
  memory INTEGER NOT NULL REFERENCES memories (seq),
  payload_hash TEXT NOT NULL,
  state TEXT NOT NULL,
  duplicate INTEGER NOT NULL,
  PRIMARY KEY (client, grant_name, command)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE served_index USING fts5 (title, body, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE waiting_index USING fts5 (title, body, tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TRIGGER memories_immutable BEFORE UPDATE ON memories BEGIN SELECT RAISE (ABORT, 'content is immutable'); END;
CREATE TRIGGER memories_kept BEFORE DELETE ON memories BEGIN SELECT RAISE (ABORT, 'memories are kept'); END;
CREATE TRIGGER anchors_immutable BEFORE UPDATE ON anchors BEGIN SELECT RAISE (ABORT, 'content is immutable'); END;
CREATE TRIGGER evidence_immutable BEFORE UPDATE ON evidence BEGIN SELECT RAISE (ABORT, 'content is immutable'); END;
CREATE TRIGGER events_immutable BEFORE UPDATE ON events BEGIN SELECT RAISE (ABORT, 'events are append-only'); END;
CREATE TRIGGER events_kept BEFORE DELETE ON events BEGIN SELECT RAISE (ABORT, 'events are append-only'); END;
`;
