// API keys: random, shown once, kept as a hash. Scopes say what a key may do; a key with scope `request` alone sees
// only what it opened itself.
import { randomBytes } from 'node:crypto'
import { sha256 } from '../canonical.js'
import type { ApiKey, Scope, Shelf } from '../ledger/contract.js'
import { encode } from '../token/crockford.js'

const SECRET_CHARACTERS = 40

export type Caller = Pick<ApiKey, 'key_id' | 'name' | 'scopes'>

export const hashKey = (secret: string) => sha256('lane/api-key/v1\n', secret)

export function makeKey(
  name: string,
  scopes: readonly Scope[],
  at: string,
): { readonly secret: string; readonly key: ApiKey } {
  return keyFrom(`lane_${encode(randomBytes(25), SECRET_CHARACTERS)}`, name, scopes, at)
}

/** For a secret the operator chose (LANE_API_KEY). Its id is read off its hash, so that a restart knows it again. */
export function keyFrom(
  secret: string,
  name: string,
  scopes: readonly Scope[],
  at: string,
): { readonly secret: string; readonly key: ApiKey } {
  const secret_hash = hashKey(secret)
  const key_id = `key-${secret_hash.slice(7, 19)}`
  return { secret, key: { key_id, name, scopes, secret_hash, created_at: at, revoked_at: null } }
}

/** The keys in memory: looked at with every request, changed seldom. Reloaded after each change. */
export class KeyBook {
  readonly #shelf: Shelf
  #bySecret = new Map<string, ApiKey>()
  #byId = new Map<string, ApiKey>()

  constructor(shelf: Shelf) {
    this.#shelf = shelf
  }

  async reload(): Promise<void> {
    const keys = await this.#shelf.apiKeys()
    this.#bySecret = new Map(keys.map(key => [key.secret_hash, key]))
    this.#byId = new Map(keys.map(key => [key.key_id, key]))
  }

  /** Found by the hash of the secret: there is nothing to compare character by character. */
  authenticate(secret: string): Caller | null {
    const key = this.#bySecret.get(hashKey(secret))
    return key === undefined || key.revoked_at !== null ? null : key
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

  async add(key: ApiKey): Promise<void> {
    await this.#shelf.putApiKey(key)
    await this.reload()
  }

  async revoke(keyId: string, at: string): Promise<void> {
    await this.#shelf.revokeApiKey(keyId, at)
    await this.reload()
  }
}
