// When the ledger cannot take what came, it comes again: nothing is acknowledged, skipped or remembered as seen.
import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { idsOf } from '../../adapters/email/asked.js'
import { emailAdapter } from '../../adapters/email/index.js'
import type { Resolver } from '../../adapters/email/reading/read.js'
import type { Desk, Glance, Hook, Inbound } from '../../src/adapter/contract.js'
import { until } from '../until.js'
import { AUTHSERV, message, OWNER } from './correspondent.js'
import { DOVECOT, type Dovecot, raiseDovecot, WITHOUT_DOVECOT } from './dovecot.js'
import { display, HANDLE } from './samples.js'

const SECRET = 'the secret of the webhook, long enough'
const NOW = Date.parse('2026-11-16T12:00:00Z')
const stamp = (value: string): string => `stamped ${value}`
const { messageId } = idsOf(
  { stamp, domain: 'lane.test' },
  { delivery_id: 'd-1', deadline_at: display.deadline_at, announces: false },
)
const answering = (text: string): string =>
  message({ from: OWNER, to: `lane+${HANDLE}@lane.test`, text, inReplyTo: messageId })
const MAIL = answering('YES')

/** The lane's side of the door, away for its first callers. */
class ForgetfulDesk implements Desk {
  readonly taken: [Inbound, string | undefined][] = []
  readonly kept: string[] = []
  away: number
  constructor(away: number) {
    this.away = away
  }
  async take(inbound: Inbound, cursor?: string) {
    if (this.away-- > 0) throw new Error('the ledger is away')
    this.taken.push([inbound, cursor])
    return { kind: 'unknown' as const }
  }
  report = async () => undefined
  /** What it says of who writes. */
  reason: Glance['reason'] = null
  look = async () => ({
    delivery_id: 'd-1',
    voided: 0,
    announces: false,
    display,
    settled: [],
    delegates: [],
    reason: this.reason,
    ending: null,
  })
  notice = async () => false
  link = async () => null
  keep = async (cursor: string) => void this.kept.push(cursor)
  now = () => NOW
}

const adapter = (more: Record<string, string>, resolver?: Resolver) =>
  emailAdapter(
    {
      variables: { SMTP_URL: 'smtp://127.0.0.1:1?tls=off', EMAIL_FROM: 'lane@lane.test', ...more },
      publicUrl: () => 'https://lane.example.org',
      say: () => undefined,
      stamp,
    },
    resolver === undefined ? {} : { resolver },
  )

describe('by webhook', () => {
  const timestamp = String(NOW / 1000)
  const hook: Hook = {
    bytes: Buffer.from(MAIL),
    headers: {
      'x-lane-timestamp': timestamp,
      'x-lane-signature': createHmac('sha256', SECRET).update(`${timestamp}.${MAIL}`).digest('hex'),
    },
    query: '',
    provider: 'raw',
  }

  test('what could not be taken is not acknowledged, and is taken when it comes again', async () => {
    const { receive } = adapter({ EMAIL_WEBHOOK_SECRET: SECRET, EMAIL_AUTHSERV_ID: AUTHSERV })
    const desk = new ForgetfulDesk(1)
    await expect(receive?.(hook, desk)).rejects.toThrow('the ledger is away')
    expect(await receive?.(hook, desk)).toMatchObject({ status: 200 })
    expect(await receive?.(hook, desk)).toMatchObject({ status: 401 })
    expect(desk.taken).toMatchObject([
      [{ sender: OWNER, authenticated: true, text: 'YES', automated: false }, undefined],
    ])
  })

  test('a mail whose sender cannot be looked up now is asked for again', async () => {
    const silent: Resolver = async () => {
      throw Object.assign(new Error('no answer'), { code: 'ETIMEOUT' })
    }
    const signed = MAIL.replace(
      /^Authentication-Results.*\r\n/,
      'DKIM-Signature: v=1; a=rsa-sha256; d=people.test; s=s1; c=relaxed/relaxed; h=from:to; bh=AAAA; b=AAAA\r\n',
    )
    const bytes = Buffer.from(signed)
    const signature = createHmac('sha256', SECRET).update(`${timestamp}.${signed}`).digest('hex')
    const again: Hook = { ...hook, bytes, headers: { ...hook.headers, 'x-lane-signature': signature } }
    const { receive } = adapter({ EMAIL_WEBHOOK_SECRET: SECRET }, silent)
    const desk = new ForgetfulDesk(0)
    expect(await receive?.(again, desk)).toMatchObject({ status: 503 })
    expect(await receive?.(again, desk)).toMatchObject({ status: 503 })
    expect(desk.taken).toEqual([])
    desk.reason = 'unknown_sender'
    expect(await receive?.(again, desk)).toMatchObject({ status: 200 })
    expect(desk.taken).toMatchObject([[{ authenticated: false }, undefined]])
  })
})

describe.skipIf(DOVECOT === null)(`by mailbox${WITHOUT_DOVECOT}`, () => {
  let dovecot: Dovecot
  beforeEach(async () => {
    dovecot = await raiseDovecot()
  })
  afterEach(() => dovecot.remove())

  test('what could not be taken is next again, before anything after it, and the place moves only then', async () => {
    const second = answering('NO')
    dovecot.deliver(MAIL)
    dovecot.deliver(second)
    const desk = new ForgetfulDesk(2)
    const { listen } = adapter({ IMAP_URL: dovecot.url, EMAIL_AUTHSERV_ID: AUTHSERV })
    const stop = await listen?.(null, desk)
    await until(
      'both were taken',
      () => desk.taken,
      taken => taken.length >= 2,
    )
    await stop?.()
    expect(desk.taken.map(([{ text }]) => text)).toEqual(['YES', 'NO'])
    const places = desk.taken.map(([, cursor]) => cursor?.split(':')[1])
    expect(places).toEqual(['1', '2'])
  }, 30_000)
})
