// The short cut past the claims' schemas: it says yes to what the lane mints, and to nothing the schema refuses.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHANNELS } from '../../src/request/channel.js'
import { fits } from '../../src/shortcut.js'
import { KIND as POLICY } from '../../src/token/policy-token.js'
import { KIND as REPLY } from '../../src/token/reply-token.js'

const HASH = `sha256:${'0a'.repeat(32)}`
const common = { iss: 'interrupt-lane', sub: 'operator', jti: 'A'.repeat(22), iat: 1, exp: 2 }
const reply = { ...common, aud: 'lane.reply', req: 'q', rqh: HASH, rsh: HASH, ch: 'web', dsh: HASH }
const policy = {
  ...common,
  aud: 'lane.policy',
  run: 'run-9',
  req: 'q',
  act: 'PUBLISH',
  prh: HASH,
  rqh: HASH,
  rev: HASH,
}

/** What one member may be made: right for some, wrong for most. */
const anything = fc.oneof(
  fc.constantFrom(
    '',
    'lane.reply',
    'lane.policy',
    'interrupt-lane',
    'q',
    HASH,
    HASH.toUpperCase(),
    ...CHANNELS,
  ),
  fc.string({ maxLength: 300 }),
  fc.double(),
  fc.integer(),
  fc.constantFrom(null, undefined, true, [], {}),
)

describe.each([
  ['a reply token', REPLY, reply],
  ['a policy token', POLICY, policy],
])('the claims of %s', (_, { payload, plain }, claims) => {
  test('as the lane mints them are plain, and whole for the schema', () => {
    expect(fits(plain, claims)).toBe(true)
    expect(payload.safeParse(claims).success).toBe(true)
  })

  test('plain implies no flaw, whichever member is changed, left out or added', () => {
    const names = fc.constantFrom(...Object.keys(claims), 'crit', '__proto__', 'nbf')
    fc.assert(
      fc.property(names, anything, fc.boolean(), (name, value, drop) => {
        const { [name as keyof typeof claims]: _dropped, ...rest } = claims
        const changed = drop ? rest : Object.defineProperty({ ...rest }, name, { value, enumerable: true })
        if (fits(plain, changed)) expect(payload.safeParse(changed).success).toBe(true)
      }),
      { numRuns: 3_000 },
    )
  })
})
