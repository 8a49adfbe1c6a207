import { describe, expect, test } from 'vitest'
import { Places } from '../../src/http/places.js'

describe('places', () => {
  test('a key has so many and no more; another key has its own', () => {
    const places = new Places(2)
    const first = places.take('a')
    expect([first, places.take('a')]).not.toContain(null)
    expect(places.take('a')).toBeNull()
    expect(places.take('b')).not.toBeNull()
    first?.()
    expect(places.take('a')).not.toBeNull()
    expect(places.take('a')).toBeNull()
  })

  test('0 is no limit', () => {
    const places = new Places(0)
    for (let n = 0; n < 10_000; n++) expect(places.take('a')).not.toBeNull()
  })
})
