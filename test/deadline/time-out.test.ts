import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fold } from '../../src/agenda/case.js'
import { timeOut } from '../../src/deadline/time-out.js'
import { recorder } from '../../src/record.js'
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
  return { subject, record: recorder(stage.store.ledger, { closable: new Set() }) }
}

describe('timing out', () => {
  test('is refused one millisecond early, by the clock of the append itself', async () => {
    const { subject, record } = await openCase()
    stage.clock.pass(59_999)
    expect(await timeOut(record, subject)).toEqual({ kind: 'not_now', why: 'early' })
    stage.clock.pass(1)
    expect(await timeOut(record, subject)).toMatchObject({
      kind: 'resolved',
      subject: { state: 'defaulted' },
    })
  })

  test('of a story that has moved on changes nothing', async () => {
    const { subject, record } = await openCase()
    stage.clock.pass(60_000)
    const [one, two] = await Promise.all([timeOut(record, subject), timeOut(record, subject)])
    expect([one.kind, two]).toEqual(['resolved', { kind: 'not_now', why: 'moved' }])
    expect(await timeOut(record, subject)).toEqual({ kind: 'not_now', why: 'moved' })
  })

  test('is refused while the clock is suspect, however far past the deadline', async () => {
    const { subject, record } = await openCase()
    stage.clock.pass(3_600_000)
    stage.clock.jump(120_000)
    expect(await timeOut(record, subject)).toEqual({ kind: 'not_now', why: 'clock_suspect' })
    stage.clock.jump(-120_000)
    expect(await timeOut(record, subject)).toMatchObject({ kind: 'resolved' })
  })

  test('a default is never recorded as anybody’s answer', async () => {
    const { subject, record } = await openCase()
    stage.clock.pass(60_000)
    await timeOut(record, subject)
    const resolved = (await stage.store.ledger.story('q')).at(-1)
    expect(resolved?.body).toEqual({
      outcome: 'defaulted',
      causes: [expect.any(Number)],
      default_action: 'HALT',
    })
  })
})
