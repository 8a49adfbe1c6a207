// Waits that a stop ends. The pauses are an hour long: a test that waited for one of them would not end.
import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { aborted, pause, Retries } from '../../src/adapter/pause.js'

const HOUR = 3_600_000
const stopping = (): AbortController => new AbortController()

describe('a pause', () => {
  test('is over when a stop comes, whichever of several it is', async () => {
    const [first, second] = [stopping(), stopping()]
    const paused = pause(HOUR, first.signal, second.signal)
    second.abort()
    await paused
  })

  test('does not begin after a stop that has already come', () => pause(HOUR, AbortSignal.abort()))

  test('leaves nothing behind on a signal that lives for months', async () => {
    const { signal } = stopping()
    for (let times = 0; times < 20; times++) await pause(0, signal)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('is as long as it was asked for when nobody stops it', async () => {
    let over = false
    void pause(HOUR, stopping().signal).then(() => {
      over = true
    })
    await pause(5)
    expect(over).toBe(false)
  })
})

test('waiting for a stop that has come is over at once, and leaves nothing behind', async () => {
  const stop = stopping()
  stop.abort()
  await aborted(stop.signal)
  expect(getEventListeners(stop.signal, 'abort')).toEqual([])
})

describe('retries', () => {
  test('end with the stop, in whatever round it comes', async () => {
    const stop = stopping()
    const retries = new Retries(HOUR, HOUR, stop.signal)
    const round = retries.pause()
    stop.abort()
    await round
    await retries.pause()
  })

  test('wait at least as long as whoever failed has asked for', async () => {
    const stop = stopping()
    const retries = new Retries(0, 0, stop.signal)
    let over = false
    const round = retries.pause(HOUR).then(() => {
      over = true
    })
    await pause(5)
    expect(over).toBe(false)
    stop.abort()
    await round
  })
})
