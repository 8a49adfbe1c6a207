import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fold } from '../../src/agenda/case.js'
import { timeOut } from '../../src/deadline/time-out.js'
import { question, raise, type Stage } from '../lane/stage.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
afterEach(() => stage.close())

async function openCase(seconds = 60) {
  await stage.open(question('q', { deadline_seconds: seconds }))
  await stage.lane.drain()
  const subject = fold(await stage.store.ledger.story('q'))
  if (subject === null) throw new Error('not opened')
  return { subject, record: stage.lane.recorder }
}

describe('timing out', () => {
  test('is refused one millisecond early, by the clock of the append itself', async () => {
    const { subject, record } = await openCase()
    stage.clock.pass(59_999)
    expect((await timeOut(record, subject)).state).toBe('pending')
    stage.clock.pass(1)
    expect((await timeOut(record, subject)).state).toBe('defaulted')
  })

  test('by many who learn of it at once is done once, and all are given what holds', async () => {
    const { subject, record } = await openCase()
    stage.clock.pass(60_000)
    const all = await Promise.all([1, 2, 3].map(() => timeOut(record, subject)))
    expect(all.map(({ state }) => state)).toEqual(['defaulted', 'defaulted', 'defaulted'])
    const receipts = (await stage.entries()).filter(({ type }) => type === 'TIMEOUT_RECEIPT')
    expect(receipts).toHaveLength(1)
  })

  test('is refused while the clock is suspect, however far past the deadline', async () => {
    const { subject, record } = await openCase()
    stage.clock.pass(3_600_000)
    stage.clock.jump(120_000)
    expect((await timeOut(record, subject)).state).toBe('pending')
    stage.clock.jump(-120_000)
    expect((await timeOut(record, subject)).state).toBe('defaulted')
  })

  test('a default is never recorded as anybody’s answer', async () => {
    const { subject, record } = await openCase()
    stage.clock.pass(60_000)
    await timeOut(record, subject)
    const resolved = (await stage.store.ledger.story('q')).find(({ type }) => type === 'REQUEST_RESOLVED')
    expect(resolved?.body).toEqual({
      outcome: 'defaulted',
      causes: [expect.any(Number)],
      default_action: 'HALT',
    })
  })
})
