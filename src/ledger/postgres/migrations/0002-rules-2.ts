// Rules 2. The rules in force stand in the head; every batch is signed with the rules of who wrote it, in a column that a
// lane of before does not fill: it can write no more from here on. A cluster is stopped, not rolled, over this step.
export const rules2 = `
  ALTER TABLE head ADD COLUMN rules text NOT NULL DEFAULT '1';
  ALTER TABLE head ALTER COLUMN rules DROP DEFAULT;
  ALTER TABLE writers ADD COLUMN rules text NOT NULL DEFAULT '1';
  ALTER TABLE writers ALTER COLUMN rules DROP DEFAULT;

  -- One ring for keys of every purpose; a key that never leaves the lane has no public half.
  CREATE TABLE keys (
    kid text PRIMARY KEY, purpose text NOT NULL, public_jwk text, wrapped bytea NOT NULL,
    not_before bigint NOT NULL, verify_until bigint
  );
  INSERT INTO keys (kid, purpose, public_jwk, wrapped, not_before, verify_until)
    SELECT kid, 'reply-token', public_jwk, sealed_private, not_before, verify_until FROM signing_keys;
  DROP TABLE signing_keys;

  -- What a key has open, in all and in each run.
  DROP INDEX requests_open_questions;
  CREATE INDEX requests_open ON requests (opened_by, run_id, type) WHERE state = 'pending';
`
