// What becomes of a passkey that waits for its person: on a clock set by hand, with channels that do as they are told.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Inbound } from '../../src/adapter/contract.js'
import { type Claim, fingerprintOf } from '../../src/enrolment/claim.js'
import { Enrolment } from '../../src/enrolment/enrolment.js'
import { quietly, wordsFor } from '../../src/enrolment/words.js'
import { hashCredential } from '../../src/passkey/credential.js'
import type { Person } from '../../src/people/person.js'
import type { Channel } from '../../src/request/channel.js'
import { CONFIG, configure, DEPUTY, OWNER, question, raise, type Stage } from '../lane/stage.js'
import { makeCredential } from '../passkey/authenticator.js'
import { until } from '../until.js'

let stage: Stage
let enrolment: Enrolment
const ends: (() => void)[] = []
const PLACE = { host: 'lane.example.org', browser: 'Tests' }

beforeEach(async () => {
  stage = await raise()
  enrolment = made()
})
afterEach(async () => {
  for (const end of ends.splice(0)) end()
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

const made = (): Enrolment =>
  new Enrolment({ ...stage, adapters: stage.running, onTrouble: error => void stage.troubles.push(error) })
/** The owner as the configuration of another day has them. */
function reachedOn(...channels: Channel[]) {
  const owner = { ...stage.config.recipients.owner, channels } as Person
  const config = { ...stage.config, recipients: { ...stage.config.recipients, owner } }
  const lane = stage.secondLane(config)
  const again = (): Enrolment =>
    new Enrolment({
      ...stage,
      lane,
      config,
      adapters: stage.running,
      onTrouble: error => void stage.troubles.push(error),
    })
  return { lane, again }
}
const start = async (one: Enrolment): Promise<void> => void ends.push(await one.start())
const passkey = (): Extract<Claim, { kind: 'passkey' }> => {
  const { credential_id, public_key } = makeCredential()
  return { kind: 'passkey', credential_id, public_key }
}
async function ask(claim: Claim = passkey(), user = 'owner'): Promise<string> {
  const asked = await enrolment.ask(user, claim, PLACE)
  if (asked.kind !== 'asked') throw new Error(asked.kind)
  await stage.lane.drain()
  return asked.request_id
}
const saying = (text: string, more: Partial<Inbound> = {}): Inbound => ({
  channel: 'slack',
  proof: 'slack_signed',
  authenticated: true,
  sender: OWNER,
  binding: { kind: 'handle', handle: stage.slack.copies.at(-1)?.outbound.reply?.handle ?? '' },
  text,
  automated: false,
  ...more,
})
const answer = async (text: string, more: Partial<Inbound> = {}) => stage.lane.answer(saying(text, more))
const registered = async () =>
  (await stage.entries()).filter(({ type }) => type === 'PASSKEY_REGISTERED').map(({ body }) => body)
const passkeys = async (user = 'owner') =>
  (await stage.store.shelf.passkeysOf(user)).map(one => one.credential_id)

test('a crash between the YES and its recording: it is recorded at the next start, once, by whichever replica', async () => {
  const claim = passkey()
  const id = await ask(claim)
  // Nobody listens: the process that took the YES is gone.
  expect((await answer('YES')).kind).toBe('accepted')
  expect([await passkeys(), await stage.store.shelf.enrolments()]).toEqual([[], [expect.anything()]])
  const [one, other] = [made(), made()]
  await Promise.all([start(one), start(other), one.settle(id), other.settle(id)])
  expect([await passkeys(), await stage.store.shelf.enrolments()]).toEqual([[claim.credential_id], []])
  await start(made())
  expect(await registered()).toHaveLength(1)
})

test('it is asked on every channel that vouches, and on no other, whatever the configuration takes for enough', async () => {
  await start(enrolment)
  const id = await ask()
  const asked = stage.config.recipients.owner?.channels
  expect([asked, stage.slack.copies.length, stage.email.copies.length]).toEqual([['slack', 'email'], 1, 1])
  expect([stage.sms.copies, stage.web.copies]).toEqual([[], []])
  const subject = await stage.current(id)
  expect(subject.terms?.policy.proofs).toEqual(['slack_signed', 'telegram_id', 'dmarc'])
  // A link with its code is enough for the questions of agents here, and not for this one.
  const page = stage.slack.copies.at(-1)?.outbound
  expect([page?.page?.code ?? null, page?.reply === null]).toEqual([null, false])
})

test.each(['NO', 'withdrawn', 'silence'])(
  'after %s it is nobody’s, and nothing waits any more',
  async how => {
    await start(enrolment)
    const id = await ask()
    if (how === 'NO') await answer('NO')
    if (how === 'withdrawn') await stage.lane.withdraw(id, 'not now', 'key-1')
    if (how === 'silence') {
      stage.clock.pass(15 * 60 * 1000)
      await stage.lane.advance(id)
    }
    await until('the end of it', async () =>
      (await stage.store.shelf.enrolments()).length === 0 ? true : undefined,
    )
    expect([await passkeys(), await registered()]).toEqual([[], []])
  },
)

test('another person who answers it, by whatever right, makes it nobody’s', async () => {
  await start(enrolment)
  await ask()
  expect(await answer('YES', { sender: DEPUTY })).toMatchObject({
    kind: 'rejected',
    reason: 'wrong_recipient',
  })
  expect(await registered()).toEqual([])
})

test('somebody who has left the configuration meanwhile is given nothing', async () => {
  const id = await ask()
  await answer('YES')
  const { owner: _, ...others } = stage.config.recipients
  const later = new Enrolment({
    ...stage,
    config: { recipients: others },
    adapters: stage.running,
    onTrouble: () => undefined,
  })
  await later.settle(id)
  expect([await registered(), await stage.store.shelf.enrolments()]).toEqual([[], []])
})

test('two people who say YES to the same credential: it is the first one’s', async () => {
  await start(enrolment)
  const claim = passkey()
  await ask(claim)
  await answer('YES')
  await until('the first', async () => ((await passkeys()).length > 0 ? true : undefined))
  await ask({ ...claim, public_key: passkey().public_key }, 'deputy')
  await answer('YES', { sender: DEPUTY })
  await until('the end', async () => ((await stage.store.shelf.enrolments()).length === 0 ? true : undefined))
  expect([await passkeys(), await passkeys('deputy'), (await registered()).length]).toEqual([
    [claim.credential_id],
    [],
    1,
  ])
})

test('the person is told on all their channels: where they were asked by its closing, elsewhere by a question of its own', async () => {
  const { lane, again } = reachedOn('slack', 'email', 'sms', 'web')
  enrolment = again()
  await start(enrolment)
  const id = await ask()
  await lane.drain()
  await answer('YES')
  await until('the closings', () =>
    stage.slack.closed.length + stage.email.closed.length === 2 ? true : undefined,
  )
  await until('the telling', async () => (stage.sms.copies.length === 1 ? true : undefined))
  await lane.drain()
  const told = (await stage.entries()).filter(
    ({ type, request_id }) => type === 'DELIVERY_STARTED' && request_id !== id,
  )
  expect(told.map(({ body }) => (body as { channel: string }).channel).sort()).toEqual(['sms', 'web'])
  const headline = stage.sms.copies[0]?.display
  expect(JSON.stringify(headline)).toContain('was registered for you. Is it yours?')
  // Another replica, and the next start, find that it was told.
  await start(again())
  expect((await stage.entries()).filter(({ type }) => type === 'REQUEST_OPENED')).toHaveLength(2)
})

test('a passkey by an operator’s word is told to its person, also where the lane died before it could', async () => {
  const { credential_id, public_key } = passkey()
  // Nobody listens: the process that registered it is gone.
  await enrolment.register({ credential_id, public_key, user_id: 'owner', by: 'operator' }, [])
  const opened = async () => (await stage.entries()).filter(({ type }) => type === 'REQUEST_OPENED')
  expect(await opened()).toEqual([])
  const { lane, again } = reachedOn('sms')
  await Promise.all([start(again()), start(again())])
  await lane.drain()
  expect((await opened()).map(({ body }) => (body as { recipients: unknown }).recipients)).toEqual([
    [{ user_id: 'owner', channels: ['sms'], route: 'all' }],
  ])
  expect(stage.sms.copies).toHaveLength(1)
})

test('somebody whom no channel vouches for is not asked', async () => {
  expect(enrolment.channelsOf('guest')).toEqual([])
  expect(await enrolment.ask('guest', passkey(), PLACE)).toEqual({ kind: 'no_channel' })
  stage.running.delete('slack')
  expect(enrolment.channelsOf('deputy')).toEqual([])
})

test('a browser’s words are quoted and can do nothing: no markup, no mention, no line of their own', () => {
  const evil = `<!channel> *YES*\n\u202e[x](https://evil.example) @here \`rm\`${'x'.repeat(500)}`
  const clean = quietly(evil)
  expect(clean).toMatch(/^a browser that calls itself “[A-Za-z0-9 .,;:()_+-]{1,120}”$/)
  // No program that shows it makes a link of it either.
  expect(quietly('Chrome/128.0 (see lane-confirm.example.com or www.evil.example.)')).toBe(
    'a browser that calls itself “Chrome 128.0 (see lane-confirm example com or www evil example )”',
  )
  const claim = passkey()
  const { question_text, impact } = wordsFor(claim, { host: 'lane.example.org', browser: evil })
  expect(question_text).toBe(`Is the new passkey ${fingerprintOf(claim)} yours?`)
  expect([impact.length <= 500, impact.includes('//')]).toEqual([true, false])
})

/** What the lane has asked for itself, of whom, and in which words. */
const asked = async () =>
  (await stage.entries()).flatMap(({ type, body }) =>
    type === 'REQUEST_OPENED' && body.opened_by === 'lane'
      ? [{ of: body.recipients.map(one => one.user_id), words: JSON.stringify(body.request) }]
      : [],
  )

test('an agent that has asked something under an id of its choice keeps nobody from being told of a passkey', async () => {
  await start(enrolment)
  const claim = passkey()
  // It made the passkey itself, so it knows the hash before anybody else does.
  const known = hashCredential(claim).slice(-24)
  await stage.open(question(`passkey-notice-${known}`), [
    { user_id: 'deputy', channels: ['slack'], route: 'first' },
  ])
  await enrolment.register({ ...claim, user_id: 'owner', by: 'operator' }, [])
  const [notice] = await until('the notice', async () => {
    const all = await asked()
    return all.length > 0 ? all : undefined
  })
  expect([notice?.of, notice?.words.includes(fingerprintOf(claim))]).toEqual([['owner'], true])
  // Told once, however often the lane starts, and on however many replicas.
  await Promise.all([start(made()), start(made())])
  expect(await asked()).toHaveLength(1)
})

test('a thief of a session who asks again after every NO is stopped, also where agents may ask without limit', async () => {
  await start(enrolment)
  expect(stage.config.limits).toMatchObject({ open_questions_per_run: 0, requests_per_recipient_per_hour: 0 })
  const three = await Promise.all([1, 2, 3].map(() => enrolment.ask('owner', passkey(), PLACE)))
  expect(three.map(({ kind }) => kind)).toEqual(['asked', 'asked', 'asked'])
  expect((await enrolment.ask('owner', passkey(), PLACE)).kind).toBe('refused')
  for (const one of three)
    if (one.kind === 'asked') await stage.lane.withdraw(one.request_id, 'enough', 'key-1')
  for (let nth = 3; nth < 20; nth++) {
    await ask()
    expect((await answer('NO')).kind).toBe('accepted')
  }
  expect((await enrolment.ask('owner', passkey(), PLACE)).kind).toBe('refused')
  expect((await enrolment.ask('deputy', passkey(), PLACE)).kind).toBe('asked')
  stage.clock.pass(60 * 60 * 1000)
  expect((await enrolment.ask('owner', passkey(), PLACE)).kind).toBe('asked')
})

test('somebody who was declared away is asked themselves, and nobody in their place', async () => {
  const config = configure(
    CONFIG.replace('channels: [slack, email] }', 'channels: [slack, email], delegates: [deputy] }'),
  )
  await stage.close()
  stage = await raise(config)
  enrolment = made()
  await stage.lane.sendAway(
    { user_id: 'owner', until: stage.clock.wall() + 86_400_000, to: 'deputy' },
    'key-1',
  )
  const id = await ask()
  expect((await stage.current(id)).asked.map(({ user_id }) => user_id)).toEqual(['owner'])
})

/** A passkey of theirs, registered by an operator's word and told of. */
async function had(user_id = 'owner') {
  const { credential_id, public_key } = passkey()
  await enrolment.register({ credential_id, public_key, user_id, by: 'operator' }, [])
  const [row] = (await stage.store.shelf.passkeysOf(user_id)).filter(
    one => one.credential_id === credential_id,
  )
  if (row === undefined) throw new Error('it is not theirs')
  return row
}
const revocations = async () =>
  (await asked()).filter(({ words }) => words.includes('was taken back. Do you know of it?'))

test('a passkey that is taken back is told on all channels of its person, once, on however many replicas', async () => {
  const { lane, again } = reachedOn('slack', 'email', 'sms', 'web')
  enrolment = again()
  await Promise.all([start(enrolment), start(again())])
  const row = await had()
  expect(await enrolment.revoke(row, 'person', [])).toBe(true)
  await until('the end of what waited', async () =>
    (await stage.store.shelf.enrolments()).length === 0 ? true : undefined,
  )
  await lane.drain()
  const [notice, ...more] = await revocations()
  const { credential_id, public_key } = row
  const shown = fingerprintOf({ kind: 'passkey', credential_id, public_key })
  expect([notice?.of, notice?.words.includes(shown), more]).toEqual([['owner'], true, []])
  const where = [stage.slack, stage.email, stage.sms, stage.web].map(({ copies }) =>
    copies.some(({ display }) => JSON.stringify(display).includes('was taken back')),
  )
  expect(where).toEqual([true, true, true, true])
  // It is gone for good: not taken back twice, and not registered again.
  expect(await enrolment.revoke(row, 'person', [])).toBe(false)
  expect(await enrolment.register({ credential_id, public_key, user_id: 'owner', by: 'operator' }, [])).toBe(
    false,
  )
  await start(again())
  expect(await revocations()).toHaveLength(1)
})

test('what a lane that died had not told yet is told at the next start', async () => {
  const row = await had()
  expect(await enrolment.revoke(row, 'operator', [])).toBe(true)
  expect([await revocations(), (await stage.store.shelf.enrolments()).length]).toEqual([[], 1])
  await Promise.all([start(made()), start(made())])
  expect([(await revocations()).length, await stage.store.shelf.enrolments()]).toEqual([1, []])
})

test('neither an id that was taken, nor the limits for agents, nor an absence keeps anybody from being told that a passkey was taken back', async () => {
  const config = configure(
    CONFIG.replace('channels: [slack, email] }', 'channels: [slack, email], delegates: [deputy] }').replace(
      'requests_per_recipient_per_hour: 0',
      'requests_per_recipient_per_hour: 1',
    ),
  )
  await stage.close()
  stage = await raise(config)
  enrolment = made()
  const absence = { user_id: 'owner', until: stage.clock.wall() + 86_400_000, to: 'deputy' }
  await stage.lane.sendAway(absence, 'key-1')
  const rows = [await had(), await had(), await had(), await had()]
  await stage.open(question(`passkey-notice-${rows[0]?.credential_hash.slice(-24)}`), [
    { user_id: 'deputy', channels: ['slack'], route: 'first' },
  ])
  await start(enrolment)
  for (const row of rows) expect(await enrolment.revoke(row, 'person', [])).toBe(true)
  const told = await until('the notices', async () => {
    const all = await revocations()
    return all.length === rows.length ? all : undefined
  })
  expect(told.map(({ of }) => of)).toEqual(rows.map(() => ['owner']))
})

test('nobody is left to be told where its person has left the configuration, and nothing waits any more', async () => {
  const row = await had()
  const { owner: _, ...others } = stage.config.recipients
  const later = new Enrolment({
    ...stage,
    config: { recipients: others },
    adapters: stage.running,
    onTrouble: () => undefined,
  })
  await start(later)
  expect(await later.revoke(row, 'operator', [])).toBe(true)
  expect([enrolment.reachedOn('owner'), later.reachedOn('owner')]).toEqual([['slack', 'email'], []])
  await until('the end', async () => ((await stage.store.shelf.enrolments()).length === 0 ? true : undefined))
  expect(await revocations()).toEqual([])
})
