import { describe, expect, test } from 'vitest'
import { Guesses, networkOf } from '../../src/http/guesses.js'

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

describe('a guesser with a network of its own', () => {
  test('does not begin anew with each address of its /64', () => {
    const { guesses } = start()
    for (let n = 0; n < 60; n++) guesses.failed(`2001:db8:0:1::${n.toString(16)}`)
    expect(guesses.blockedFor('2001:db8:0:1:ffff:ffff:ffff:ffff')).toBeGreaterThan(0)
    expect(guesses.blockedFor('2001:db8:0:2::1')).toBe(0)
  })

  test.each([
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0000:0000::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['no address', 'no address'],
  ])('%s counts for %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
