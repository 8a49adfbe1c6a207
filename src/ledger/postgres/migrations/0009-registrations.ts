// Where a passkey was registered: a proof of what it confirmed holds that entry too.
export const registrations = `
  CREATE INDEX entries_registering ON entries (substring(line from '"credential_hash":"([^"]*)"'))
    WHERE type = 'PASSKEY_REGISTERED';
`
