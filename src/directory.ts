// Who is reached where, and whose an address is: the configuration's people, and the addresses they have linked
// themselves. An address belongs to one person, whichever way it came here.
import type { Channel } from './adapter.js'
import { canonical } from './canonical.js'
import type { Config, Person } from './config.js'
import type { Shelf } from './ledger/contract.js'

/** What the configuration says of an address that its owner will link. */
export const TO_BE_LINKED = 'link'

export type Reached = { readonly name: string; readonly address: unknown }

export class Directory {
  readonly #config: Config
  readonly #shelf: Shelf
  /** By channel and person. Owned by refresh(). */
  #linked: ReadonlyMap<string, unknown> = new Map()

  private constructor(config: Config, shelf: Shelf) {
    this.#config = config
    this.#shelf = shelf
  }

  static async open(config: Config, shelf: Shelf): Promise<Directory> {
    const directory = new Directory(config, shelf)
    await directory.refresh()
    return directory
  }

  /** Reads the linked addresses again: after one was linked here or on another replica. */
  async refresh(): Promise<void> {
    const links = await this.#shelf.links()
    this.#linked = new Map(
      links.map(({ channel, user_id, address }) => [`${channel} ${user_id}`, JSON.parse(address)]),
    )
  }

  /** Null when the configuration no longer has the person there, or they have not linked an address yet. */
  addressOf(userId: string, channel: Channel): Reached | null {
    const person = this.#config.recipients[userId]
    const address = person && this.#addressOf(person, channel)
    return person === undefined || address === undefined ? null : { name: person.name, address }
  }

  /** The same; a link that is not known here is read again, because another replica may have made it just now. */
  async reach(userId: string, channel: Channel): Promise<Reached | null> {
    const known = this.addressOf(userId, channel)
    if (known !== null || !this.awaitsLink(userId, channel)) return known
    await this.refresh()
    return this.addressOf(userId, channel)
  }

  whoHas(channel: Channel, address: unknown): string | null {
    // As the channel says it, whole: what it adds or leaves out makes it somebody else's.
    const spelt = canonical(typeof address === 'string' ? folded(address) : address)
    const has = (person: Person): boolean => {
      const own = this.#addressOf(person, channel)
      return own !== undefined && identityOf(channel, own) === spelt
    }
    return Object.values(this.#config.recipients).find(has)?.user_id ?? null
  }

  /** Whether this person's address on the channel is theirs to link. */
  awaitsLink(userId: string, channel: Channel): boolean {
    return this.#config.recipients[userId]?.addresses[channel] === TO_BE_LINKED
  }

  #addressOf({ user_id, addresses }: Person, channel: Channel): unknown {
    const written = addresses[channel]
    return written === TO_BE_LINKED ? this.#linked.get(`${channel} ${user_id}`) : written
  }
}

/** The part of an address that says who it is: not where in a workspace to write to, nor the case of a mailbox. */
export function identityOf(channel: Channel, address: unknown): string {
  if (channel === 'email') return canonical(folded(String(address)))
  if (channel !== 'slack') return canonical(address)
  const { team, user } = Object(address) as { team?: unknown; user?: unknown }
  return canonical({ team: team ?? null, user: user ?? null })
}

/** A–Z and nothing else: by its own rules the language folds U+212A onto k as well, and a mailbox spelt with it is
 *  somebody else's. */
const folded = (address: string): string => address.replace(/[A-Z]/g, letter => letter.toLowerCase())
