// The rows that an append puts on the shelf, inside its transaction (L6).
import type { Database } from 'better-sqlite3'
import type { RightTable, Row } from '../rights.js'
import type { Seals } from '../seals.js'
import { type KeyRow, rowOfApiKey, type Shelving } from '../shelf.js'
import type { Late } from './late.js'

export const END_SESSIONS = `DELETE FROM sessions WHERE kind = 'person' AND whose = ?`

/** What every request has is bound by place: the driver looks a name up for every value, each time. */
export function shelver(
  db: Database,
  seals: Seals,
  { contents, grants }: Late,
): (shelving: Shelving) => void {
  const forgetCodes = db.prepare(
    `DELETE FROM open_codes WHERE channel = ? AND user_id = ? AND NOT EXISTS
       (SELECT 1 FROM requests q WHERE q.request_id = open_codes.request_id AND q.resolved_seq IS NULL)`,
  )
  const putCode = db.prepare(
    `INSERT INTO open_codes (channel, user_id, request_id, handle_hash) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET handle_hash = excluded.handle_hash`,
  )
  const putRest = db.prepare(
    `INSERT INTO code_rests (channel, user_id, until_ms, length_ms) VALUES (@channel, @user_id, @until_ms, @length_ms)
     ON CONFLICT DO UPDATE SET until_ms = excluded.until_ms, length_ms = excluded.length_ms`,
  )
  const forgetMisses = db.prepare('DELETE FROM code_misses WHERE channel = ? AND user_id = ?')
  const askAgain = db.prepare(
    `UPDATE requests SET alarm_ms = min(coalesce(alarm_ms, @ms), @ms) WHERE resolved_seq IS NULL
       AND request_id IN (SELECT request_id FROM open_codes WHERE channel = @channel AND user_id = @user_id)`,
  )
  const putRaw = db.prepare(
    'INSERT INTO raw_replies (reply_id, request_id, salt, raw, beside) VALUES (?, ?, ?, ?, ?)',
  )
  const putEvidence = db.prepare('INSERT INTO evidence (reply_id, evidence) VALUES (?, ?)')
  const putRef = db.prepare(
    `INSERT INTO refs (channel, ref, delivery_id, handle_hash, seal) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE
       SET delivery_id = excluded.delivery_id, handle_hash = excluded.handle_hash, seal = excluded.seal`,
  )
  const putCursor = db.prepare(
    'INSERT INTO cursors (channel, cursor) VALUES (?, ?) ON CONFLICT DO UPDATE SET cursor = excluded.cursor',
  )
  const erase = db.prepare('DELETE FROM raw_replies WHERE reply_id = ?')
  const putCallback = db.prepare(
    'INSERT INTO callbacks (request_id, url, seal) VALUES (@request_id, @url, @seal)',
  )
  const freeAddress = db.prepare('DELETE FROM links WHERE channel = @channel AND address = @address')
  const putLink = db.prepare(
    `INSERT INTO links (user_id, channel, address, seal) VALUES (@user_id, @channel, @address, @seal)
     ON CONFLICT DO UPDATE SET address = excluded.address, seal = excluded.seal`,
  )
  const putKey = keyPutter(db, seals)
  const sealed = <T extends object>(table: RightTable, row: T) => sealedRow(seals, table, row)
  const putInvitation = db.prepare(
    `INSERT INTO invitations (code_hash, user_id, channel, expires_ms, seal)
     VALUES (@code_hash, @user_id, @channel, @expires_ms, @seal)`,
  )
  const putCheckpoint = db.prepare(
    `INSERT INTO checkpoint (one, size, note, at_ms) VALUES (1, @size, @note, @at_ms)
     ON CONFLICT DO UPDATE SET size = excluded.size, note = excluded.note, at_ms = excluded.at_ms WHERE size <= excluded.size`,
  )
  const putAway = db.prepare(
    `INSERT INTO away (user_id, from_ms, until_ms, deputy, seal) VALUES (@user_id, @from_ms, @until_ms, @deputy, @seal)
     ON CONFLICT DO UPDATE SET from_ms = excluded.from_ms, until_ms = excluded.until_ms, deputy = excluded.deputy,
       seal = excluded.seal`,
  )
  const putApiKey = db.prepare(
    `INSERT INTO api_keys (key_id, name, scopes, secret_hash, created_at, revoked_at, owner, urgent, seal)
     VALUES (@key_id, @name, @scopes, @secret_hash, @created_at, @revoked_at, @owner, @urgent, @seal)
     ON CONFLICT (key_id) DO UPDATE SET revoked_at = excluded.revoked_at, seal = excluded.seal
       WHERE revoked_at IS NULL`,
  )
  const putPasskey = db.prepare(
    `INSERT INTO passkeys (credential_hash, credential_id, user_id, public_key, by, seal)
     VALUES (@credential_hash, @credential_id, @user_id, @public_key, @by, @seal)`,
  )
  const endPasskey = db.prepare('DELETE FROM passkeys WHERE credential_hash = ?')
  const endPasskeySessions = db.prepare('DELETE FROM sessions WHERE credential_hash = ?')
  const putEnrolment = db.prepare(
    'INSERT INTO enrolments (request_id, user_id, claim, seal) VALUES (@request_id, @user_id, @claim, @seal)',
  )
  const endEnrolment = db.prepare('DELETE FROM enrolments WHERE request_id = ?')
  const endSessions = db.prepare(END_SESSIONS)
  return shelving => {
    switch (shelving.put) {
      case 'content_erasure':
        return contents.erase(shelving.key_id, shelving.handle)
      case 'contents':
        return contents.put(shelving.key_id, shelving.contents)
      case 'grant': {
        const { use, code_hash, channel, user_id, request_id, handle_hash } = shelving.grant
        grants.put(shelving.grant, seals.ofRow('grants', shelving.grant))
        if (use !== 'reply' || code_hash === '') return
        forgetCodes.run(channel, user_id)
        return void putCode.run(channel, user_id, request_id, handle_hash)
      }
      case 'rest': {
        const { channel, user_id } = shelving.rest
        putRest.run(shelving.rest)
        forgetMisses.run(channel, user_id)
        return void askAgain.run({ ms: Math.ceil(shelving.since_ms), channel, user_id })
      }
      case 'raw': {
        const { reply_id, request_id, salt, raw, beside = null } = shelving.reply
        return void putRaw.run(reply_id, request_id, salt, raw, beside)
      }
      case 'evidence':
        return void putEvidence.run(shelving.reply_id, shelving.evidence)
      case 'ref': {
        const { channel, ref, delivery_id, handle_hash } = shelving
        const seal = seals.ofRow('refs', { channel, ref, delivery_id, handle_hash })
        return void putRef.run(channel, ref, delivery_id, handle_hash, seal)
      }
      case 'cursor':
        return void putCursor.run(shelving.channel, shelving.cursor)
      case 'erasure':
        return void erase.run(shelving.reply_id)
      case 'callback':
        return void putCallback.run(sealed('callbacks', shelving))
      case 'link':
        freeAddress.run({ channel: shelving.link.channel, address: shelving.link.address })
        return void putLink.run(sealed('links', shelving.link))
      case 'key':
        return putKey(shelving.key)
      case 'checkpoint':
        return void putCheckpoint.run(shelving.checkpoint)
      case 'invitation':
        return void putInvitation.run(sealed('invitations', shelving.invitation))
      case 'away':
        return void putAway.run(sealed('away', shelving.away))
      case 'passkey':
        return void putPasskey.run(sealed('passkeys', shelving.passkey))
      case 'passkey_end':
        endPasskey.run(shelving.credential_hash)
        return void endPasskeySessions.run(shelving.credential_hash)
      case 'enrolment':
        return void putEnrolment.run(sealed('enrolments', shelving.enrolment))
      case 'enrolment_end':
        return void endEnrolment.run(shelving.request_id)
      case 'sessions_end':
        return void endSessions.run(shelving.user_id)
      case 'api_key':
        return void putApiKey.run(sealed('api_keys', rowOfApiKey(shelving.key)))
    }
  }
}

export const sealedRow = <T extends object>(seals: Seals, table: RightTable, row: T) => ({
  seal: seals.ofRow(table, row as unknown as Row),
  ...row,
})

export function keyPutter(db: Database, seals: Seals): (row: KeyRow) => void {
  const put = db.prepare(
    `INSERT INTO keys (kid, purpose, public_jwk, wrapped, not_before, verify_until, renewed_at, seal)
     VALUES (@kid, @purpose, @public_jwk, @wrapped, @not_before, @verify_until, @renewed_at, @seal)
     ON CONFLICT DO UPDATE
       SET wrapped = excluded.wrapped, verify_until = excluded.verify_until, renewed_at = excluded.renewed_at,
         seal = excluded.seal
       WHERE verify_until IS NULL OR verify_until >= excluded.verify_until`,
  )
  // A row that was read before the store was unlocked brings the seal it had, or none.
  return row =>
    void put.run({
      ...row,
      wrapped: Buffer.from(row.wrapped),
      seal: seals.ofRow('keys', row as unknown as Row),
    })
}
