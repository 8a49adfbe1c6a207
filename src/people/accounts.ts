// Whose an account at the OpenID provider is: the configuration says it by its `sub`, or leaves it to the person, who links
// it once. Found by an index that is made once, and again when somebody has linked one.
import { canonical } from '../canonical.js'
import type { Shelf } from '../ledger/shelf.js'
import { folded, type People, TO_BE_LINKED } from './person.js'

type Account = { readonly issuer: string; readonly sub: string }

const nameOf = ({ issuer, sub }: Account): string => canonical({ issuer, sub })

export class Accounts {
  readonly #shelf: Pick<Shelf, 'links'>
  /** By the `sub` that the configuration has. */
  readonly #written: ReadonlyMap<string, string>
  /** Those who link one themselves, by their address. */
  readonly #awaited: ReadonlyMap<string, string>
  /** Linked accounts, by their names, and who has one at which issuer. Owned by refresh(). */
  #linked: ReadonlyMap<string, string> = new Map()
  #linkers: ReadonlySet<string> = new Set()

  private constructor(people: People, shelf: Pick<Shelf, 'links'>) {
    const all = Object.values(people)
    this.#shelf = shelf
    this.#written = new Map(
      all.flatMap(({ user_id, oidc }) =>
        oidc === undefined || oidc === TO_BE_LINKED ? [] : [[oidc, user_id] as const],
      ),
    )
    this.#awaited = new Map(
      all.flatMap(({ user_id, oidc, addresses }) =>
        oidc === TO_BE_LINKED ? [[folded(String(addresses.email)), user_id] as const] : [],
      ),
    )
  }

  static async open(people: People, shelf: Pick<Shelf, 'links'>): Promise<Accounts> {
    const accounts = new Accounts(people, shelf)
    await accounts.refresh()
    return accounts
  }

  /** Whether anybody links an account themselves. */
  get areLinked(): boolean {
    return this.#awaited.size > 0
  }

  /** Reads the linked accounts again: after one was linked here or on another replica. */
  async refresh(): Promise<void> {
    const awaited = new Set(this.#awaited.values())
    const links = (await this.#shelf.links()).filter(one => one.channel === 'web' && awaited.has(one.user_id))
    this.#linked = new Map(links.map(({ address, user_id }) => [address, user_id]))
    this.#linkers = new Set(
      links.map(({ address, user_id }) => canonical([(JSON.parse(address) as Account).issuer, user_id])),
    )
  }

  whoHas(account: Account): string | null {
    return this.#written.get(account.sub) ?? this.#linked.get(nameOf(account)) ?? null
  }

  /** The person who could link an account with this address at this issuer; null for nobody, also once they have one. */
  whoAwaits({ issuer }: Pick<Account, 'issuer'>, address: string): string | null {
    const user_id = this.#awaited.get(folded(address))
    return user_id === undefined || this.#linkers.has(canonical([issuer, user_id])) ? null : user_id
  }
}
