// Who has signed in at the console: a person, or an operator by their key, and never both. The browser has the id, the
// store its hash: nobody who reads the database has a session.
//
// SE1  Each sign-in has an id of its own, drawn here: whoever planted one before has nothing.
// SE2  A session ends by its time, by signing out here or everywhere, when its person leaves the configuration, when the
//      passkey that it began with is taken back, and when its key is revoked or may not operate any more.
// SE3  A row that the lane has not sealed is nobody's session.
import { type Hash, sha256 } from '../canonical.js'
import { instant } from '../clock.js'
import type { Config } from '../config/config.js'
import { acted } from '../event.js'
import type { KeyBook } from '../keys/key-book.js'
import type { Ledger, Store } from '../ledger/contract.js'
import type { SessionRow, Shelf } from '../ledger/shelf.js'
import { draw } from '../token/chance.js'
import type { Stamper } from '../token/stamp.js'

/** Of a person: a working day. */
const PERSON_MS = 12 * 60 * 60 * 1000
/** Of an operator, who sees everybody's requests. */
const OPERATOR_MS = 60 * 60 * 1000
const ID_BYTES = 32
const ID = /^[A-Za-z0-9_-]{43}$/

export type Session = {
  /** The stamp that every form of this session carries. */
  readonly csrf: string
  readonly until: string
} & (
  | {
      readonly kind: 'person'
      readonly user_id: string
      readonly by: Exclude<SessionRow['by'], 'key'>
      /** The passkey that it began with; absent where it began otherwise. */
      readonly credential_hash?: Hash
    }
  | { readonly kind: 'operator'; readonly key_id: string; readonly name: string }
)
type PersonSession = Extract<Session, { kind: 'person' }>
type OperatorSession = Extract<Session, { kind: 'operator' }>

/** Somebody who has proven who they are just now. */
type SignedIn =
  | Pick<PersonSession, 'kind' | 'user_id' | 'by' | 'credential_hash'>
  | Pick<OperatorSession, 'kind' | 'key_id'>

export type SessionParts = {
  readonly store: Pick<Store, 'ledger' | 'shelf'>
  readonly config: Pick<Config, 'recipients'>
  readonly keys: Pick<KeyBook, 'get'>
  readonly csrf: Stamper
}

/** As much of a store as sessions need. */
type SessionStore = {
  readonly shelf: Pick<Shelf, 'putSession' | 'endSession' | 'endSessions'>
  readonly ledger: Pick<Ledger, 'now'>
}

const hashId = (id: string): Hash => sha256('lane/session/v1\n', id)

/** The id for the browser. The session that it had before ends (SE1). */
export async function begin(
  store: SessionStore,
  who: SignedIn,
  before: string | null = null,
): Promise<{ readonly id: string; readonly seconds: number }> {
  const id = draw(ID_BYTES).toString('base64url')
  const now = store.ledger.now()
  const length = who.kind === 'person' ? PERSON_MS : OPERATOR_MS
  const whose = who.kind === 'person' ? who.user_id : who.key_id
  const by = who.kind === 'person' ? who.by : 'key'
  const row: SessionRow = {
    id_hash: hashId(id),
    kind: who.kind,
    whose,
    by,
    credential_hash: (who.kind === 'person' && who.credential_hash) || null,
    until_ms: Math.ceil(now + length),
  }
  await store.shelf.putSession(row, now)
  if (before !== null) await end(store, before)
  return { id, seconds: length / 1000 }
}

/** The session of this id, if it is one and stands (SE2). */
export async function find(parts: SessionParts, id: string): Promise<Session | null> {
  if (!ID.test(id)) return null
  const { store, config, keys, csrf } = parts
  const row = await store.shelf.session(hashId(id))
  if (row === null || row.until_ms <= store.ledger.now()) return null
  const common = { csrf: csrf.stamp(`session ${row.id_hash}`), until: instant(row.until_ms) }
  if (row.kind === 'operator') {
    const key = keys.get(row.whose)
    if (key === null || key.revoked_at !== null || !key.scopes.includes('operate')) return null
    return { kind: 'operator', key_id: key.key_id, name: key.name, ...common }
  }
  const { by, whose: user_id, credential_hash } = row
  if (by === 'key' || config.recipients[user_id] === undefined) return null
  if (credential_hash !== null && (await store.shelf.passkey(credential_hash)) === null) return null
  return { kind: 'person', user_id, by, ...(credential_hash && { credential_hash }), ...common }
}

export async function end({ shelf }: Pick<SessionStore, 'shelf'>, id: string): Promise<void> {
  if (ID.test(id)) await shelf.endSession(hashId(id))
}

/** The person ends all of their own. */
export const endEverywhere = ({ shelf }: Pick<SessionStore, 'shelf'>, userId: string): Promise<void> =>
  shelf.endSessions(userId)

/** An operator ends all sessions of a person, which is recorded. */
export async function endAll({ ledger }: Pick<Store, 'ledger'>, userId: string, by: string): Promise<void> {
  await ledger.append({
    decide: () => ({
      kind: 'append',
      events: [acted('sessions_ended', userId, by)],
      shelve: [{ put: 'sessions_end', user_id: userId }],
    }),
  })
}
