// A person links an address themselves: the operator hands out an invitation, the channel vouches for the person who
// accepts it. It is accepted once, while it is valid, and only if the configuration says that the address is theirs
// to link.
import { randomBytes } from 'node:crypto'
import { canonical, type Hash, sha256 } from '../canonical.js'
import { instant } from '../clock.js'
import { acted } from '../event.js'
import type { Store } from '../ledger/contract.js'
import type { Channel } from '../request/channel.js'
import type { Directory } from './directory.js'

/** A day: a person who was handed the link has read it by then. */
const VALID_MS = 24 * 60 * 60 * 1000
/** 128 bits; 22 characters, which fit the start parameter of a Telegram link. */
const CODE_BYTES = 16

const hashInvitation = (code: string): Hash => sha256('lane/invitation/v1\n', code)

export const drawCode = (): string => randomBytes(CODE_BYTES).toString('base64url')

/** Recorded with its author: anybody who accepts it answers as that person. */
export async function invite(
  { ledger }: Store,
  user_id: string,
  channel: Channel,
  by: string,
  code = drawCode(),
): Promise<{ readonly code: string; readonly expires_at: string }> {
  let expires_ms = 0
  await ledger.append({
    decide(moment) {
      expires_ms = moment.ms + VALID_MS
      const invitation = { code_hash: hashInvitation(code), user_id, channel, expires_ms }
      return {
        kind: 'append',
        events: [acted('recipient_invited', user_id, by)],
        shelve: [{ put: 'invitation', invitation }],
      }
    },
  })
  return { code, expires_at: instant(expires_ms) }
}

/** The person's id, or null if the invitation is unknown, used, expired, or the address is somebody else's. */
export async function accept(
  { ledger, shelf }: Store,
  directory: Directory,
  channel: Channel,
  code: string,
  address: unknown,
): Promise<string | null> {
  const invitation = await shelf.invitation(hashInvitation(code))
  if (invitation === null || invitation.channel !== channel) return null
  const { user_id, expires_ms, code_hash } = invitation
  const owner = directory.whoHas(channel, address)
  if (!directory.awaitsLink(user_id, channel) || (owner !== null && owner !== user_id)) return null
  const spelt = canonical(address)
  const result = await ledger.append<'expired'>({
    guards: [
      { kind: 'unclaimed', space: 'invitation', value: code_hash },
      // Another replica may be linking it to somebody else just now.
      {
        kind: 'address',
        channel,
        address: spelt,
        theirs: [user_id, ...(await leftOver(shelf, directory, channel))],
      },
    ],
    decide: moment =>
      moment.ms >= expires_ms
        ? { kind: 'refuse', why: 'expired' }
        : {
            kind: 'append',
            events: [{ type: 'RECIPIENT_LINKED', body: { user_id, channel } }],
            shelve: [{ put: 'link', link: { user_id, channel, address: spelt } }],
          },
  })
  await directory.refresh()
  // A provider may hand over the same acceptance twice: the person who has the address by now accepts it again.
  const isTheirs = directory.whoHas(channel, address) === user_id
  return result.kind === 'appended' || (result.kind === 'guarded' && isTheirs) ? user_id : null
}

/** People who linked an address there while the configuration left it to them, which it no longer does: it is not
 *  theirs any more. */
async function leftOver(
  shelf: Store['shelf'],
  directory: Directory,
  channel: Channel,
): Promise<readonly string[]> {
  const linked = (await shelf.links()).filter(link => link.channel === channel)
  return linked.map(({ user_id }) => user_id).filter(user_id => !directory.awaitsLink(user_id, channel))
}
