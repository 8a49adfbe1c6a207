import { describe, expect, test } from 'vitest'
import { Guesses } from '../../src/http/guesses.js'

function start() {
  const clock = { now: 1_000_000 }
  return { clock, guesses: new Guesses(() => clock.now) }
}

describe('wrong guesses', () => {
  test('sixty within a minute are borne, the sixtieth closes the door for the rest of that minute', () => {
    const { clock, guesses } = start()
    for (let time = 0; time < 59; time++) guesses.failed('a')
    expect(guesses.blockedFor('a')).toBe(0)
    clock.now += 10_000
    guesses.failed('a')
    expect(guesses.blockedFor('a')).toBe(50)
    clock.now += 49_999
    expect(guesses.blockedFor('a')).toBe(1)
    clock.now += 1
    expect(guesses.blockedFor('a')).toBe(0)
  })

  test('of one address are not another’s', () => {
    const { guesses } = start()
    for (let time = 0; time < 100; time++) guesses.failed('a')
    expect(guesses.blockedFor('a')).toBeGreaterThan(0)
    expect(guesses.blockedFor('b')).toBe(0)
  })

  test('a new minute counts from nothing', () => {
    const { clock, guesses } = start()
    for (let time = 0; time < 60; time++) guesses.failed('a')
    clock.now += 60_000
    guesses.failed('a')
    expect(guesses.blockedFor('a')).toBe(0)
  })

  test('of ten thousand other addresses are remembered before the oldest is forgotten', () => {
    const { guesses } = start()
    for (let time = 0; time < 60; time++) guesses.failed('first')
    for (let n = 0; n < 9_999; n++) guesses.failed(`n${n}`)
    expect(guesses.blockedFor('first')).toBeGreaterThan(0)
    guesses.failed('one more')
    expect(guesses.blockedFor('first')).toBe(0)
  })
})
