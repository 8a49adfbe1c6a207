// Where a passkey was taken back, which every reading of passkeys asks; and the sessions that are over with it.
export const revocations = `
  CREATE INDEX entries_revoking ON entries (substring(line from '"credential_hash":"([^"]*)"'))
    WHERE type = 'PASSKEY_REVOKED';
  CREATE INDEX sessions_by_passkey ON sessions (credential_hash) WHERE credential_hash IS NOT NULL;
`
