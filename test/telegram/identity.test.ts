// Who is speaking: from.id, in the private chat with that id, in words of their own. Everything else vouches for nobody.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Meaning, meaningOf } from '../../adapters/telegram/update.js'

const BOT = { id: '4242' }
const HANDLE = '0123456789abcdefghjkmnpqrs'
const from = { id: 501, is_bot: false, first_name: 'O' }
const chat = { id: 501, type: 'private' }
const card = { message_id: 9, date: 1, chat, from: { id: 4242, is_bot: true } }
type More = Record<string, unknown>

const reply = (more: More = {}): Meaning =>
  meaningOf(
    {
      update_id: 7,
      message: { message_id: 12, date: 2, from, chat, text: 'YES', reply_to_message: card, ...more },
    },
    BOT,
  )
const press = (more: More = {}): Meaning =>
  meaningOf(
    { update_id: 8, callback_query: { id: '77', from, message: card, data: `${HANDLE}:YES`, ...more } },
    BOT,
  )

describe('a reply', () => {
  test('is bound to the message it replies to, and to its sender', () => {
    expect(reply()).toEqual({
      kind: 'replied',
      spot: { chat: 501, message: 12 },
      inbound: {
        channel: 'telegram',
        provider_message_id: '4242/7',
        sender: 501,
        proof: 'telegram_id',
        authenticated: true,
        binding: { kind: 'ref', ref: '501:9' },
        text: 'YES',
        automated: false,
      },
    })
  })

  test.each<[string, More]>([
    [
      'by an anonymous admin',
      { from: { id: 1087968824, is_bot: true }, sender_chat: { id: -100, type: 'supergroup' } },
    ],
    ['in the name of a chat', { sender_chat: { id: -100, type: 'channel' } }],
    ['in a group', { chat: { id: -5, type: 'group' } }],
    ['in a private chat with somebody else', { chat: { id: 502, type: 'private' } }],
    ['in a group that has the id of the person', { chat: { id: 501, type: 'group' } }],
    ['that was forwarded', { forward_origin: { type: 'user', date: 1 } }],
    ['that was forwarded, as older servers say it', { forward_from: { id: 502 }, forward_date: 1 }],
    ['that was forwarded from a hidden account', { forward_sender_name: 'O', forward_date: 1 }],
    ['that was made by an inline bot', { via_bot: { id: 9, is_bot: true } }],
    ['that was edited', { edit_date: 3 }],
    ['that replies into another chat', { external_reply: { origin: {} } }],
    ['by a business account', { business_connection_id: 'b' }],
  ])('%s vouches for nobody', (_name, more) => {
    expect(reply(more)).toMatchObject({ kind: 'replied', inbound: { authenticated: false } })
  })

  test('whose text is an edit of an earlier one vouches for nobody', () => {
    const edited_message = { message_id: 12, date: 2, from, chat, text: 'NO', reply_to_message: card }
    expect(meaningOf({ update_id: 9, edited_message }, BOT)).toMatchObject({
      kind: 'replied',
      inbound: { authenticated: false, provider_message_id: '4242/9' },
    })
  })

  test('without a sender names nobody', () => {
    const meaning = reply({ from: undefined })
    expect(meaning).toMatchObject({ kind: 'replied', inbound: { authenticated: false } })
    expect(meaning).not.toHaveProperty('inbound.sender')
  })

  test('that Telegram sent by itself, an absence or at a set time, is automated', () => {
    expect(reply({ is_from_offline: true })).toMatchObject({ inbound: { automated: true } })
  })

  test('by another bot is automated', () => {
    expect(reply({ from: { ...from, is_bot: true } })).toMatchObject({ inbound: { automated: true } })
  })

  test('a name that can be changed is never the identity', () => {
    expect(reply({ from: { ...from, username: 'owner', first_name: 'Owner' } })).toMatchObject({
      inbound: { sender: 501 },
    })
  })
})

