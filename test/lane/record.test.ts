// The one way a room adds to a story: on top of what it has read, and with the alarm in the same append.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fold } from '../../src/agenda/case.js'
import { owed } from '../../src/agenda/owed.js'
import type { Draft } from '../../src/event.js'
import { type Recorder, recorder } from '../../src/record.js'
import { question, raise, type Stage } from './stage.js'

const POLICY = { closable: new Set<never>() }
let stage: Stage
let record: Recorder
beforeEach(async () => {
  stage = await raise()
  record = recorder(stage.store.ledger, POLICY)
})
afterEach(() => stage.close())

async function openCase() {
  await stage.open(question('q'))
  await stage.lane.drain()
  const subject = fold(await stage.store.ledger.story('q'))
  if (subject === null) throw new Error('not opened')
  return subject
}
const noted: Draft = {
  type: 'NOTICE_SENT',
  request_id: 'q',
  run_id: 'run-1',
  body: { delivery_id: 'd', channel: 'slack', recipient: 'owner', reason: 'reply_not_in_schema' },
}

describe('recording', () => {
  test('gives the case as the ledger would fold it, and the alarm the agenda would set', async () => {
    const subject = await openCase()
    const result = await record({ request_id: 'q', subject }, () => ({ events: [noted] }))
    if (result.kind !== 'recorded') throw new Error(result.kind)
    expect(result.subject).toEqual(fold(await stage.store.ledger.story('q')))
    expect(await stage.store.ledger.nextAlarm()).toBe(
      owed(result.subject, stage.store.ledger.now(), POLICY).alarm,
    )
  })

  test('the receipt of an opening is that of its entry', async () => {
    const subject = await stage.open(question('q'))
    const [entry] = await stage.store.ledger.story('q')
    expect(subject.receipt).toEqual({ seq: entry?.seq, hash: entry?.hash })
  })

  test('on top of a story that has moved on changes nothing', async () => {
    const subject = await openCase()
    const twice = [1, 2].map(() => record({ request_id: 'q', subject }, () => ({ events: [noted] })))
    expect((await Promise.all(twice)).map(one => one.kind)).toEqual(['recorded', 'moved'])
    expect((await stage.entries()).filter(entry => entry.type === 'NOTICE_SENT')).toHaveLength(1)
  })

  test('what is refused is told with its reason, and nothing is appended', async () => {
    const subject = await openCase()
    const before = (await stage.entries()).length
    expect(await record({ request_id: 'q', subject }, () => ({ refuse: 'no' as const }))).toEqual({
      kind: 'refused',
      why: 'no',
    })
    expect((await stage.entries()).length).toBe(before)
  })

  test('an event outside its schema is a surprise, and its neighbours in the commit stand', async () => {
    const subject = await openCase()
    await stage.open(question('r'))
    await stage.lane.drain()
    const other = fold(await stage.store.ledger.story('r'))
    const broken = { ...noted, body: { ...noted.body, reason: 'because' } } as unknown as Draft
    const [bad, good] = await Promise.allSettled([
      record({ request_id: 'q', subject }, () => ({ events: [broken] })),
      record({ request_id: 'r', subject: other }, () => ({
        events: [{ ...noted, request_id: 'r' } as Draft],
      })),
    ])
    expect(bad.status).toBe('rejected')
    expect(good).toMatchObject({ status: 'fulfilled', value: { kind: 'recorded' } })
  })
})
