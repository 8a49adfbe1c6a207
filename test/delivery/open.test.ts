// A request that somebody opens in a session: one copy on the web, claimed and sent at once, and answered under the checks
// of any other.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Inbound } from '../../src/adapter/contract.js'
import type { OpenCopy } from '../../src/delivery/open.js'
import { hashHandle } from '../../src/token/reply-handle.js'
import { approval, configure, fromSlack, question, raise, type Stage } from '../lane/stage.js'

let stage: Stage
const CONFIG = `
recipients:
  owner: { name: Owner, slack: { team: T1, user: UOWNER }, web: true, channels: [slack], delegates: [deputy] }
  deputy: { name: Deputy, slack: { team: T1, user: UDEPUTY }, channels: [slack] }
  guest: { name: Guest, web: true }
actions: { PUBLISH: { approvers: [owner, deputy], proofs: [slack_signed, web_session] } }
questions: { proofs: [slack_signed, web_session, console] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 2 }
`
beforeEach(async () => {
  stage = await raise(configure(CONFIG))
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

async function opened(id: string, user: string): Promise<OpenCopy> {
  const copy = await stage.lane.openFor(await stage.current(id), user)
  if (copy === null) throw new Error(`${user} cannot open ${id}`)
  return copy
}
const inSession = (
  { handle }: OpenCopy,
  user_id: string,
  text: string,
  more: Partial<Inbound> = {},
): Inbound => ({
  channel: 'web',
  proof: 'web_session',
  authenticated: true,
  binding: { kind: 'handle', handle },
  text,
  session: { user_id, needs_code: false },
  automated: false,
  ...more,
})
const take = (inbound: Inbound) => stage.desk('web').take(inbound)
const tale = async (id: string) =>
  (await stage.entries())
    .filter(entry => entry.request_id === id)
    .map(({ type, body }) => ('channel' in body ? `${type} ${body.channel}` : type))

test('opening claims one copy on the web for each person, sends nothing, and decides nothing', async () => {
  await stage.open(question('q-1'))
  await stage.lane.drain()
  const [one, two] = await Promise.all([opened('q-1', 'owner'), opened('q-1', 'owner')])
  const three = await opened('q-1', 'owner')
  expect(new Set([one.handle, two.handle, three.handle]).size).toBe(1)
  expect(await tale('q-1')).toEqual([
    'REQUEST_OPENED',
    'DELIVERY_STARTED slack',
    'OUTBOUND_REQUEST_SENT slack',
    'DELIVERY_STARTED web',
    'OUTBOUND_REQUEST_SENT web',
  ])
  expect(stage.web.copies).toEqual([])
  expect((await stage.current('q-1')).state).toBe('pending')
  expect(await stage.store.shelf.grant(hashHandle(one.handle))).toMatchObject({ use: 'page', channel: 'web' })
})

test('an answer in a session is a reply to that copy, with the proof of the session', async () => {
  await stage.open(question('q-1'))
  const copy = await opened('q-1', 'owner')
  expect(await take(inSession(copy, 'owner', 'yes'))).toMatchObject({
    kind: 'recorded',
    answered_by: 'owner',
  })
  expect((await stage.current('q-1')).answer).toMatchObject({
    parsed_choice: 'YES',
    channel: 'web',
    proof: 'web_session',
  })
  // And once: the copy on Slack is closed, and so is this one.
  expect(await take(inSession(copy, 'owner', 'no'))).toMatchObject({
    kind: 'refused',
    reason: 'already_resolved',
  })
})

test('a copy on the web that was sent before is the one that is answered', async () => {
  await stage.open(question('q-1'), [{ user_id: 'guest', channels: ['web'], route: 'first' }])
  await stage.lane.drain()
  const [sent] = stage.web.copies
  const copy = await opened('q-1', 'guest')
  expect(sent?.outbound.page.link.endsWith(`/r/${copy.handle}`)).toBe(true)
  expect(await take(inSession(copy, 'guest', 'no', { proof: 'console' }))).toMatchObject({ kind: 'recorded' })
  expect(await tale('q-1')).not.toContain('DELIVERY_FAILED web')
  expect((await tale('q-1')).filter(one => one === 'DELIVERY_STARTED web')).toHaveLength(1)
})

test('the session of another person answers nothing with the copy, and opens none where they are not asked', async () => {
  await stage.open(question('q-1'))
  const copy = await opened('q-1', 'owner')
  expect(await stage.lane.openFor(copy.subject, 'deputy')).toBeNull()
  expect(await take(inSession(copy, 'deputy', 'yes'))).toMatchObject({
    kind: 'refused',
    reason: 'wrong_recipient',
  })
  expect((await stage.current('q-1')).state).toBe('pending')
})

test('where the code is needed too, a session without it approves nothing, and its tries are counted', async () => {
  await stage.open(approval('ship-1'))
  const copy = await opened('ship-1', 'owner')
  const needing = { session: { user_id: 'owner', needs_code: true } }
  const tried = async (code: string) => {
    const verdict = await take(inSession(copy, 'owner', 'yes', { ...needing, code }))
    return verdict.kind === 'refused' ? verdict.reason : verdict.kind
  }
  expect([await tried(''), await tried('AAAA'), await tried('BBBB')]).toEqual([
    'code_mismatch',
    'code_mismatch',
    'rate_limited',
  ])
  expect((await stage.current('ship-1')).state).toBe('pending')
})

test('with a code that is known, a session answers where the code is needed', async () => {
  await stage.open(question('q-1'), [{ user_id: 'guest', channels: ['web'], route: 'first' }])
  await stage.lane.drain()
  const copy = await opened('q-1', 'guest')
  const { code } = stage.web.copies[0]?.outbound.page ?? {}
  const needing = { session: { user_id: 'guest', needs_code: true }, code: code ?? '' }
  expect(await take(inSession(copy, 'guest', 'yes', needing))).toMatchObject({ kind: 'recorded' })
})

test('a proof that policy does not list is not enough in a session either', async () => {
  await stage.open(approval('ship-1'))
  const copy = await opened('ship-1', 'owner')
  expect(await take(inSession(copy, 'owner', 'yes', { proof: 'console' }))).toMatchObject({
    reason: 'proof_insufficient',
  })
  expect(await take(inSession(copy, 'owner', 'yes'))).toMatchObject({ kind: 'recorded' })
})

test('what was handed on, answered or overdue is opened by nobody', async () => {
  await stage.open(question('q-1'))
  const copy = await opened('q-1', 'owner')
  expect(await take(inSession(copy, 'owner', 'DELEGATE deputy', { hands: true }))).toMatchObject({
    kind: 'recorded',
  })
  expect(await stage.lane.openFor(await stage.current('q-1'), 'owner')).toBeNull()
  const theirs = await opened('q-1', 'deputy')
  expect(await take(inSession(theirs, 'deputy', 'yes'))).toMatchObject({ kind: 'recorded' })
  expect(await stage.lane.openFor(await stage.current('q-1'), 'deputy')).toBeNull()
  const late = await stage.open(question('q-2'))
  stage.clock.pass(600_000)
  expect(await stage.lane.openFor(late, 'owner')).toBeNull()
})

test('a reply by Slack with the handle of the copy in a session is nobody’s: it is for the page alone', async () => {
  await stage.open(question('q-1'))
  const copy = await opened('q-1', 'owner')
  expect(await stage.desk('slack').take(fromSlack(copy.handle, 'yes'))).toEqual({ kind: 'unknown' })
})
