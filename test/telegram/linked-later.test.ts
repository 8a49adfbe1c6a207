// Somebody who is asked before they have linked their account: what is still open comes to them when they have, once.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replay } from '../../src/ledger/replay.js'
import { verify } from '../../src/ledger/verify.js'
import { question } from '../lane-under-test.js'
import { until } from '../until.js'
import type { Shown } from './bot-server.js'
import { NEWCOMER, on, raise, type Scene } from './scene.js'

let scene: Scene
beforeEach(async () => {
  scene = await raise()
})
afterEach(async () => {
  const { text } = await scene.lane.call('GET', '/v1/ledger', { key: scene.lane.operatorKey })
  await scene.close()
  const lines = text.trim().split('\n')
  expect((await verify(lines)).problems).toEqual([])
  expect((await replay(lines, () => null, { rawsMayBeAbsent: true })).problems).toEqual([])
})

const ON_TELEGRAM = [{ user_id: 'newcomer', channels: ['telegram'] }]
/** Asked by every channel named, or by preference. */
async function asked(id: string, recipients: unknown[] = ON_TELEGRAM): Promise<void> {
  await scene.lane.submit(question(id), { recipients })
  expect(await scene.comes(id, 'DELIVERY_FAILED')).toMatchObject([
    { code: 'recipient_not_linked', final: true },
  ])
}
async function link(): Promise<string> {
  const { json } = await scene.lane.call('POST', '/v1/recipients/newcomer/invitations', {
    key: scene.lane.operatorKey,
    body: { channel: 'telegram' },
  })
  const start = `/start ${new URL(String(json.url)).searchParams.get('start')}`
  await scene.server.write(NEWCOMER, start)
  await until('the word that it is linked', () => shown().some(({ text }) => /is linked/.test(text)))
  return start
}
const shown = (): Shown[] => scene.server.shown(NEWCOMER)
const cards = (): Shown[] => shown().filter(({ text }) => text.includes('Answer by'))

test('all that is open is put before them, once, and can be answered', async () => {
  for (const id of ['first', 'second']) await asked(id)
  const start = await link()
  for (const id of ['first', 'second']) {
    expect(await scene.comes(id, 'OUTBOUND_REQUEST_SENT')).toMatchObject([
      { channel: 'telegram', attempt: 2 },
    ])
    expect(await scene.comes(id, 'DELIVERY_STATUS')).toMatchObject([{ status: 'linked', stands: true }])
  }
  // Telegram hands the acceptance over again.
  await scene.server.write(NEWCOMER, start)
  await until('all are taken', () => scene.server.waiting().length, 0)
  const card = cards()[0]
  if (card === undefined) throw new Error('no card came')
  await scene.server.press(NEWCOMER, scene.button(card, 'Yes'), on(card))
  await until('an answer', () => scene.told().includes('Recorded: YES'))
  expect(cards().length + shown().filter(({ text }) => text.includes('newcomer answered YES')).length).toBe(2)
  expect(await scene.comes('first', 'DELIVERY_STARTED')).toHaveLength(2)
})

test('what has reached them elsewhere, or is settled, is not sent to them again', async () => {
  await asked('elsewhere', ['newcomer'])
  await scene.lane.link('elsewhere', 'newcomer')
  await scene.comes('elsewhere', 'OUTBOUND_REQUEST_SENT')
  await asked('settled')
  await scene.lane.call('POST', '/v1/requests/settled/withdraw', { body: { reason: 'not needed' } })
  await link()
  // What is asked from now on comes after whatever would have come.
  const card = await scene.ask(question('after'), 'newcomer')
  expect(cards()).toEqual([card])
  expect(await scene.comes('elsewhere', 'DELIVERY_STARTED')).toHaveLength(2)
})

test('what was asked before a restart comes all the same', async () => {
  await asked('restarted')
  const lane = await scene.lane.restart()
  scene = { ...scene, lane, close: () => lane.close().then(() => scene.server.stop()) }
  await link()
  await until('the card', () => cards().length, 1)
})
