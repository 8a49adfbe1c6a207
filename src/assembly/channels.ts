// Second stage: the configured channels, and the people reached on them.
import { join } from 'node:path'
import { outboxWriter, webAdapter } from '../../adapters/web/index.js'
import type { Adapter } from '../adapter/contract.js'
import type { ReplyPage } from '../adapter/page.js'
import { makeAdapters, warnOfHalves } from '../channel/make.js'
import { OUTBOX_FILE, outboxOpen } from '../config/config.js'
import { configuredChannels } from '../config/settings.js'
import type { Signing } from '../keys/signing.js'
import { onEntry } from '../ledger/replica.js'
import { Absences } from '../people/absences.js'
import { Accounts } from '../people/accounts.js'
import { Directory } from '../people/directory.js'
import { Passkeys } from '../people/passkeys.js'
import { Rests } from '../people/rests.js'
import type { Channel } from '../request/channel.js'
import { reasonOf } from '../say.js'
import { stamper } from '../token/stamp.js'
import { CannotStart, type House, isShared } from './house.js'

export type Channels = {
  readonly adapters: ReadonlyMap<Channel, Adapter>
  readonly page: ReplyPage
  /** Whether links are printed on the console, which then vouches for them. */
  readonly printsLinks: boolean
  readonly directory: Directory
  readonly rests: Rests
  readonly absences: Absences
  readonly passkeys: Passkeys
  readonly accounts: Accounts
}

export async function openChannels(house: House, ring: Signing): Promise<Channels> {
  const { settings, config, stops, print, say, publicUrl } = house
  const outbox = outboxWriter(join(settings.dataDir, OUTBOX_FILE))
  stops.add(() => outbox.close())
  const printsLinks = outboxOpen(config, configuredChannels(settings))
  const web = webAdapter({ outbox: printsLinks, write: outbox.write, print })
  warnOfHalves(settings, say)
  const { banners } = config.email
  const { stamp } = stamper(ring.current().messageId)
  const parts = { publicUrl: () => publicUrl.current, say, banners, stamp }
  const made = await makeAdapters(settings, parts).catch(error => {
    throw new CannotStart(reasonOf(error))
  })
  const adapters = new Map([web, ...made].map(adapter => [adapter.channel, adapter]))
  return { adapters, page: web, printsLinks, ...(await openPeople(house)) }
}

async function openPeople(
  house: House,
): Promise<Pick<Channels, 'directory' | 'rests' | 'absences' | 'passkeys' | 'accounts'>> {
  const { config, store, stops, onStale } = house
  const directory = await Directory.open(config.recipients, store.shelf)
  const accounts = await Accounts.open(config.recipients, store.shelf)
  const refresh = async (): Promise<void> => {
    await directory.refresh()
    await accounts.refresh()
  }
  stops.add(onEntry(store.ledger, 'RECIPIENT_LINKED', refresh, onStale))
  // An address linked between the reading and the listening would never be announced again.
  if (isShared(house)) await refresh()
  const rests = await Rests.open(store)
  stops.add(() => rests.stop())
  const absences = await Absences.open(store)
  stops.add(onEntry(store.ledger, 'RECIPIENT_AWAY', () => absences.refresh(), onStale))
  if (isShared(house)) await absences.refresh()
  const passkeys = await Passkeys.open(store)
  stops.add(() => passkeys.stop())
  return { directory, rests, absences, passkeys, accounts }
}
