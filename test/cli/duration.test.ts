import { describe, expect, test } from 'vitest'
import { parseDuration, sayDuration } from '../../src/cli/duration.js'

describe('durations as they are written', () => {
  test.each([
    ['90s', 90],
    ['30m', 1800],
    ['2h', 7200],
    ['7d', 604_800],
    ['0s', 0],
    ['999999999d', 86_399_999_913_600],
  ])('%s is %i seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds)
  })

  test.each([
    '30',
    '',
    's',
    '1.5h',
    '-5m',
    '+5m',
    ' 5m',
    '5m ',
    '5M',
    '1h30m',
    '5 m',
    '1e3s',
    '٣m',
    '9999999999s',
  ])('%j is refused, not guessed at', text => {
    expect(parseDuration(text)).toBeNull()
  })
})

describe('durations as they are read', () => {
  test.each([
    [0, '0s'],
    [499, '0s'],
    [59_600, '1m'],
    [-61_000, '1m 1s'],
    [7_500_000, '2h 5m'],
    [7_200_000, '2h'],
    [90_061_000, '1d 1h'],
    [86_401_000, '1d 1s'],
  ])('%i ms are %s', (ms, text) => {
    expect(sayDuration(ms)).toBe(text)
  })
})
