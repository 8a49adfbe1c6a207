// The signing keys, kept in memory while the lane runs and changed by whichever replica rotates them.
//
// A key that was rotated in is known to every replica before any of them signs with it: a reply may come back to any
// replica, and one that did not know the key yet would turn a person away. A replica that was stopped meanwhile, or
// was never told because the rotation was cut short, looks into the store before it calls a key unknown. A revoked
// key is the other way round: each replica drops it as soon as it hears of it, and signs with the next at once.
import { instant } from '../clock.js'
import { acted } from '../event.js'
import type { Store } from '../ledger/contract.js'
import { alone, onEntry } from '../ledger/replica.js'
import type { KeyRow } from '../ledger/shelf.js'
import { note } from '../record/record.js'
import { type ArtifactSigner, signArtifact } from '../token/artifact-jws.js'
import {
  addArtifactKey,
  type Keyring,
  missing,
  openKeyring,
  revokedRows,
  rotate,
  signingRow,
} from '../token/keyring.js'
import type { Secret } from '../token/wrap.js'

/** Replicas look for new entries once a second, even if every notice is lost; three looks. */
export const KNOWN_EVERYWHERE_MS = 3_000

export type Signing = {
  readonly current: () => Keyring
  rotate(): Promise<Rotated>
  /** The signer of artifacts; its first key is made when it is first asked for. */
  artifacts(): Promise<ArtifactSigner>
  /** Artifacts that rest on later entries are signed with a new key; those before keep theirs. */
  rotateArtifacts(): Promise<Rotated>
  /** Takes a key that others may have off the ring at once, though it has signed. Null if there is no such key. */
  revoke(kid: string, by: string): Promise<Revoked | null>
  /** The keys that were revoked and whose tokens could still be about. */
  revoked(): Promise<ReadonlySet<string>>
  /** Revoked keys whose copies may not all have been sent anew. */
  unrenewed(): Promise<ReadonlySet<string>>
  /** Everything these keys had signed was sent anew: nobody needs to look for it again. */
  renewed(kids: ReadonlySet<string>): Promise<void>
  stop(): void
}

type Rotated = { readonly kid: string; readonly not_before: string }
type Revoked = { readonly kid: string; readonly revoked_at: string }

export async function keepKeyring(
  store: Store,
  secret: Secret,
  spreadMs: number,
  onTrouble: (error: unknown) => void,
): Promise<Signing> {
  const change = async () => {
    const now = store.ledger.now()
    const { kid, keyring } = await alone(store, 'keys', () => rotate(store.shelf, secret, now))
    const not_before = instant(now)
    await note(store.ledger, { type: 'KEY_ROTATED', body: { kid, purpose: 'reply-token', not_before } })
    return { keyring, kid, not_before }
  }

  /** From then on every replica knows it, so that all of them sign the same artifact with the same key. */
  const changeArtifacts = async (from: number): Promise<Rotated> => {
    const kid = await addArtifactKey(store.shelf, secret, from)
    const not_before = instant(from)
    await note(store.ledger, { type: 'KEY_ROTATED', body: { kid, purpose: 'artifact', not_before } })
    await reread()
    return { kid, not_before }
  }

  await store.shelf.putKeys(missing(await store.shelf.keyring(), secret, store.ledger.now()))
  let ring = (await openKeyring(store.shelf, secret)) ?? (await change()).keyring
  let switching: NodeJS.Timeout | undefined
  const adopt = (newer: Keyring, afterMs = spreadMs): void => {
    clearTimeout(switching)
    ring = afterMs === 0 ? newer : { ...newer, signing: ring.signing }
    if (afterMs > 0) switching = setTimeout(() => (ring = newer), afterMs).unref()
  }
  const reread = async (): Promise<void> => {
    const newer = await openKeyring(store.shelf, secret)
    if (newer === null) return
    if (newer.signing.kid !== ring.signing.kid) adopt(newer)
    else ring = { ...newer, signing: ring.signing }
  }
  /** A key that others may have must sign nothing more, here and now; an unrevoked one signs until every replica
   *  knows the next. */
  const drop = async (): Promise<void> => {
    const newer = await openKeyring(store.shelf, secret)
    if (newer === null) return
    const signs = await newer.verifier(ring.signing.kid, store.ledger.now())
    adopt(newer, signs === null ? 0 : spreadMs)
  }
  const revoked = async () => revokedRows(await store.shelf.keyring(), store.ledger.now())
  const leaving = [
    onEntry(store.ledger, 'KEY_ROTATED', reread, onTrouble),
    onEntry(store.ledger, 'KEY_REVOKED', drop, onTrouble),
  ]
  const current: Keyring = {
    get signing() {
      return ring.signing
    },
    async verifier(kid, now) {
      const known = await ring.verifier(kid, now)
      if (known !== null) return known
      await reread()
      return ring.verifier(kid, now)
    },
    jwks: now => ring.jwks(now),
    get artifacts() {
      return ring.artifacts
    },
    // These keys are not rotated.
    code: ring.code,
    messageId: ring.messageId,
    csrf: ring.csrf,
  }

  return {
    current: () => current,
    async rotate() {
      const { keyring, kid, not_before } = await change()
      adopt(keyring)
      return { kid, not_before }
    },
    async artifacts() {
      if (ring.artifacts.length === 0)
        await alone(store, 'keys', async () => {
          await reread()
          if (ring.artifacts.length === 0) await changeArtifacts(Math.floor(store.ledger.now()))
        })
      return (text, ms) => signArtifact(ring.artifacts, text, ms)
    },
    rotateArtifacts: () =>
      alone(store, 'keys', () => changeArtifacts(Math.floor(store.ledger.now()) + spreadMs)),
    async revoke(kid, by) {
      const key = signingRow(await store.shelf.keyring(), kid)
      if (key === null) return null
      // The next key must be there before the signing one goes.
      if (key.purpose === 'artifact')
        await alone(store, 'keys', () => changeArtifacts(Math.floor(store.ledger.now())))
      else if (key.verify_until === null) await change()
      const revoked_at = await alone(store, 'keys', () => takeOff(store, kid, by))
      await drop()
      return revoked_at === null ? null : { kid, revoked_at }
    },
    revoked: async () => kidsOf(await revoked()),
    unrenewed: async () => kidsOf((await revoked()).filter(({ renewed_at }) => renewed_at === null)),
    renewed: kids =>
      alone(store, 'keys', async () => {
        const rows = (await revoked()).filter(({ kid, renewed_at }) => kids.has(kid) && renewed_at === null)
        await store.shelf.putKeys(rows.map(row => ({ ...row, renewed_at: Math.floor(store.ledger.now()) })))
      }),
    stop() {
      for (const leave of leaving) leave()
      clearTimeout(switching)
    },
  }
}

const kidsOf = (rows: readonly KeyRow[]): ReadonlySet<string> => new Set(rows.map(({ kid }) => kid))

/** Recorded once, in one append with its author; a key that verifies no more is left as it is.
 *  Returns the time from which it does not verify. */
async function takeOff({ ledger, shelf }: Store, kid: string, by: string): Promise<string | null> {
  const key = signingRow(await shelf.keyring(), kid)
  if (key === null) return null
  if (key.verify_until !== null && key.verify_until <= ledger.now()) return instant(key.verify_until)
  let at = ''
  await ledger.append({
    decide(moment) {
      at = moment.at
      return {
        kind: 'append',
        events: [{ type: 'KEY_REVOKED', body: { kid, by } }, acted('signing_key_revoked', kid, by)],
        shelve: [{ put: 'key', key: { ...key, verify_until: moment.ms } }],
      }
    },
  })
  return at
}
