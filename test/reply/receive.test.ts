// Every reason for which an answer is not let in, each produced and found in the ledger with the checks up to it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Inbound } from '../../src/adapter/contract.js'
import type { Case } from '../../src/agenda/case.js'
import { type Hash, sha256 } from '../../src/canonical.js'
import type { Entry, EntryOf } from '../../src/event.js'
import { REASONS, type Reason } from '../../src/reason.js'
import type { Received } from '../../src/reply/receive.js'
import type { Request } from '../../src/request/request.js'
import { hashToken } from '../../src/token/jws.js'
import { hashHandle } from '../../src/token/reply-handle.js'
import { mint, type ReplyClaims, verify } from '../../src/token/reply-token.js'
import {
  approval,
  configure,
  DEPUTY,
  fromPage,
  fromSlack,
  handleOf,
  OWNER,
  pageHandle,
  question,
  raise,
  START,
  type Stage,
} from '../lane/stage.js'
import { until } from '../until.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
/** Set by a test that makes an attempt of a display no lane has drawn, which verify finds. */
let strangeDisplays = 0
afterEach(async () => {
  const problems = await stage.problems()
  expect(problems).toEqual(Array(strangeDisplays).fill(expect.objectContaining({ invariant: 'I34' })))
  strangeDisplays = 0
  await stage.close()
})

type Open = {
  readonly subject: Case
  /** Of the copy itself; empty where it only announces. */
  readonly handle: string
  readonly page: string
  readonly code: string | null
  readonly delivery_id: string
}

/** Opens a request to the owner on Slack and waits until the copy is there. */
async function ask(request: Request = question('q')): Promise<Open> {
  const subject = await stage.open(request)
  await stage.lane.drain()
  const outbound = stage.slack.copies.at(-1)?.outbound
  if (outbound === undefined) throw new Error('nothing was sent')
  const { reply, page, delivery_id } = outbound
  return { subject, handle: reply?.handle ?? '', page: pageHandle(outbound), code: page.code, delivery_id }
}

/** The same where the card cannot show all of it, and leads to its page. */
async function announce(request: Request = question('q')): Promise<Open & { readonly code: string }> {
  stage.slack.wide = false
  const { code, ...open } = await ask(request)
  if (code === null) throw new Error('the page has no code')
  return { ...open, code }
}

const claimsOf = async (handle: string): Promise<ReplyClaims> => {
  const grant = await stage.store.shelf.grant(hashHandle(handle))
  const verified = await verify(stage.keyring(), grant?.token ?? '', stage.store.ledger.now())
  if (!verified.ok) throw new Error(verified.flaw)
  return verified.claims
}

let grants = 0
/** Puts another token beside the ledger under a handle of its own, as if the shelf had been tampered with. */
async function shelve(open: Open, token: string, more: { request_id?: string; delivery_id?: string } = {}) {
  const handle = `0123456789abcdefghjkmnpq${String(grants++).padStart(2, '0')}`
  const grant = {
    handle_hash: hashHandle(handle),
    use: 'reply' as const,
    code_hash: '',
    token,
    request_id: open.subject.request_id,
    delivery_id: open.delivery_id,
    channel: 'slack' as const,
    user_id: 'owner',
    ...more,
  }
  await stage.store.ledger.append({
    decide: () => ({ kind: 'append', events: [], shelve: [{ put: 'grant', grant }] }),
  })
  return handle
}
const minted = async (open: Open, change: Partial<ReplyClaims>): Promise<string> =>
  mint(stage.keyring(), { ...(await claimsOf(open.handle)), ...change })

/** One more attempt, its token with a claim changed and signed by the true key; it has shown what the first did, unless told
 *  otherwise. */
async function reminted(open: Open, change: Partial<ReplyClaims>, shown?: Hash): Promise<string> {
  const token = await minted(open, change)
  const { version, deliveries, request_id, run } = await stage.current(open.subject.request_id)
  const delivery = deliveries.find(one => one.delivery_id === open.delivery_id)
  if (delivery === undefined) throw new Error('there is no such delivery')
  if (shown !== undefined) strangeDisplays++
  const { delivery_id, channel, user_id: recipient, attempts } = delivery
  const body = {
    delivery_id,
    attempt: attempts + 1,
    channel,
    recipient,
    token_hash: hashToken(token),
    display_hash: shown ?? (await claimsOf(open.handle)).dsh,
    kid: stage.keyring().signing.kid,
    lease_until: open.subject.deadline_at,
  }
  await stage.store.ledger.append({
    story: { request_id, expected: version, last: (await story(request_id)).at(-1)?.hash ?? null },
    decide: () => ({
      kind: 'append',
      events: [{ type: 'DELIVERY_STARTED', request_id, run_id: run.run_id, body }],
    }),
  })
  return shelve(open, token)
}

