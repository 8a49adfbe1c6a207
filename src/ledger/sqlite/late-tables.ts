// The step to indexes that are written late (late-index.ts): of contents, which now lie in bundles (contents.ts), and of
// grants. What is there already goes into them when the store is opened.
export const lateTables = `
  -- How far each of them goes.
  CREATE TABLE indexed_to (name TEXT PRIMARY KEY, place INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO indexed_to (name, place) VALUES ('grants_by_handle', 0);

  ALTER TABLE grants RENAME TO grants_1;
  DROP INDEX grants_by_code;
  DROP INDEX former_grants;
  CREATE TABLE grants (
    place INTEGER PRIMARY KEY, handle_hash TEXT NOT NULL, use TEXT, code_hash TEXT NOT NULL, token TEXT NOT NULL,
    request_id TEXT NOT NULL, delivery_id TEXT NOT NULL, channel TEXT NOT NULL, user_id TEXT NOT NULL, seal TEXT
  ) STRICT;
  INSERT INTO grants (place, handle_hash, use, code_hash, token, request_id, delivery_id, channel, user_id, seal)
    SELECT rowid, handle_hash, use, code_hash, token, request_id, delivery_id, channel, user_id, seal
    FROM grants_1 ORDER BY rowid;
  DROP TABLE grants_1;
  CREATE INDEX grants_by_code ON grants (user_id, channel, code_hash) WHERE use = 'reply' AND code_hash <> '';
  CREATE INDEX former_grants ON grants (user_id, channel) WHERE use IS NULL;
  -- By the first 48 bits of a handle's hash.
  CREATE TABLE grants_by_handle (
    beginning INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (beginning, place)
  ) STRICT, WITHOUT ROWID;
`
