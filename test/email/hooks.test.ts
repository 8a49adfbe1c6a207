// In by webhook, in a whole lane: verified its own way before anything is read, once, and acknowledged only when taken.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeMessageId, writeNoticeId } from '../../adapters/email/marker.js'
import { type Answer, type LaneUnderTest, question } from '../lane-under-test.js'
import { until } from '../until.js'
import { bounce, message, NOBODY, OWNER, replyTo } from './correspondent.js'
import type { Letter, PostOffice } from './post-office.js'
import { hmac, raise, type Scene, SECRET } from './scene.js'

const CONFIG = `
recipients:
  owner: { name: Owner, email: ${OWNER}, web: true, channels: [email, web] }
outbox: on
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`

const CURL = spawnSync('sh', ['-c', 'command -v curl && command -v openssl']).status === 0
const WITHOUT_CURL = CURL ? '' : ' (skipped: no curl or openssl here)'

let office: PostOffice
let lane: LaneUnderTest
let close: Scene['close']
beforeAll(async () => {
  ;({ office, lane, close } = await raise(CONFIG))
})
afterAll(() => close())

const seconds = (shift = 0): string => String(Math.floor(Date.now() / 1000) + shift)

const post = (path: string, raw: string | Uint8Array, headers: Record<string, string>): Promise<Answer> =>
  lane.call('POST', `/hooks/email/${path}`, { key: null, raw, headers })

function signed(mail: string, timestamp = seconds(), secret = SECRET): Record<string, string> {
  return {
    'content-type': 'message/rfc822',
    'x-lane-timestamp': timestamp,
    'x-lane-signature': hmac(`${timestamp}.${mail}`, secret),
  }
}

let asked = 0
async function ask(): Promise<{ readonly id: string; readonly letter: Letter }> {
  const id = `hook-${++asked}`
  const { status } = await lane.submit(question(id), { recipients: ['owner'] })
  expect(status).toBe(201)
  const letter = await until(`the mail of ${id}`, async () =>
    (await office.requests()).find(one => one.email.subject?.endsWith(`[${id}]`)),
  )
  return { id, letter }
}

const state = async (id: string): Promise<unknown> =>
  (await lane.call('GET', `/v1/requests/${id}`)).json.state
const reasons = async (id: string): Promise<unknown[]> =>
  (await lane.story(id)).flatMap(({ type, body }) => (type === 'INBOUND_REPLY_REJECTED' ? [body.reason] : []))

async function unverified(): Promise<number> {
  const { text } = await lane.call('GET', '/metrics', { key: lane.operatorKey })
  return Number(/lane_strangers_total\{why="unverified_email"\} (\d+)/.exec(text)?.[1] ?? 0)
}

