// The step from the tables of rules 1 to those of rules 2. A lane of rules 1 can neither open nor go on writing what it makes.
export const rules2 = `
  -- The rules in force: those of the last LANE_STARTED.
  CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), rules TEXT NOT NULL) STRICT;
  INSERT INTO head (one, rules) VALUES (1, '1');

  -- The seal of an append stands with its last entry. What was written before there were seals is sealed once (LEDGER_SEALED).
  ALTER TABLE entries ADD COLUMN seal TEXT;
  CREATE UNIQUE INDEX entries_sealed_once ON entries (type) WHERE type = 'LEDGER_SEALED';
  DROP TRIGGER IF EXISTS entries_are_not_changed;
  CREATE TRIGGER entries_are_not_changed BEFORE UPDATE OF seq, type, story, line ON entries
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

  -- The rows that give a right are sealed too.
  ALTER TABLE grants ADD COLUMN seal TEXT;
  ALTER TABLE refs ADD COLUMN seal TEXT;
  ALTER TABLE callbacks ADD COLUMN seal TEXT;
  ALTER TABLE links ADD COLUMN seal TEXT;
  ALTER TABLE invitations ADD COLUMN seal TEXT;
  ALTER TABLE api_keys ADD COLUMN seal TEXT;

  -- One ring for keys of every purpose; a key that never leaves the lane has no public half.
  CREATE TABLE keys (
    kid TEXT PRIMARY KEY, purpose TEXT NOT NULL, public_jwk TEXT, wrapped BLOB NOT NULL,
    not_before INTEGER NOT NULL, verify_until INTEGER, seal TEXT
  ) STRICT, WITHOUT ROWID;
  INSERT INTO keys (kid, purpose, public_jwk, wrapped, not_before, verify_until)
    SELECT kid, 'reply-token', public_jwk, sealed_private, not_before, verify_until FROM signing_keys;
  DROP TABLE signing_keys;
`
