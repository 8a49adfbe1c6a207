// Rules 2. The rules in force stand in the head; every batch is signed with the rules of who wrote it, in a column that a
// lane of before does not fill: it can write no more from here on. A cluster is stopped, not rolled, over this step.
export const rules2 = `
  ALTER TABLE head ADD COLUMN rules text NOT NULL DEFAULT '1';
  ALTER TABLE head ALTER COLUMN rules DROP DEFAULT;
  ALTER TABLE writers ADD COLUMN rules text NOT NULL DEFAULT '1';
  ALTER TABLE writers ALTER COLUMN rules DROP DEFAULT;

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

  -- One ring for keys of every purpose; a key that never leaves the lane has no public half.
  CREATE TABLE keys (
    kid text PRIMARY KEY, purpose text NOT NULL, public_jwk text, wrapped bytea NOT NULL,
    not_before bigint NOT NULL, verify_until bigint, seal text
  );
  INSERT INTO keys (kid, purpose, public_jwk, wrapped, not_before, verify_until)
    SELECT kid, 'reply-token', public_jwk, sealed_private, not_before, verify_until FROM signing_keys;
  DROP TABLE signing_keys;
`
