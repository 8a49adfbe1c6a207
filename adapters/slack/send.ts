// Puts a card before one person: in a direct message, or in the channel their configuration names. A post whose
// answer was lost is looked for by the delivery's id: if found it stands, if not it is tried again, and only if the
// search fails is it uncertain.
import { type Display, type Outbound, type Say, type Sent, TOO_LONG_HERE } from '../../src/adapter/index.js'
import { type Api, type Trouble, troubleOf } from './api.js'
import { type Copy, lookFor, metadataOf, refOf, refOfUnseen } from './copy.js'
import { card, shows } from './render.js'

type Address = { readonly team: string; readonly user: string; readonly channel?: string }

/** A code is for one person's eyes: an announcement that carries one goes to them alone, even if their cards go to a
 *  channel. */
function addressOf({ address, reply, page }: Outbound): Address {
  const { team, user, channel } = address as Address
  return channel === undefined || (reply === null && page.code !== null)
    ? { team, user }
    : { team, user, channel }
}

type Failed = Extract<Sent, { kind: 'failed' }>
const failed = (code: string, retryable: boolean, wait?: number): Failed => ({
  kind: 'failed',
  code,
  retryable,
  ...(wait !== undefined && { retry_after_ms: wait }),
})

/** Faults of the operator's app, not of the person: another token or scope mends them. */
const MENDABLE = [
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'missing_scope',
]

function judged(trouble: Trouble): Failed {
  if (trouble.kind === 'limited') return failed(trouble.code, true, trouble.retry_after_ms)
  const final = trouble.kind === 'refused' && !MENDABLE.includes(trouble.code)
  return failed(trouble.code, !final)
}

export class Post {
  readonly #api: Api
  readonly #say: Say
  /** The direct messages that are open, by person. Owned by #place(). */
  readonly #places = new Map<string, string>()
  /** The instant until which a destination takes nothing; other destinations are not held up. Owned by send(). */
  readonly #quiet = new Map<string, number>()

  constructor(api: Api, say: Say) {
    this.#api = api
    this.#say = say
  }

  async send(display: Display, outbound: Outbound): Promise<Sent> {
    if (outbound.reply !== null && !shows(display)) return TOO_LONG_HERE
    const address = addressOf(outbound)
    const destination = address.channel ?? address.user
    const now = Date.parse(outbound.at)
    const wait = (this.#quiet.get(destination) ?? 0) - now
    if (wait > 0) return failed('rate_limited', true, wait)
    this.#quiet.delete(destination)
    const sent = await this.#attempt(display, outbound, address)
    if (sent.kind === 'failed' && sent.retry_after_ms !== undefined)
      this.#quiet.set(destination, now + sent.retry_after_ms)
    return sent
  }

  async #attempt(display: Display, outbound: Outbound, address: Address): Promise<Sent> {
    let channel: string
    try {
      channel = address.channel ?? (await this.#place(address.user))
      const earlier =
        outbound.attempt > 1 && outbound.reminds === undefined ? await this.#find(channel, outbound) : null
      if (earlier !== null) return { kind: 'sent', ref: refOf(earlier) }
    } catch (error) {
      return judged(troubleOf(error))
    }
    try {
      const place = { ...outbound, mention: address.channel === undefined ? null : address.user }
      const posted = await this.#api.calm.chat.postMessage({
        channel,
        ...card(display, place),
        ...INERT,
        metadata: metadataOf(outbound),
        ...inThread(outbound, channel),
      })
      return { kind: 'sent', ref: refOf({ channel: posted.channel ?? channel, ts: posted.ts ?? '' }) }
    } catch (error) {
      const trouble = troubleOf(error)
      return trouble.kind === 'unclear' ? this.#reconciled(channel, outbound, trouble) : judged(trouble)
    }
  }

  /** A card not found is a retryable failure, because the next attempt looks again before it posts. */
  async #reconciled(channel: string, outbound: Outbound, trouble: Trouble): Promise<Sent> {
    try {
      const copy = await lookFor(this.#api, channel, outbound)
      return copy === null ? judged(trouble) : { kind: 'sent', ref: refOf(copy) }
    } catch {
      return { kind: 'uncertain', ref: refOfUnseen(channel, outbound.delivery_id) }
    }
  }

  /** If the app may not read, the search is given up: one card too many is better than none. */
  async #find(channel: string, outbound: Outbound): Promise<Copy | null> {
    try {
      return await lookFor(this.#api, channel, outbound)
    } catch (error) {
      const trouble = troubleOf(error)
      if (trouble.kind !== 'refused') throw error
      this.#say('warn', 'an earlier copy could not be looked for', { channel: 'slack', why: trouble.code })
      return null
    }
  }

  async #place(user: string): Promise<string> {
    const known = this.#places.get(user)
    if (known !== undefined) return known
    const { channel } = await this.#api.prompt.conversations.open({ users: user })
    if (channel?.id === undefined) throw new Error('conversations.open named no conversation')
    this.#places.set(user, channel.id)
    return channel.id
  }
}

/** A reminder stands in the thread of the card it reminds of, and in the conversation too. */
function inThread({ reminds }: Outbound, channel: string) {
  const [place = '', ts = ''] = reminds?.ref?.split(':') ?? []
  return place === channel && /^[0-9]/.test(ts) ? { thread_ts: ts, reply_broadcast: true as const } : {}
}

/** Nothing in a message may link, unfurl, mention or format. */
export const INERT = {
  mrkdwn: false,
  parse: 'none',
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const
