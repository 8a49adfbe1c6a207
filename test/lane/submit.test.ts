// What every door does with a request, without a door: each refusal is a value with its code.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { approval, configure, question, raise, type Stage } from './stage.js'

const PEOPLE = `
recipients:
  owner: { name: Owner, slack: { team: T1, user: UOWNER } }
  guest: { name: Guest, web: true }
actions:
  PUBLISH: { approvers: [owner], proofs: [slack_signed] }
questions: { proofs: [slack_signed] }
limits: { open_questions_per_run: 2, requests_per_recipient_per_hour: 4, open_requests_per_key: 3 }
`
const KEY = { key_id: 'key-1', name: 'pipeline', owner: null, urgent: false }
const OTHER = { ...KEY, key_id: 'key-2', name: 'other' }

const body = (id: string, more: object = {}, asked: object = {}) => ({
  request: question(id, asked),
  run: { run_id: `run-${id}`, mood: 'DEFERENTIAL' },
  recipients: ['owner'],
  ...more,
})

let stage: Stage
beforeEach(async () => {
  stage = await raise(configure(PEOPLE))
})
afterEach(() => stage.close())

describe('lane.submit', () => {
  test('opens what it is given, and tells of it again when it comes again, by whichever door', async () => {
    const opened = await stage.lane.submit(body('a'), KEY)
    expect(opened).toMatchObject({ kind: 'opened', subject: { request_id: 'a', opened_by: 'key-1' } })
    expect(await stage.lane.submit(body('a'), KEY)).toMatchObject({
      kind: 'known',
      subject: { request_id: 'a' },
    })
  })

  test.each<[string, unknown, string]>([
    ['no submission at all', 'hello', 'invalid_request'],
    ['a deadline of no seconds', body('a', {}, { deadline_seconds: 0 }), 'invalid_request'],
    ['a callback where nobody is called', body('a', { callback_url: 'https://x.example' }), 'not_available'],
    ['a run in another mood', body('a', { run: { run_id: 'r', mood: 'BOLD' } }), 'not_admitted'],
    ['nobody we know', body('a', { recipients: ['stranger'] }), 'invalid_request'],
    ['somebody whose proof is not enough', body('a', { recipients: ['guest'] }), 'cannot_be_shown'],
    [
      'somebody who may not approve',
      { ...body('a', { recipients: ['guest'] }), request: approval('a') },
      'recipient_not_approver',
    ],
  ])('%s is refused with its code, and nothing is recorded', async (_name, given, code) => {
    const before = (await stage.entries()).length
    expect(await stage.lane.submit(given, KEY)).toMatchObject({ kind: 'refused', code })
    expect(await stage.entries()).toHaveLength(before)
  })

  test('the same id with another content, or by another key, is a conflict', async () => {
    await stage.lane.submit(body('a'), KEY)
    const conflict = { kind: 'refused', code: 'id_conflict' }
    expect(await stage.lane.submit(body('a', {}, { impact: 'Another one' }), KEY)).toMatchObject(conflict)
    expect(await stage.lane.submit(body('a'), OTHER)).toMatchObject(conflict)
  })

  test('a run has so many open questions, a key so many requests, a person so many of a key within the hour', async () => {
    const run = { run: { run_id: 'one', mood: 'DEFERENTIAL' } }
    await stage.lane.submit(body('a', run), KEY)
    await stage.lane.submit(body('b', run), KEY)
    const third = await stage.lane.submit(body('c', run), KEY)
    expect(third).toMatchObject({ kind: 'refused', code: 'too_many_open_questions' })
    stage.clock.pass(1_000)
    await stage.lane.submit(body('d'), KEY)
    const fourth = await stage.lane.submit(body('e'), KEY)
    expect(fourth).toMatchObject({ kind: 'refused', code: 'rate_limited', retryAfterSeconds: 1 })
    expect(await stage.lane.submit(body('a', run), KEY)).toMatchObject({ kind: 'known' })
    expect(await stage.lane.submit(body('f'), OTHER)).toMatchObject({ kind: 'opened' })
    await stage.lane.withdraw('a', 'no longer needed', 'key-1')
    stage.clock.pass(1_000)
    await stage.lane.submit(body('g'), KEY)
    await stage.lane.withdraw('b', 'no longer needed', 'key-1')
    stage.clock.pass(1_000)
    const fifth = await stage.lane.submit(body('h'), KEY)
    expect(fifth).toMatchObject({ kind: 'refused', code: 'recipient_budget', retryAfterSeconds: 60 })
  })
})
