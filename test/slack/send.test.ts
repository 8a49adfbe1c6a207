// Putting a card before a person when Slack limits, breaks, hangs or swallows its answer: never two cards, never a card
// called sent that is not there, and no destination held up by another.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { slackAdapter } from '../../adapters/slack/index.js'
import type { Adapter, Ending, Outbound } from '../../src/adapter/contract.js'
import { freePort } from '../port.js'
import { until } from '../until.js'
import { approval, question } from './displays.js'
import { buttonsOf, cardIn, readable } from './person.js'
import { raise } from './scene.js'
import {
  BOT_TOKEN,
  broken,
  type Fault,
  hung,
  limited,
  lost,
  openWorkspace,
  refuses,
  reset,
  SIGNING_SECRET,
  TEAM,
  type Workspace,
} from './workspace.js'

let workspace: Workspace
let adapter: Adapter
let said: string[] = []
const made = (apiUrl: string): Adapter =>
  slackAdapter({
    variables: { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_SIGNING_SECRET: SIGNING_SECRET, SLACK_API_URL: apiUrl },
    publicUrl: () => 'https://lane.example.org',
    say: (...line) => void said.push(JSON.stringify(line)),
  })
beforeAll(async () => {
  workspace = await openWorkspace()
})
beforeEach(() => {
  workspace.mend()
  said = []
  adapter = made(workspace.apiUrl)
})
afterAll(() => workspace.close())

const DISPLAY = question({ kind: 'yes_no' })
const START = Date.parse('2026-02-17T12:00:00.000Z')
let counted = 0
function outbound(user: string, more: Partial<Outbound> & { readonly after?: number } = {}): Outbound {
  const { after = 0, ...rest } = more
  return {
    delivery_id: `d-${++counted}`,
    attempt: 1,
    recipient: { user_id: 'owner', name: 'Owner' },
    address: { team: TEAM, user },
    reply: { handle: '0123456789abcdefghjkmnpqrs', code: 'K7QD5VA' },
    page: { link: 'https://lane.example.org/r/zyxwvtsrqpnmkjhgfedcba9876', code: null },
    at: new Date(START + after).toISOString(),
    ...rest,
  }
}
const owner = (): string => workspace.people.owner
const deputy = (): string => workspace.people.deputy
/** The cards of one delivery that a person has. */
async function cards(user: string, { delivery_id }: Outbound) {
  const dm = await workspace.directMessages(user)
  const all = cardIn(await workspace.said(dm), dm)
  return all.filter(({ message }) => message.metadata?.event_payload.delivery_id === delivery_id)
}
const posts = (): number => workspace.of('chat.postMessage').length

describe('a card', () => {
  test('is one message that unfurls, links and formats nothing, and carries no code', async () => {
    const sent = await adapter.send(DISPLAY, outbound(owner()))
    const body = workspace.of('chat.postMessage').at(-1)?.body ?? {}
    expect(body).toMatchObject({
      mrkdwn: 'false',
      parse: 'none',
      link_names: 'false',
      unfurl_links: 'false',
      unfurl_media: 'false',
    })
    expect(JSON.stringify(body)).not.toContain('K7QD')
    expect(sent).toMatchObject({ kind: 'sent', ref: expect.stringMatching(/^D[A-Z0-9]+:\d+\.\d+$/) })
  })

  test('that could be answered and cannot show all of what is decided is not posted at all', async () => {
    const before = posts()
    const prompt = { ...approval, headline: 'Approve USE_TOOL', action: 'USE_TOOL' }
    expect(await adapter.send(prompt, outbound(owner()))).toEqual({
      kind: 'failed',
      code: 'too_long_here',
      retryable: false,
    })
    expect(posts()).toBe(before)
  })

  test('that announces with a code goes to the person alone, never into the channel their cards stand in', async () => {
    const address = { team: TEAM, user: owner(), channel: workspace.channel }
    const page = { link: 'https://lane.example.org/r/zyxwvtsrqpnmkjhgfedcba9876', code: 'K7QD' }
    const sentTo = async (more: Partial<Outbound>) => {
      const sent = await adapter.send(DISPLAY, outbound(owner(), { address, ...more }))
      return sent.kind === 'sent' && sent.ref?.split(':')[0]
    }
    const dm = await workspace.directMessages(owner())
    expect(await sentTo({ reply: null, page })).toBe(dm)
    expect(JSON.stringify(workspace.of('chat.postMessage').at(-1)?.body)).toContain('K7QD')
    expect(await sentTo({})).toBe(workspace.channel)
    expect(await sentTo({ reply: null, page: { ...page, code: null } })).toBe(workspace.channel)
  })

  test('opens the conversation with a person once', async () => {
    const before = workspace.of('conversations.open').length
    for (let times = 0; times < 3; times++) await adapter.send(DISPLAY, outbound(owner()))
    expect(workspace.of('conversations.open')).toHaveLength(before + 1)
  })
})