describe('/hooks/email/raw', () => {
  test('[LANE-032] a signed raw message answers', async () => {
    const { id, letter } = await ask()
    const mail = replyTo(letter, OWNER, 'YES')
    expect(await post('raw', mail, signed(mail))).toMatchObject({ status: 200, text: 'taken' })
    expect((await lane.outcome(id)).json).toMatchObject({
      state: 'answered',
      answer: { parsed_choice: 'YES', answered_by: 'owner', channel: 'email', proof: 'dmarc' },
    })
  })

  test.skipIf(!CURL)(
    `the program of the README hands in a mail as a server would pipe it${WITHOUT_CURL}`,
    async () => {
      const { id, letter } = await ask()
      const readme = readFileSync(new URL('../../adapters/email/README.md', import.meta.url), 'utf8')
      const script = /^ {4}#!\/bin\/sh\n(?: {4}.*\n)+/m.exec(readme)?.[0].replace(/^ {4}/gm, '') ?? ''
      const program = script.replace('https://lane.example.org', lane.url)
      const child = spawn('sh', ['-c', program], {
        env: { PATH: process.env.PATH ?? '', SECRET },
        stdio: ['pipe', 'ignore', 'inherit'],
      })
      child.stdin.end(replyTo(letter, OWNER, 'YES'))
      expect(await new Promise(resolve => child.once('close', resolve))).toBe(0)
      expect((await lane.outcome(id)).json).toMatchObject({ state: 'answered', answer: { proof: 'dmarc' } })
    },
  )

  test('[LANE-037] a bad signature, an old or future time and a second use are refused before anything is read', async () => {
    const { id, letter } = await ask()
    const mail = replyTo(letter, OWNER, 'YES')
    const good = signed(mail)
    const attempts: [string, Record<string, string>][] = [
      [mail, { ...good, 'x-lane-signature': '0'.repeat(64) }],
      [mail, { ...good, 'x-lane-signature': good['x-lane-signature']?.toUpperCase() ?? '' }],
      [mail, { ...good, 'x-lane-signature': '' }],
      [mail, { 'content-type': 'message/rfc822' }],
      [mail, signed(mail, seconds(), 'another secret of the same length!!!')],
      [mail, signed(mail, seconds(-301))],
      [mail, signed(mail, seconds(302))],
      [mail, signed(mail, `${seconds()}.0`)],
      [mail, signed(mail, ` ${seconds()}`)],
      [mail, { ...good, 'x-lane-timestamp': seconds(1) }],
      [mail.replace('YES', 'NO'), good],
      [mail.slice(0, -1), good],
    ]
    const before = await unverified()
    for (const [raw, headers] of attempts)
      expect(await post('raw', raw, headers)).toMatchObject({ status: 401, text: 'unverified' })
    expect(await unverified()).toBe(before + attempts.length)
    expect([await state(id), await reasons(id)]).toEqual(['pending', []])

    expect((await post('raw', mail, good)).status).toBe(200)
    expect(await post('raw', mail, good)).toMatchObject({ status: 401, text: 'unverified' })
    expect([await state(id), await reasons(id)]).toEqual(['answered', []])
  })

  test('the same message signed anew is no second answer', async () => {
    const { id, letter } = await ask()
    const mail = replyTo(letter, OWNER, 'perhaps')
    expect((await post('raw', mail, signed(mail, seconds(-1)))).status).toBe(200)
    expect((await post('raw', mail, signed(mail, seconds(0)))).status).toBe(200)
    expect((await post('raw', mail, signed(mail, seconds(1)))).status).toBe(200)
    expect(await reasons(id)).toEqual(['reply_not_in_schema', 'duplicate_message'])
  })

  test('[LANE-047] a mail from an address the lane does not know is refused, though it has the handle', async () => {
    const { id, letter } = await ask()
    const mail = replyTo(letter, NOBODY, 'YES')
    expect((await post('raw', mail, signed(mail))).status).toBe(200)
    expect([await reasons(id), await state(id)]).toEqual([['unknown_sender'], 'pending'])
  })

  test.each(['fail', 'none', null] as const)(
    'a mail for which the own server does not say pass (%s) is not from whom it says',
    async dmarc => {
      const { id, letter } = await ask()
      const mail = replyTo(letter, OWNER, 'YES', { dmarc })
      expect((await post('raw', mail, signed(mail))).status).toBe(200)
      expect([await reasons(id), await state(id)]).toEqual([['sender_unauthenticated'], 'pending'])
    },
  )

  test('[LANE-053] a message above the bound is refused before it is read', async () => {
    const mail = 'x'.repeat(11 * 1024 * 1024)
    expect((await post('raw', mail, signed(mail))).status).toBe(413)
  })

  test('a bounce ends the copy, and the next channel is tried', async () => {
    const { id, letter } = await ask()
    const mail = bounce(letter)
    expect((await post('raw', mail, signed(mail))).status).toBe(200)
    const link = await lane.link(id, 'owner')
    const status = (await lane.story(id)).find(({ type }) => type === 'DELIVERY_STATUS')
    expect(status?.body).toMatchObject({ stands: false })
    expect((await lane.answer(link, 'NO')).status).toBe(200)
    expect((await lane.outcome(id)).json).toMatchObject({ state: 'answered', answer: { channel: 'web' } })
  })

  test('after its key was revoked a request comes as another mail, which mailboxes do not take for the first, and is answered', async () => {
    const { id, letter: first } = await ask()
    const { json } = await lane.call('GET', '/.well-known/jwks.json', { key: null })
    const { kid } = (json.keys as { kid: string }[]).at(-1) ?? { kid: '' }
    await lane.call('DELETE', `/v1/signing-keys/${kid}`, { key: lane.operatorKey })
    const [, fresh] = await until(
      'another mail',
      async () => (await office.requests()).filter(one => one.email.subject?.endsWith(`[${id}]`)),
      letters => letters.length === 2,
    )
    if (fresh === undefined) throw new Error('there is no other mail')
    expect(fresh.email.messageId).not.toBe(first.email.messageId)
    const mail = replyTo(fresh, OWNER, 'NO')
    await post('raw', mail, signed(mail))
    expect((await lane.outcome(id)).json).toMatchObject({ answer: { parsed_choice: 'NO', proof: 'dmarc' } })
  })

  test('an agent that knows its delivery, its deadline and the handle cannot make the id that a reply must name', async () => {
    const { id, letter } = await ask()
    const { deadline_at } = (await lane.call('GET', `/v1/requests/${id}`)).json
    const begun = (await lane.story(id)).find(({ type }) => type === 'DELIVERY_STARTED')
    const known = `${begun?.body.delivery_id} ${deadline_at}`
    const guesses = [writeMessageId(known, 'lane.test'), writeNoticeId(`notice ${known}`, 'lane.test')]
    const text = 'YES\n\nOn Mon, 16 Nov 2026 at 12:00, Eve wrote:\n> Lunch?'
    for (const inReplyTo of guesses)
      for (const to of ['lane@lane.test', letter.envelope.from]) {
        const mail = message({ from: OWNER, to, inReplyTo, text })
        expect((await post('raw', mail, signed(mail))).status).toBe(200)
      }
    const refused = Array(2).fill('sender_unauthenticated')
    expect([await reasons(id), await state(id)]).toEqual([refused, 'pending'])
  })

  test('an out-of-office note is recorded as automated, and not answered', async () => {
    const { id, letter } = await ask()
    const before = (await office.notices()).length
    const mail = replyTo(letter, OWNER, 'YES', {
      headers: [
        'Auto-Submitted: auto-replied',
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
      ],
    })
    expect((await post('raw', mail, signed(mail))).status).toBe(200)
    expect([await reasons(id), await state(id)]).toEqual([['automated_message'], 'pending'])
    expect(await office.notices()).toHaveLength(before)
  })

  test('[LANE-045] a reply that cannot be read is answered once, with what to send, so that nothing bounces back', async () => {
    const { id, letter } = await ask()
    const before = (await office.notices()).length
    const first = replyTo(letter, OWNER, 'yes but only after Friday', { messageId: '<typo-1@people.test>' })
    const second = replyTo(letter, OWNER, 'ok then')
    for (const mail of [first, second]) expect((await post('raw', mail, signed(mail))).status).toBe(200)
    expect(await reasons(id)).toEqual(['reply_not_in_schema', 'reply_not_in_schema'])
    const notices = (await office.notices()).slice(before)
    expect(notices).toHaveLength(1)
    const [notice] = notices
    expect(notice?.envelope).toEqual({ from: '', to: [OWNER] })
    expect(notice?.header('in-reply-to')).toBe('<typo-1@people.test>')
    expect(notice?.header('auto-submitted')).toBe('auto-replied')
    expect(notice?.email.text).toContain('Reply YES or NO.')
    expect(notice?.email.text).toContain('alone on the first line')

    const again = replyTo(notice as Letter, OWNER, 'NO')
    expect((await post('raw', again, signed(again))).status).toBe(200)
    expect((await lane.outcome(id)).json).toMatchObject({
      answer: { parsed_choice: 'NO', answered_by: 'owner' },
    })
  })
})

