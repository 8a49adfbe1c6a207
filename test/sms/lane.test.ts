// SMS in a real lane, against the provider's emulator: what this channel lets in, what it never does, and what becomes of a
// person who leaves it.
import { randomBytes } from 'node:crypto'
import twilio from 'twilio'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { countSegments } from '../../adapters/sms/segments.js'
import { sign } from '../../adapters/sms/signature.js'
import type { Front, Passage } from '../contract/front.js'
import { ALL } from '../faults/rig.js'
import { approval, type Entry, type LaneUnderTest, question } from '../lane-under-test.js'
import { until } from '../until.js'
import {
  codeIn,
  DEPUTY,
  type Message,
  NOBODY,
  NUMBER,
  OWNER,
  type Provider,
  SID,
  says,
  spokenIn,
  TOKEN,
} from './provider.js'
import { raise, type Scene } from './scene.js'

const CONFIG = `
recipients:
  owner: { name: Owner, sms: "${OWNER}", web: true, channels: [sms, web] }
  deputy: { name: Deputy, sms: "${DEPUTY}", channels: [sms] }
actions:
  PUBLISH: { approvers: [owner, deputy], proofs: [sms_from] }
  EXPORT: { approvers: [owner], proofs: [console] }
  PROMOTE: { approvers: [owner], proofs: [sms_from, link_code] }
questions: { proofs: [sms_from, console] }
outbox: on
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 3 }
`

let front: Front
let provider: Provider
let lane: LaneUnderTest
let close: Scene['close']
beforeEach(async () => {
  ;({ front, provider, lane, close } = await raise(CONFIG))
})
afterEach(() => close())
const bodies = async (id: string, type: string): Promise<Entry['body'][]> =>
  (await lane.story(id)).filter(entry => entry.type === type).map(entry => entry.body)
const reasons = async (id: string) => (await bodies(id, 'INBOUND_REPLY_REJECTED')).map(body => body.reason)
const comes = (id: string, type: string, count = 1) =>
  until(`${count} of ${type}`, async () => {
    const found = await bodies(id, type)
    return found.length >= count && found
  })
const state = async (id: string) => (await lane.call('GET', `/v1/requests/${id}`)).json.state
const said = (): (string | null)[] => front.passages.map(({ answer }) => spokenIn(answer))
const last = (): string | null => said().at(-1) ?? null

async function ask(
  id: string,
  request: Record<string, unknown> = question(id),
  to = 'owner',
): Promise<Message> {
  const before = (await provider.messages()).length
  const { status, text } = await lane.submit(request, { recipients: [to] })
  if (status !== 201) throw new Error(text)
  const message = await until('a message', async () => (await provider.messages())[before])
  await comes(id, 'OUTBOUND_REQUEST_SENT')
  return message
}

