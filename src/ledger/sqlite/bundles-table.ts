// The step to contents in bundles (contents.ts). What is there already becomes a bundle each; its places go into the
// index when the store is opened.
export const bundlesTable = `
  -- The contents that a key has sent in one go: for each 64 digits of its handle and 8 of its size, and the bytes, one behind
  -- the other.
  CREATE TABLE bundles (
    bundle INTEGER PRIMARY KEY, key_id TEXT NOT NULL, list TEXT NOT NULL, bytes BLOB NOT NULL
  ) STRICT;
  -- By the first 48 bits of a handle, as far as it says that it goes.
  CREATE TABLE bundles_by_handle (
    beginning INTEGER NOT NULL, bundle INTEGER NOT NULL, PRIMARY KEY (beginning, bundle)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE bundles_indexed_to (one INTEGER PRIMARY KEY CHECK (one = 1), bundle INTEGER NOT NULL) STRICT;
  INSERT INTO bundles_indexed_to (one, bundle) VALUES (1, 0);

  INSERT INTO bundles (key_id, list, bytes)
    SELECT key_id, substr(handle, 8) || printf('%08x', length(bytes)), bytes
    FROM blob_owners JOIN blobs USING (handle) ORDER BY blobs.rowid;
  -- What a key has sent is counted where it is put.
  DROP TABLE blob_owners;
  DROP TABLE blobs;
`
