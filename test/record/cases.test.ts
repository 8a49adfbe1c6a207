import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fold } from '../../src/agenda/case.js'
import type { Entry } from '../../src/event.js'
import { Cases } from '../../src/record/cases.js'
import { approval, fromSlack, handleOf, question, raise, type Stage } from '../lane/stage.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
afterEach(() => stage.close())

const told = async (id: string) => fold(await stage.store.ledger.story(id))

describe('a case that is kept is the case its story makes', () => {
  test('at every step of a request that is asked, answered badly, answered and closed', async () => {
    await stage.open(question('ship-1'))
    expect(await stage.lane.current('ship-1')).toEqual(await told('ship-1'))
    await stage.lane.drain()
    expect(await stage.lane.current('ship-1')).toEqual(await told('ship-1'))
    for (const words of ['perhaps', 'YES', 'NO']) {
      await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner', 'ship-1'), words))
      expect(await stage.lane.current('ship-1')).toEqual(await told('ship-1'))
    }
    await stage.lane.drain()
    expect(await stage.lane.current('ship-1')).toEqual(await told('ship-1'))
    expect((await stage.current('ship-1')).state).toBe('answered')
  })

  test('of one that gives a right, of one that is withdrawn, and of one that times out', async () => {
    await stage.open(approval('publish-1'))
    await stage.lane.drain()
    await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner', 'publish-1'), 'YES'))
    await stage.open(question('ship-2'))
    await stage.lane.withdraw('ship-2', 'asked by mistake', 'key-1')
    await stage.open(question('ship-3'))
    await stage.lane.drain()
    stage.clock.pass(601_000)
    for (const id of ['publish-1', 'ship-2', 'ship-3'])
      expect(await stage.lane.current(id)).toEqual(await told(id))
    const states = ['publish-1', 'ship-2', 'ship-3'].map(async id => (await stage.current(id)).state)
    expect(await Promise.all(states)).toEqual(['answered', 'withdrawn', 'defaulted'])
  })
})

test('an answer that another process has recorded is there at the next look', async () => {
  await stage.open(question('ship-4'))
  await stage.lane.drain()
  expect((await stage.lane.current('ship-4'))?.state).toBe('pending')
  const other = stage.secondLane()
  await other.answer(fromSlack(handleOf(stage.slack, 'owner', 'ship-4'), 'YES'))
  expect((await stage.lane.current('ship-4'))?.state).toBe('answered')
})

test('a request that nobody has opened is none, before and after it is asked for', async () => {
  const cases = new Cases(stage.store.ledger)
  expect(await cases.read('ship-5')).toBe(null)
  await stage.open(question('ship-5'))
  expect((await cases.read('ship-5'))?.request_id).toBe('ship-5')
})

test('an older case never takes the place of a newer one', async () => {
  const cases = new Cases(stage.store.ledger)
  const opened = await stage.open(question('ship-6'))
  await stage.lane.drain()
  const sent = await cases.read('ship-6')
  cases.renew(opened)
  expect(await cases.read('ship-6')).toBe(sent)
})

test('a case that was kept is not read again', async () => {
  let stories = 0
  const { ledger } = stage.store
  const cases = new Cases({
    version: id => ledger.version(id),
    story(id) {
      stories++
      return ledger.story(id)
    },
  })
  await stage.open(question('ship-7'))
  await stage.lane.drain()
  for (let look = 0; look < 5; look++) await cases.read('ship-7')
  expect(stories).toBe(1)
})

test('a case that nobody has looked at is not kept, and one that is kept grows with its story', async () => {
  let stories = 0
  const { ledger } = stage.store
  const cases = new Cases({
    version: id => ledger.version(id),
    story(id) {
      stories++
      return ledger.story(id)
    },
  })
  const opened = await stage.open(question('ship-9'))
  cases.renew(opened)
  await stage.lane.drain()
  expect([(await cases.read('ship-9'))?.version, stories]).toEqual([3, 1])
  await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner', 'ship-9'), 'YES'))
  await stage.lane.drain()
  const answered = await stage.current('ship-9')
  cases.renew(answered)
  expect(await cases.read('ship-9')).toBe(answered)
  expect(stories).toBe(1)
})

test('however many requests there are, no more than a few thousand are kept', async () => {
  await stage.open(question('ship-8'))
  await stage.lane.drain()
  const [opening, ...rest] = await stage.store.ledger.story('ship-8')
  if (opening?.type !== 'REQUEST_OPENED') throw new Error('a story begins with its opening')
  const { body } = opening
  const cases = new Cases({
    version: async () => 1 + rest.length,
    async story(id) {
      return [
        { ...opening, body: { ...body, request: { ...body.request, question_id: id } } } as Entry,
        ...rest,
      ]
    },
  })
  const kept = await cases.read('ship-8')
  expect(await cases.read('ship-8')).toBe(kept)
  for (let one = 0; one < 5_000; one++) await cases.read(`other-${one}`)
  expect(await cases.read('ship-8')).not.toBe(kept)
})
