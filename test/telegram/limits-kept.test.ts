// Telegram's limits as a lane keeps them, read off the ledger's own times: a send is never recorded sooner than it may leave.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { question } from '../lane-under-test.js'
import { raise, type Scene } from './scene.js'

let scene: Scene
beforeEach(async () => {
  scene = await raise()
})
afterEach(() => scene.close())

/** A timer may ring a moment early. */
const ALMOST = 0.95

async function at(id: string, type: string): Promise<number> {
  await scene.comes(id, type)
  const entry = (await scene.lane.story(id)).find(one => one.type === type)
  return Date.parse(entry?.at ?? '')
}
const open = async (id: string, to: string): Promise<void> => {
  const { status, text } = await scene.lane.submit(question(id), { recipients: [to] })
  if (status !== 201) throw new Error(text)
}

test('messages to one chat leave a second apart, those to others do not wait for them', async () => {
  for (const id of ['a', 'b', 'c']) await open(id, 'owner')
  await open('other', 'deputy')
  const begun = await at('a', 'DELIVERY_STARTED')
  const [other, last] = [await at('other', 'OUTBOUND_REQUEST_SENT'), await at('c', 'OUTBOUND_REQUEST_SENT')]
  expect(last - begun).toBeGreaterThanOrEqual(2_000 * ALMOST)
  expect(other).toBeLessThan(last)
})

test('while Telegram asks to wait nothing is sent to anybody', async () => {
  scene.server.faults.next('sendMessage', { kind: 'limit', seconds: 3 })
  await open('limited', 'owner')
  await scene.comes('limited', 'DELIVERY_FAILED')
  const begun = await at('limited', 'DELIVERY_STARTED')
  await open('other', 'deputy')
  expect((await at('other', 'OUTBOUND_REQUEST_SENT')) - begun).toBeGreaterThanOrEqual(3_000 * ALMOST)
})
