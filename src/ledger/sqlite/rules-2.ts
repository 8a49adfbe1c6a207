// The step from the tables of rules 1 to those of rules 2. A lane of rules 1 can neither open nor go on writing what it makes.
export const rules2 = `
  -- The rules in force: those of the last LANE_STARTED.
  CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), rules TEXT NOT NULL) STRICT;
  INSERT INTO head (one, rules) VALUES (1, '1');

  -- One ring for keys of every purpose; a key that never leaves the lane has no public half.
  CREATE TABLE keys (
    kid TEXT PRIMARY KEY, purpose TEXT NOT NULL, public_jwk TEXT, wrapped BLOB NOT NULL,
    not_before INTEGER NOT NULL, verify_until INTEGER
  ) STRICT, WITHOUT ROWID;
  INSERT INTO keys (kid, purpose, public_jwk, wrapped, not_before, verify_until)
    SELECT kid, 'reply-token', public_jwk, sealed_private, not_before, verify_until FROM signing_keys;
  DROP TABLE signing_keys;

  -- What a key has open, in all and in each run. A run is listed by when its requests were opened.
  CREATE INDEX requests_open ON requests (opened_by, run_id, type) WHERE state = 'pending';
  DROP INDEX requests_by_run;
  CREATE INDEX requests_by_run ON requests (run_id);
`
