// The passkey that a session began with. Those of before do not say: whoever had one signs in again.
export const sessionsByPasskey = `
  DELETE FROM sessions;
  ALTER TABLE sessions ADD COLUMN credential_hash text;
`
