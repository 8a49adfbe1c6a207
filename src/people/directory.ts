// Who is reached where, and whose an address is: the configuration's people, and the addresses they have linked
// themselves. An address belongs to one person, whichever way it came here.

import { canonical } from '../canonical.js'
import type { Shelf } from '../ledger/contract.js'
import type { Channel } from '../request/channel.js'
import { folded, identityOf, type People, type Person, TO_BE_LINKED } from './person.js'

type Reached = { readonly name: string; readonly address: unknown }

export class Directory {
  readonly #people: People
  readonly #shelf: Shelf
  /** By channel and person. Owned by refresh(). */
  #linked: ReadonlyMap<string, unknown> = new Map()

  private constructor(people: People, shelf: Shelf) {
    this.#people = people
    this.#shelf = shelf
  }

  static async open(people: People, shelf: Shelf): Promise<Directory> {
    const directory = new Directory(people, shelf)
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
    const person = this.#people[userId]
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
    return Object.values(this.#people).find(has)?.user_id ?? null
  }

  /** Whether this person's address on the channel is theirs to link. */
  awaitsLink(userId: string, channel: Channel): boolean {
    return this.#people[userId]?.addresses[channel] === TO_BE_LINKED
  }

  #addressOf({ user_id, addresses }: Person, channel: Channel): unknown {
    const written = addresses[channel]
    return written === TO_BE_LINKED ? this.#linked.get(`${channel} ${user_id}`) : written
  }
}