describe('/hooks/email/mailgun', () => {
  const TOKEN = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwx'
  let tokens = 0
  const token = (): string => `${++tokens}`.padStart(50, '0')

  const fields = (mail: string, timestamp = seconds(), with_ = token()): [string, string][] => [
    ['recipient', 'lane@lane.test'],
    ['stripped-text', 'NO'],
    ['body-mime', mail],
    ['timestamp', timestamp],
    ['token', with_],
    ['signature', hmac(`${timestamp}${with_}`)],
  ]
  const multipart = (pairs: [string, string][]): [string, Record<string, string>] => [
    `${pairs.map(([name, value]) => `--b0\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--b0--\r\n`,
    { 'content-type': 'multipart/form-data; boundary=b0' },
  ]
  const urlencoded = (pairs: [string, string][]): [string, Record<string, string>] => [
    new URLSearchParams(pairs).toString(),
    { 'content-type': 'application/x-www-form-urlencoded' },
  ]

  test.each([
    ['multipart', multipart],
    ['urlencoded', urlencoded],
  ] as const)(
    '[LANE-032] a signed form (%s) answers with its raw message, and by nothing else in it',
    async (_kind, form) => {
      const { id, letter } = await ask()
      expect(await post('mailgun', ...form(fields(replyTo(letter, OWNER, 'YES'))))).toMatchObject({
        status: 200,
      })
      expect((await lane.outcome(id)).json).toMatchObject({
        answer: { parsed_choice: 'YES', proof: 'dmarc' },
      })
    },
  )

  test('[LANE-037] a bad signature, an old time, a token used before and a doubled field are refused', async () => {
    const { id, letter } = await ask()
    const mail = replyTo(letter, OWNER, 'YES')
    const good = fields(mail, seconds(), TOKEN)
    const changed = (name: string, value: string): [string, string][] =>
      good.map(([key, old]) => [key, key === name ? value : old])
    const attempts = [
      changed('signature', '0'.repeat(64)),
      changed('timestamp', seconds(-10)),
      changed('token', token()),
      fields(mail, seconds(-301)),
      fields(mail, seconds(302)),
      good.filter(([name]) => name !== 'signature'),
      [...good, ['token', TOKEN]] as [string, string][],
      fields(mail, seconds(), 'short'),
    ]
    for (const pairs of attempts)
      for (const form of [multipart, urlencoded])
        expect(await post('mailgun', ...form(pairs))).toMatchObject({ status: 401, text: 'unverified' })
    for (const junk of ['', '--b0', '--b0\r\n\r\n', `--b0\r\n${'x'.repeat(5000)}\r\n\r\n\r\n--b0--`])
      expect((await post('mailgun', junk, multipart([])[1])).status).toBe(401)
    expect((await post('mailgun', '{}', { 'content-type': 'application/json' })).status).toBe(401)
    expect([await state(id), await reasons(id)]).toEqual(['pending', []])

    expect((await post('mailgun', ...multipart(good))).status).toBe(200)
    expect(await post('mailgun', ...multipart(good))).toMatchObject({ status: 401, text: 'unverified' })
    expect([await state(id), await reasons(id)]).toEqual(['answered', []])
  })

  test('a form without the raw message is told so, and not sent again', async () => {
    const pairs = fields('').filter(([name]) => name !== 'body-mime')
    expect((await post('mailgun', ...multipart(pairs))).status).toBe(406)
  })
})

test('another provider is not there', async () => {
  for (const provider of ['sendgrid', 'constructor', '__proto__', 'RAW'])
    expect((await post(provider, 'x', signed('x'))).status).toBe(404)
})
