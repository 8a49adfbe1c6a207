// The shelf of the embedded store: plain tables beside the ledger, written in the ledger's own transactions where an
// append says so (L6).
import type { Database } from 'better-sqlite3'
import type {
  ApiKey,
  Grant,
  Invitation,
  KeyRow,
  Link,
  RawReply,
  Scope,
  Shelf,
  Shelving,
} from '../contract.js'
import type { Storage } from './storage.js'

const PAGE = 500

/** The writing side that an append calls on, inside its transaction. */
export function shelver(db: Database): (shelving: Shelving) => void {
  const putGrant = db.prepare(
    `INSERT INTO grants (handle_hash, code_hash, token, request_id, delivery_id, channel, user_id)
     VALUES (@handle_hash, @code_hash, @token, @request_id, @delivery_id, @channel, @user_id)`,
  )
  const putRaw = db.prepare(
    'INSERT INTO raw_replies (reply_id, request_id, salt, raw) VALUES (@reply_id, @request_id, @salt, @raw)',
  )
  const putRef = db.prepare(
    `INSERT INTO refs (channel, ref, delivery_id, handle_hash) VALUES (@channel, @ref, @delivery_id, @handle_hash)
     ON CONFLICT DO UPDATE SET delivery_id = excluded.delivery_id, handle_hash = excluded.handle_hash`,
  )
  const putCursor = db.prepare(
    'INSERT INTO cursors (channel, cursor) VALUES (?, ?) ON CONFLICT DO UPDATE SET cursor = excluded.cursor',
  )
  const erase = db.prepare('DELETE FROM raw_replies WHERE reply_id = ?')
  const putCallback = db.prepare('INSERT INTO callbacks (request_id, url) VALUES (@request_id, @url)')
  const putLink = db.prepare(
    `INSERT INTO links (user_id, channel, address) VALUES (@user_id, @channel, @address)
     ON CONFLICT DO UPDATE SET address = excluded.address`,
  )
  const putInvitation = db.prepare(
    `INSERT INTO invitations (code_hash, user_id, channel, expires_ms)
     VALUES (@code_hash, @user_id, @channel, @expires_ms)`,
  )
  const putApiKey = db.prepare(
    `INSERT INTO api_keys (key_id, name, scopes, secret_hash, created_at, revoked_at)
     VALUES (@key_id, @name, @scopes, @secret_hash, @created_at, @revoked_at)
     ON CONFLICT (key_id) DO UPDATE SET revoked_at = excluded.revoked_at WHERE revoked_at IS NULL`,
  )
  return shelving => {
    switch (shelving.put) {
      case 'grant':
        return void putGrant.run(shelving.grant)
      case 'raw':
        return void putRaw.run({ ...shelving.reply, salt: Buffer.from(shelving.reply.salt) })
      case 'ref':
        return void putRef.run(shelving)
      case 'cursor':
        return void putCursor.run(shelving.channel, shelving.cursor)
      case 'erasure':
        return void erase.run(shelving.reply_id)
      case 'callback':
        return void putCallback.run({ request_id: shelving.request_id, url: shelving.url })
      case 'link':
        return void putLink.run(shelving.link)
      case 'invitation':
        return void putInvitation.run(shelving.invitation)
      case 'api_key':
        return void putApiKey.run({ ...shelving.key, scopes: shelving.key.scopes.join(',') })
    }
  }
}

type ApiKeyRow = Omit<ApiKey, 'scopes'> & { readonly scopes: string }
const readApiKey = (row: ApiKeyRow): ApiKey => ({ ...row, scopes: row.scopes.split(',') as Scope[] })

