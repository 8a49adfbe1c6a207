// The tables of the embedded store. `entries` is the ledger; `requests`, `inbox`, `directed_runs` and `policy_tokens` are
// projections of it, kept in the same transaction; the rest is the shelf. A change of shape is a new numbered step,
// never an edit of an old one.
import type { Database } from 'better-sqlite3'
import { inboxTable } from './inbox-table.js'
import { lateTables } from './late-tables.js'
import { rules2 } from './rules-2.js'

const STEPS: readonly string[] = [
  `
  CREATE TABLE entries (
    seq   INTEGER PRIMARY KEY,
    type  TEXT NOT NULL,
    story INTEGER,
    line  TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_story ON entries (story) WHERE story IS NOT NULL;
  CREATE UNIQUE INDEX entries_resolved_once ON entries (story) WHERE type = 'REQUEST_RESOLVED';
  CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
  CREATE TRIGGER entries_are_not_removed BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
  -- INSERT OR REPLACE removes the row it replaces without asking the trigger above.
  CREATE TRIGGER entries_are_not_replaced BEFORE INSERT ON entries
    WHEN EXISTS (SELECT 1 FROM entries WHERE seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

  CREATE TABLE requests (
    opened_seq INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL UNIQUE,
    version    INTEGER NOT NULL,
    type       TEXT NOT NULL,
    state      TEXT NOT NULL,
    run_id     TEXT NOT NULL,
    opened_by  TEXT NOT NULL,
    alarm_ms   INTEGER
  ) STRICT;
  CREATE INDEX requests_by_run ON requests (run_id, type, state);
  CREATE INDEX requests_by_opener ON requests (opened_by);
  CREATE INDEX requests_alarm ON requests (alarm_ms) WHERE alarm_ms IS NOT NULL;

  CREATE TABLE claims (space TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (space, value)) STRICT, WITHOUT ROWID;
  CREATE TABLE asked (
    opened_by TEXT NOT NULL, user_id TEXT NOT NULL, ms INTEGER NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (opened_by, user_id, ms, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE attempts (
    delivery_id TEXT NOT NULL, sender TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (delivery_id, sender)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE grants (
    handle_hash TEXT NOT NULL UNIQUE, code_hash TEXT NOT NULL, token TEXT NOT NULL,
    request_id TEXT NOT NULL, delivery_id TEXT NOT NULL
  ) STRICT;
  CREATE TABLE refs (
    channel TEXT NOT NULL, ref TEXT NOT NULL, delivery_id TEXT NOT NULL, handle_hash TEXT NOT NULL,
    PRIMARY KEY (channel, ref)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX refs_by_delivery ON refs (delivery_id);
  CREATE TABLE raw_replies (
    reply_id TEXT PRIMARY KEY, request_id TEXT NOT NULL, salt BLOB NOT NULL, raw TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE cursors (channel TEXT PRIMARY KEY, cursor TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY, public_jwk TEXT NOT NULL, sealed_private BLOB NOT NULL,
    not_before INTEGER NOT NULL, verify_until INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE api_keys (
    key_id TEXT PRIMARY KEY, name TEXT NOT NULL, scopes TEXT NOT NULL, secret_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL, revoked_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE blobs (handle TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE blob_owners (
    handle TEXT NOT NULL, key_id TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY (key_id, handle)
  ) STRICT, WITHOUT ROWID;
  `,
  'CREATE TABLE callbacks (request_id TEXT PRIMARY KEY, url TEXT NOT NULL) STRICT, WITHOUT ROWID;',
  // No ledger that this step finds holds a decision or a policy token, so there is nothing to project from it.
  `
  CREATE TABLE directed_runs (run_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE policy_tokens (jti TEXT PRIMARY KEY, request_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  // A grant names its person and channel.
  `
  ALTER TABLE grants ADD COLUMN channel TEXT NOT NULL DEFAULT 'web';
  ALTER TABLE grants ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
  CREATE INDEX grants_by_code ON grants (user_id) WHERE channel = 'sms';
  CREATE TABLE links (
    user_id TEXT NOT NULL, channel TEXT NOT NULL, address TEXT NOT NULL, PRIMARY KEY (user_id, channel)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE invitations (
    code_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL, channel TEXT NOT NULL, expires_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // Grants are searched for by a typed code, and when somebody links an address or shuts it. Web grants never are.
  `
  DROP INDEX grants_by_code;
  CREATE INDEX grants_by_person ON grants (user_id, channel) WHERE channel <> 'web';
  `,
  rules2,
  // Who has signed in at the console.
  `
  CREATE TABLE sessions (
    id_hash TEXT PRIMARY KEY, kind TEXT NOT NULL, whose TEXT NOT NULL, by TEXT NOT NULL, until_ms INTEGER NOT NULL, seal TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_by_person ON sessions (whose) WHERE kind = 'person';
  CREATE INDEX sessions_by_end ON sessions (until_ms);
  `,
  inboxTable,
  // The passkeys of people.
  `
  CREATE TABLE passkeys (
    credential_hash TEXT PRIMARY KEY, credential_id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL, public_key TEXT NOT NULL,
    by TEXT NOT NULL, seal TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX passkeys_by_person ON passkeys (user_id);
  `,
  // The assertions by which passkeys confirmed replies.
  `
  CREATE TABLE evidence (reply_id TEXT PRIMARY KEY, evidence TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  // What waits to become a person's.
  `
  CREATE TABLE enrolments (
    request_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, claim TEXT NOT NULL, seal TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  // Grants are looked for by their person only where they are from before handles had a use.
  `
  DROP INDEX grants_by_person;
  CREATE INDEX former_grants ON grants (user_id, channel) WHERE use IS NULL;
  `,
  // Where a passkey was registered: a proof of what it confirmed holds that entry too.
  `
  CREATE INDEX entries_registering ON entries (json_extract(line, '$.body.credential_hash')) WHERE type = 'PASSKEY_REGISTERED';
  `,
  lateTables,
  // The passkey that a session began with. Those of before do not say: whoever had one signs in again.
  `
  DELETE FROM sessions;
  ALTER TABLE sessions ADD COLUMN credential_hash TEXT;
  `,
  // Where a passkey was taken back, which every reading of passkeys asks; and the sessions that are over with it.
  `
  CREATE INDEX entries_revoking ON entries (json_extract(line, '$.body.credential_hash')) WHERE type = 'PASSKEY_REVOKED';
  CREATE INDEX sessions_by_passkey ON sessions (credential_hash) WHERE credential_hash IS NOT NULL;
  `,
]

export const SCHEMA_VERSION = STEPS.length

/** Brings an older file forward, one step a transaction; a newer one is refused rather than guessed at. */
export function migrate(db: Database, to = SCHEMA_VERSION): void {
  const version = db.pragma('user_version', { simple: true }) as number
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `the ledger has schema version ${version}, this lane knows ${SCHEMA_VERSION}: run the newer lane, or restore a backup`,
    )
  }
  for (let step = version; step < to; step++) {
    db.transaction(() => {
      db.exec(STEPS[step] ?? '')
      db.pragma(`user_version = ${step + 1}`)
    }).immediate()
  }
}
