// API keys: random, shown once, kept as a hash. Scopes say what a key may do; a key with scope `request` alone sees
// only the requests it opened itself.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sha256 } from '../canonical.js'
import { acted } from '../event.js'
import type { Store } from '../ledger/contract.js'
import type { ApiKey, Scope } from '../ledger/shelf.js'
import { encode } from '../token/crockford.js'

const SECRET_CHARACTERS = 40
/** 64 bits: no two keys meet, and it can still be read out. */
const ID_BYTES = 8

export type Caller = Pick<ApiKey, 'key_id' | 'name' | 'scopes' | 'owner' | 'urgent'>

export const hashKey = (secret: string) => sha256('lane/api-key/v1\n', secret)

/** What is granted to a key beyond its scopes. */
type Granted = Partial<Pick<ApiKey, 'owner' | 'urgent'>>

export function makeKey(
  name: string,
  scopes: readonly Scope[],
  at: string,
  granted: Granted = {},
): { readonly secret: string; readonly key: ApiKey } {
  return keyFrom(`lane_${encode(randomBytes(25), SECRET_CHARACTERS)}`, name, scopes, at, granted)
}

/** Also for a secret the operator chose (LANE_API_KEY). The id says nothing of the secret: it stands in entries and
 *  logs, where a part of its hash would tell a right guess from a wrong one. */
export function keyFrom(
  secret: string,
  name: string,
  scopes: readonly Scope[],
  at: string,
  { owner = null, urgent = false }: Granted = {},
): { readonly secret: string; readonly key: ApiKey } {
  const secret_hash = hashKey(secret)
  const key_id = `key-${randomBytes(ID_BYTES).toString('hex')}`
  return {
    secret,
    key: { key_id, name, scopes, secret_hash, created_at: at, revoked_at: null, owner, urgent },
  }
}

/** If others change keys too, a key they revoke is refused here after this long at most. */
const STALE_MS = 1_000
/** A secret that is not in the book is looked for in the store, but not more often than this: anybody may guess. */
const LOOK_MS = 100

/** The keys in memory: looked at with every request, changed seldom. Reloaded after each change. */
export class KeyBook {
  readonly #store: Pick<Store, 'ledger' | 'shelf'>
  #bySecret = new Map<string, ApiKey>()
  #byId = new Map<string, ApiKey>()
  /** Set if other replicas change keys too. Owned by follow(). */
  #following: NodeJS.Timeout | undefined
  /** The look in the store that is about to begin, for all who wait for it. Owned by lookAgain(). */
  #look: Promise<void> | null = null

  constructor(store: Pick<Store, 'ledger' | 'shelf'>) {
    this.#store = store
  }

  /** Keeps up with the other replicas until it is stopped. */
  follow(onTrouble: (error: unknown) => void): { stop(): void } {
    this.#following = setInterval(() => void this.reload().catch(onTrouble), STALE_MS).unref()
    return { stop: () => clearInterval(this.#following) }
  }

  /** Reads the keys once more before a stranger is turned away: another replica may have made theirs just now. */
  async lookAgain(secret: string): Promise<Caller | null> {
    if (this.#following === undefined) return null
    this.#look ??= sleep(LOOK_MS).then(() => {
      // A caller who arrives during this read may hold a key made after it began.
      this.#look = null
      return this.reload()
    })
    await this.#look
    return this.authenticate(secret)
  }

  async reload(): Promise<void> {
    const keys = await this.#store.shelf.apiKeys()
    this.#bySecret = new Map(keys.map(key => [key.secret_hash, key]))
    this.#byId = new Map(keys.map(key => [key.key_id, key]))
  }

  /** Found by the hash of the secret: there is nothing to compare character by character. */
  authenticate(secret: string): Caller | null {
    const key = this.#bySecret.get(hashKey(secret))
    return key === undefined || key.revoked_at !== null ? null : key
  }

  /** The key of this secret, even if it was revoked. */
  holding(secret: string): ApiKey | null {
    return this.#bySecret.get(hashKey(secret)) ?? null
  }

  get(keyId: string): ApiKey | null {
    return this.#byId.get(keyId) ?? null
  }

  nameOf(keyId: string): string {
    return this.#byId.get(keyId)?.name ?? keyId
  }

  all(): readonly ApiKey[] {
    return [...this.#byId.values()]
  }

  /** Recorded in one append with its author, as a revocation is. */
  async add(key: ApiKey, by: string): Promise<void> {
    await this.#store.ledger.append({
      decide: () => ({
        kind: 'append',
        events: [acted('key_added', key.key_id, by)],
        shelve: [{ put: 'api_key', key }],
      }),
    })
    await this.reload()
  }

  async revoke(keyId: string, by: string): Promise<void> {
    const key = this.get(keyId)
    if (key === null || key.revoked_at !== null) return
    await this.#store.ledger.append({
      decide: ({ at }) => ({
        kind: 'append',
        events: [acted('key_revoked', keyId, by)],
        shelve: [{ put: 'api_key', key: { ...key, revoked_at: at } }],
      }),
    })
    await this.reload()
  }
}
