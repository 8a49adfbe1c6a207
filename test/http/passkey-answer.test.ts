// Answers that a passkey confirms, in a session: what is taken, and every attack on it, by name.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fold } from '../../src/agenda/case.js'
import type { EntryOf } from '../../src/event.js'
import type { DoorParts } from '../../src/http/door.js'
import { explain, inSession } from '../../src/http/reply-words.js'
import { answerInSession, challengeInSession, doubtOf, openForPerson } from '../../src/http/session-answer.js'
import { stamper } from '../../src/token/stamp.js'
import { approval, configure, fromSlack, question, raise, type Stage } from '../lane/stage.js'
import { type Credential, makeCredential, type Oddly, PRESENT } from '../passkey/authenticator.js'
import { registered } from '../passkey/registered.js'
import { TERMS } from '../terms.js'

const CONFIG = `
recipients:
  owner: { name: Owner, slack: { team: T1, user: UOWNER }, email: owner@example.org, sms: "+15551230001", web: true, channels: [slack, email, sms, web], delegates: [deputy] }
  deputy: { name: Deputy, slack: { team: T1, user: UDEPUTY }, channels: [slack] }
actions: { PUBLISH: { approvers: [owner, deputy], proofs: [passkey] } }
questions: { proofs: [passkey, passkey_by_operator] }
forms: { approvers: [owner, deputy], proofs: [passkey] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`
const ORIGIN = 'https://lane.example.org'

