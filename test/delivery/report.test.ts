// What a provider says later of a copy it took: news is told once, and a copy that bounced stands no more.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Sent } from '../../src/adapter/contract.js'
import { type Hash, sha256 } from '../../src/canonical.js'
import { report } from '../../src/delivery/report.js'
import type { Entry } from '../../src/event.js'
import type { ResolvedRecipient } from '../../src/request/recipient.js'
import { fromSlack, handleOf, question, raise, type Stage } from '../lane/stage.js'
import { until } from '../until.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

const BY_PREFERENCE: readonly ResolvedRecipient[] = [
  { user_id: 'owner', channels: ['slack', 'email'], route: 'first' },
]
const story = (id = 'q'): Promise<readonly Entry[]> => stage.store.ledger.story(id)
const statuses = async () =>
  (await story()).flatMap(entry => (entry.type === 'DELIVERY_STATUS' ? [entry.body.status] : []))
const delivery = async (channel: string) =>
  (await stage.lane.current('q'))?.deliveries.find(one => one.channel === channel)

async function ask(recipients = BY_PREFERENCE): Promise<string> {
  await stage.open(question('q'), recipients)
  await stage.lane.drain()
  return stage.slack.copies[0]?.outbound.delivery_id ?? ''
}
/** As the desk does it: told, then what it makes due is done. */
async function tell(delivery_id: string, status: string, stands: boolean): Promise<void> {
  const copy = await currentCopy(delivery_id)
  stage.lane.tend(await report(stage.lane.recorder, 'q', copy, { delivery_id, status, stands }))
  await stage.lane.drain()
}
const currentCopy = async (delivery_id: string): Promise<Hash> =>
  (await stage.lane.current('q'))?.deliveries.find(one => one.delivery_id === delivery_id)?.minted
    ?.token_hash ?? sha256('none')

describe('a report', () => {
  test('that the copy arrived is told, and changes nothing else', async () => {
    const id = await ask()
    await tell(id, 'delivered', true)
    expect((await story()).at(-1)).toMatchObject({
      type: 'DELIVERY_STATUS',
      body: { delivery_id: id, status: 'delivered', stands: true },
    })
    expect(await delivery('slack')).toMatchObject({ state: 'sent', status: 'delivered', bounced: false })
    expect(stage.email.copies).toEqual([])
  })

  test('that comes twice is told once', async () => {
    const id = await ask()
    await tell(id, 'delivered', true)
    await tell(id, 'delivered', true)
    await Promise.all([tell(id, 'read', true), tell(id, 'read', true), tell(id, 'read', true)])
    expect(await statuses()).toEqual(['delivered', 'read'])
  })

  test('that the copy did not arrive takes it away, and the next channel is tried', async () => {
    const id = await ask()
    await tell(id, 'undelivered', false)
    expect(await delivery('slack')).toMatchObject({ state: 'failed', final: true, bounced: true })
    await until('a mail', () => stage.email.copies.length, 1)
    await stage.lane.drain()
    expect(await delivery('email')).toMatchObject({ state: 'sent' })
  })

  test('that is forged takes the addressee no answer: their reply to the copy counts all the same', async () => {
    const id = await ask()
    const handle = handleOf(stage.slack, 'owner')
    await tell(id, 'undelivered', false)
    await stage.lane.answer(fromSlack(handle, 'yes'))
    expect(await stage.lane.current('q')).toMatchObject({ state: 'answered' })
  })

  test('after a bounce makes nothing stand again, in whatever order reports come', async () => {
    const id = await ask()
    await tell(id, 'undelivered', false)
    await tell(id, 'delivered', true)
    await tell(id, 'failed', false)
    expect(await statuses()).toEqual(['undelivered'])
    expect(await delivery('slack')).toMatchObject({ state: 'failed', status: 'undelivered' })
  })

  test('of an unknown delivery, or of a settled request, is not told', async () => {
    const id = await ask()
    await tell('d-unknown', 'failed', false)
    await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner'), 'yes'))
    await stage.lane.drain()
    await tell(id, 'failed', false)
    expect(await statuses()).toEqual([])
  })

  test('that is here before the send is recorded counts: undelivered is told apart from unanswered', async () => {
    let answer: (sent: Sent) => void = () => undefined
    const answered = new Promise<Sent>(resolve => {
      answer = resolve
    })
    stage.slack.will(() => answered)
    await stage.open(question('q'), [{ user_id: 'owner', channels: ['slack'], route: 'all' }])
    await until('a copy', () => stage.slack.copies.length, 1)
    const id = stage.slack.copies[0]?.outbound.delivery_id ?? ''
    const failed = { delivery_id: id, status: 'failed', stands: false }
    const after = await report(stage.lane.recorder, 'q', await currentCopy(id), failed)
    answer({ kind: 'sent', ref: 'ts-1' })
    await stage.lane.drain()
    expect(after.deliveries[0]).toMatchObject({ bounced: true })
    expect(await delivery('slack')).toMatchObject({ state: 'failed', bounced: true })
    stage.clock.pass(600_000)
    expect(await stage.lane.current('q')).toMatchObject({ state: 'undelivered', default_applied: true })
  })
})
