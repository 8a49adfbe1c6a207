// Pulled channels are listened to by whoever holds their name, from where the last one had read to.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Adapter, Desk } from '../../src/adapter/contract.js'
import { type Listening, startListening } from '../../src/channel/listening.js'
import type { Store } from '../../src/ledger/contract.js'
import type { Channel } from '../../src/request/channel.js'
import type { Say } from '../../src/say.js'
import { raise, type Stage } from '../lane/stage.js'
import { until } from '../until.js'

let stage: Stage
let listening: Listening | null = null
let heard: string[] = []
let said: string[] = []
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  stage = await raise()
  heard = []
  said = []
})
afterEach(async () => {
  await listening?.stop()
  listening = null
  vi.useRealTimers()
  await stage.close()
})

const say: Say = (level, words, about) => void said.push(`${level} ${words} ${about?.channel}`)
const sent = { kind: 'sent' } as const

/** An adapter that is listened to as `listen` says, and tells what happens to it. */
const pulled = (channel: Channel, listen: (cursor: string | null, desk: Desk) => Promise<void>): Adapter => ({
  channel,
  shows: () => true,
  send: async () => sent,
  async listen(cursor, desk) {
    await listen(cursor, desk)
    heard.push(`${channel} from ${cursor}`)
    return async () => void heard.push(`${channel} stopped`)
  },
})
const start = (adapters: readonly Adapter[], store: Store = stage.store): void => {
  listening = startListening(adapters, store, channel => stage.desk(channel), say)
}
const quietly = async (): Promise<void> => undefined

/** A store whose names are held by another so many times before they are free; `lose` takes the last one away. */
function heldElsewhere(times: number): { readonly store: Store; asked: string[]; lose: () => void } {
  const asked: string[] = []
  let left = times
  let taken = (): void => undefined
  const hold: Store['hold'] = async (name, lost) => {
    asked.push(name)
    if (left-- > 0) return null
    taken = lost
    return { release: async () => void heard.push(`released ${name}`) }
  }
  return { store: { ...stage.store, hold }, asked, lose: () => taken() }
}

describe('a pulled channel', () => {
  test('is listened to from nowhere at first, and stopped when the lane stops', async () => {
    start([pulled('telegram', quietly), { channel: 'sms', shows: () => true, send: async () => sent }])
    await until('one heard', () => heard.length, 1)
    await listening?.stop()
    expect(heard).toEqual(['telegram from null', 'telegram stopped'])
    expect(said).toEqual(['info listening telegram'])
  })

  test('goes on from the place that was kept', async () => {
    await stage.desk('telegram').keep('41')
    await stage.desk('email').keep('7')
    start([pulled('telegram', quietly)])
    await until('one heard', () => heard.length, 1)
    expect(heard).toEqual(['telegram from 41'])
  })

  test('that cannot be listened to is tried again, less and less often, and the others go on', async () => {
    let failures = 0
    const failing = pulled('email', async () => {
      if (failures++ < 2) throw new Error('the mailbox is shut')
    })
    start([failing, pulled('telegram', quietly)])
    await until(
      'one to fail and the other to listen',
      () => failures === 1 && heard.includes('telegram from null'),
    )
    await vi.advanceTimersByTimeAsync(999)
    expect(failures).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    await until('a second failure', () => failures, 2)
    await vi.advanceTimersByTimeAsync(2_000)
    await until('email to listen', () => heard.includes('email from null'))
    const trouble = 'error a channel cannot be listened to; it is tried again email'
    expect(said.filter(line => line === trouble)).toHaveLength(2)
  })

  test('whose name another holds is not touched until the name is free', async () => {
    const { store, asked } = heldElsewhere(2)
    start([pulled('telegram', quietly)], store)
    await until('the name asked for', () => asked.length, 1)
    await vi.advanceTimersByTimeAsync(1_000)
    await until('the name asked for again', () => asked.length, 2)
    expect(heard).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    await until('one heard', () => heard.length, 1)
    expect(asked).toEqual(['listen telegram', 'listen telegram', 'listen telegram'])
    await listening?.stop()
    expect(heard).toEqual(['telegram from null', 'telegram stopped', 'released listen telegram'])
  })

  test('whose name was lost is let go at once, and taken up again from what was kept meanwhile', async () => {
    const { store, lose } = heldElsewhere(0)
    start([pulled('telegram', quietly)], store)
    await until('one heard', () => heard.length, 1)
    lose()
    await until('three heard', () => heard.length, 3)
    await stage.desk('telegram').keep('99')
    await vi.advanceTimersByTimeAsync(1_000)
    await until('four heard', () => heard.length, 4)
    expect(heard).toEqual([
      'telegram from null',
      'telegram stopped',
      'released listen telegram',
      'telegram from 99',
    ])
  })

  test('that fails while it starts gives the name back', async () => {
    const { store } = heldElsewhere(0)
    const failing = pulled('telegram', async () => {
      throw new Error('no such bot')
    })
    start([failing], store)
    await until('the name to be released', () => heard.includes('released listen telegram'))
    await listening?.stop()
    expect(heard).toEqual(['released listen telegram'])
  })
})
