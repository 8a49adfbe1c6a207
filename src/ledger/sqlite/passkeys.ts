// The passkeys that stand (L15). A row whose passkey the ledger has taken back counts as absent: its seal is sound for good, so
// that whoever had a copy of it could put it back.

/** To be followed by AND and what else is asked of them. The plus takes the column's type off: beside it the index would be
 *  walked through and not searched. */
export const STANDING = `passkeys p WHERE NOT EXISTS
  (SELECT 1 FROM entries e WHERE e.type = 'PASSKEY_REVOKED' AND json_extract(e.line, '$.body.credential_hash') = +p.credential_hash)`
