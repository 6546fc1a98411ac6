/**
 * What each session saw: an answer is a recall, with the memories that went out in it and what the agent said of their use. Nothing
 * here is memory and nothing here decides about one. The scope is the home of the grant that asked.
 */
export const exposureSchema = `
CREATE TABLE recalls (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- Not one of the table of sessions: that holds those that proposed, and most only read.
  session TEXT NOT NULL,
  client TEXT NOT NULL,
  surface TEXT NOT NULL CHECK (surface IN ('search', 'file', 'get', 'history', 'hook')),
  at TEXT NOT NULL,
  scope TEXT NOT NULL,
  -- Masked by the secret rules; null where there was none, and once it is forgotten.
  question TEXT,
  mode TEXT CHECK (mode IN ('hybrid', 'lexical')),
  tokens INTEGER NOT NULL,
  left_out INTEGER NOT NULL,
  -- How many answers of the same process before this one could not be recorded.
  lost INTEGER NOT NULL
) STRICT;
CREATE INDEX recalls_by_session ON recalls (session, seq);

CREATE TABLE recalled (
  recall INTEGER NOT NULL REFERENCES recalls (seq),
  memory INTEGER NOT NULL REFERENCES memories (seq),
  scope TEXT NOT NULL,
  -- 1 for what was only named as no longer held; its words did not go out.
  withdrawn INTEGER NOT NULL CHECK (withdrawn IN (0, 1)),
  position INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  shortened INTEGER NOT NULL CHECK (shortened IN (0, 1)),
  PRIMARY KEY (recall, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX recalled_by_memory ON recalled (memory);

CREATE TABLE uses (
  recall INTEGER NOT NULL,
  memory INTEGER NOT NULL,
  scope TEXT NOT NULL,
  helped INTEGER CHECK (helped IN (0, 1)),
  at TEXT NOT NULL,
  PRIMARY KEY (recall, memory),
  FOREIGN KEY (recall, memory) REFERENCES recalled (recall, memory)
) STRICT, WITHOUT ROWID;
`;