describe('a press', () => {
  test('is bound to the handle it carries, and to who pressed', () => {
    expect(press()).toMatchObject({
      kind: 'pressed',
      query: '77',
      inbound: {
        provider_message_id: '4242/c77',
        sender: 501,
        authenticated: true,
        binding: { kind: 'handle', handle: HANDLE },
        text: 'YES',
      },
    })
  })

  test('on a message too old to be shown still counts', () => {
    expect(press({ message: { chat, message_id: 9, date: 0 } })).toMatchObject({
      inbound: { authenticated: true },
    })
  })

  test.each<[string, More]>([
    ['in a group', { message: { ...card, chat: { id: -5, type: 'supergroup' } } }],
    ['on an inline message', { message: undefined, inline_message_id: 'x' }],
    ['in somebody else’s chat', { message: { ...card, chat: { id: 502, type: 'private' } } }],
  ])('%s vouches for nobody', (_name, more) => {
    expect(press(more)).toMatchObject({ kind: 'pressed', inbound: { authenticated: false } })
  })

  test.each(['', 'x', `${HANDLE}`, `${HANDLE}?YES`, `${HANDLE}:`, `${HANDLE}+`, '\u0000'.repeat(64)])(
    'with the data %j means nothing that could answer',
    data => {
      expect(press({ data })).toMatchObject({ kind: 'pressed', inbound: { text: '' } })
    },
  )
})

describe('the start of a chat', () => {
  const start = (text: string, more: More = {}): Meaning =>
    meaningOf({ update_id: 1, message: { message_id: 1, date: 1, from, chat, text, ...more } }, BOT)

  test('carries the code of an invitation', () => {
    expect(start('/start AbC-_9')).toEqual({ kind: 'started', chat: 501, code: 'AbC-_9' })
    expect(start('/start')).toEqual({ kind: 'started', chat: 501, code: null })
  })
  test.each([
    '/start  AbC',
    '/start a b',
    '/started AbC',
    ' /start AbC',
    `/start ${'a'.repeat(65)}`,
    'hello',
  ])('%j is only chatter', text => {
    expect(start(text)).toEqual({ kind: 'chatter', chat: 501 })
  })
  test.each<[string, More]>([
    ['in a group', { chat: { id: -5, type: 'group' } }],
    ['forwarded', { forward_origin: {} }],
    ['by a bot', { from: { ...from, is_bot: true } }],
    ['in the name of a channel', { sender_chat: { id: -1 } }],
  ])('%s is nothing', (_name, more) => {
    expect(start('/start AbC', more)).toEqual({ kind: 'nothing' })
  })
})

test('whoever blocks the bot in their own chat is no longer reached', () => {
  const blocked = (more: More = {}): Meaning =>
    meaningOf(
      { update_id: 1, my_chat_member: { from, chat, new_chat_member: { status: 'kicked' }, ...more } },
      BOT,
    )
  expect(blocked()).toEqual({ kind: 'blocked', user: 501 })
  expect(blocked({ new_chat_member: { status: 'member' } })).toEqual({ kind: 'nothing' })
  expect(blocked({ chat: { id: -5, type: 'group' } })).toEqual({ kind: 'nothing' })
})

test('whatever comes has a meaning, and only a vouched-for shape can be authenticated', () => {
  const key = fc.constantFrom(
    'update_id',
    'message',
    'callback_query',
    'from',
    'chat',
    'id',
    'type',
    'data',
    'text',
  )
  const { tree } = fc.letrec(tie => ({
    leaf: fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null), fc.double()),
    tree: fc.oneof(
      { depthSize: 'small' },
      tie('leaf'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(tree, update => {
      const meaning = meaningOf(update, BOT)
      if ('inbound' in meaning && meaning.inbound.authenticated)
        expect(meaning.inbound.sender).toBeTypeOf('number')
    }),
    { numRuns: 2_000 },
  )
})
