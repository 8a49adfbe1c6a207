// The step to indexes that are written late (late-index.ts): of contents, which now lie in bundles (contents.ts), and of
// grants. What is there already goes into them when the store is opened.
export const lateTables = `
  -- How far each of them goes.
  CREATE TABLE indexed_to (name TEXT PRIMARY KEY, place INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO indexed_to (name, place) VALUES ('bundles_by_handle', 0), ('grants_by_handle', 0);

  -- The contents that a key has sent in one go: for each 64 digits of its handle and 8 of its size, and the bytes, one behind
  -- the other.
  CREATE TABLE bundles (
    bundle INTEGER PRIMARY KEY, key_id TEXT NOT NULL, list TEXT NOT NULL, bytes BLOB NOT NULL
  ) STRICT;
  INSERT INTO bundles (key_id, list, bytes)
    SELECT key_id, substr(handle, 8) || printf('%08x', length(bytes)), bytes
    FROM blob_owners JOIN blobs USING (handle) ORDER BY blobs.rowid;
  -- What a key has sent is counted where it is put.
  DROP TABLE blob_owners;
  DROP TABLE blobs;
  -- By the first 48 bits of a handle.
  CREATE TABLE bundles_by_handle (
    beginning INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (beginning, place)
  ) STRICT, WITHOUT ROWID;

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
