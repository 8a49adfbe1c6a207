// The step from the tables of rules 1 to those of rules 2. A lane of rules 1 can neither open the result nor go on
// writing it.
export const rules2 = `
  -- The seq of its REQUEST_RESOLVED: a request is open while there is none.
  ALTER TABLE requests ADD COLUMN resolved_seq INTEGER;
  UPDATE requests SET resolved_seq =
    (SELECT seq FROM entries WHERE story = opened_seq AND type = 'REQUEST_RESOLVED');

  -- The rules in force: those of the last LANE_STARTED.
  -- With it the frontier of the tree over the entries, sealed; the tree of a ledger that has none yet is made once.
  CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1), rules TEXT NOT NULL, size INTEGER NOT NULL, frontier BLOB NOT NULL, seal TEXT
  ) STRICT;
  INSERT INTO head (one, rules, size, frontier) VALUES (1, '1', 0, x'');
  -- The nodes of the tree that an entry completes, its own leaf first.
  ALTER TABLE entries ADD COLUMN nodes BLOB;

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
  -- Whose a key is, and whether it may say that something is urgent.
  ALTER TABLE api_keys ADD COLUMN owner TEXT;
  ALTER TABLE api_keys ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;

  -- One ring for keys of every purpose; a key that never leaves the lane has no public half.
  CREATE TABLE keys (
    kid TEXT PRIMARY KEY, purpose TEXT NOT NULL, public_jwk TEXT, wrapped BLOB NOT NULL,
    not_before INTEGER NOT NULL, verify_until INTEGER, renewed_at INTEGER, seal TEXT
  ) STRICT, WITHOUT ROWID;
  INSERT INTO keys (kid, purpose, public_jwk, wrapped, not_before, verify_until)
    SELECT kid, 'reply-token', public_jwk, sealed_private, not_before, verify_until FROM signing_keys;
  DROP TABLE signing_keys;

  -- An address that two people could link at once was neither's: both link it anew.
  DELETE FROM links WHERE (channel, address) IN
    (SELECT channel, address FROM links GROUP BY channel, address HAVING count(*) > 1);
  CREATE UNIQUE INDEX links_by_address ON links (channel, address);

  -- What a handle is good for; null where it was made before and serves both.
  ALTER TABLE grants ADD COLUMN use TEXT;
  CREATE INDEX grants_by_code ON grants (user_id, channel, code_hash) WHERE use = 'reply' AND code_hash <> '';
  -- The codes people can answer by, one for each request; those of requests that are settled go when the next one comes.
  CREATE TABLE open_codes (
    channel TEXT NOT NULL, user_id TEXT NOT NULL, request_id TEXT NOT NULL, handle_hash TEXT NOT NULL,
    PRIMARY KEY (channel, user_id, request_id)
  ) STRICT, WITHOUT ROWID;
  INSERT OR REPLACE INTO open_codes (channel, user_id, request_id, handle_hash)
    SELECT channel, user_id, request_id, handle_hash
    FROM grants JOIN requests USING (request_id) WHERE channel = 'sms' AND resolved_seq IS NULL
    ORDER BY grants.rowid;
  ALTER TABLE attempts RENAME COLUMN sender TO under;
  -- The fields beside a raw reply, and the words of its reasons, each with its salt.
  ALTER TABLE raw_replies ADD COLUMN beside TEXT;
  CREATE TABLE code_misses (
    channel TEXT NOT NULL, user_id TEXT NOT NULL, ms INTEGER NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (channel, user_id, ms)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE code_rests (
    channel TEXT NOT NULL, user_id TEXT NOT NULL, until_ms INTEGER NOT NULL, length_ms INTEGER NOT NULL,
    PRIMARY KEY (channel, user_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX code_rests_by_end ON code_rests (until_ms);

  -- Who is away, until when, and who is asked in their place.
  CREATE TABLE away (
    user_id TEXT PRIMARY KEY, from_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL, deputy TEXT, seal TEXT
  ) STRICT, WITHOUT ROWID;

  -- The newest checkpoint.
  CREATE TABLE checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), size INTEGER NOT NULL, note TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT;
  -- Who has sent a content, found by the content: one index says both whether this key has and whether anybody else has.
  ALTER TABLE blob_owners RENAME TO blob_owners_1;
  CREATE TABLE blob_owners (
    handle TEXT NOT NULL, key_id TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY (handle, key_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO blob_owners (handle, key_id, size) SELECT handle, key_id, size FROM blob_owners_1;
  DROP TABLE blob_owners_1;
  -- The bytes a key has sent, kept as its contents come and go.
  CREATE TABLE blob_use (key_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO blob_use (key_id, bytes) SELECT key_id, sum(size) FROM blob_owners GROUP BY key_id;
  CREATE TRIGGER blob_use_grows AFTER INSERT ON blob_owners BEGIN
    INSERT INTO blob_use (key_id, bytes) VALUES (NEW.key_id, NEW.size)
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER blob_use_shrinks AFTER DELETE ON blob_owners BEGIN
    UPDATE blob_use SET bytes = bytes - OLD.size WHERE key_id = OLD.key_id;
  END;

  -- What is open, in the order in which it was opened, and what a key has open, in all and in each run.
  CREATE INDEX requests_open ON requests (opened_seq) WHERE resolved_seq IS NULL;
  CREATE INDEX requests_open_by_key ON requests (opened_by, run_id, type) WHERE resolved_seq IS NULL;
  -- A run is listed by when its requests were opened.
  DROP INDEX requests_by_run;
  CREATE INDEX requests_by_run ON requests (run_id);
`