/** A webhook as the provider signs it, and as somebody else might. */
async function post(
  form: Record<string, string>,
  {
    url = `${front.url}/hooks/sms`,
    token = TOKEN,
    to = '/hooks/sms',
    headers = {},
    body = new URLSearchParams(form).toString(),
  }: { url?: string; token?: string; to?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Response> {
  const signature = sign(token, { url, parameters: new URLSearchParams(form) })
  return fetch(`${front.url}${to}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signature,
      ...headers,
    },
    body,
  })
}
const inbound = (body: string, more: Record<string, string> = {}): Record<string, string> => ({
  AccountSid: SID,
  MessageSid: `SM${randomBytes(16).toString('hex')}`,
  From: OWNER,
  To: NUMBER,
  Body: body,
  NumMedia: '0',
  ...more,
})

describe('there and back', () => {
  test('[LANE-035] a question leaves whole, in few segments, and is answered by a signed webhook with its code', async () => {
    const message = await ask('q-1')
    expect(message).toMatchObject({ to: OWNER })
    expect(message.body).toMatch(
      /^agent asks: Ship the release today\?\nDecides .*\nReply Y (\w{4,7}) or N \1, by .* else HALT\nhttp/,
    )
    expect(countSegments(message.body)).toMatchObject({ encoding: 'GSM-7', segments: 2 })
    await provider.text(OWNER, `y ${codeIn(message.body).toLowerCase()}.`)
    const { json } = await lane.outcome('q-1')
    expect(json).toMatchObject({
      state: 'answered',
      answer: { parsed_choice: 'YES', answered_by: 'owner', channel: 'sms', proof: 'sms_from' },
    })
    const [event] = await bodies('q-1', 'HUMAN_REPLY_EVENT')
    expect(event?.provider_message_id).toMatch(/^SM/)
    expect(last()).toBe('Recorded: YES')
  })

  test('the official library accepts every webhook the emulator sent, status and message alike', async () => {
    const message = await ask('q-1')
    await provider.status(message.sid, 'delivered')
    await provider.text(OWNER, `N ${codeIn(message.body)}`)
    const isValid = ({ path, headers, body }: Passage): boolean =>
      twilio.validateRequest(
        TOKEN,
        headers['x-twilio-signature'] ?? '',
        `${front.url}${path}`,
        Object.fromEntries(new URLSearchParams(body.toString())),
      )
    expect(front.passages.map(isValid)).toEqual([true, true, true])
    expect(front.passages.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await lane.outcome('q-1')).json).toMatchObject({ answer: { parsed_choice: 'NO' } })
  })

  test('every kind of answer fits before the code', async () => {
    const options = [
      { value: 'canary', label: 'One percent first' },
      { value: 'all', label: 'Everyone' },
    ]
    const number = { kind: 'number', min: 0, max: 200, unit: 'chips', lead: 'max spend' }
    const asked = [
      ['choice', { kind: 'choice', options }, 'b', { parsed_choice: 'all' }],
      [
        'many',
        { kind: 'multi_choice', options, min: 1, max: 2 },
        'A, B',
        { parsed_payload: { selected: ['canary', 'all'] } },
      ],
      [
        'words',
        { kind: 'text', max_chars: 80 },
        'Wait until Monday',
        { parsed_payload: { text: 'Wait until Monday' } },
      ],
      ['number', number, 'max spend 50 chips', { parsed_payload: { number: 50, unit: 'chips' } }],
      ['date', { kind: 'date' }, '2026-02-17', { parsed_payload: { date: '2026-02-17' } }],
    ] as const
    for (const [id, reply_schema, words, answer] of asked) {
      const { body } = await ask(id, question(id, { reply_schema }))
      await provider.text(OWNER, `${words} ${codeIn(body)}`)
      expect([id, (await lane.outcome(id)).json.answer]).toMatchObject([id, answer])
    }
  })

  test('the link in the message opens the page for reading: neither it nor the code answers there', async () => {
    const { body } = await ask('q-1')
    const link = body.split('\n').at(-1) ?? ''
    expect(link).toMatch(new RegExp(`^${front.url}/r/[0-9a-z]{26}$`))
    const page = await lane.call('GET', link, { key: null })
    expect(page.text).toContain('The answer is given by text message')
    expect(page.text).not.toMatch(/<form|<input/)
    const answered = await lane.answer({ link, code: codeIn(body), delivery_id: '', user_id: 'owner' }, 'NO')
    expect([answered.status, answered.json.code]).toEqual([403, 'reply_rejected'])
    expect(await state('q-1')).toBe('pending')
    await provider.text(OWNER, `N ${codeIn(body)}`)
    expect((await lane.outcome('q-1')).json).toMatchObject({ answer: { channel: 'sms', proof: 'sms_from' } })
  })

  test('the handle that names the copy to the provider opens no page', async () => {
    await ask('q-1')
    const callback = new URL(provider.asked[0]?.get('StatusCallback') ?? '')
    const handle = callback.searchParams.get('handle') ?? ''
    expect(handle).toMatch(/^[0-9a-z]{26}$/)
    const page = await lane.call('GET', `/r/${handle}`, { key: null })
    expect([page.status, page.text]).toEqual([404, expect.not.stringContaining('Ship the release')])
  })

  test('[LANE-046] a copy that left under an old key is answered after the key was rotated', async () => {
    const { body } = await ask('q-1')
    const rotated = await lane.call('POST', '/v1/signing-keys/rotate', { key: lane.operatorKey, body: {} })
    expect(rotated.status).toBe(201)
    await provider.text(OWNER, `Y ${codeIn(body)}`)
    expect((await lane.outcome('q-1')).json.state).toBe('answered')
  })
})

describe('a webhook that is not the provider’s', () => {
  test('[LANE-037] is refused before it is read, with the same words whatever was wrong', async () => {
    const code = codeIn((await ask('q-1')).body)
    const before = (await lane.ledger()).length
    const form = inbound(`Y ${code}`)
    const answers = [
      await post(form, { token: 'another-token' }),
      await post(form, { url: 'https://evil.example/hooks/sms' }),
      await post(form, { body: new URLSearchParams({ ...form, Body: `N ${code}` }).toString() }),
      await post(form, { body: `${new URLSearchParams(form)}&From=${encodeURIComponent(DEPUTY)}` }),
      await post(form, { headers: { 'x-twilio-signature': '' } }),
      await post(form, { to: '/hooks/sms?handle=1' }),
      await post(form, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(form) }),
      await post(form, { headers: { 'content-type': 'text/plain' } }),
    ]
    const heard = await Promise.all(answers.map(async answer => [answer.status, await answer.text()]))
    expect(heard).toEqual(answers.map(() => [401, 'unverified']))
    expect([await state('q-1'), (await lane.ledger()).length]).toEqual(['pending', before])
    const { text } = await lane.call('GET', '/metrics', { key: lane.operatorKey })
    expect(text).toContain(`lane_strangers_total{why="unverified_sms"} ${answers.length}`)
  })

  test('is answered as the description says, and so is one that is the provider’s', async () => {
    const form = inbound('hello')
    const url = `${front.url}/hooks/sms`
    const signature = sign(TOKEN, { url, parameters: new URLSearchParams(form) })
    const raw = new URLSearchParams(form).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
    const taken = await lane.call('POST', '/hooks/sms', { key: null, raw, headers })
    expect([taken.status, taken.text]).toEqual([200, '<Response/>'])
    const refused = await lane.call('POST', '/hooks/sms', { key: null, raw: `${raw}&x=1`, headers })
    expect([refused.status, refused.text]).toEqual([401, 'unverified'])
  })

  test('[LANE-037] is judged by the configured address, not by what a request says of its host', async () => {
    const code = codeIn((await ask('q-1')).body)
    const evil = 'https://evil.example'
    const answer = await post(inbound(`Y ${code}`), {
      url: `${evil}/hooks/sms`,
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    expect([answer.status, await state('q-1')]).toEqual([401, 'pending'])
  })

  test('of another account or to another number of ours is nobody’s answer', async () => {
    const code = codeIn((await ask('q-1')).body)
    const answers = [
      await post(inbound(`Y ${code}`, { AccountSid: `AC${'9'.repeat(32)}` })),
      await post(inbound(`Y ${code}`, { To: '+15550002222' })),
    ]
    expect(await Promise.all(answers.map(answer => answer.text()))).toEqual(['<Response/>', '<Response/>'])
    expect([await state('q-1'), await reasons('q-1')]).toEqual(['pending', []])
    expect((await post(inbound(`Y ${code}`))).status).toBe(200)
    expect(await state('q-1')).toBe('answered')
  })

  test('[LANE-044] an old webhook posted again is still the same message, however often', async () => {
    const form = inbound(`Y ${codeIn((await ask('q-1')).body)}`)
    for (let times = 0; times < 3; times++) expect((await post(form)).status).toBe(200)
    expect(await reasons('q-1')).toEqual(['duplicate_message'])
    expect(said().filter(words => words !== null)).toEqual(['Recorded: YES'])
  })
})

describe('a signed message that somebody has kept', () => {
  /** The same string to sign, cut into names and values elsewhere. */
  const merged = (form: Record<string, string>, name: string, into: string): Record<string, string> => {
    const { [name]: value, ...rest } = form
    return { ...rest, [into]: `${rest[into]}${name}${value}` }
  }

  test('cannot be given another id, or none, and so be a new one: it is not even read', async () => {
    const form = inbound(`perhaps ${codeIn((await ask('q-1')).body)}`)
    expect((await post(form)).status).toBe(200)
    const before = (await lane.ledger()).length
    const url = `${front.url}/hooks/sms`
    for (const other of [merged(form, 'NumMedia', 'MessageSid'), merged(form, 'MessageSid', 'From')]) {
      const parameters = new URLSearchParams(other)
      expect(sign(TOKEN, { url, parameters })).toBe(
        sign(TOKEN, { url, parameters: new URLSearchParams(form) }),
      )
      expect((await post(other)).status).toBe(400)
    }
    expect([await reasons('q-1'), (await lane.ledger()).length]).toEqual([['reply_not_in_schema'], before])
  })
})

describe('a storm', () => {
  test('of one message many times over, and of answers that differ, leaves one outcome', async () => {
    const code = codeIn((await ask('q-1')).body)
    const yes = inbound(`Y ${code}`)
    const others = ['N', 'Y', 'N', 'perhaps'].map(word => inbound(`${word} ${code}`))
    const posts = [...Array.from({ length: 8 }, () => yes), ...others].map(form => post(form))
    const statuses = (await Promise.all(posts)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect([await bodies('q-1', 'HUMAN_REPLY_EVENT'), await bodies('q-1', 'REQUEST_RESOLVED')]).toMatchObject(
      [[{}], [{}]],
    )
    expect(said().filter(words => words?.startsWith('Recorded'))).toHaveLength(1)
  })
})

describe('the code', () => {
  test('[LANE-047] of a copy answers from its own number alone, though another person has the request too', async () => {
    await lane.submit(question('q-1'), { recipients: ['owner', 'deputy'] })
    const messages = await until('both', async () => {
      const all = await provider.messages()
      return all.length === 2 && all
    })
    await comes('q-1', 'OUTBOUND_REQUEST_SENT', 2)
    const owners = messages.find(({ to }) => to === OWNER)
    const code = codeIn(owners?.body ?? '')
    await provider.text(NOBODY, `Y ${code}`)
    await provider.text(DEPUTY, `Y ${code}`)
    expect([await state('q-1'), await reasons('q-1')]).toEqual(['pending', ['code_mismatch']])
    expect(said().slice(-2)).toEqual([
      null,
      expect.stringMatching(/^Not recorded: end your reply with the code/),
    ])
    await provider.text(OWNER, `Y ${code}`)
    expect(await state('q-1')).toBe('answered')
  })

  test('[LANE-045] is tried ten times in an hour; then none is taken, the ledger says so once, and the next channel has it', async () => {
    const { body } = await ask('q-1')
    for (let tries = 0; tries < 14; tries++) await provider.text(OWNER, `Y ${'0'.repeat(6)}${tries % 10}`)
    expect(await reasons('q-1')).toEqual(Array.from({ length: 10 }, () => 'code_mismatch'))
    const rests = (await lane.ledger()).filter(({ type }) => type === 'CODES_RESTED')
    expect(rests).toMatchObject([{ body: { user_id: 'owner', channel: 'sms' } }])
    await provider.text(OWNER, `Y ${codeIn(body)}`)
    expect(await state('q-1')).toBe('pending')
    expect((await lane.answer(await lane.link('q-1', 'owner'), 'YES')).status).toBe(200)
    expect((await lane.outcome('q-1')).json).toMatchObject({ answer: { channel: 'web', proof: 'console' } })
  })

  test('is right and is not read three times over: then that copy is dead and a fresh one comes', async () => {
    const code = codeIn((await ask('q-1')).body)
    for (let tries = 0; tries < 4; tries++) await provider.text(OWNER, `perhaps ${code}`)
    expect((await reasons('q-1')).at(-1)).toBe('rate_limited')
    const fresh = await until('a fresh copy', async () => (await provider.messages())[1])
    await comes('q-1', 'OUTBOUND_REQUEST_SENT', 2)
    await provider.text(OWNER, `Y ${codeIn(fresh.body)}`)
    expect(await state('q-1')).toBe('answered')
  })
})

describe('what the person is told', () => {
  test('is said once about one request, and nothing to strangers', async () => {
    const code = codeIn((await ask('q-1')).body)
    await provider.text(OWNER, `perhaps ${code}`)
    await provider.text(OWNER, `maybe <b>${code}`)
    await provider.text(NOBODY, `Y ${code}`)
    await provider.text(NOBODY, 'hello?')
    const told = said().filter((_, index) => front.passages[index]?.path === '/hooks/sms')
    expect(told).toEqual([
      'Not understood. Reply YES or NO. End with the code of the message.',
      null,
      null,
      null,
    ])
    expect(await bodies('q-1', 'NOTICE_SENT')).toEqual([
      expect.objectContaining({ channel: 'sms', recipient: 'owner', reason: 'reply_not_in_schema' }),
    ])
  })

  test('of an answer with a picture is that it is none, whatever the picture shows', async () => {
    const code = codeIn((await ask('q-1')).body)
    const answer = await post(
      inbound(`Y ${code}`, { NumMedia: '1', MediaUrl0: 'https://api.example.org/m/1' }),
    )
    expect(spokenIn(await answer.text())).toBe(
      'A message with a picture or file answers nothing. Reply YES or NO. End with the code of the message.',
    )
    expect([await state('q-1'), await reasons('q-1')]).toEqual(['pending', ['reply_not_in_schema']])
    await provider.text(OWNER, `N ${code}`)
    expect((await lane.outcome('q-1')).json).toMatchObject({ answer: { parsed_choice: 'NO' } })
  })

  test('repeats an answer without becoming markup', async () => {
    const { body } = await ask('q-1', question('q-1', { reply_schema: { kind: 'text', max_chars: 80 } }))
    await provider.text(OWNER, `Fish & "chips" ${codeIn(body)}`)
    await comes('q-1', 'INBOUND_REPLY_REJECTED')
    await provider.text(OWNER, `Fish "chips" (large) ${codeIn(body)}`)
    expect(front.passages.at(-1)?.answer).toBe(
      '<Response><Message>Recorded: Fish &quot;chips&quot; (large)</Message></Response>',
    )
  })
})

describe('words for the carrier', () => {
  test('are never answers, with a code or without', async () => {
    const options = [
      { value: 'END', label: 'End the trial' },
      { value: 'GO', label: 'Go on' },
    ]
    const { body } = await ask('q-1', question('q-1', { reply_schema: { kind: 'choice', options } }))
    for (const word of ['START', 'unstop', 'HELP', 'INFO']) await provider.text(OWNER, word)
    expect([await reasons('q-1'), said().filter(words => words !== null)]).toEqual([[], []])
    await provider.text(OWNER, `END ${codeIn(body)}`)
    expect([await state('q-1'), await reasons('q-1')]).toEqual(['pending', ['code_mismatch']])
    expect(last()).toContain('STOP, CANCEL, END and the like are never answers')
    await provider.text(OWNER, `A ${codeIn(body)}`)
    expect((await lane.outcome('q-1')).json).toMatchObject({ answer: { parsed_choice: 'END' } })
  })

  test('that opt out end every open copy of that person; the next channel is tried, and later sends fail for good', async () => {
    const out = new Set<string>()
    provider.fault(form => (out.has(form.get('To') ?? '') ? says(400, 21_610) : null))
    await ask('q-1')
    await ask('q-2')
    await ask('q-3', question('q-3'), 'deputy')
    out.add(OWNER)
    await provider.text(OWNER, 'Cancel')
    expect(last()).toBeNull()
    for (const id of ['q-1', 'q-2']) {
      expect(await comes(id, 'DELIVERY_STATUS')).toMatchObject([{ status: 'opted_out', stands: false }])
      expect((await lane.link(id, 'owner')).user_id).toBe('owner')
    }
    expect(await bodies('q-3', 'DELIVERY_STATUS')).toEqual([])
    await lane.submit(question('q-4'), { recipients: ['owner'] })
    expect(await comes('q-4', 'DELIVERY_FAILED')).toMatchObject([{ code: 'opted_out', final: true }])
    expect((await lane.answer(await lane.link('q-4', 'owner'), 'YES')).status).toBe(200)
    expect((await provider.messages()).map(({ to }) => to)).toEqual([OWNER, OWNER, DEPUTY])
  })

  test('an opt-out by somebody the lane does not know ends nothing', async () => {
    await ask('q-1')
    await provider.text(NOBODY, 'STOP')
    await provider.text(DEPUTY, 'STOP')
    expect(await bodies('q-1', 'DELIVERY_STATUS')).toEqual([])
  })
})

describe('reports', () => {
  test('that it arrived are told once; that it is on its way is no news', async () => {
    const { sid } = await ask('q-1')
    for (const status of ['sending', 'sent', 'delivered', 'delivered', 'sent'])
      await provider.status(sid, status)
    expect(await bodies('q-1', 'DELIVERY_STATUS')).toMatchObject([{ status: 'delivered', stands: true }])
  })

  test.each([
    [['undelivered', 'sent', 'delivered', 'failed'], ['undelivered']],
    [
      ['delivered', 'sending', 'undelivered', 'delivered'],
      ['delivered', 'undelivered'],
    ],
    [['failed', 'undelivered', 'queued'], ['failed']],
  ])(
    'in the order %j end the same: it does not stand, and the next channel is tried',
    async (order, told) => {
      const { sid } = await ask('q-1')
      for (const status of order) await provider.status(sid, status)
      expect((await bodies('q-1', 'DELIVERY_STATUS')).map(({ status }) => status)).toEqual(told)
      await comes('q-1', 'OUTBOUND_REQUEST_SENT', 2)
      const { json } = await lane.call('GET', '/v1/requests/q-1')
      expect(json.deliveries).toMatchObject([
        { channel: 'sms', state: 'failed' },
        { channel: 'web', state: 'sent' },
      ])
    },
  )

  test('are understood by the reference alone, and with the carrier’s reason', async () => {
    const { sid } = await ask('q-1')
    const form = {
      AccountSid: SID,
      MessageSid: sid,
      MessageStatus: 'failed',
      ErrorCode: '30003',
      To: OWNER,
      From: NUMBER,
    }
    expect((await post(form)).status).toBe(200)
    expect(await bodies('q-1', 'DELIVERY_STATUS')).toMatchObject([{ status: 'failed_30003', stands: false }])
  })

  test('that come before the send was answered count: a message that failed at once is undelivered, not unanswered', {
    skip: !ALL,
  }, async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    provider.fault(() => async reply => {
      await held
      reply.writeHead(201).end('{"sid":"SM77"}')
    })
    await lane.submit(question('q-1', { deadline_seconds: 4 }), { recipients: ['deputy'] })
    const form = await until('the call', async () => provider.asked[0])
    const callback = new URL(form.get('StatusCallback') ?? '')
    const report = {
      AccountSid: SID,
      MessageSid: 'SM77',
      MessageStatus: 'undelivered',
      To: DEPUTY,
      From: NUMBER,
    }
    const answer = await post(report, { url: callback.href, to: callback.pathname + callback.search })
    expect(answer.status).toBe(200)
    release()
    await comes('q-1', 'OUTBOUND_REQUEST_SENT')
    expect((await lane.outcome('q-1')).json).toMatchObject({ state: 'undelivered', default_applied: true })
  })

  test('that come before the send of an announcement was answered count as well', async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    provider.fault(() => async reply => {
      await held
      reply.writeHead(201).end('{"sid":"SM79"}')
    })
    const parameters = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`part-${at}`, `sha256:${String(at).padStart(64, '0')}`]),
    )
    await lane.submit(approval('ship-1', { action: 'PROMOTE', parameters }), { recipients: ['owner'] })
    const form = await until('the call', async () => provider.asked[0])
    expect(form.get('Body')).toContain('This message cannot be answered.')
    const callback = new URL(form.get('StatusCallback') ?? '')
    const report = {
      AccountSid: SID,
      MessageSid: 'SM79',
      MessageStatus: 'undelivered',
      To: OWNER,
      From: NUMBER,
    }
    await post(report, { url: callback.href, to: callback.pathname + callback.search })
    release()
    expect(await comes('ship-1', 'DELIVERY_STATUS')).toMatchObject([{ status: 'undelivered', stands: false }])
    await comes('ship-1', 'OUTBOUND_REQUEST_SENT')
  })

  test('say what became of a message whose call broke off: it stands as uncertain, and is not sent again', async () => {
    provider.fault(() => reply => void reply.destroy())
    await lane.submit(question('q-1'), { recipients: ['owner'] })
    expect(await comes('q-1', 'OUTBOUND_REQUEST_SENT')).toMatchObject([{ uncertain: true }])
    const callback = new URL(provider.asked[0]?.get('StatusCallback') ?? '')
    const report = { AccountSid: SID, MessageSid: 'SM78', MessageStatus: 'failed', To: OWNER, From: NUMBER }
    await post(report, { url: callback.href, to: callback.pathname + callback.search })
    expect(await comes('q-1', 'DELIVERY_STATUS')).toMatchObject([{ status: 'failed', stands: false }])
    await lane.link('q-1', 'owner')
    expect(provider.asked).toHaveLength(1)
  })
})

describe('an approval', () => {
  test('is given by text message where the action names sms_from', async () => {
    const { body } = await ask('ship-1', approval('ship-1'))
    expect(body).toContain(`artifact sha256:${Array(8).fill('bbbbbbbb').join(' ')}`)
    await provider.text(OWNER, `Y ${codeIn(body)}`)
    expect((await lane.outcome('ship-1')).json).toMatchObject({
      state: 'answered',
      answer: { parsed_choice: 'YES', proof: 'sms_from' },
    })
  })

  test('an SMS never asks for an approval without its parameters: what does not fit is announced, and answered on its page', async () => {
    const parameters = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`part-${at}`, `sha256:${String(at).padStart(64, '0')}`]),
    )
    const { body } = await ask('ship-3', approval('ship-3', { action: 'PROMOTE', parameters }))
    expect(body).toMatch(
      /^Approval by agent: Approve PROMOTE\nThis message cannot be answered\. Read .*:\nhttp/,
    )
    expect(body).not.toMatch(/Reply|End with|sha256/)
  })

  test('is not asked for by text message where it does not: the next channel is', async () => {
    expect(
      (await lane.submit(approval('ship-2', { action: 'EXPORT' }), { recipients: ['owner'] })).status,
    ).toBe(201)
    expect((await lane.answer(await lane.link('ship-2', 'owner'), 'YES')).status).toBe(200)
    expect(await bodies('ship-2', 'DELIVERY_FAILED')).toMatchObject([
      { channel: 'sms', code: 'proof_insufficient', final: true },
    ])
    expect(await provider.messages()).toEqual([])
  })

  test('that has no channel but text messages left is not asked for at all', async () => {
    const refused = await lane.submit(approval('ship-4', { action: 'EXPORT' }), {
      recipients: [{ user_id: 'owner', channels: ['sms'] }],
    })
    expect([refused.status, refused.json.code]).toEqual([422, 'cannot_be_shown'])
  })
})

describe('a provider that', () => {
  test('asks to wait is asked again when it said', async () => {
    let refusals = 1
    provider.fault(() => (refusals-- > 0 ? says(429, 20_429, { 'retry-after': '1' }) : null))
    await lane.submit(question('q-1'), { recipients: ['deputy'] })
    const [failed] = await comes('q-1', 'DELIVERY_FAILED')
    expect(failed).toMatchObject({ code: 'rate_limited', final: false })
    await comes('q-1', 'OUTBOUND_REQUEST_SENT')
    expect(await provider.messages()).toHaveLength(1)
  })

  test('does not know the number is not asked again', async () => {
    provider.fault(() => says(400, 21_211))
    await lane.submit(question('q-1'), { recipients: ['owner'] })
    expect(await comes('q-1', 'DELIVERY_FAILED')).toMatchObject([{ code: 'invalid_number', final: true }])
    await lane.link('q-1', 'owner')
    expect(provider.asked).toHaveLength(1)
  })
})
