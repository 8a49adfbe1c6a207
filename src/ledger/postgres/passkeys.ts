// The passkeys that stand (L15). A row whose passkey the ledger has taken back counts as absent: its seal is sound for good, so
// that whoever had a copy of it could put it back.

/** To be followed by AND and what else is asked of them. Each is looked up by its hash: joined, the index would be walked through
 *  by a plan that was made while few were taken back. */
export const STANDING = `passkeys p WHERE NOT EXISTS
  (SELECT FROM entries e
   WHERE e.type = 'PASSKEY_REVOKED' AND substring(e.line from '"credential_hash":"([^"]*)"') = p.credential_hash
   OFFSET 0)`