describe('a limit', () => {
  test('is honoured for its destination alone: nothing is sent there meanwhile, and others are not held up', async () => {
    workspace.will('chat.postMessage', limited(30))
    expect(await adapter.send(DISPLAY, outbound(owner()))).toEqual({
      kind: 'failed',
      code: 'rate_limited',
      retryable: true,
      retry_after_ms: 30_000,
    })
    const before = posts()
    expect(await adapter.send(DISPLAY, outbound(owner(), { after: 10_000 }))).toMatchObject({
      code: 'rate_limited',
      retry_after_ms: 20_000,
    })
    expect(posts()).toBe(before)
    expect(await adapter.send(DISPLAY, outbound(deputy(), { after: 10_000 }))).toMatchObject({ kind: 'sent' })
    expect(await adapter.send(DISPLAY, outbound(owner(), { after: 30_000 }))).toMatchObject({ kind: 'sent' })
  })
})

test('a limit of years is believed for an hour', async () => {
  workspace.will('chat.postMessage', limited(99_999_999))
  const given = outbound(deputy())
  expect(await adapter.send(DISPLAY, given)).toMatchObject({
    code: 'rate_limited',
    retry_after_ms: 3_600_000,
  })
  expect(await adapter.send(DISPLAY, outbound(deputy(), { after: 3_600_000 }))).toMatchObject({
    kind: 'sent',
  })
})

describe('an answer that is lost', () => {
  test('after the card was posted: it is found by its delivery and stands, once', async () => {
    workspace.will('chat.postMessage', lost)
    const given = outbound(owner())
    const sent = await adapter.send(DISPLAY, given)
    const [card, ...more] = await cards(owner(), given)
    expect(more).toEqual([])
    expect(sent).toEqual({ kind: 'sent', ref: `${card?.channel}:${card?.message.ts}` })
  })

  test('after the card was posted, and no way to look for it: uncertain, and not repeated', async () => {
    workspace.will('chat.postMessage', lost)
    workspace.will('conversations.history', broken)
    const given = outbound(owner())
    const [sent, copies] = [await adapter.send(DISPLAY, given), await cards(owner(), given)]
    expect(sent).toEqual({ kind: 'uncertain', ref: `${copies[0]?.channel}:${given.delivery_id}` })
    expect(copies).toHaveLength(1)
  })

  test.each<[string, Fault, string]>([
    ['a broken Slack', broken, 'http_500'],
    ['a broken line', reset, 'no_answer'],
    ['a Slack that hangs', hung, 'no_answer'],
    ['a Slack that says it broke', refuses('fatal_error'), 'fatal_error'],
  ])(
    'by %s, before the card was posted: looked for, not found, and tried again later',
    async (_name, fault, code) => {
      workspace.will('chat.postMessage', fault)
      const given = outbound(owner())
      const before = posts()
      expect(await adapter.send(DISPLAY, given)).toEqual({ kind: 'failed', code, retryable: true })
      expect([posts() - before, await cards(owner(), given)]).toEqual([1, []])
    },
  )
})

