// The shelf of the embedded store: plain tables beside the ledger, written in the ledger's own transactions where an
// append says so (L6).
import type { Database } from 'better-sqlite3'
import type { Hash } from '../../canonical.js'
import type { RightTable, Row } from '../rights.js'
import type { Seals } from '../seals.js'
import {
  type ApiKeyRow,
  type Away,
  type EnrolmentRow,
  type Grant,
  type Invitation,
  type KeyRow,
  type Link,
  type PasskeyRow,
  type RawReply,
  type Rest,
  readApiKey,
  rowOfApiKey,
  type SessionRow,
  type Shelf,
  type Shelving,
  type SignedCheckpoint,
} from '../shelf.js'
import type { Storage } from './storage.js'

const PAGE = 500

const END_SESSIONS = `DELETE FROM sessions WHERE kind = 'person' AND whose = ?`

/** The writing side that an append calls on, inside its transaction. What every request has is bound by place: the driver
 *  looks a name up for every value, each time. */
export function shelver(db: Database, seals: Seals): (shelving: Shelving) => void {
  const putGrant = db.prepare(
    `INSERT INTO grants (handle_hash, use, code_hash, token, request_id, delivery_id, channel, user_id, seal)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
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
  const putEnrolment = db.prepare(
    'INSERT INTO enrolments (request_id, user_id, claim, seal) VALUES (@request_id, @user_id, @claim, @seal)',
  )
  const endEnrolment = db.prepare('DELETE FROM enrolments WHERE request_id = ?')
  const endSessions = db.prepare(END_SESSIONS)
  const putContent = contentPutter(db)
  const disown = db.prepare('DELETE FROM blob_owners WHERE key_id = ? AND handle = ?')
  const forgetContent = db.prepare(
    'DELETE FROM blobs WHERE handle = @handle AND NOT EXISTS (SELECT 1 FROM blob_owners WHERE handle = @handle)',
  )
  return shelving => {
    switch (shelving.put) {
      case 'content_erasure':
        disown.run(shelving.key_id, shelving.handle)
        return void forgetContent.run({ handle: shelving.handle })
      case 'content':
        return putContent(shelving.handle, shelving.bytes, shelving.key_id)
      case 'grant': {
        const { use, code_hash, channel, user_id, request_id, handle_hash, token, delivery_id } =
          shelving.grant
        const seal = seals.ofRow('grants', shelving.grant)
        const whose = [request_id, delivery_id, channel, user_id]
        putGrant.run(handle_hash, use, code_hash, token, ...whose, seal)
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

const sealedRow = <T extends object>(seals: Seals, table: RightTable, row: T) => ({
  seal: seals.ofRow(table, row as unknown as Row),
  ...row,
})

function keyPutter(db: Database, seals: Seals): (row: KeyRow) => void {
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

function contentPutter(db: Database): (handle: string, bytes: Uint8Array, keyId: string) => void {
  const put = db.prepare('INSERT OR IGNORE INTO blobs (handle, bytes) VALUES (?, ?)')
  const own = db.prepare('INSERT OR IGNORE INTO blob_owners (handle, key_id, size) VALUES (?, ?, ?)')
  return (handle, bytes, keyId) => {
    put.run(handle, bytes)
    own.run(handle, keyId, bytes.length)
  }
}

type WithSeal<T> = T & { readonly seal: string | null }
export function sqliteShelf(db: Database, storage: Storage, seals: Seals): Shelf {
  const one = <T>(sql: string) => {
    const statement = db.prepare(sql)
    return (...args: unknown[]) => (statement.get(...args) as T | undefined) ?? null
  }
  /** A row that gives a right, if the lane has sealed it. */
  const soundOne = <T extends object>(table: RightTable, sql: string) => {
    const get = one<WithSeal<T>>(sql)
    return (...args: unknown[]): T | null => {
      const row = get(...args)
      return row && seals.sound<T>(table, row)
    }
  }
  const soundOnes = <T extends object>(table: RightTable, rows: unknown[]): T[] =>
    (rows as WithSeal<T>[]).flatMap(row => seals.sound<T>(table, row) ?? [])
  const grantColumns =
    'g.handle_hash, g.use, g.code_hash, g.token, g.request_id, g.delivery_id, g.channel, g.user_id, g.seal'
  const grant = soundOne<Grant>('grants', `SELECT ${grantColumns} FROM grants g WHERE handle_hash = ?`)
  const ref = soundOne<{ handle_hash: string }>(
    'refs',
    'SELECT channel, ref, delivery_id, handle_hash, seal FROM refs WHERE channel = ? AND ref = ?',
  )
  const formerGrants = db.prepare(
    `SELECT ${grantColumns} FROM grants g WHERE g.channel = ? AND g.user_id = ? AND g.use IS NULL
     ORDER BY g.rowid DESC LIMIT ?`,
  )
  const grantsByCode = db.prepare(
    `SELECT ${grantColumns} FROM grants g
     WHERE g.user_id = ? AND g.channel = ? AND g.code_hash = ? AND g.use = 'reply' AND g.code_hash <> '' ORDER BY g.rowid`,
  )
  const openCodes = db.prepare(
    `SELECT ${grantColumns} FROM open_codes c JOIN requests q USING (request_id) JOIN grants g USING (handle_hash)
     WHERE c.channel = ? AND c.user_id = ? AND q.resolved_seq IS NULL ORDER BY g.rowid`,
  )
  const misses = db
    .prepare('SELECT coalesce(sum(count), 0) FROM code_misses WHERE channel = ? AND user_id = ? AND ms > ?')
    .pluck()
  const rest = one<Rest>('SELECT * FROM code_rests WHERE channel = ? AND user_id = ?')
  const rests = db.prepare('SELECT * FROM code_rests WHERE until_ms > ?')
  /** A write of its own, outside an append. A failing disk is reported as the ledger reports it. */
  const write = <T>(deed: () => T): T => storage.write(() => db.transaction(deed).immediate())
  const refs = db.prepare(
    'SELECT channel, ref, delivery_id, handle_hash, seal FROM refs WHERE delivery_id = ?',
  )
  const evidence = one<{ readonly evidence: string }>('SELECT evidence FROM evidence WHERE reply_id = ?')
  const raw = one<RawReply>(
    'SELECT reply_id, request_id, salt, raw, beside FROM raw_replies WHERE reply_id = ?',
  )
  const cursor = one<{ cursor: string }>('SELECT cursor FROM cursors WHERE channel = ?')
  const callback = soundOne<{ url: string }>(
    'callbacks',
    'SELECT request_id, url, seal FROM callbacks WHERE request_id = ?',
  )
  const invitation = soundOne<Invitation>(
    'invitations',
    'SELECT code_hash, user_id, channel, expires_ms, seal FROM invitations WHERE code_hash = ?',
  )
  const passkeyColumns = 'credential_hash, credential_id, user_id, public_key, by, seal'
  const passkey = soundOne<PasskeyRow>(
    'passkeys',
    `SELECT ${passkeyColumns} FROM passkeys WHERE credential_hash = ?`,
  )
  const passkeyById = soundOne<PasskeyRow>(
    'passkeys',
    `SELECT ${passkeyColumns} FROM passkeys WHERE credential_id = ?`,
  )
  const passkeysOf = db.prepare(
    `SELECT ${passkeyColumns} FROM passkeys WHERE user_id = ? ORDER BY credential_hash`,
  )
  const enrolment = soundOne<EnrolmentRow>(
    'enrolments',
    'SELECT request_id, user_id, claim, seal FROM enrolments WHERE request_id = ?',
  )
  const session = soundOne<SessionRow>(
    'sessions',
    'SELECT id_hash, kind, whose, by, until_ms, seal FROM sessions WHERE id_hash = ?',
  )
  const putSession = db.prepare(
    `INSERT INTO sessions (id_hash, kind, whose, by, until_ms, seal)
     VALUES (@id_hash, @kind, @whose, @by, @until_ms, @seal)`,
  )
  const forgetSessions = db.prepare('DELETE FROM sessions WHERE until_ms <= ?')
  const endSession = db.prepare('DELETE FROM sessions WHERE id_hash = ?')
  const endSessions = db.prepare(END_SESSIONS)
  const checkpoint = one<SignedCheckpoint>('SELECT size, note, at_ms FROM checkpoint')
  const putKey = keyPutter(db, seals)
  const blob = one<{ bytes: Uint8Array }>('SELECT bytes FROM blobs WHERE handle = ?')
  const owned = one<{ size: number }>('SELECT size FROM blob_owners WHERE key_id = ? AND handle = ?')
  const used = one<{ bytes: number }>('SELECT bytes FROM blob_use WHERE key_id = ?')
  const ownBlob = one<{ bytes: Uint8Array }>(
    'SELECT bytes FROM blob_owners JOIN blobs USING (handle) WHERE key_id = ? AND handle = ?',
  )
  const putContent = contentPutter(db)

  return {
    grant: async handleHash => grant(handleHash),
    async grantByRef(channel, reference) {
      const found = ref(channel, reference)
      return found && grant(found.handle_hash)
    },
    formerGrants: async (channel, userId, limit) =>
      soundOnes<Grant>('grants', formerGrants.all(channel, userId, limit)).reverse(),
    grantsByCode: async (channel, userId, codeHash) =>
      soundOnes<Grant>('grants', grantsByCode.all(userId, channel, codeHash)),
    openCodes: async (channel, userId) => soundOnes<Grant>('grants', openCodes.all(channel, userId)),
    misses: async (channel, userId, since) => misses.get(channel, userId, since) as number,
    rest: async (channel, userId) => rest(channel, userId),
    rests: async ms => rests.all(ms) as Rest[],
    refs: async deliveryId =>
      soundOnes<{ ref: string }>('refs', refs.all(deliveryId)).map(({ ref: reference }) => reference),
    raw: async replyId => raw(replyId),
    evidence: async replyId => evidence(replyId)?.evidence ?? null,
    async *raws() {
      const page = db.prepare(
        'SELECT reply_id, request_id, salt, raw, beside FROM raw_replies WHERE reply_id > ? ORDER BY reply_id LIMIT ?',
      )
      for (let last = ''; ; ) {
        const rows = page.all(last, PAGE) as RawReply[]
        yield* rows
        const end = rows.at(-1)
        if (end === undefined) return
        last = end.reply_id
      }
    },
    cursor: async channel => cursor(channel)?.cursor ?? null,
    callback: async requestId => callback(requestId)?.url ?? null,

    checkpoint: async () => checkpoint(),
    links: async () => soundOnes<Link>('links', db.prepare('SELECT * FROM links').all()),
    invitation: async codeHash => invitation(codeHash),
    away: async ms =>
      soundOnes<Away>('away', db.prepare('SELECT * FROM away WHERE until_ms > ?').all(Math.floor(ms))),

    passkey: async credentialHash => passkey(credentialHash),
    passkeyById: async credentialId => passkeyById(credentialId),
    passkeysOf: async userId => soundOnes<PasskeyRow>('passkeys', passkeysOf.all(userId)),

    enrolment: async requestId => enrolment(requestId),
    enrolments: async () =>
      soundOnes<EnrolmentRow>('enrolments', db.prepare('SELECT * FROM enrolments').all()),

    session: async idHash => session(idHash),
    async putSession(row, ms) {
      write(() => {
        forgetSessions.run(Math.floor(ms))
        putSession.run(sealedRow(seals, 'sessions', row))
      })
    },
    async endSession(idHash) {
      write(() => endSession.run(idHash))
    },
    async endSessions(userId) {
      write(() => endSessions.run(userId))
    },

    async keyring() {
      const rows = db.prepare('SELECT * FROM keys ORDER BY not_before, kid').all()
      return seals.isLocked ? (rows as KeyRow[]) : soundOnes<KeyRow>('keys', rows)
    },
    async putKeys(rows) {
      write(() => rows.forEach(putKey))
    },

    apiKeys: async () =>
      soundOnes<ApiKeyRow>('api_keys', db.prepare('SELECT * FROM api_keys ORDER BY created_at').all()).map(
        readApiKey,
      ),

    async putBlob(handle, bytes, keyId, quota) {
      return write(() => {
        if (owned(keyId, handle)) return 'known' as const
        if ((used(keyId)?.bytes ?? 0) + bytes.length > quota) return 'full' as const
        putContent(handle, bytes, keyId)
        return 'new' as const
      })
    },
    blob: async handle => blob(handle)?.bytes ?? null,
    async ownBlobs(keyId, handles) {
      const own = new Map<Hash, Uint8Array>()
      // Most keys have never sent any, and every request that names contents asks.
      if (used(keyId) === null) return own
      for (const handle of handles) {
        const found = ownBlob(keyId, handle)
        if (found !== null) own.set(handle, found.bytes)
      }
      return own
    },
  }
}
