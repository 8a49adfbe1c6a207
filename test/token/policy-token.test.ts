// The policy token: one spelling, one type, one set of claims. What is shared with the reply token is held there bit
// by bit; here, that it is shared.
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Keyring, rotate } from '../../src/token/keyring.js'
import { mintPolicyToken, type PolicyClaims, verifyPolicyToken } from '../../src/token/policy-token.js'
import { mint, verify } from '../../src/token/reply-token.js'
import { SECRET, START } from '../lane/stage.js'
import { openShelf, CLAIMS as REPLY_CLAIMS, sign } from './ring.js'

const { shelf, close } = openShelf()
let ring: Keyring
let token: string
beforeAll(async () => {
  ring = (await rotate(shelf, SECRET, START)).keyring
  token = await mintPolicyToken(ring, CLAIMS)
})
afterAll(close)

const CLAIMS: PolicyClaims = {
  sub: 'key-1',
  jti: 'AAECAwQFBgcICQoLDA0ODw',
  iat: START / 1000,
  exp: START / 1000 + 900,
  run: 'run-9',
  req: 'ship-42',
  act: 'PUBLISH',
  prh: `sha256:${'1'.repeat(64)}`,
  rqh: `sha256:${'2'.repeat(64)}`,
  rev: `sha256:${'3'.repeat(64)}`,
}
const FULL = { iss: 'interrupt-lane', aud: 'lane.policy', ...CLAIMS }
const HEADER = { alg: 'EdDSA', typ: 'lane-policy+jwt' }
const header = () => ({ ...HEADER, kid: ring.signing.kid })
const flawOf = async (text: string): Promise<string> => {
  const verified = await verifyPolicyToken(ring, text, START)
  return verified.ok ? 'accepted' : verified.flaw
}
const signed = (head: Record<string, unknown>, payload: unknown) => sign(ring.signing.key, head, payload)

describe('a policy token of ours', () => {
  test('says exactly what was minted, and the same claims give the same string', async () => {
    expect(await verifyPolicyToken(ring, token, START)).toEqual({ ok: true, claims: CLAIMS })
    expect(await mintPolicyToken(ring, CLAIMS)).toBe(token)
    const [head = '', body = ''] = token.split('.')
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual(header())
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toEqual(FULL)
  })

  test('a reply token is no policy token, and a policy token no reply token', async () => {
    expect(await flawOf(await mint(ring, REPLY_CLAIMS))).toBe('token_malformed')
    expect(await verify(ring, token, START)).toEqual({ ok: false, flaw: 'token_malformed' })
    const dressed = await signed({ ...header(), typ: 'lane-reply+jwt' }, FULL)
    expect([await flawOf(dressed), (await verify(ring, dressed, START)).ok]).toEqual([
      'token_malformed',
      false,
    ])
  })

  test('after a rotation it verifies, until the key that signed it is retired', async () => {
    const own = openShelf()
    const first = (await rotate(own.shelf, SECRET, START)).keyring
    const old = await mintPolicyToken(first, CLAIMS)
    const second = (await rotate(own.shelf, SECRET, START + 1)).keyring
    expect((await verifyPolicyToken(second, old, START + 900_000)).ok).toBe(true)
    expect(await verifyPolicyToken(second, old, START + 1 + 2_592_000_000)).toEqual({
      ok: false,
      flaw: 'token_unknown_key',
    })
    await own.close()
  })
})

describe('what is almost one is refused', () => {
  test('[LANE-063] one flipped bit of any character', async () => {
    const flaws = new Set<string>()
    for (let index = 0; index < token.length; index++) {
      for (let bit = 0; bit < 7; bit++) {
        const other = String.fromCharCode(token.charCodeAt(index) ^ (1 << bit))
        flaws.add(await flawOf(token.slice(0, index) + other + token.slice(index + 1)))
      }
    }
    expect(flaws.has('accepted')).toBe(false)
  })

  test.each(['', '.', '..', 'a.b.c', 'null', ' ', 'eyJhbGciOiJub25lIn0.e30.'])('%j', async text => {
    expect(await flawOf(text)).toBe('token_malformed')
  })

  test('alg none, and the other name of the algorithm', async () => {
    const [, body = '', signature = ''] = token.split('.')
    for (const alg of ['none', 'HS256', 'Ed25519']) {
      const head = Buffer.from(JSON.stringify({ ...header(), alg })).toString('base64url')
      expect(await flawOf(`${head}.${body}.${signature}`)).toBe('token_malformed')
      expect(await flawOf(`${head}.${body}.`)).toBe('token_malformed')
    }
  })

  test('another key, whatever it says of itself', async () => {
    const own = await generateKeyPair('EdDSA', { extractable: true })
    const jwk = await exportJWK(own.publicKey)
    expect(await flawOf(await sign(own.privateKey, header(), FULL))).toBe('token_bad_signature')
    expect(await flawOf(await sign(own.privateKey, { ...HEADER, kid: 'mine' }, FULL))).toBe(
      'token_unknown_key',
    )
    expect(await flawOf(await sign(own.privateKey, { ...header(), jwk }, FULL))).toBe('token_malformed')
  })

  test.each(Object.keys(FULL))('signed with the true key, without %s', async claim => {
    const { [claim as 'iss']: _, ...rest } = FULL
    expect(await flawOf(await signed(header(), rest))).toBe('token_malformed')
  })

  test.each([
    ['another audience', { aud: 'lane.reply' }],
    ['two audiences', { aud: ['lane.policy', 'x'] }],
    ['an extra claim', { scope: 'all' }],
    ['a bare hash', { prh: '1'.repeat(64) }],
    ['an empty action', { act: '' }],
    ['a list of actions', { act: ['PUBLISH'] }],
    ['exp as text', { exp: '1793534400' }],
    ['a short jti', { jti: 'AA' }],
  ])('signed with the true key, with %s', async (_name, change) => {
    expect(await flawOf(await signed(header(), { ...FULL, ...change }))).toBe('token_malformed')
  })
})
