// The shelf of the cluster's store: its reads, and its writes outside an append. Such a write is made again when its
// connection was lost: it then does nothing new, or is refused as the second one of its kind.

import type { Hash } from '../../canonical.js'
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
import type { Query } from './connection.js'
import { hexOf, joinOpen } from './facts.js'
import { STANDING } from './passkeys.js'
import type { Readers } from './reading.js'
import { rowOfKey } from './shelving.js'
import { KEYS } from './tables.js'

const PAGE = 500

const GRANT =
  'g.handle_hash, g.use, g.code_hash, g.token, g.request_id, g.delivery_id, g.channel, g.user_id, g.seal'
const asked = (name: string, text: string) => ({
  with: (...values: readonly unknown[]): Query => ({ name: `shelf_${name}`, text, values }),
})

const grant = asked('grant', `SELECT ${GRANT} FROM grants g WHERE handle_hash = $1`)
const grantByRef = asked(
  'grant_by_ref',
  `SELECT ${GRANT}, r.delivery_id AS ref_delivery, r.seal AS ref_seal
   FROM refs r JOIN grants g USING (handle_hash) WHERE r.channel = $1 AND r.ref = decode($2, 'hex')`,
)
const formerGrants = asked(
  'former_grants',
  `SELECT ${GRANT} FROM grants g WHERE g.channel = $1 AND g.user_id = $2 AND g.use IS NULL
   ORDER BY g.place DESC LIMIT $3`,
)
const grantsByCode = asked(
  'grants_by_code',
  `SELECT ${GRANT} FROM grants g
   WHERE g.user_id = $1 AND g.channel = $2 AND g.code_hash = $3 AND g.use = 'reply' AND g.code_hash <> '' ORDER BY g.place`,
)
const openCodes = asked(
  'open_codes',
  `SELECT ${GRANT} FROM open_codes c ${joinOpen('c')} JOIN grants g USING (handle_hash)
   WHERE c.channel = $1 AND c.user_id = $2 ORDER BY g.place`,
)
const misses = asked(
  'misses',
  'SELECT coalesce(sum(count), 0)::int AS count FROM code_misses WHERE channel = $1 AND user_id = $2 AND ms > $3',
)
const rest = asked(
  'rest',
  'SELECT channel, user_id, until_ms, length_ms FROM code_rests WHERE channel = $1 AND user_id = $2',
)
const rests = asked(
  'rests',
  'SELECT channel, user_id, until_ms, length_ms FROM code_rests WHERE until_ms > $1',
)
const refs = asked(
  'refs',
  'SELECT channel, ref, delivery_id, handle_hash, seal FROM refs WHERE delivery_id = $1',
)
const raw = asked(
  'raw',
  'SELECT reply_id, request_id, salt, raw, beside FROM raw_replies WHERE reply_id = $1',
)
const evidence = asked('evidence', 'SELECT evidence FROM evidence WHERE reply_id = $1')
const raws = asked(
  'raws',
  'SELECT reply_id, request_id, salt, raw, beside FROM raw_replies WHERE reply_id > $1 ORDER BY reply_id LIMIT $2',
)
const cursor = asked('cursor', 'SELECT cursor FROM cursors WHERE channel = $1')
const callback = asked('callback', 'SELECT request_id, url, seal FROM callbacks WHERE request_id = $1')
const links = asked('links', 'SELECT user_id, channel, address, seal FROM links')
const invitation = asked(
  'invitation',
  'SELECT code_hash, user_id, channel, expires_ms, seal FROM invitations WHERE code_hash = $1',
)
const keyring = asked(
  'keyring',
  `SELECT kid, purpose, public_jwk, wrapped, not_before, verify_until, renewed_at, seal
   FROM keys ORDER BY not_before, kid`,
)
const away = asked('away', 'SELECT user_id, from_ms, until_ms, deputy, seal FROM away WHERE until_ms > $1')
const API_KEY = 'key_id, name, scopes, secret_hash, created_at, revoked_at, owner, urgent, seal'
const apiKeys = asked('api_keys', `SELECT ${API_KEY} FROM api_keys ORDER BY created_at, key_id`)
const PASSKEY = 'credential_hash, credential_id, user_id, public_key, by, seal'
const passkey = asked('passkey', `SELECT ${PASSKEY} FROM ${STANDING} AND p.credential_hash = $1`)
const passkeyById = asked('passkey_by_id', `SELECT ${PASSKEY} FROM ${STANDING} AND p.credential_id = $1`)
const passkeysOf = asked(
  'passkeys_of',
  `SELECT ${PASSKEY} FROM ${STANDING} AND p.user_id = $1 ORDER BY credential_hash`,
)
const passkeys = asked('passkeys', `SELECT ${PASSKEY} FROM ${STANDING}`)
const ENROLMENT = 'request_id, user_id, claim, seal'
const enrolment = asked('enrolment', `SELECT ${ENROLMENT} FROM enrolments WHERE request_id = $1`)
const enrolments = asked('enrolments', `SELECT ${ENROLMENT} FROM enrolments`)
const session = asked(
  'session',
  'SELECT id_hash, kind, whose, by, credential_hash, until_ms, seal FROM sessions WHERE id_hash = $1',
)
/** One statement, so that a second try after a lost connection does nothing new. */
const putSession = asked(
  'put_session',
  `WITH over AS (DELETE FROM sessions WHERE until_ms <= $8)
   INSERT INTO sessions (id_hash, kind, whose, by, credential_hash, until_ms, seal) VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT DO NOTHING`,
)
const endSession = asked('end_session', 'DELETE FROM sessions WHERE id_hash = $1')
const endSessions = asked('end_sessions', `DELETE FROM sessions WHERE kind = 'person' AND whose = $1`)
const checkpoint = asked('checkpoint', 'SELECT size, note, at_ms FROM checkpoint')
const putBlob = asked(
  'put_blob',
  `WITH had AS (SELECT 1 FROM blob_owners WHERE key_id = $3 AND handle = $1),
     used AS (SELECT coalesce((SELECT bytes FROM blob_use WHERE key_id = $3), 0) AS sum),
     fits AS (
       SELECT 1 FROM used WHERE NOT EXISTS (SELECT FROM had) AND used.sum + length($2::bytea) <= $4::bigint
     ),
     kept AS (INSERT INTO blobs (handle, bytes) SELECT $1, $2 FROM fits ON CONFLICT DO NOTHING),
     owned AS (
       INSERT INTO blob_owners (handle, key_id, size) SELECT $1, $3, length($2::bytea) FROM fits RETURNING 1
     )
   SELECT CASE WHEN EXISTS (SELECT FROM had) THEN 'known' WHEN EXISTS (SELECT FROM owned) THEN 'new'
     ELSE 'full' END AS kept`,
)
const blob = asked('blob', 'SELECT bytes FROM blobs WHERE handle = $1')
const ownBlobs = asked(
  'own_blobs',
  'SELECT handle, bytes FROM blob_owners JOIN blobs USING (handle) WHERE key_id = $1 AND handle = ANY ($2::text[])',
)