let stage: Stage
let passkey: Credential
beforeEach(async () => {
  stage = await raise(configure(CONFIG))
  passkey = await registered(stage.store, 'owner')
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

const person = (user_id: string, csrf = `session of ${user_id}`) =>
  ({ kind: 'person', user_id, by: 'oidc', csrf, until: '' }) as const
const OWNER = person('owner')

const partsAt = (publicUrl = ORIGIN): DoorParts =>
  ({
    lane: stage.lane,
    store: stage.store,
    config: stage.config,
    keys: { nameOf: (id: string) => `name of ${id}` },
    desk: stage.desk,
    csrf: stamper(stage.keyring().csrf),
    publicUrl: () => publicUrl,
    now: () => stage.store.ledger.now(),
  }) as unknown as DoorParts

type Form = Parameters<typeof answerInSession>[3]
type Session = Parameters<typeof answerInSession>[1]
const filled = (display: string, reply = 'YES', more: Partial<Form> = {}): Form => ({
  reply,
  fields: {},
  code: '',
  display,
  ...more,
})

/** Opens it for somebody in their session; gives the hash of what they are shown. */
async function shownTo(id: string, session = OWNER, parts = partsAt()): Promise<string> {
  const shown = await openForPerson(parts, session, await stage.current(id))
  if (shown === null) throw new Error('it cannot be opened')
  return shown.display_hash
}

/** The assertion that a device gives for what is filled in. */
async function asserted(
  id: string,
  form: Form,
  { by = passkey, session = OWNER, oddly = {} as Oddly, parts = partsAt() } = {},
): Promise<NonNullable<Form['passkey']>> {
  const named = await challengeInSession(parts, session, await stage.current(id), form)
  if (named.kind !== 'named') throw new Error(JSON.stringify(named))
  const { client_data_json, ...rest } = by.assert(
    named.challenge.challenge,
    new URL(parts.publicUrl()).origin,
    oddly,
  )
  return { ticket: named.challenge.ticket, client_data: client_data_json, ...rest }
}

const answer = async (id: string, form: Form, session: Session = OWNER, parts = partsAt()) =>
  answerInSession(parts, session, await stage.current(id), form)

/** What the person is told of it. */
async function toldOf(
  verdict: Awaited<ReturnType<typeof answer>>,
  form: Form,
  session: Session = OWNER,
): Promise<string> {
  if (verdict.kind !== 'refused') throw new Error(verdict.kind)
  return explain(verdict, inSession(await doubtOf(partsAt(), session, form))).detail
}

const UNPROVEN = { kind: 'refused', reason: 'sender_unauthenticated' }
const GONE =
  'The passkey that you confirmed this with is none of yours: it may have been taken back. Nothing was taken. Choose again, and confirm it with another.'
const OVER =
  'The passkey that you signed in with was taken back, so this session is over and nothing was taken. Sign in again, and answer then.'
const UNCONFIRMED =
  'No passkey of yours has confirmed this answer within five minutes of being asked, so nothing was taken. Choose again, and confirm it.'
const isPending = async (id: string): Promise<boolean> => (await stage.current(id)).state === 'pending'

test('an approval that demands a passkey is given by one, and the ledger says so', async () => {
  await stage.open(approval('ship'))
  const form = filled(await shownTo('ship'))
  const verdict = await answer('ship', { ...form, passkey: await asserted('ship', form) })
  expect(verdict).toMatchObject({ kind: 'recorded', answer: 'YES' })
  const { replies, deliveries } = await stage.current('ship')
  expect(replies[0]?.reply.sender_identity).toEqual({ user_id: 'owner', proof: 'passkey' })
  expect(deliveries.at(-1)).toMatchObject({ channel: 'web', user_id: 'owner' })
})

test('a passkey that an operator enrolled says so in its proof, and is enough only where policy lists it', async () => {
  const enrolled = await registered(stage.store, 'deputy', 'operator')
  const deputy = person('deputy')
  await stage.open(question('q'), [{ user_id: 'deputy', channels: ['slack'], route: 'first' }])
  const form = filled(await shownTo('q', deputy))
  const passkey = await asserted('q', form, { by: enrolled, session: deputy })
  expect(await answer('q', { ...form, passkey }, deputy)).toMatchObject({ kind: 'recorded' })
  expect((await stage.current('q')).replies[0]?.reply.sender_identity.proof).toBe('passkey_by_operator')
  await stage.open(approval('ship'), [{ user_id: 'deputy', channels: ['slack'], route: 'first' }])
  const display = await shownTo('ship', deputy)
  expect(await challengeInSession(partsAt(), deputy, await stage.current('ship'), filled(display))).toEqual({
    kind: 'stopped',
    code: 'reply_rejected',
  })
})

/** As enrolment leaves it. */
const takenBack = ({ credential_hash }: Credential, user_id = 'owner') =>
  stage.store.ledger.append({
    guards: [{ kind: 'passkey', credential_hash }],
    decide: () => ({
      kind: 'append',
      events: [{ type: 'PASSKEY_REVOKED', body: { user_id, credential_hash, by: 'person' } }],
      shelve: [{ put: 'passkey_end', credential_hash }],
    }),
  })

test('what a passkey signed a second before it was taken back, and arrives after, is refused', async () => {
  await stage.open(approval('ship'))
  const form = filled(await shownTo('ship'))
  const signed = { ...form, passkey: await asserted('ship', form) }
  await takenBack(passkey)
  const verdict = await answer('ship', signed)
  expect(verdict).toMatchObject(UNPROVEN)
  expect(await toldOf(verdict, signed)).toBe(GONE)
  expect(await isPending('ship')).toBe(true)
  expect(await challengeInSession(partsAt(), OWNER, await stage.current('ship'), form)).toMatchObject({
    kind: 'stopped',
    code: 'reply_rejected',
  })
})

test('an answer that was checked, and is recorded after its passkey was taken back, is refused by the append itself', async () => {
  await stage.open(approval('ship'))
  const form = filled(await shownTo('ship'))
  const signed = { ...form, passkey: await asserted('ship', form) }
  // Another replica takes it back while this one has looked at the passkey and not yet appended.
  const shelf = {
    ...stage.store.shelf,
    async passkeyById(id: string) {
      const found = await stage.store.shelf.passkeyById(id)
      expect((await takenBack(passkey)).kind).toBe('appended')
      return found
    },
  }
  const parts = { ...partsAt(), store: { ...stage.store, shelf } } as DoorParts
  const verdict = await answer('ship', signed, OWNER, parts)
  expect(verdict).toMatchObject(UNPROVEN)
  expect(await toldOf(verdict, signed)).toBe(GONE)
  expect(await isPending('ship')).toBe(true)
  expect((await stage.entries()).map(({ type }) => type)).not.toContain('REPLY_EVIDENCE')
  // Nobody's attempts are used up by it: with another passkey of theirs they answer.
  const other = await registered(stage.store, 'owner')
  for (let nth = 0; nth < 5; nth++) expect(await answer('ship', signed)).toMatchObject({ kind: 'refused' })
  const again = { ...form, passkey: await asserted('ship', form, { by: other }) }
  expect(await answer('ship', again)).toMatchObject({ kind: 'recorded', answer: 'YES' })
})

test('an answer and the taking back of its passkey that race are put in one order, and the ledger holds either way', async () => {
  for (const id of ['one', 'two', 'three']) {
    const own = await registered(stage.store, 'owner')
    await stage.open(approval(id))
    const form = filled(await shownTo(id))
    const signed = { ...form, passkey: await asserted(id, form, { by: own }) }
    const [verdict] = await Promise.all([answer(id, signed), takenBack(own)])
    const seqOf = async (type: string) =>
      (await stage.entries()).findLastIndex(entry => entry.type === type && (entry.request_id ?? id) === id)
    const isAnswered = !(await isPending(id))
    expect(verdict.kind).toBe(isAnswered ? 'recorded' : 'refused')
    if (isAnswered) expect(await seqOf('HUMAN_REPLY_EVENT')).toBeLessThan(await seqOf('PASSKEY_REVOKED'))
  }
})

test('an answer of a session that began with a passkey is refused once the passkey was taken back', async () => {
  await stage.close()
  stage = await raise(
    configure(
      CONFIG.replace('questions: { proofs: [passkey,', 'questions: { proofs: [web_session, passkey,'),
    ),
  )
  const own = await registered(stage.store, 'owner')
  const session = { ...OWNER, by: 'passkey', credential_hash: own.credential_hash } as const
  await stage.open(question('q'))
  const form = filled(await shownTo('q', OWNER))
  await takenBack(own)
  // The session was looked at before, so that only the append can say it.
  const verdict = await answer('q', form, session)
  expect(verdict).toMatchObject(UNPROVEN)
  expect(await toldOf(verdict, form, session)).toBe(OVER)
  expect(await answer('q', form)).toMatchObject({ kind: 'recorded' })
})

test('an answer that another passkey confirms is refused once the passkey that its session began with was taken back', async () => {
  const lost = await registered(stage.store, 'owner')
  const session = { ...OWNER, by: 'passkey', credential_hash: lost.credential_hash } as const
  for (const id of ['ship', 'later']) await stage.open(approval(id))
  const form = filled(await shownTo('ship'))
  const signed = { ...form, passkey: await asserted('ship', form) }
  const later = filled(await shownTo('later'))
  const latest = { ...later, passkey: await asserted('later', later, { by: lost }) }
  // Where it is one and the same it is asked for once.
  expect(await answer('later', latest, session)).toMatchObject({ kind: 'recorded' })
  await takenBack(lost)
  const verdict = await answer('ship', signed, session)
  expect(verdict).toMatchObject(UNPROVEN)
  expect(await toldOf(verdict, signed, session)).toBe(OVER)
  expect(await isPending('ship')).toBe(true)
  const again = { ...form, passkey: await asserted('ship', form) }
  expect(await answer('ship', again)).toMatchObject({ kind: 'recorded' })
})

test('who is refused is told why, and what would do', async () => {
  await stage.open(approval('ship'))
  const form = filled(await shownTo('ship'))
  const late = { ...form, passkey: await asserted('ship', form) }
  stage.clock.pass(5 * 60_000)
  expect(await toldOf(await answer('ship', late), late)).toBe(UNCONFIRMED)
  const theirs = { ...form, passkey: await asserted('ship', form, { by: makeCredential() }) }
  expect(await toldOf(await answer('ship', theirs), theirs)).toBe(GONE)
  const enrolled = { ...OWNER, by: 'passkey_by_operator' } as const
  expect(await toldOf(await answer('ship', form, enrolled), form, enrolled)).toMatch(
    /^You have signed in with a passkey that an operator enrolled, and such a session alone answers nothing/,
  )
})

test('the exact string is confirmed, with the words of a reason beside it', async () => {
  await stage.open(
    question('q', { reply_schema: { kind: 'yes_no', reason: { when: 'on_no', max_chars: 100 } } }),
  )
  const form = filled(await shownTo('q'), ' no ', { fields: { reason: 'not today' } })
  expect(await answer('q', { ...form, passkey: await asserted('q', form) })).toMatchObject({
    kind: 'recorded',
  })
  const entry = (await stage.entries()).find(({ type }) => type === 'HUMAN_REPLY_EVENT')
  const { reply_id } = (entry as EntryOf<'HUMAN_REPLY_EVENT'>).body
  expect((await stage.store.shelf.raw(reply_id))?.raw).toBe('NO')
})

test('handing on what demands a passkey is confirmed by one', async () => {
  await stage.open(approval('ship'))
  const form = filled(await shownTo('ship'), 'DELEGATE deputy', { hands: true })
  const verdict = await answer('ship', { ...form, passkey: await asserted('ship', form) })
  expect(verdict).toMatchObject({ kind: 'recorded', answer: 'handed to deputy' })
})

test('a vote is confirmed by a passkey, and counted once', async () => {
  await registered(stage.store, 'deputy')
  const asked = ['owner', 'deputy'].map(
    user_id => ({ user_id, channels: ['slack'], route: 'first' }) as const,
  )
  const policy = { approvers: ['owner', 'deputy'], proofs: ['passkey'] } as const
  const terms = { ...TERMS, policy, quorum: { need: 2, veto: true }, electorate: ['owner', 'deputy'] }
  await stage.open(approval('ship'), asked, terms)
  const form = filled(await shownTo('ship'))
  const passkey = await asserted('ship', form)
  expect(await answer('ship', { ...form, passkey })).toMatchObject({ kind: 'recorded' })
  expect((await stage.current('ship')).state).toBe('partial')
  expect(await answer('ship', { ...form, passkey })).toMatchObject({ kind: 'refused' })
  expect((await stage.current('ship')).replies).toHaveLength(1)
})

test('the lines of a form are confirmed together, and a line more is another challenge', async () => {
  await stage.open(question('q', { reply_schema: { kind: 'form', decisions: DECISIONS } }))
  const form = filled(await shownTo('q'), 'd1 YES')
  const passkey = await asserted('q', form)
  const more = { ...form, reply: 'd1 YES\nd2 YES', passkey }
  expect(await answer('q', more)).toMatchObject(UNPROVEN)
  expect(await answer('q', { ...form, passkey })).toMatchObject({ kind: 'recorded' })
  expect((await stage.current('q')).state).toBe('partial')
})

describe('refused is', () => {
  test('an assertion replayed', async () => {
    await stage.open(question('q', { reply_schema: { kind: 'form', decisions: DECISIONS } }))
    const form = filled(await shownTo('q'), 'd1 YES')
    const passkey = await asserted('q', form)
    expect(await answer('q', { ...form, passkey })).toMatchObject({ kind: 'recorded' })
    expect(await answer('q', { ...form, passkey })).toMatchObject({
      kind: 'refused',
      reason: 'token_replayed',
    })
    // Also by a lane that was started since.
    const parts = { ...partsAt(), lane: stage.secondLane() }
    expect(await answerInSession(parts, OWNER, await stage.current('q'), { ...form, passkey })).toMatchObject(
      {
        kind: 'refused',
        reason: 'token_replayed',
      },
    )
  })

  test('an assertion turned from NO to YES', async () => {
    await stage.open(approval('ship'))
    const no = filled(await shownTo('ship'), 'NO')
    const passkey = await asserted('ship', no)
    expect(await answer('ship', { ...no, reply: 'YES', passkey })).toMatchObject(UNPROVEN)
    expect(await isPending('ship')).toBe(true)
    expect(await answer('ship', { ...no, passkey })).toMatchObject({ kind: 'recorded', answer: 'NO' })
  })

  test('an assertion for another request', async () => {
    for (const id of ['ship-1', 'ship-2']) await stage.open(approval(id))
    const passkey = await asserted('ship-1', filled(await shownTo('ship-1')))
    const other = filled(await shownTo('ship-2'))
    expect(await answer('ship-2', { ...other, passkey })).toMatchObject(UNPROVEN)
    expect(await isPending('ship-2')).toBe(true)
  })

  test('an assertion for another delivery of the same request', async () => {
    await registered(stage.store, 'deputy', 'person', DEPUTYS)
    const asked = ['owner', 'deputy'].map(
      user_id => ({ user_id, channels: ['slack'], route: 'first' }) as const,
    )
    await stage.open(approval('ship'), asked)
    const deputy = person('deputy')
    const [mine, theirs] = [await shownTo('ship'), await shownTo('ship', deputy)]
    // The same is shown to both: only the copy is another.
    expect(mine).toBe(theirs)
    const passkey = await asserted('ship', filled(theirs), { by: DEPUTYS, session: deputy })
    expect(await answer('ship', { ...filled(mine), passkey })).toMatchObject(UNPROVEN)
  })

  test('an assertion for another display', async () => {
    await stage.open(approval('ship'))
    const form = filled(await shownTo('ship'))
    const passkey = await asserted('ship', form)
    const other = { ...form, display: `sha256:${'0'.repeat(64)}`, passkey }
    expect(await answer('ship', other)).toEqual({ kind: 'stopped', code: 'changed' })
    expect(
      await challengeInSession(partsAt(), OWNER, await stage.current('ship'), {
        ...form,
        display: other.display,
      }),
    ).toEqual({ kind: 'stopped', code: 'changed' })
    expect(await isPending('ship')).toBe(true)
  })

  test('another person’s credential', async () => {
    const theirs = await registered(stage.store, 'deputy')
    await stage.open(approval('ship'))
    const form = filled(await shownTo('ship'))
    const passkey = await asserted('ship', form, { by: theirs })
    expect(await answer('ship', { ...form, passkey })).toMatchObject(UNPROVEN)
  })

  test('a credential that nobody has registered, under the id of one that is', async () => {
    await stage.open(approval('ship'))
    const form = filled(await shownTo('ship'))
    const { credential_id: _, ...rest } = await asserted('ship', form, { by: makeCredential() })
    for (const credential_id of [passkey.credential_id, makeCredential().credential_id])
      expect(await answer('ship', { ...form, passkey: { ...rest, credential_id } })).toMatchObject(UNPROVEN)
  })

  test.each<[string, Oddly]>([
    ['without user verification', { flags: PRESENT }],
    ['without anybody there', { flags: 0x04 }],
    ['from another origin', { origin: 'https://lane.example.com' }],
    ['from another port of the host', { origin: 'https://lane.example.org:8443' }],
    ['for another relying party', { rpId: 'example.org' }],
    ['from a page in a frame', { more: { crossOrigin: true } }],
  ])('an assertion %s', async (_, oddly) => {
    await stage.open(approval('ship'))
    const form = filled(await shownTo('ship'))
    const passkey = await asserted('ship', form, { oddly })
    expect(await answer('ship', { ...form, passkey })).toMatchObject(UNPROVEN)
    expect(await isPending('ship')).toBe(true)
  })

  test('a nonce of another session, even of the same person', async () => {
    await stage.open(approval('ship'))
    const form = filled(await shownTo('ship'))
    const passkey = await asserted('ship', form, { session: person('owner', 'another session') })
    expect(await answer('ship', { ...form, passkey })).toMatchObject(UNPROVEN)
  })

  test('a nonce after five minutes', async () => {
    await stage.open(approval('ship'))
    const form = filled(await shownTo('ship'))
    const passkey = await asserted('ship', form)
    stage.clock.pass(5 * 60_000)
    expect(await answer('ship', { ...form, passkey })).toMatchObject(UNPROVEN)
    const again = await asserted('ship', form)
    stage.clock.pass(5 * 60_000 - 1)
    expect(await answer('ship', { ...form, passkey: again })).toMatchObject({ kind: 'recorded' })
  })

  test('a nonce that the lane has not given', async () => {
    await stage.open(approval('ship'))
    const form = filled(await shownTo('ship'))
    const passkey = await asserted('ship', form)
    for (const ticket of ['', 'a.b.c.d', `${passkey.ticket}x`, passkey.ticket.replace(/^./, 'z')])
      expect(await answer('ship', { ...form, passkey: { ...passkey, ticket } })).toMatchObject(UNPROVEN)
  })

  test('a part of an assertion alone', async () => {
    await stage.open(approval('ship'))
    const form = filled(await shownTo('ship'))
    const passkey = await asserted('ship', form)
    for (const name of Object.keys(passkey).filter(one => one !== 'ticket'))
      expect(await answer('ship', { ...form, passkey: { ...passkey, [name]: '' } })).toMatchObject(UNPROVEN)
  })

  test('a plain session, a newcomer’s and one of a passkey that an operator enrolled', async () => {
    await stage.open(approval('ship'))
    const form = filled(await shownTo('ship'))
    expect(await answer('ship', form)).toMatchObject({
      kind: 'refused',
      reason: 'proof_insufficient',
      passkey: true,
    })
    for (const [by, reason] of [
      ['console', 'proof_insufficient'],
      ['passkey', 'proof_insufficient'],
      ['passkey_by_operator', 'sender_unauthenticated'],
    ] as const)
      expect(
        await answerInSession(partsAt(), { ...OWNER, by }, await stage.current('ship'), form),
      ).toMatchObject({ kind: 'refused', reason })
  })

  test('a link with its code, a card in Slack, a mail and a text message', async () => {
    await stage.open(approval('ship'))
    await stage.lane.drain()
    const [card] = stage.slack.copies
    // The copy announces: nothing of it can be answered.
    expect(card?.outbound).toMatchObject({ reply: null, page: { code: null } })
    const copy = await stage.lane.openFor(await stage.current('ship'), 'owner')
    const said = { authenticated: true, text: 'YES', automated: false } as const
    const handle = copy?.handle ?? ''
    const byLink = {
      ...said,
      channel: 'web',
      proof: 'link_code',
      binding: { kind: 'handle', handle },
    } as const
    expect(await stage.desk('web').take({ ...byLink, code: 'AAAA' })).toMatchObject({
      kind: 'refused',
      reason: 'proof_insufficient',
      passkey: true,
    })
    const ref = { kind: 'ref', ref: 'slack-1' } as const
    expect(await stage.desk('slack').take({ ...fromSlack('', 'YES'), binding: ref })).toMatchObject({
      kind: 'refused',
      reason: 'proof_insufficient',
      passkey: true,
    })
    expect(await isPending('ship')).toBe(true)
  })
})

const DEPUTYS = makeCredential('EdDSA')
const DECISIONS = ['d1', 'd2'].map(
  id => ({ id, type: 'approval', prompt: `${id}?`, required: true }) as const,
)

describe('a passkey stands in for the code', () => {
  const publicUrl = 'https://lane.example.org/lane'
  test('where a session alone gives no approval', async () => {
    const other = await raise(
      configure(CONFIG.replace('proofs: [passkey] }', 'proofs: [passkey, web_session] }')),
    )
    try {
      const credential = await registered(other.store, 'owner')
      const parts = {
        ...partsAt(publicUrl),
        lane: other.lane,
        store: other.store,
        config: other.config,
        desk: other.desk,
        now: () => other.store.ledger.now(),
      } as DoorParts
      const subject = await other.open(approval('ship'))
      const shown = await openForPerson(parts, OWNER, subject)
      expect(shown).toMatchObject({ needsCode: true, confirming: { isNeeded: false } })
      const form = filled(shown?.display_hash ?? '')
      const current = await other.current('ship')
      expect(await answerInSession(parts, OWNER, current, form)).toMatchObject({ reason: 'code_mismatch' })
      const named = await challengeInSession(parts, OWNER, current, form)
      if (named.kind !== 'named') throw new Error('no challenge')
      const { client_data_json, ...rest } = credential.assert(named.challenge.challenge, ORIGIN)
      const passkey = { ticket: named.challenge.ticket, client_data: client_data_json, ...rest }
      expect(
        await answerInSession(parts, OWNER, await other.current('ship'), { ...form, passkey }),
      ).toMatchObject({ kind: 'recorded' })
      expect(fold(await other.store.ledger.story('ship'))?.answer?.proof).toBe('passkey')
    } finally {
      await other.close()
    }
  })
})

test('who has no passkey is named no challenge, nor is what cannot be read', async () => {
  await stage.open(question('q'), [{ user_id: 'deputy', channels: ['slack'], route: 'first' }])
  const deputy = person('deputy')
  const shown = await openForPerson(partsAt(), deputy, await stage.current('q'))
  expect(shown?.confirming).toEqual({ isNeeded: true, credentials: [] })
  const form = filled(shown?.display_hash ?? '')
  expect(await challengeInSession(partsAt(), deputy, await stage.current('q'), form)).toEqual({
    kind: 'stopped',
    code: 'reply_rejected',
  })
  await stage.open(question('q-2'))
  const odd = filled(await shownTo('q-2'), 'maybe')
  expect(await challengeInSession(partsAt(), OWNER, await stage.current('q-2'), odd)).toMatchObject({
    kind: 'unread',
    reason: 'reply_not_in_schema',
  })
})

test('where passkeys cannot be, none is asked for', async () => {
  await stage.open(approval('ship'))
  for (const url of ['http://127.0.0.1:8787', 'https://192.0.2.1'])
    expect((await openForPerson(partsAt(url), OWNER, await stage.current('ship')))?.confirming).toEqual({
      isNeeded: true,
      credentials: [],
    })
})
