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

  -- An address that two people could link at once was neither's: both link it anew.
  DELETE FROM links WHERE (channel, address) IN
    (SELECT channel, address FROM links GROUP BY channel, address HAVING count(*) > 1);
  CREATE UNIQUE INDEX links_by_address ON links (channel, address);
`
