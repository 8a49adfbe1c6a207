import { describe, expect, test } from 'vitest'
import { foreignOrigin } from '../../src/http/origin.js'

const OURS = 'https://lane.example.org/sub/path'
const host = 'inner:8787'

describe('a form from somewhere else', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sister site', { 'sec-fetch-site': 'same-site' }],
    ['a word nobody knows', { 'sec-fetch-site': 'Same-Origin' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['our name without the encryption', { origin: 'http://lane.example.org' }],
    ['our name on another port', { origin: 'https://lane.example.org:444' }],
    ['our name inside another', { origin: 'https://lane.example.org.evil.example' }],
    ['our name before an @', { origin: 'https://lane.example.org@evil.example' }],
    ['no URL at all', { origin: 'lane.example.org' }],
    ['an empty origin', { origin: '' }],
    [
      'our origin, vouched for by a site that is not',
      { origin: 'https://lane.example.org', 'sec-fetch-site': 'cross-site' },
    ],
    ['a hidden origin of another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ])('is noticed: %s', (_name, headers) => {
    expect(foreignOrigin({ host, ...headers }, OURS)).toBe(true)
  })

  test.each([
    ['no word of it (curl, an old client)', {}],
    ['our own origin', { origin: 'https://lane.example.org' }],
    ['our own origin and site', { origin: 'https://lane.example.org', 'sec-fetch-site': 'same-origin' }],
    ['the address it was opened by', { origin: 'http://inner:8787' }],
    ['a typed address', { 'sec-fetch-site': 'none' }],
    ['the hidden origin of our own page', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
  ])('is not seen where there is none: %s', (_name, headers) => {
    expect(foreignOrigin({ host, ...headers }, OURS)).toBe(false)
  })
})