const begin = asked('begin', 'BEGIN').with()
const commit = asked('commit', 'COMMIT').with()
/** A transaction that takes a name has it until its end. */
const turn = asked('turn', `SELECT pg_advisory_xact_lock(hashtextextended('lane/' || $1, 0))`)

type Bytes = Buffer
type WithSeal<T> = T & { readonly seal: string | null }
/** The reference by which a grant was found. */
type Referred = { readonly ref_delivery: string; readonly ref_seal: string | null }
type RawRow = Omit<RawReply, 'raw'> & { readonly raw: Bytes }
const readRaw = (row: RawRow): RawReply => ({ ...row, raw: row.raw.toString('utf8') })

export function postgresShelf(readers: Readers, seals: Seals): Shelf {
  /** Done in turn with every other replica's deeds of that name. */
  const inTurn = async (name: string, deed: Query) =>
    (await readers.all([begin, turn.with(name), deed, commit]))[2]?.rows ?? []

  /** Rows that give a right, if the lane has sealed them. */
  const sound = async <T extends object>(table: RightTable, asked: Query): Promise<T[]> =>
    (await readers.rows<WithSeal<T>>(asked)).flatMap(row => seals.sound<T>(table, row) ?? [])
  const soundOne = async <T extends object>(table: RightTable, asked: Query): Promise<T | null> =>
    (await sound<T>(table, asked))[0] ?? null

  return {
    grant: handleHash => soundOne<Grant>('grants', grant.with(handleHash)),
    async grantByRef(channel, ref) {
      const row = await readers.one<WithSeal<Grant> & Referred>(grantByRef.with(channel, hexOf(ref)))
      if (row === null) return null
      const { ref_delivery: delivery_id, ref_seal, ...found } = row
      const reference = { channel, ref, delivery_id, handle_hash: found.handle_hash, seal: ref_seal }
      return seals.sound('refs', reference) && seals.sound<Grant>('grants', found)
    },
    formerGrants: async (channel, userId, limit) =>
      (await sound<Grant>('grants', formerGrants.with(channel, userId, limit))).toReversed(),
    grantsByCode: (channel, userId, codeHash) =>
      sound<Grant>('grants', grantsByCode.with(userId, channel, codeHash)),
    openCodes: (channel, userId) => sound<Grant>('grants', openCodes.with(channel, userId)),
    misses: async (channel, userId, since) =>
      (await readers.one<{ count: number }>(misses.with(channel, userId, since)))?.count ?? 0,
    rest: (channel, userId) => readers.one<Rest>(rest.with(channel, userId)),
    rests: ms => readers.rows<Rest>(rests.with(ms)),
    async refs(deliveryId) {
      const rows = await readers.rows<WithSeal<{ ref: Bytes }>>(refs.with(deliveryId))
      const read = rows.map(row => ({ ...row, ref: row.ref.toString('utf8') }))
      return read.flatMap(row => seals.sound<{ ref: string }>('refs', row)?.ref ?? [])
    },
    async raw(replyId) {
      const row = await readers.one<RawRow>(raw.with(replyId))
      return row && readRaw(row)
    },
    async evidence(replyId) {
      const row = await readers.one<{ readonly evidence: string }>(evidence.with(replyId))
      return row?.evidence ?? null
    },
    async *raws() {
      for (let last = ''; ; ) {
        const rows = await readers.rows<RawRow>(raws.with(last, PAGE))
        yield* rows.map(readRaw)
        const end = rows.at(-1)
        if (end === undefined) return
        last = end.reply_id
      }
    },
    cursor: async channel =>
      (await readers.one<{ cursor: Bytes }>(cursor.with(channel)))?.cursor.toString('utf8') ?? null,
    callback: async requestId =>
      (await soundOne<{ url: string }>('callbacks', callback.with(requestId)))?.url ?? null,

    checkpoint: () => readers.one<SignedCheckpoint>(checkpoint.with()),
    async links() {
      const rows = await readers.rows<WithSeal<Omit<Link, 'address'>> & { address: Bytes }>(links.with())
      const read = rows.map(row => ({ ...row, address: row.address.toString('utf8') }))
      return read.flatMap(row => seals.sound<Link>('links', row) ?? [])
    },
    invitation: codeHash => soundOne<Invitation>('invitations', invitation.with(codeHash)),
    away: ms => sound<Away>('away', away.with(Math.floor(ms))),

    passkey: credentialHash => soundOne<PasskeyRow>('passkeys', passkey.with(credentialHash)),
    passkeyById: credentialId => soundOne<PasskeyRow>('passkeys', passkeyById.with(credentialId)),
    passkeysOf: userId => sound<PasskeyRow>('passkeys', passkeysOf.with(userId)),
    passkeys: () => sound<PasskeyRow>('passkeys', passkeys.with()),

    enrolment: requestId => soundOne<EnrolmentRow>('enrolments', enrolment.with(requestId)),
    enrolments: () => sound<EnrolmentRow>('enrolments', enrolments.with()),

    session: idHash => soundOne<SessionRow>('sessions', session.with(idHash)),
    async putSession(row, ms) {
      const { id_hash, kind, whose, by, credential_hash, until_ms } = row
      const seal = seals.ofRow('sessions', row)
      const values = [id_hash, kind, whose, by, credential_hash, until_ms, seal]
      await readers.rows(putSession.with(...values, Math.floor(ms)))
    },
    async endSession(idHash) {
      await readers.rows(endSession.with(idHash))
    },
    async endSessions(userId) {
      await readers.rows(endSessions.with(userId))
    },

    keyring: () =>
      seals.isLocked ? readers.rows<KeyRow>(keyring.with()) : sound<KeyRow>('keys', keyring.with()),
    async putKeys(rows) {
      await readers.rows({ ...KEYS, values: [JSON.stringify(rows.map(row => rowOfKey(row, seals)))] })
    },

    apiKeys: async () => (await sound<ApiKeyRow>('api_keys', apiKeys.with())).map(readApiKey),

    async putBlob(handle, bytes, keyId, quota) {
      const put = putBlob.with(handle, Buffer.from(bytes), keyId, quota)
      const [row] = (await inTurn(`blobs ${keyId}`, put)) as readonly { kept: 'new' | 'known' | 'full' }[]
      if (row === undefined) throw new Error('the database did not say whether the content was kept')
      return row.kept
    },
    blob: async handle => (await readers.one<{ bytes: Bytes }>(blob.with(handle)))?.bytes ?? null,
    async ownBlobs(keyId, handles) {
      if (handles.length === 0) return new Map()
      const rows = await readers.rows<{ handle: Hash; bytes: Bytes }>(ownBlobs.with(keyId, handles))
      return new Map(rows.map(({ handle, bytes }) => [handle, bytes]))
    },
  }
}