describe('another attempt', () => {
  test('after the key was revoked is another card: the buttons of the first are of no use', async () => {
    const given = outbound(owner())
    const first = await adapter.send(DISPLAY, given)
    const fresh = await adapter.send(DISPLAY, { ...given, attempt: 2, voided: 1 })
    expect(fresh).not.toEqual(first)
    expect(await cards(owner(), given)).toHaveLength(2)
    // The second one stands where the third is asked for.
    expect(await adapter.send(DISPLAY, { ...given, attempt: 3, voided: 1 })).toEqual(fresh)
  })

  test('that is answered where it stands is not the card that only announced it', async () => {
    const given = outbound(owner())
    const announced = await adapter.send(DISPLAY, { ...given, reply: null })
    const asked = await adapter.send(DISPLAY, { ...given, attempt: 2 })
    expect(asked).not.toEqual(announced)
    expect((await cards(owner(), given)).map(card => buttonsOf(card).length)).toEqual([0, 2])
  })

  test('finds the card of an earlier one whose process died, and posts none', async () => {
    const given = outbound(owner())
    const first = await adapter.send(DISPLAY, given)
    const before = posts()
    expect(await made(workspace.apiUrl).send(DISPLAY, { ...given, attempt: 2 })).toEqual(first)
    expect([posts() - before, (await cards(owner(), given)).length]).toEqual([0, 1])
  })

  test('posts the card where there is none', async () => {
    const given = outbound(owner(), { attempt: 2 })
    expect(await adapter.send(DISPLAY, given)).toMatchObject({ kind: 'sent' })
    expect(await cards(owner(), given)).toHaveLength(1)
  })

  test('posts nothing while it cannot look', async () => {
    workspace.will('conversations.history', broken)
    const given = outbound(owner(), { attempt: 2 })
    expect(await adapter.send(DISPLAY, given)).toMatchObject({ kind: 'failed', retryable: true })
    expect(await cards(owner(), given)).toEqual([])
  })

  test('posts the card though the app may not look, and tells the operator', async () => {
    workspace.will('conversations.history', refuses('missing_scope'))
    const given = outbound(owner(), { attempt: 2 })
    expect(await adapter.send(DISPLAY, given)).toMatchObject({ kind: 'sent' })
    expect(said.join()).toMatch(/could not be looked for.*missing_scope/)
  })
})

describe('a refusal', () => {
  test.each([
    ['conversations.open', 'user_not_found', false],
    ['chat.postMessage', 'channel_not_found', false],
    ['chat.postMessage', 'is_archived', false],
    ['chat.postMessage', 'invalid_blocks', false],
    ['chat.postMessage', 'invalid_auth', true],
    ['chat.postMessage', 'missing_scope', true],
    ['conversations.open', 'token_revoked', true],
  ])('of %s as %s is final unless the operator can mend it', async (method, code, retryable) => {
    workspace.will(method, refuses(code))
    expect(await adapter.send(DISPLAY, outbound(owner()))).toEqual({ kind: 'failed', code, retryable })
  })

  test('by an address where nobody listens is tried again', async () => {
    const nowhere = made(`http://127.0.0.1:${await freePort()}/api/`)
    expect(await nowhere.send(DISPLAY, outbound(owner()))).toEqual({
      kind: 'failed',
      code: 'unreachable',
      retryable: true,
    })
  })
})

describe('an edit to the outcome', () => {
  const DEFAULTED: Ending = {
    outcome: 'defaulted',
    at: '2026-02-17T14:00:05.000Z',
    answered_by: null,
    answer: null,
    default_action: 'HALT',
  }
  const sentRef = async (given: Outbound): Promise<string> => {
    const sent = await adapter.send(DISPLAY, given)
    return sent.kind === 'sent' ? (sent.ref ?? '') : ''
  }

  test('waits out a short limit', async () => {
    const given = outbound(owner())
    const ref = await sentRef(given)
    workspace.will('chat.update', limited(1))
    await adapter.close?.(ref, DEFAULTED, DISPLAY)
    const [card] = await cards(owner(), given)
    expect(readable(card?.message.blocks)).toMatch(/Nobody answered in time/)
    expect(card === undefined ? [] : buttonsOf(card)).toEqual([])
  })

  test('finds a card that nobody heard of, by its delivery', async () => {
    workspace.will('chat.postMessage', lost)
    workspace.will('conversations.history', broken)
    const given = outbound(owner())
    const sent = await adapter.send(DISPLAY, given)
    await adapter.close?.(sent.kind === 'uncertain' ? (sent.ref ?? '') : '', DEFAULTED, DISPLAY)
    const [card] = await cards(owner(), given)
    expect(card === undefined ? null : buttonsOf(card)).toEqual([])
  })

  test.each<[string, Fault | null, string]>([
    ['was never posted', null, 'the copy was not found'],
    ['cannot be looked for', broken, 'the copy could not be looked for: http_500'],
  ])('of one that %s says so', async (_name, fault, words) => {
    if (fault !== null) workspace.will('conversations.history', fault)
    const ref = `${await workspace.directMessages(owner())}:d-nowhere`
    await expect(adapter.close?.(ref, DEFAULTED, DISPLAY)).rejects.toThrow(words)
  })

  test.each<[string, Fault, string]>([
    ['a long limit', limited(60), 'rate_limited'],
    ['a card that is gone', refuses('message_not_found'), 'message_not_found'],
  ])('that meets %s says so without a word about the request', async (_name, fault, code) => {
    const ref = await sentRef(outbound(owner()))
    workspace.will('chat.update', fault)
    await expect(adapter.close?.(ref, DEFAULTED, DISPLAY)).rejects.toThrow(
      `the copy could not be edited: ${code}`,
    )
  })
})

