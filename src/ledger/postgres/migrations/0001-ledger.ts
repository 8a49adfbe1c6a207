// The tables of the cluster's store. `entries` is the ledger; `requests`, `directed_runs` and `policy_tokens` are
// projections of it, kept in the same transaction; the rest is the shelf. The words of people and providers are kept
// as bytes, because text cannot hold U+0000.
export const ledger = `
  CREATE TABLE entries (
    seq   bigint PRIMARY KEY,
    type  text NOT NULL,
    story bigint,
    line  text NOT NULL
  );
  CREATE INDEX entries_by_story ON entries (story, seq) WHERE story IS NOT NULL;
  CREATE UNIQUE INDEX entries_resolved_once ON entries (story) WHERE type = 'REQUEST_RESOLVED';
  CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
  CREATE TRIGGER entries_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- The one row every append locks. suspected is the seq of a CLOCK_SUSPECT that nothing has answered yet.
  CREATE TABLE head (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one),
    size      bigint NOT NULL,
    hash      text NOT NULL,
    at_ms     bigint NOT NULL,
    suspected bigint
  ) WITH (fillfactor = 10);
  INSERT INTO head (size, hash, at_ms) VALUES (0, 'sha256:' || repeat('0', 64), 0);
  CREATE TRIGGER head_is_not_removed BEFORE DELETE OR TRUNCATE ON head
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  -- The last batch each process has committed: by it a process whose COMMIT was not answered learns what became of it.
  CREATE TABLE writers (
    writer uuid PRIMARY KEY, batch bigint NOT NULL, at timestamptz NOT NULL
  ) WITH (fillfactor = 10);

  CREATE TABLE requests (
    opened_seq bigint PRIMARY KEY,
    request_id text NOT NULL UNIQUE,
    version    bigint NOT NULL,
    type       text NOT NULL,
    state      text NOT NULL,
    run_id     text NOT NULL,
    opened_by  text NOT NULL,
    alarm_ms   bigint
  ) WITH (fillfactor = 70);
  CREATE INDEX requests_by_run ON requests (run_id, opened_seq);
  CREATE INDEX requests_by_opener ON requests (opened_by, opened_seq);
  CREATE INDEX requests_pending ON requests (opened_seq) WHERE state = 'pending';
  CREATE INDEX requests_open_questions ON requests (run_id) WHERE state = 'pending' AND type = 'REQUEST_QUESTION';
  CREATE INDEX requests_alarm ON requests (alarm_ms, request_id) WHERE alarm_ms IS NOT NULL;
  CREATE TABLE directed_runs (run_id text PRIMARY KEY);
  CREATE TABLE policy_tokens (jti text PRIMARY KEY, request_id text NOT NULL);

  CREATE TABLE claims (space text NOT NULL, value bytea NOT NULL, PRIMARY KEY (space, value));
  CREATE TABLE asked (
    opened_by text NOT NULL, user_id text NOT NULL, ms bigint NOT NULL, seq bigint NOT NULL,
    PRIMARY KEY (opened_by, user_id, ms, seq)
  );
  CREATE TABLE attempts (
    delivery_id text NOT NULL, sender bytea NOT NULL, count bigint NOT NULL, PRIMARY KEY (delivery_id, sender)
  );

  CREATE TABLE grants (
    place bigint GENERATED ALWAYS AS IDENTITY, handle_hash text PRIMARY KEY, code_hash text NOT NULL,
    token text NOT NULL, request_id text NOT NULL, delivery_id text NOT NULL, channel text NOT NULL,
    user_id text NOT NULL
  );
  -- A page is never looked for by the person it was sent to.
  CREATE INDEX grants_by_person ON grants (user_id, channel, place) WHERE channel <> 'web';
  CREATE TABLE refs (
    channel text NOT NULL, ref bytea NOT NULL, delivery_id text NOT NULL, handle_hash text NOT NULL,
    PRIMARY KEY (channel, ref)
  );
  CREATE INDEX refs_by_delivery ON refs (delivery_id);
  CREATE TABLE raw_replies (
    reply_id text PRIMARY KEY, request_id text NOT NULL, salt bytea NOT NULL, raw bytea NOT NULL
  );
  CREATE TABLE cursors (channel text PRIMARY KEY, cursor bytea NOT NULL);
  CREATE TABLE callbacks (request_id text PRIMARY KEY, url text NOT NULL);
  CREATE TABLE links (
    user_id text NOT NULL, channel text NOT NULL, address bytea NOT NULL, PRIMARY KEY (user_id, channel)
  );
  CREATE TABLE invitations (
    code_hash text PRIMARY KEY, user_id text NOT NULL, channel text NOT NULL, expires_ms bigint NOT NULL
  );

  CREATE TABLE signing_keys (
    kid text PRIMARY KEY, public_jwk text NOT NULL, sealed_private bytea NOT NULL,
    not_before bigint NOT NULL, verify_until bigint
  );
  CREATE TABLE api_keys (
    key_id text PRIMARY KEY, name text NOT NULL, scopes text NOT NULL, secret_hash text NOT NULL UNIQUE,
    created_at text NOT NULL, revoked_at text
  );
  CREATE TABLE blobs (handle text PRIMARY KEY, bytes bytea NOT NULL);
  CREATE TABLE blob_owners (
    handle text NOT NULL, key_id text NOT NULL, size bigint NOT NULL, PRIMARY KEY (key_id, handle)
  );
`
