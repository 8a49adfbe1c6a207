// The verbs by which the request page opens and answers for somebody who has signed in.
import { afterEach, beforeEach, expect, test } from 'vitest'
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