test('what is said to the operator names no person, handle, code or word of the request', async () => {
  workspace.will('conversations.history', refuses('missing_scope'))
  await adapter.send(DISPLAY, outbound(owner(), { attempt: 2 }))
  expect(said).not.toEqual([])
  for (const secret of [owner(), '0123456789abcdefghjkmnpqrs', 'K7QD', 'rollout', BOT_TOKEN])
    expect(said.join()).not.toContain(secret)
})

test('in a lane, a card whose answer was lost is recorded as sent, once, and answered in its thread', async () => {
  const scene = await raise()
  scene.workspace.will('chat.postMessage', lost)
  const copy = await scene.asked('lost-1')
  const [sent] = await scene.bodies('lost-1', 'OUTBOUND_REQUEST_SENT')
  expect(sent).toMatchObject({ attempt: 1, channel: 'slack' })
  expect(sent).not.toHaveProperty('uncertain')
  await scene.person.write(scene.workspace.people.owner, copy, 'YES')
  expect(await scene.settled('lost-1')).toMatchObject({ answer: { parsed_choice: 'YES' } })
  await scene.end()
})

test('in a lane, a key that is revoked leaves nobody with buttons that answer nothing: another card comes', async () => {
  const scene = await raise()
  const old = await scene.asked('q-1')
  const { json } = await scene.lane.call('GET', '/.well-known/jwks.json', { key: null })
  const [{ kid } = { kid: '' }] = json.keys as { kid: string }[]
  await scene.lane.call('DELETE', `/v1/signing-keys/${kid}`, { key: scene.lane.operatorKey })
  const fresh = await until(
    'another card',
    () => scene.card(scene.workspace.people.owner),
    ({ message }) => message.ts !== old.message.ts,
  )
  await scene.person.press(scene.workspace.people.owner, old, 'YES')
  expect([await scene.reasons('q-1'), await scene.state('q-1')]).toEqual([['token_unknown_key'], 'pending'])
  await scene.person.press(scene.workspace.people.owner, fresh, 'NO')
  expect(await scene.settled('q-1')).toMatchObject({ answer: { parsed_choice: 'NO' } })
  await scene.end()
})

test('in a lane, a card that stands uncertain is edited to its outcome like every other', async () => {
  const scene = await raise()
  scene.workspace.will('chat.postMessage', lost)
  scene.workspace.will('conversations.history', broken)
  const copy = await scene.asked('unseen-1')
  expect(await scene.bodies('unseen-1', 'OUTBOUND_REQUEST_SENT')).toMatchObject([{ uncertain: true }])
  await scene.person.press(scene.workspace.people.owner, copy, 'YES')
  const [closed] = await until(
    'the closing',
    () => scene.bodies('unseen-1', 'DELIVERY_CLOSED'),
    all => all.length === 1,
  )
  expect(closed).toMatchObject({ edited: true })
  expect(readable((await scene.now(copy)).message.blocks)).toMatch(/owner.* answered .*YES/)
  await scene.end()
})

test('in a lane, words in the thread of a card that stands uncertain are told that they answer nothing', async () => {
  const scene = await raise()
  scene.workspace.will('chat.postMessage', lost)
  scene.workspace.will('conversations.history', broken)
  const copy = await scene.asked('unseen-2')
  await scene.person.write(scene.workspace.people.owner, copy, 'YES')
  const [notice] = await scene.called('chat.postEphemeral')
  expect(notice?.body).toMatchObject({
    thread_ts: copy.message.ts,
    text: expect.stringMatching(/^Nothing was recorded. Answer with the buttons/),
  })
  expect(await scene.state('unseen-2')).toBe('pending')
  await scene.end()
})