export function sqliteShelf(db: Database, storage: Storage): Shelf {
  const one = <T>(sql: string) => {
    const statement = db.prepare(sql)
    return (...args: unknown[]) => (statement.get(...args) as T | undefined) ?? null
  }
  const grantColumns =
    'g.handle_hash, g.code_hash, g.token, g.request_id, g.delivery_id, g.channel, g.user_id'
  const grant = one<Grant>(`SELECT ${grantColumns} FROM grants g WHERE handle_hash = ?`)
  const grantByRef = one<Grant>(
    `SELECT ${grantColumns} FROM refs r JOIN grants g USING (handle_hash) WHERE r.channel = ? AND r.ref = ?`,
  )
  const openGrants = db.prepare(
    `SELECT ${grantColumns} FROM grants g JOIN requests q USING (request_id)
     WHERE g.channel = ? AND g.channel <> 'web' AND g.user_id = ? AND q.state = 'pending' ORDER BY g.rowid`,
  )
  const lastGrants = db.prepare(
    `SELECT ${grantColumns} FROM grants g WHERE g.channel = ? AND g.channel <> 'web' AND g.user_id = ?
     ORDER BY g.rowid DESC LIMIT ?`,
  )
  /** A write of its own, not within an append: told as the ledger tells it when the disk fails. */
  const write = <T>(deed: () => T): T => storage.write(() => db.transaction(deed).immediate())
  const refs = db.prepare('SELECT ref FROM refs WHERE delivery_id = ?').pluck()
  const raw = one<RawReply>('SELECT reply_id, request_id, salt, raw FROM raw_replies WHERE reply_id = ?')
  const cursor = one<{ cursor: string }>('SELECT cursor FROM cursors WHERE channel = ?')
  const callback = one<{ url: string }>('SELECT url FROM callbacks WHERE request_id = ?')
  const blob = one<{ bytes: Uint8Array }>('SELECT bytes FROM blobs WHERE handle = ?')
  const owned = one<{ size: number }>('SELECT size FROM blob_owners WHERE key_id = ? AND handle = ?')
  const used = one<{ sum: number | null }>('SELECT sum(size) AS sum FROM blob_owners WHERE key_id = ?')

  return {
    grant: async handleHash => grant(handleHash),
    grantByRef: async (channel, reference) => grantByRef(channel, reference),
    openGrants: async (channel, userId) => openGrants.all(channel, userId) as Grant[],
    lastGrants: async (channel, userId, limit) =>
      (lastGrants.all(channel, userId, limit) as Grant[]).reverse(),
    refs: async deliveryId => refs.all(deliveryId) as string[],
    raw: async replyId => raw(replyId),
    async *raws() {
      const page = db.prepare(
        'SELECT reply_id, request_id, salt, raw FROM raw_replies WHERE reply_id > ? ORDER BY reply_id LIMIT ?',
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

    links: async () => db.prepare('SELECT * FROM links').all() as Link[],
    invitation: async codeHash =>
      (db.prepare('SELECT * FROM invitations WHERE code_hash = ?').get(codeHash) as Invitation | undefined) ??
      null,

    keyring: async () => db.prepare('SELECT * FROM keys ORDER BY not_before, kid').all() as KeyRow[],
    async putKey(row, retire) {
      write(() => {
        if (retire !== undefined)
          db.prepare('UPDATE keys SET verify_until = ? WHERE purpose = ? AND verify_until IS NULL').run(
            retire.verify_until,
            row.purpose,
          )
        db.prepare(
          `INSERT INTO keys (kid, purpose, public_jwk, wrapped, not_before, verify_until)
           VALUES (@kid, @purpose, @public_jwk, @wrapped, @not_before, @verify_until)`,
        ).run({ ...row, wrapped: Buffer.from(row.wrapped) })
      })
    },

    apiKeys: async () =>
      (db.prepare('SELECT * FROM api_keys ORDER BY created_at').all() as ApiKeyRow[]).map(readApiKey),

    async putBlob(handle, bytes, keyId, quota) {
      return write(() => {
        if (owned(keyId, handle)) return 'known' as const
        if ((used(keyId)?.sum ?? 0) + bytes.length > quota) return 'full' as const
        db.prepare('INSERT OR IGNORE INTO blobs (handle, bytes) VALUES (?, ?)').run(
          handle,
          Buffer.from(bytes),
        )
        db.prepare('INSERT INTO blob_owners (handle, key_id, size) VALUES (?, ?, ?)').run(
          handle,
          keyId,
          bytes.length,
        )
        return 'new' as const
      })
    },
    blob: async handle => blob(handle)?.bytes ?? null,
    ownsBlob: async (handle, keyId) => owned(keyId, handle) !== null,
  }
}
