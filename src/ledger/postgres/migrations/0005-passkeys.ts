// The passkeys of people.
export const passkeys = `
  CREATE TABLE passkeys (
    credential_hash text PRIMARY KEY, credential_id text NOT NULL UNIQUE, user_id text NOT NULL, public_key text NOT NULL,
    by text NOT NULL, seal text
  );
  CREATE INDEX passkeys_by_person ON passkeys (user_id);
`
