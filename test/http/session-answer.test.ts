// The verbs by which the request page opens and answers for somebody who has signed in.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { canAnswerSignedIn } from '../../src/config/signing-in.js'
import type { DoorParts } from '../../src/http/door.js'
import { answerInSession, isVisit, openForPerson } from '../../src/http/session-answer.js'
import { approval, configure, question, raise, type Stage } from '../lane/stage.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise(
    configure(`
recipients: { owner: { name: Owner, slack: { team: T1, user: UOWNER }, channels: [slack] } }
actions: { PUBLISH: { approvers: [owner] } }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`),
  )
})
afterEach(() => stage.close())

const SESSION = { kind: 'person', user_id: 'owner', by: 'oidc', csrf: '', until: '' } as const
const partsAt = (publicUrl: string) =>
  ({
    lane: stage.lane,
    store: stage.store,
    config: stage.config,
    keys: { nameOf: (id: string) => `name of ${id}` },
    desk: stage.desk,
    publicUrl: () => publicUrl,
  }) as unknown as DoorParts
const filled = (reply: string, display: string) => ({ reply, fields: {}, code: '', display })

test('an answer names the display it was given to: another one is `changed`, and nothing is recorded', async () => {
  const parts = partsAt('https://lane.example')
  const subject = await stage.open(approval('ship-1'))
  const shown = await openForPerson(parts, SESSION, subject)
  expect(shown).toMatchObject({ isAnswerable: true, needsCode: false })
  const said = (display: string) => answerInSession(parts, SESSION, subject, filled('yes', display))
  const current = await stage.current('ship-1')
  const answer = (display: string) => answerInSession(parts, SESSION, current, filled('yes', display))
  // Nobody who has not opened it answers it.
  expect(await said(shown?.display_hash ?? '')).toEqual({ kind: 'stopped', code: 'not_found' })
  for (const other of ['', `sha256:${'0'.repeat(64)}`])
    expect(await answer(other)).toEqual({ kind: 'stopped', code: 'changed' })
  expect((await stage.current('ship-1')).state).toBe('pending')
  expect(await answer(shown?.display_hash ?? '')).toMatchObject({ kind: 'recorded', answer: 'YES' })
})

test('a cookie that another port or path can send: on this machine and under a path a session alone approves nothing', async () => {
  for (const [at, url] of ['http://127.0.0.1:8787', 'https://example.org/lane'].entries()) {
    const parts = partsAt(url)
    const shown = await openForPerson(parts, SESSION, await stage.open(approval(`ship-${at}`)))
    expect(shown).toMatchObject({ needsCode: true })
    const current = await stage.current(`ship-${at}`)
    expect(
      await answerInSession(parts, SESSION, current, filled('yes', shown?.display_hash ?? '')),
    ).toMatchObject({ kind: 'refused', reason: 'code_mismatch' })
    const asked = await openForPerson(parts, SESSION, await stage.open(question(`q-${at}`)))
    expect(asked).toMatchObject({ needsCode: false })
  }
})

test('a HEAD and a browser that fetches ahead are no visit', () => {
  const visits = (method: string, headers = {}) => isVisit({ method, headers })
  expect([
    visits('GET'),
    visits('HEAD'),
    visits('GET', { 'sec-purpose': 'prefetch' }),
    visits('GET', { purpose: 'prefetch' }),
  ]).toEqual([true, false, false, false])
})

test('what only a session is enough for is announced, leads to where people sign in, and is answered there alone', async () => {
  const only = await raise(
    configure(`
recipients: { owner: { name: Owner, slack: { team: T1, user: UOWNER }, oidc: owner-sub, channels: [slack] } }
actions: { PUBLISH: { approvers: [owner], proofs: [web_session] } }
`),
  )
  try {
    const subject = await only.open(approval('ship-1'))
    await only.lane.drain()
    const [copy] = only.slack.copies
    // Neither a handle nor a code: whoever has the message has nothing.
    expect(copy?.outbound).toMatchObject({
      reply: null,
      page: { link: 'https://lane.example.org/console/requests/ship-1', code: null },
    })
    expect((await only.current('ship-1')).deliveries).toMatchObject([
      { channel: 'slack', state: 'sent', announces: true },
    ])
    const parts = {
      lane: only.lane,
      store: only.store,
      config: only.config,
      keys: { nameOf: (id: string) => `name of ${id}` },
      desk: only.desk,
      publicUrl: () => 'https://lane.example.org',
    } as unknown as DoorParts
    const shown = await openForPerson(parts, SESSION, subject)
    const current = await only.current('ship-1')
    const answer = filled('yes', shown?.display_hash ?? '')
    // A newcomer's session is another proof.
    expect(await answerInSession(parts, { ...SESSION, by: 'console' }, current, answer)).toMatchObject({
      kind: 'refused',
      reason: 'proof_insufficient',
    })
    expect(await answerInSession(parts, SESSION, current, answer)).toMatchObject({ kind: 'recorded' })
    expect((await only.current('ship-1')).replies[0]?.reply.sender_identity).toMatchObject({
      user_id: 'owner',
      proof: 'web_session',
    })
    expect(await only.problems()).toEqual([])
  } finally {
    await only.close()
  }
})

test('a session is counted on only for those who can sign in, and for an approval only where it is enough by itself', () => {
  const known = { oidc: 'owner-sub' }
  const can = (publicUrl: string, isApproval: boolean, person = known, hasProvider = true): boolean =>
    canAnswerSignedIn({ hasProvider, publicUrl }, person, isApproval)
  const at = [
    'https://lane.example',
    'https://example.org/lane',
    'http://127.0.0.1:8787',
    'http://lane.example',
  ]
  expect(at.map(url => [can(url, true), can(url, false)])).toEqual([
    [true, true],
    [false, true],
    [false, true],
    [false, false],
  ])
  expect(canAnswerSignedIn({ hasProvider: true, publicUrl: at[0] ?? '' }, {}, false)).toBe(false)
  expect(can(at[0] ?? '', false, known, false)).toBe(false)
})
