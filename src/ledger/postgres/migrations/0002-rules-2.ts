// Rules 2. The rules in force stand in the head. Every batch is signed with its writer's rules, in a column that an
// older lane does not fill: it can write no more from here on. A cluster is stopped, not rolled, over this step.
export const rules2 = `
  -- The seq of its REQUEST_RESOLVED: a request is open while there is none.
  ALTER TABLE requests ADD COLUMN resolved_seq bigint;
  UPDATE requests q SET resolved_seq = e.seq FROM entries e
    WHERE e.story = q.opened_seq AND e.type = 'REQUEST_RESOLVED';

  ALTER TABLE head ADD COLUMN rules text NOT NULL DEFAULT '1';
  ALTER TABLE head ALTER COLUMN rules DROP DEFAULT;
  ALTER TABLE writers ADD COLUMN rules text NOT NULL DEFAULT '1';
  ALTER TABLE writers ALTER COLUMN rules DROP DEFAULT;

  -- The frontier of the tree over the entries, sealed, and beside each entry the nodes it completes, its own leaf
  -- first. The tree of a ledger that has none yet is made once.
  ALTER TABLE head ADD COLUMN frontier bytea NOT NULL DEFAULT '', ADD COLUMN seal text;
  ALTER TABLE entries ADD COLUMN nodes bytea;

  -- The seal of an append stands with its last entry. What was written before there were seals is sealed once (LEDGER_SEALED).
  ALTER TABLE entries ADD COLUMN seal text;
  CREATE UNIQUE INDEX entries_sealed_once ON entries (type) WHERE type = 'LEDGER_SEALED';
  DROP TRIGGER IF EXISTS entries_are_append_only ON entries;
  CREATE TRIGGER entries_are_append_only BEFORE UPDATE OF seq, type, story, line OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- The rows that give a right are sealed too.
  ALTER TABLE grants ADD COLUMN seal text;
  ALTER TABLE refs ADD COLUMN seal text;
  ALTER TABLE callbacks ADD COLUMN seal text;
  ALTER TABLE links ADD COLUMN seal text;
  ALTER TABLE invitations ADD COLUMN seal text;
  ALTER TABLE api_keys ADD COLUMN seal text;
  -- Whose a key is, and whether it may say that something is urgent.
  ALTER TABLE api_keys ADD COLUMN owner text;
  ALTER TABLE api_keys ADD COLUMN urgent integer NOT NULL DEFAULT 0;

  -- One ring for keys of every purpose; a key that never leaves the lane has no public half.
  CREATE TABLE keys (
    kid text PRIMARY KEY, purpose text NOT NULL, public_jwk text, wrapped bytea NOT NULL,
    not_before bigint NOT NULL, verify_until bigint, renewed_at bigint, seal text
  );
  INSERT INTO keys (kid, purpose, public_jwk, wrapped, not_before, verify_until)
    SELECT kid, 'reply-token', public_jwk, sealed_private, not_before, verify_until FROM signing_keys;
  DROP TABLE signing_keys;

  -- An address that two people could link at once was neither's: both link it anew.
  DELETE FROM links WHERE (channel, address) IN
    (SELECT channel, address FROM links GROUP BY channel, address HAVING count(*) > 1);
  CREATE UNIQUE INDEX links_by_address ON links (channel, address);

  -- What a handle is good for; null where it was made before and serves both.
  ALTER TABLE grants ADD COLUMN use text;
  CREATE INDEX grants_by_code ON grants (user_id, channel, code_hash) WHERE use = 'reply' AND code_hash <> '';
  -- The codes people can answer by, one for each request; those of requests that are settled go when the next one comes.
  CREATE TABLE open_codes (
    channel text NOT NULL, user_id text NOT NULL, request_id text NOT NULL, handle_hash text NOT NULL,
    PRIMARY KEY (channel, user_id, request_id)
  );
  INSERT INTO open_codes (channel, user_id, request_id, handle_hash)
    SELECT DISTINCT ON (channel, user_id, request_id) channel, user_id, request_id, handle_hash
    FROM grants JOIN requests USING (request_id) WHERE channel = 'sms' AND resolved_seq IS NULL
    ORDER BY channel, user_id, request_id, place DESC;
  ALTER TABLE attempts RENAME COLUMN sender TO under;
  -- The fields beside a raw reply, and the words of its reasons, each with its salt.
  ALTER TABLE raw_replies ADD COLUMN beside text;
  CREATE TABLE code_misses (
    channel text NOT NULL, user_id text NOT NULL, ms bigint NOT NULL, count bigint NOT NULL,
    PRIMARY KEY (channel, user_id, ms)
  );
  CREATE TABLE code_rests (
    channel text NOT NULL, user_id text NOT NULL, until_ms bigint NOT NULL, length_ms bigint NOT NULL,
    PRIMARY KEY (channel, user_id)
  );
  CREATE INDEX code_rests_by_end ON code_rests (until_ms);

  -- Who is away, until when, and who is asked in their place.
  CREATE TABLE away (
    user_id text PRIMARY KEY, from_ms bigint NOT NULL, until_ms bigint NOT NULL, deputy text, seal text
  );

  -- The newest checkpoint.
  CREATE TABLE checkpoint (one boolean PRIMARY KEY DEFAULT true CHECK (one), size bigint NOT NULL, note text NOT NULL, at_ms bigint NOT NULL);
  -- The bytes a key has sent, kept as its contents come and go.
  CREATE TABLE blob_use (key_id text PRIMARY KEY, bytes bigint NOT NULL);
  INSERT INTO blob_use (key_id, bytes) SELECT key_id, sum(size) FROM blob_owners GROUP BY key_id;
  CREATE FUNCTION count_blobs() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        INSERT INTO blob_use AS u (key_id, bytes) SELECT key_id, sum(size) FROM changed GROUP BY key_id
          ON CONFLICT (key_id) DO UPDATE SET bytes = u.bytes + excluded.bytes;
      ELSE
        UPDATE blob_use u SET bytes = u.bytes - x.bytes
          FROM (SELECT key_id, sum(size) AS bytes FROM changed GROUP BY key_id) x WHERE u.key_id = x.key_id;
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER blob_use_grows AFTER INSERT ON blob_owners REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_blobs();
  CREATE TRIGGER blob_use_shrinks AFTER DELETE ON blob_owners REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_blobs();
  -- Whether anybody else has sent the same.
  CREATE INDEX blob_owners_by_handle ON blob_owners (handle);

  -- What is open, in the order in which it was opened, and what a key has open, in all and in each run.
  DROP INDEX requests_pending;
  DROP INDEX requests_open_questions;
  CREATE INDEX requests_open ON requests (opened_seq) WHERE resolved_seq IS NULL;
  CREATE INDEX requests_open_by_key ON requests (opened_by, run_id, type) WHERE resolved_seq IS NULL;
`
