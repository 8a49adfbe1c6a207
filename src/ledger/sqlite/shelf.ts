// The shelf of the embedded store: plain tables beside the ledger, written in the ledger's own transactions where an
// append says so (L6).
import type { Database } from 'better-sqlite3'
import type { RightTable } from '../rights.js'
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
  type SessionRow,
  type Shelf,
  type SignedCheckpoint,
} from '../shelf.js'
import { GRANT_COLUMNS } from './grants.js'
import type { Late } from './late.js'
import { STANDING } from './passkeys.js'
import { END_SESSIONS, keyPutter, sealedRow } from './shelving.js'
import type { Storage } from './storage.js'

const PAGE = 500

type WithSeal<T> = T & { readonly seal: string | null }
export function sqliteShelf(db: Database, storage: Storage, seals: Seals, { contents, grants }: Late): Shelf {
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
  const soundOnes = <T extends object>(table: RightTable, rows: readonly unknown[]): T[] =>
    (rows as readonly WithSeal<T>[]).flatMap(row => seals.sound<T>(table, row) ?? [])
  const grant = (handleHash: string): Grant | null => {
    const row = grants.find(handleHash)
    return row && seals.sound<Grant>('grants', row)
  }
  const ref = soundOne<{ handle_hash: string }>(
    'refs',
    'SELECT channel, ref, delivery_id, handle_hash, seal FROM refs WHERE channel = ? AND ref = ?',
  )
  const formerGrants = db.prepare(
    `SELECT ${GRANT_COLUMNS} FROM grants g WHERE g.channel = ? AND g.user_id = ? AND g.use IS NULL
     ORDER BY g.place DESC LIMIT ?`,
  )
  const grantsByCode = db.prepare(
    `SELECT ${GRANT_COLUMNS} FROM grants g
     WHERE g.user_id = ? AND g.channel = ? AND g.code_hash = ? AND g.use = 'reply' AND g.code_hash <> '' ORDER BY g.place`,
  )
  const openCodes = db
    .prepare(
      `SELECT handle_hash FROM open_codes c JOIN requests q USING (request_id)
       WHERE c.channel = ? AND c.user_id = ? AND q.resolved_seq IS NULL`,
    )
    .pluck()
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
    `SELECT ${passkeyColumns} FROM ${STANDING} AND p.credential_hash = ?`,
  )
  const passkeyById = soundOne<PasskeyRow>(
    'passkeys',
    `SELECT ${passkeyColumns} FROM ${STANDING} AND p.credential_id = ?`,
  )
  const passkeysOf = db.prepare(
    `SELECT ${passkeyColumns} FROM ${STANDING} AND p.user_id = ? ORDER BY credential_hash`,
  )
  const passkeys = db.prepare(`SELECT ${passkeyColumns} FROM ${STANDING}`)
  const enrolment = soundOne<EnrolmentRow>(
    'enrolments',
    'SELECT request_id, user_id, claim, seal FROM enrolments WHERE request_id = ?',
  )
  const session = soundOne<SessionRow>(
    'sessions',
    'SELECT id_hash, kind, whose, by, credential_hash, until_ms, seal FROM sessions WHERE id_hash = ?',
  )
  const putSession = db.prepare(
    `INSERT INTO sessions (id_hash, kind, whose, by, credential_hash, until_ms, seal)
     VALUES (@id_hash, @kind, @whose, @by, @credential_hash, @until_ms, @seal)`,
  )
  const forgetSessions = db.prepare('DELETE FROM sessions WHERE until_ms <= ?')
  const endSession = db.prepare('DELETE FROM sessions WHERE id_hash = ?')
  const endSessions = db.prepare(END_SESSIONS)
  const checkpoint = one<SignedCheckpoint>('SELECT size, note, at_ms FROM checkpoint')
  const putKey = keyPutter(db, seals)

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
    openCodes: async (channel, userId) =>
      soundOnes<Grant>('grants', grants.findAll(openCodes.all(channel, userId) as string[])),
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
    passkeys: async () => soundOnes<PasskeyRow>('passkeys', passkeys.all()),

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
      storage.write(() => contents.settle())
      return write(() => {
        if (contents.find(keyId, [handle]).size > 0) return 'known' as const
        if ((contents.used(keyId) ?? 0) + bytes.length > quota) return 'full' as const
        contents.put(keyId, new Map([[handle, bytes]]))
        return 'new' as const
      })
    },
    blob: async handle => contents.readAny(handle),
    ownBlobs: async (keyId, handles) => contents.read(keyId, handles),
  }
}
