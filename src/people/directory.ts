// The people and their addresses: those of the configuration, and those they have linked themselves. An address
// belongs to one person, whichever way it came here.

import { canonical } from '../canonical.js'
import type { Shelf } from '../ledger/shelf.js'
import { CHANNELS, type Channel } from '../request/channel.js'
import { folded, identityOf, type People, type Person, TO_BE_LINKED } from './person.js'

type Reached = { readonly name: string; readonly address: unknown }

/** The person behind each identity, by channel. */
type Owners = ReadonlyMap<string, string>

export class Directory {
  readonly #people: People
  readonly #shelf: Shelf
  /** The owners of the addresses that the configuration itself has. */
  readonly #owners: Owners
  /** Linked addresses by channel and person, and their owners. Owned by refresh(). */
  #linked: ReadonlyMap<string, unknown> = new Map()
  #linkers: Owners = new Map()

  private constructor(people: People, shelf: Shelf) {
    this.#people = people
    this.#shelf = shelf
    this.#owners = ownersOf(people)
  }

  static async open(people: People, shelf: Shelf): Promise<Directory> {
    const directory = new Directory(people, shelf)
    await directory.refresh()
    return directory
  }

  /** Reads the linked addresses again: after one was linked here or on another replica. */
  async refresh(): Promise<void> {
    const links = (await this.#shelf.links())
      .filter(({ channel, user_id }) => this.awaitsLink(user_id, channel))
      .map(({ channel, user_id, address }) => ({ channel, user_id, own: JSON.parse(address) as unknown }))
    this.#linked = new Map(links.map(({ channel, user_id, own }) => [`${channel} ${user_id}`, own]))
    this.#linkers = new Map(
      links.map(({ channel, user_id, own }) => [`${channel} ${identityOf(channel, own)}`, user_id]),
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
    // As the channel says it, whole: an address with a part more or less is somebody else's.
    const spelt = `${channel} ${canonical(typeof address === 'string' ? folded(address) : address)}`
    return this.#owners.get(spelt) ?? this.#linkers.get(spelt) ?? null
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

function ownersOf(people: People): Owners {
  const owners = new Map<string, string>()
  for (const { user_id, addresses } of Object.values(people))
    for (const channel of CHANNELS) {
      const own = addresses[channel]
      // The web address is the same for everyone, so it identifies nobody.
      if (own === undefined || own === TO_BE_LINKED || channel === 'web') continue
      owners.set(`${channel} ${identityOf(channel, own)}`, user_id)
    }
  return owners
}