const story = async (id: string): Promise<readonly Entry[]> => stage.store.ledger.story(id)
const rejections = async (id = 'q') =>
  (await story(id)).filter(
    (entry): entry is EntryOf<'INBOUND_REPLY_REJECTED'> => entry.type === 'INBOUND_REPLY_REJECTED',
  )
const upTo = (reason: Reason) =>
  REASONS.slice(0, REASONS.indexOf(reason) + 1).map(check => ({ check, ok: check !== reason }))

/** What is said and what is recorded agree: one entry more, this reason, the checks up to it. */
async function expectRejected(inbound: Inbound, reason: Reason, id = 'q'): Promise<Received> {
  const before = (await rejections(id)).length
  const received = await stage.lane.answer(inbound)
  expect(received).toMatchObject({ kind: 'rejected', reason })
  const recorded = await rejections(id)
  expect(recorded).toHaveLength(before + 1)
  expect(recorded.at(-1)?.body).toMatchObject({ reason, token_validation: upTo(reason) })
  seen.add(reason)
  return received
}
const seen = new Set<Reason>()

describe('an answer', () => {
  test('that holds every check resolves the request, and the event names all of them', async () => {
    const { handle, delivery_id } = await ask()
    const received = await stage.lane.answer(fromSlack(handle, 'yes', { provider_message_id: 'm-1' }))
    expect(received).toMatchObject({ kind: 'accepted', subject: { state: 'answered' } })
    const [got, event, resolved] = (await story('q')).slice(3)
    expect(got?.body).toMatchObject({
      delivery_id,
      token_validation: REASONS.map(check => ({ check, ok: true })),
    })
    const grant = await stage.store.shelf.grant(hashHandle(handle))
    expect(event?.body).toMatchObject({
      request_id: 'q',
      channel: 'slack',
      sender_identity: { user_id: 'owner', proof: 'slack_signed' },
      provider_message_id: 'm-1',
      grammar: '2',
      parsed_choice: 'YES',
      parsed_payload: null,
      receipts: { token_hash: hashToken(grant?.token ?? '') },
    })
    expect(resolved?.body).toMatchObject({ outcome: 'answered', causes: [event?.seq] })
  })

  test('is kept word for word beside the ledger, which holds only a salted hash', async () => {
    const { handle } = await ask()
    await stage.lane.answer(fromSlack(handle, ' \tYeS! \n'))
    const event = (await story('q')).find(entry => entry.type === 'HUMAN_REPLY_EVENT')
    if (event?.type !== 'HUMAN_REPLY_EVENT') throw new Error('no event')
    const raw = await stage.store.shelf.raw(event.body.reply_id)
    expect(raw?.raw).toBe(' \tYeS! \n')
    expect(raw?.salt).toHaveLength(32)
    expect(event.body.raw_text_hash).toBe(sha256(raw?.salt ?? '', raw?.raw ?? ''))
  })

  test('[LANE-048] neither token, handle nor code stands anywhere in the ledger', async () => {
    const { handle, page: read } = await ask()
    const token = (await stage.store.shelf.grant(hashHandle(handle)))?.token ?? ''
    await stage.lane.answer(fromSlack(handle, `no ${handle}`))
    await stage.lane.answer(fromSlack(handle, 'no'))
    const { page, code } = await announce(question('q2'))
    await stage.lane.answer(fromPage(page, code, `no ${code}`))
    const text = JSON.stringify(await stage.entries())
    for (const secret of [token, handle, handle.toUpperCase(), read, page, `"${code}"`])
      expect(text).not.toContain(secret)
  })

  test('is found by the provider’s own reference where it carries no handle', async () => {
    await ask()
    const binding = { kind: 'ref', ref: 'slack-1' } as const
    expect(await stage.lane.answer(fromSlack('', 'yes', { binding }))).toMatchObject({ kind: 'accepted' })
  })

  test('by a handle in capitals is the same answer: a mail server may write it so', async () => {
    const { handle } = await ask()
    expect(await stage.lane.answer(fromSlack(handle.toUpperCase(), 'yes'))).toMatchObject({
      kind: 'accepted',
    })
  })

  test('may be given on an older copy while the request is open', async () => {
    stage.slack.will(async () => {
      throw new Error('the line broke after the bytes had left')
    })
    const { subject } = await ask()
    stage.clock.pass(5_000)
    await stage.lane.advance(subject.request_id)
    await stage.lane.drain()
    expect(stage.slack.copies).toHaveLength(2)
    const older = stage.slack.copies[0]?.outbound.reply?.handle ?? ''
    expect(await stage.lane.answer(fromSlack(older, 'yes'))).toMatchObject({ kind: 'accepted' })
  })
})

describe('a copy is judged by what it showed:', () => {
  const [A, B] = [sha256('one display'), sha256('another display')]

  test('an older one is answered though a newer one showed something else, and so is the newer', async () => {
    const first = await ask()
    await reminted(first, { dsh: A }, A)
    expect(await stage.lane.answer(fromSlack(first.handle, 'yes'))).toMatchObject({ kind: 'accepted' })
    const second = await ask(question('q2'))
    const newer = await reminted(second, { dsh: B }, B)
    expect(await stage.lane.answer(fromSlack(newer, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('request_mismatch: a token that says what another attempt showed, be it the last one', async () => {
    const open = await ask()
    const older = await reminted(open, { dsh: B }, A)
    const { jti } = await claimsOf((await ask(question('other'))).handle)
    await reminted(open, { dsh: B, jti }, B)
    await expectRejected(fromSlack(older, 'yes'), 'request_mismatch')
  })

  test('request_mismatch: a true token that no attempt was made with', async () => {
    const open = await ask()
    const { jti } = await claimsOf((await ask(question('other'))).handle)
    await expectRejected(
      fromSlack(await shelve(open, await minted(open, { jti })), 'yes'),
      'request_mismatch',
    )
  })
})

describe('what names no delivery', () => {
  test.each([
    ['an unknown handle', { kind: 'handle', handle: '0'.repeat(26) }],
    ['a text that is no handle', { kind: 'handle', handle: 'yes' }],
    ['an empty handle', { kind: 'handle', handle: '' }],
    ['an unknown reference', { kind: 'ref', ref: 'nobody-sent-this' }],
  ] as const)('%s is unknown and recorded nowhere, however often', async (_name, binding) => {
    await ask()
    const before = (await stage.entries()).length
    for (let time = 0; time < 20; time++) {
      expect(await stage.lane.answer(fromSlack('', 'yes', { binding }))).toEqual({ kind: 'unknown' })
    }
    expect((await stage.entries()).length).toBe(before)
  })

  test('a reference of one channel finds nothing on another', async () => {
    await ask()
    const binding = { kind: 'ref', ref: 'slack-1' } as const
    expect(await stage.lane.answer(fromSlack('', 'yes', { channel: 'telegram', binding }))).toEqual({
      kind: 'unknown',
    })
  })
})

describe('[LANE-087] the right is not proven:', () => {
  test('token_malformed, token_bad_signature: the stored token was altered', async () => {
    const open = await ask()
    const token = (await stage.store.shelf.grant(hashHandle(open.handle)))?.token ?? ''
    await expectRejected(fromSlack(await shelve(open, 'not a token'), 'yes'), 'token_malformed')
    const [head = '', body = '', signature = ''] = token.split('.')
    const other = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
    await expectRejected(
      fromSlack(await shelve(open, `${head}.${body}.${other}`), 'yes'),
      'token_bad_signature',
    )
  })

  test('[LANE-046] token_unknown_key: the key is retired', async () => {
    const { handle } = await ask(question('q', { deadline_seconds: 2_592_000 }))
    await stage.rotate()
    stage.clock.pass(2_591_999_000)
    expect((await stage.lane.answer(fromSlack(handle, 'perhaps'))).kind).toBe('rejected')
    expect((await rejections()).at(-1)?.body.reason).toBe('reply_not_in_schema')
    stage.clock.pass(1_000)
    const open = await ask(question('q2', { deadline_seconds: 60 }))
    const old = await stage.store.shelf.grant(hashHandle(handle))
    await expectRejected(fromSlack(await shelve(open, old?.token ?? ''), 'yes'), 'token_unknown_key', 'q2')
  })

  test('[LANE-038] request_mismatch: the token of one request for another', async () => {
    const x = await ask(question('x'))
    const y = await ask()
    const token = (await stage.store.shelf.grant(hashHandle(x.handle)))?.token ?? ''
    await expectRejected(fromSlack(await shelve(y, token), 'yes'), 'request_mismatch')
    expect((await stage.lane.current('q'))?.state).toBe('pending')
    expect((await stage.lane.current('x'))?.state).toBe('pending')
  })

  test.each([
    ['another request id', { req: 'other' }],
    ['[LANE-042] another request hash', { rqh: sha256('other') }],
    ['another channel', { ch: 'email' }],
    ['another display', { dsh: sha256('other') }],
  ] as const)('request_mismatch: a true token with %s', async (_name, change) => {
    await expectRejected(fromSlack(await reminted(await ask(), change), 'yes'), 'request_mismatch')
  })

  test('[LANE-041] schema_mismatch: a true token for another reply schema', async () => {
    await expectRejected(
      fromSlack(await reminted(await ask(), { rsh: sha256('other') }), 'yes'),
      'schema_mismatch',
    )
  })

  test('automated_message: an out-of-office reply is not an answer', async () => {
    const { handle } = await ask()
    await expectRejected(fromSlack(handle, 'yes', { automated: true }), 'automated_message')
  })

  test.each([
    ['somebody nobody configured', { team: 'T1', user: 'U404' }],
    ['the same user id in another workspace', { ...OWNER, team: 'T2' }],
    ['an address with something added', { ...OWNER, admin: true }],
    ['null', null],
    ['the bare user id', 'UOWNER'],
  ])('[LANE-047] unknown_sender: %s, with a valid handle', async (_name, sender) => {
    const { handle } = await ask()
    await expectRejected(fromSlack(handle, 'yes', { sender }), 'unknown_sender')
  })

  test('unknown_sender: a vouching channel that names nobody does not speak for the addressee', async () => {
    const { handle } = await ask()
    const { sender: _, ...nobody } = fromSlack(handle, 'yes')
    await expectRejected(nobody, 'unknown_sender')
  })

  test('sender_unauthenticated: the channel could not vouch for the address', async () => {
    const { handle } = await ask()
    await expectRejected(fromSlack(handle, 'yes', { authenticated: false }), 'sender_unauthenticated')
  })

  test('[LANE-039] wrong_recipient: the same token from another identity', async () => {
    const { handle } = await ask()
    await expectRejected(fromSlack(handle, 'yes', { sender: DEPUTY }), 'wrong_recipient')
    expect(await stage.lane.answer(fromSlack(handle, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('proof_insufficient: the page of a copy that is answered where it stands is for reading', async () => {
    const { page, handle, code } = await ask(approval('q'))
    expect(code).toBeNull()
    await expectRejected(fromPage(page, 'AAAA', 'yes'), 'proof_insufficient')
    expect(await stage.lane.answer(fromSlack(handle, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('proof_insufficient: a copy that only announces is answered on its page alone', async () => {
    const { page, code } = await announce()
    const byRef = fromSlack('', 'yes', { binding: { kind: 'ref', ref: 'slack-1' } })
    await expectRejected(byRef, 'proof_insufficient')
    expect(await stage.lane.answer(fromPage(page, code, 'yes'))).toMatchObject({
      kind: 'accepted',
      subject: { answer: { proof: 'link_code', channel: 'web', answered_by: 'owner' } },
    })
  })

  test('already_resolved: [LANE-044] a second use of an accepted token, [LANE-070] a reply after the default', async () => {
    const first = await ask()
    await stage.lane.answer(fromSlack(first.handle, 'yes'))
    await expectRejected(fromSlack(first.handle, 'yes'), 'already_resolved')
    await expectRejected(fromSlack(first.handle, 'no'), 'already_resolved')
    const second = await ask(question('q2'))
    stage.clock.pass(600_000)
    const late = await expectRejected(fromSlack(second.handle, 'yes'), 'already_resolved', 'q2')
    expect(late).toMatchObject({ subject: { state: 'defaulted', default_applied: true, answer: null } })
  })

  test('token_replayed: [LANE-044] a spent jti is refused even where the request is open again', async () => {
    // Two requests share a jti only if the minting is broken or the shelf was altered: the ledger still says no.
    const first = await ask(question('x'))
    const { jti } = await claimsOf(first.handle)
    await stage.lane.answer(fromSlack(first.handle, 'yes'))
    await expectRejected(fromSlack(await reminted(await ask(), { jti }), 'yes'), 'token_replayed')
  })

  test('deadline_passed: past the deadline while the clock is suspect, nothing is accepted and nothing times out', async () => {
    const { handle } = await ask()
    stage.clock.jump(3_600_000)
    await stage.store.ledger.append({ decide: () => ({ kind: 'append', events: [] }) })
    expect(stage.store.ledger.suspect()).toBe(true)
    stage.clock.monotonicMs += 600_000
    // The wall goes back and forth by more than a minute, so no second reading confirms the first.
    stage.clock.jump(600_000 + 120_000)
    await expectRejected(fromSlack(handle, 'yes'), 'deadline_passed')
    expect((await stage.lane.current('q'))?.state).toBe('pending')
  })

  test('[LANE-040] token_expired: one second after, not one before', async () => {
    const open = await ask()
    const exp = START / 1000 + 60
    const handle = await reminted(open, { exp })
    stage.clock.pass(59_999)
    await expectRejected(fromSlack(handle, 'perhaps'), 'reply_not_in_schema')
    stage.clock.pass(1)
    await expectRejected(fromSlack(handle, 'yes'), 'token_expired')
    stage.clock.pass(1_000)
    await expectRejected(fromSlack(handle, 'yes'), 'token_expired')
    expect(await stage.lane.answer(fromSlack(open.handle, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test.each([
    ['no code', undefined],
    ['an empty code', ''],
    ['another code', '0000'],
    ['the code and more', 'x'],
  ])('code_mismatch: possession with %s', async (_name, given) => {
    const { page, code } = await announce()
    const wrong = given === '0000' && code === '0000' ? '1111' : given === 'x' ? `${code}0` : given
    const inbound = fromPage(page, wrong ?? null, 'yes')
    await expectRejected(inbound, 'code_mismatch')
    await expectRejected({ ...inbound, proof: 'console' }, 'code_mismatch')
    const right = await stage.lane.answer(fromPage(page, code.toLowerCase(), 'yes'))
    expect(right).toMatchObject({
      kind: 'accepted',
      subject: { answer: { proof: 'link_code', answered_by: 'owner' } },
    })
  })

  test('the code of one link does not open another', async () => {
    const x = await announce(question('x'))
    const { page } = await announce()
    await expectRejected(fromPage(page, x.code, 'yes'), 'code_mismatch')
  })
})

describe('a handle has one use:', () => {
  test('a copy’s own handle opens nothing on the page, whatever code comes with it', async () => {
    const { handle, page } = await ask()
    const size = (await stage.entries()).length
    for (const proof of ['link_code', 'console'] as const)
      expect(await stage.lane.answer(fromPage(handle, 'AAAA', 'yes', { proof }))).toEqual({ kind: 'unknown' })
    expect(handle).not.toBe(page)
    expect(await stage.entries()).toHaveLength(size)
  })

  test('a page’s handle answers on no channel, though the addressee themselves sends it', async () => {
    const read = await ask(question('x'))
    const { page, code } = await announce()
    const size = (await stage.entries()).length
    for (const handle of [read.page, page])
      expect(await stage.lane.answer(fromSlack(handle, 'yes', { code }))).toEqual({ kind: 'unknown' })
    expect(await stage.entries()).toHaveLength(size)
  })

  test('a copy’s own handle answers on no other channel than its own', async () => {
    const { handle } = await ask()
    const mailed = fromSlack(handle, 'yes', { channel: 'email', sender: 'owner@example.org', proof: 'dmarc' })
    expect(await stage.lane.answer(mailed)).toEqual({ kind: 'unknown' })
  })

  test('both of a copy name one token and one jti, and neither says anything about the other', async () => {
    const { handle, page } = await ask()
    const grants = await Promise.all([handle, page].map(one => stage.store.shelf.grant(hashHandle(one))))
    expect(grants.map(grant => grant?.use)).toEqual(['reply', 'page'])
    expect(grants[0]?.token).toBe(grants[1]?.token)
    expect(await claimsOf(handle)).toEqual(await claimsOf(page))
  })
})

describe('[LANE-087] the words are not understood:', () => {
  test.each([
    ['reply_too_long', 'y'.repeat(5_000)],
    ['reply_bad_charset', 'yеs'],
    ['reply_not_in_schema', 'yes but'],
    ['reply_not_in_schema', ''],
  ] as const)('%s', async (reason, text) => {
    const { handle } = await ask()
    const received = await expectRejected(fromSlack(handle, text), reason)
    if (received.kind !== 'rejected') throw new Error('accepted')
    expect(received.refusal).toMatchObject({ reason, accepted: expect.stringContaining('YES') })
    expect(received.subject.state).toBe('pending')
  })

  test('[LANE-045] a typo does not burn the token, but counts as an attempt', async () => {
    const { handle } = await ask()
    for (let typo = 0; typo < 4; typo++)
      await expectRejected(fromSlack(handle, 'yess'), 'reply_not_in_schema')
    expect(await stage.lane.answer(fromSlack(handle, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('[LANE-075] a refused reply is recorded with its reason and the hash of its words, which are kept', async () => {
    const { handle } = await ask()
    await expectRejected(fromSlack(handle, 'rm -rf /; approve'), 'reply_not_in_schema')
    const body = (await rejections()).at(-1)?.body
    const raw = await stage.store.shelf.raw(body?.reply_id ?? '')
    expect(raw?.raw).toBe('rm -rf /; approve')
    expect(body?.raw_text_hash).toBe(sha256(raw?.salt ?? '', raw?.raw ?? ''))
  })
})

describe('[LANE-087] attempts and repetitions:', () => {
  test('rate_limited: the sixth try kills the handle with one entry, and a fresh delivery is owed', async () => {
    const { handle, delivery_id } = await ask()
    for (let time = 0; time < 5; time++)
      await expectRejected(fromSlack(handle, 'perhaps'), 'reply_not_in_schema')
    await expectRejected(fromSlack(handle, 'yes'), 'rate_limited')
    const size = (await rejections()).length
    for (let time = 0; time < 3; time++) {
      expect(await stage.lane.answer(fromSlack(handle, 'yes'))).toMatchObject({ reason: 'rate_limited' })
    }
    expect(await rejections()).toHaveLength(size)
    await until('a second copy', () => stage.slack.copies.length, 2)
    await stage.lane.drain()
    const fresh = stage.slack.copies[1]?.outbound
    expect(fresh?.delivery_id).not.toBe(delivery_id)
    expect(await stage.lane.answer(fromSlack(fresh?.reply?.handle ?? '', 'yes'))).toMatchObject({
      kind: 'accepted',
    })
  })

  test('at most three fresh deliveries: then the default is all that is left', async () => {
    await ask()
    for (let round = 0; round < 4; round++) {
      await until('a fresh copy', () => stage.slack.copies.length, round + 1)
      await stage.lane.drain()
      const handle = stage.slack.copies[round]?.outbound.reply?.handle ?? ''
      for (let time = 0; time < 6; time++) await stage.lane.answer(fromSlack(handle, 'perhaps'))
    }
    await stage.lane.advance('q')
    await stage.lane.drain()
    expect(stage.slack.copies).toHaveLength(4)
    stage.clock.pass(600_000)
    expect(await stage.lane.current('q')).toMatchObject({ state: 'defaulted' })
  })

  test('strangers cannot kill the addressee’s handle, nor grow the ledger under however many names', async () => {
    const { handle } = await ask()
    const names = Array.from({ length: 30 }, (_, index) => ({ team: 'T9', user: `U${index}` }))
    const strangers = [DEPUTY, ...names]
    for (const sender of strangers) {
      for (let time = 0; time < 2; time++) await stage.lane.answer(fromSlack(handle, 'yes', { sender }))
    }
    expect(await rejections()).toHaveLength(10)
    expect((await rejections()).map(({ body }) => body.reason)).not.toContain('rate_limited')
    expect(stage.slack.copies).toHaveLength(1)
    expect(await stage.lane.answer(fromSlack(handle, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test.each<[string, Partial<Inbound>]>([
    ['a forger in the addressee’s name', { authenticated: false }],
    ['a robot that answers for the addressee', { automated: true }],
  ])('%s cannot kill the handle, nor grow the ledger for ever', async (_name, more) => {
    const { handle } = await ask()
    for (let time = 0; time < 20; time++) await stage.lane.answer(fromSlack(handle, 'yes', more))
    expect(await rejections()).toHaveLength(10)
    expect(stage.slack.copies).toHaveLength(1)
    expect(await stage.lane.answer(fromSlack(handle, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('44 empty posts to a link end nothing on Slack: they use up the page alone, and are recorded a few times', async () => {
    const { page, handle } = await ask()
    for (let time = 0; time < 44; time++)
      expect(await stage.lane.answer(fromPage(page, '', ''))).toMatchObject({ reason: 'proof_insufficient' })
    expect(await rejections()).toHaveLength(10)
    await stage.lane.drain()
    expect(stage.slack.copies).toHaveLength(1)
    expect(await stage.lane.answer(fromSlack(handle, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('44 empty posts to the link of a copy that announces use up its page; a fresh copy comes, at most three times', async () => {
    stage.slack.wide = false
    await stage.open(question('q'), [{ user_id: 'owner', channels: ['slack', 'email'], route: 'first' }])
    for (let round = 0; round < 4; round++) {
      await until('a fresh copy', () => stage.slack.copies.length, round + 1)
      await stage.lane.drain()
      const outbound = stage.slack.copies[round]?.outbound
      if (outbound === undefined) throw new Error('nothing was sent')
      for (let time = 0; time < 11; time++) await stage.lane.answer(fromPage(pageHandle(outbound), '', ''))
    }
    await stage.lane.drain()
    // And the person is not shut out: the next channel has it.
    await until('the mail', () => stage.email.copies.length, 1)
    const mailed = { channel: 'email', sender: 'owner@example.org', proof: 'dmarc' } as const
    const answer = fromSlack(handleOf(stage.email, 'owner'), 'yes', mailed)
    expect(await stage.lane.answer(answer)).toMatchObject({ kind: 'accepted' })
  })

  test('proof_insufficient is nobody’s attempt: it is said each time, recorded ten times, and ends nothing', async () => {
    const { page, code } = await announce()
    const byRef = fromSlack('', 'yes', { binding: { kind: 'ref', ref: 'slack-1' } })
    for (let time = 0; time < 30; time++)
      expect(await stage.lane.answer(byRef)).toMatchObject({ reason: 'proof_insufficient', theirs: true })
    expect(await rejections()).toHaveLength(10)
    expect(await stage.lane.answer(fromPage(page, code, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('duplicate_message: a provider that repeats itself is recorded once more, then no more', async () => {
    const { handle } = await ask()
    const message = { provider_message_id: 'm-1' }
    await expectRejected(fromSlack(handle, 'perhaps', message), 'reply_not_in_schema')
    await expectRejected(fromSlack(handle, 'perhaps', message), 'duplicate_message')
    for (let time = 0; time < 10; time++) {
      const again = await stage.lane.answer(fromSlack(handle, 'perhaps', message))
      expect(again).toMatchObject({ kind: 'rejected', reason: 'duplicate_message' })
    }
    expect(await rejections()).toHaveLength(2)
  })

  test('a repeated message cannot bring a second meaning: the edited words are not read', async () => {
    const { handle } = await ask()
    await expectRejected(fromSlack(handle, 'perhaps', { provider_message_id: 'm-1' }), 'reply_not_in_schema')
    await expectRejected(fromSlack(handle, 'yes', { provider_message_id: 'm-1' }), 'duplicate_message')
    expect((await stage.lane.current('q'))?.state).toBe('pending')
  })

  test('a repeated message uses up nobody’s attempts, not even the last one', async () => {
    const { handle } = await ask()
    for (let time = 0; time < 5; time++) {
      const message = { provider_message_id: `m-${time}` }
      await expectRejected(fromSlack(handle, 'perhaps', message), 'reply_not_in_schema')
    }
    await expectRejected(fromSlack(handle, 'perhaps', { provider_message_id: 'm-4' }), 'duplicate_message')
    expect((await stage.lane.current('q'))?.deliveries[0]).toMatchObject({ exhausted: [] })
  })

  test('the same message id on another channel is another message', async () => {
    await stage.open(question('q'), [{ user_id: 'owner', channels: ['slack', 'email'], route: 'all' }])
    await stage.lane.drain()
    const [slack, mail] = [handleOf(stage.slack, 'owner'), handleOf(stage.email, 'owner')]
    const message = { provider_message_id: 'm-1' }
    await expectRejected(fromSlack(slack, 'perhaps', message), 'reply_not_in_schema')
    const mailed = { channel: 'email', sender: 'owner@example.org', proof: 'dmarc', ...message } as const
    await expectRejected(fromSlack(mail, 'perhaps', mailed), 'reply_not_in_schema')
  })

  test('an accepted message that is delivered again is told as a repetition, and nothing changes', async () => {
    const { handle } = await ask()
    const message = fromSlack(handle, 'yes', { provider_message_id: 'm-1' })
    expect(await stage.lane.answer(message)).toMatchObject({ kind: 'accepted' })
    await expectRejected(message, 'duplicate_message')
    expect((await stage.entries()).filter(entry => entry.type === 'HUMAN_REPLY_EVENT')).toHaveLength(1)
  })

  test('ten copies of one webhook at the same moment make one answer and at most one repetition', async () => {
    const { handle } = await ask()
    const message = fromSlack(handle, 'yes', { provider_message_id: 'm-1' })
    const all = await Promise.all(Array.from({ length: 10 }, () => stage.lane.answer(message)))
    expect(all.filter(one => one.kind === 'accepted')).toHaveLength(1)
    expect(await rejections()).toHaveLength(1)
  })

  test('without a limit nobody runs out of attempts', async () => {
    await stage.close()
    stage = await raise(
      configure(`
recipients: { owner: { name: Owner, slack: { team: T1, user: UOWNER } } }
limits: { reply_attempts_per_delivery: 0 }
`),
    )
    const { handle } = await ask()
    for (let time = 0; time < 30; time++)
      await expectRejected(fromSlack(handle, 'perhaps'), 'reply_not_in_schema')
    expect(await stage.lane.answer(fromSlack(handle, 'yes'))).toMatchObject({ kind: 'accepted' })
  })
})

/** Produced and recorded in quorum.test.ts, and with the kinds of request that can lead to them. */
const ELSEWHERE: readonly Reason[] = [
  'delegated_away',
  'no_longer_approver',
  'four_eyes',
  'already_voted',
  'decision_answered',
  'reason_missing',
]
test('[LANE-087] every reason code was produced and recorded above', () => {
  expect(REASONS.filter(reason => !seen.has(reason) && !ELSEWHERE.includes(reason))).toEqual([])
})

describe('at the very moment', () => {
  /** Every look at the clock takes a millisecond, so that the moment passes between looking and recording. */
  const tick = (): void => {
    const { clock } = stage
    clock.monotonic = () => clock.monotonicMs++
    clock.wall = () => START + clock.monotonicMs - 1_000
  }

  test('a token expires, what is said is what is recorded', async () => {
    const told = new Set<string>()
    for (let early = 0; early < 15; early++) {
      const open = await ask(question(`q${early}`))
      const exp = Math.ceil(stage.store.ledger.now() / 1000) + 10
      const handle = await reminted(open, { exp })
      stage.clock.pass(exp * 1000 - stage.store.ledger.now() - early)
      tick()
      const received = await stage.lane.answer(fromSlack(handle, 'perhaps'))
      if (received.kind !== 'rejected') throw new Error(received.kind)
      expect((await rejections(`q${early}`)).at(-1)?.body.reason).toBe(received.reason)
      told.add(received.reason)
    }
    expect([...told].sort()).toEqual(['reply_not_in_schema', 'token_expired'])
  })

  test('of the deadline, either the answer or the default holds, and the sender is told which', async () => {
    const told = new Set<string>()
    for (let early = 0; early < 15; early++) {
      const { handle, subject } = await ask(question(`q${early}`))
      stage.clock.pass(subject.deadline_ms - stage.store.ledger.now() - early)
      tick()
      const received = await stage.lane.answer(fromSlack(handle, 'yes'))
      const state = (await stage.lane.current(`q${early}`))?.state
      if (received.kind === 'accepted') expect(state).toBe('answered')
      else expect([received, state]).toMatchObject([{ reason: 'already_resolved' }, 'defaulted'])
      told.add(received.kind)
    }
    expect([...told].sort()).toEqual(['accepted', 'rejected'])
  })
})
