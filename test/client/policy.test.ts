// The right to act, checked where it is about to be used: nothing but the lane's own statement about exactly this passes.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { CompactSign, type CryptoKey, exportJWK, generateKeyPair } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashOf } from '../../src/canonical.js'
import { assertApproved, hashParameters, type Jwks, NotApproved } from '../../src/client/index.js'
import { fetching } from '../../src/client/jwks.js'

const NOW = Date.parse('2026-02-17T12:00:00.000Z')
const PARAMETERS = { artifact: `sha256:${'a'.repeat(64)}`, notes: `sha256:${'b'.repeat(64)}` }
const HEADER = { alg: 'EdDSA', typ: 'lane-policy+jwt', kid: 'k1' }
const CLAIMS = {
  iss: 'interrupt-lane',
  aud: 'lane.policy',
  sub: 'key-1',
  jti: 'AAECAwQFBgcICQoLDA0ODw',
  iat: NOW / 1000 - 60,
  exp: NOW / 1000 + 840,
  run: 'run-9',
  req: 'ship-42',
  act: 'PUBLISH',
  prh: hashOf('lane/parameters/v1', PARAMETERS),
  rqh: `sha256:${'1'.repeat(64)}`,
  rev: `sha256:${'2'.repeat(64)}`,
}

let key: CryptoKey
let jwks: Jwks
beforeAll(async () => {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  key = pair.privateKey
  jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1' }] }
})

const sign = (
  claims: unknown = CLAIMS,
  header: Record<string, unknown> = HEADER,
  by = key,
): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader(header as { alg: string }).sign(by)

const codeOf = async (
  token: string,
  { action = 'PUBLISH', parameters = PARAMETERS as Record<string, string>, now = NOW, keys = jwks } = {},
): Promise<string> => {
  try {
    await assertApproved(token, action, parameters, { jwks: keys, now })
    return 'approved'
  } catch (error) {
    if (!(error instanceof NotApproved)) throw error
    return error.code
  }
}

describe('assertApproved', () => {
  test('gives the claims of a token for exactly this action on exactly these parameters', async () => {
    const parameters = { notes: PARAMETERS.notes, artifact: PARAMETERS.artifact }
    expect(await assertApproved(await sign(), 'PUBLISH', parameters, { jwks, now: NOW })).toEqual(CLAIMS)
  })

  test.each<[string, { action?: string; parameters?: Record<string, string>; now?: number }, string]>([
    ['another action', { action: 'EXPORT' }, 'action_mismatch'],
    [
      'one parameter changed',
      { parameters: { ...PARAMETERS, notes: PARAMETERS.artifact } },
      'parameters_mismatch',
    ],
    ['one parameter fewer', { parameters: { artifact: PARAMETERS.artifact } }, 'parameters_mismatch'],
    ['one parameter more', { parameters: { ...PARAMETERS, more: PARAMETERS.notes } }, 'parameters_mismatch'],
    ['the moment it expires', { now: CLAIMS.exp * 1000 }, 'token_expired'],
  ])('%s is not approved', async (_, how, code) => {
    expect(await codeOf(await sign(), how)).toBe(code)
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a reply token', { aud: 'lane.reply' }, { typ: 'lane-reply+jwt' }],
    ['an audience that is another', { aud: 'lane.reply' }, {}],
    ['another issuer', { iss: 'someone' }, {}],
    ['a claim too many', { admin: true }, {}],
    ['a claim that is no hash', { prh: 'sha256:0' }, {}],
    ['an expiry that is no number', { exp: '9999999999' }, {}],
    ['a header with an address of its own for keys', {}, { jku: 'https://example.org/keys' }],
    ['a type in other letters', {}, { typ: 'LANE-POLICY+JWT' }],
  ])('%s is malformed, though the lane’s key signed it', async (_, claims, header) => {
    expect(await codeOf(await sign({ ...CLAIMS, ...claims }, { ...HEADER, ...header }))).toBe(
      'token_malformed',
    )
  })

  test('a missing claim is malformed', async () => {
    const { rev: _, ...rest } = CLAIMS
    expect(await codeOf(await sign(rest))).toBe('token_malformed')
  })

  test('a stranger’s key, and a key the lane does not have', async () => {
    const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
    expect(await codeOf(await sign(CLAIMS, HEADER, privateKey))).toBe('token_bad_signature')
    expect(await codeOf(await sign(CLAIMS, { ...HEADER, kid: 'k2' }))).toBe('token_unknown_key')
  })

  test('alg none, and HMAC with the public key, are malformed', async () => {
    const [, body, signature] = (await sign()).split('.')
    for (const alg of ['none', 'HS256', 'ES256']) {
      const head = Buffer.from(JSON.stringify({ ...HEADER, alg })).toString('base64url')
      expect(await codeOf(`${head}.${body}.${signature}`)).toBe('token_malformed')
      expect(await codeOf(`${head}.${body}.`)).toBe('token_malformed')
    }
  })

  test('another spelling of the same signature is malformed, and every changed character is refused', async () => {
    const token = await sign()
    const last = token.at(-1) ?? ''
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const sibling = letters[letters.indexOf(last) ^ 1] ?? ''
    expect(await codeOf(token.slice(0, -1) + sibling)).toBe('token_malformed')
    for (const other of [`${token}=`, ` ${token}`, `${token}\n`, `${token}.`, token.toLowerCase(), ''])
      expect(await codeOf(other)).toBe('token_malformed')
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...letters), async (at, letter) => {
        fc.pre(token[at] !== letter)
        expect(await codeOf(token.slice(0, at) + letter + token.slice(at + 1))).not.toBe('approved')
      }),
    )
  })

  test('a key that is not Ed25519 verifies nothing', async () => {
    const keys = { keys: jwks.keys.map(jwk => ({ ...jwk, crv: 'X25519' })) }
    expect(await codeOf(await sign(), { keys })).toBe('token_unknown_key')
  })

  test('the hash of the parameters is the lane’s, whatever their names and values', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })),
        parameters => {
          expect(hashParameters(parameters)).toBe(hashOf('lane/parameters/v1', parameters))
        },
      ),
    )
  })

  test('an address is fetched once in a while; where nothing answers, nothing is approved', async () => {
    let fetched = 0
    const server = createServer((_, response) => {
      fetched += 1
      response.end(JSON.stringify(jwks))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
    const token = await sign()
    for (let times = 0; times < 3; times++)
      expect((await assertApproved(token, 'PUBLISH', PARAMETERS, { jwks: url, now: NOW })).req).toBe(
        'ship-42',
      )
    const forged = await sign(CLAIMS, { ...HEADER, kid: 'k9' })
    for (let times = 0; times < 3; times++)
      await expect(
        assertApproved(forged, 'PUBLISH', PARAMETERS, { jwks: url, now: NOW }),
      ).rejects.toMatchObject({
        code: 'token_unknown_key',
      })
    expect(fetched).toBe(1)
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    const gone = assertApproved(token, 'PUBLISH', PARAMETERS, { jwks: `${url}?gone`, now: NOW })
    await expect(gone).rejects.toMatchObject({ name: 'NotApproved', code: 'keys_unavailable' })
  })

  test('a key that was revoked is taken no longer than five minutes; without the lane what was fetched last holds', async () => {
    let served: Jwks | null = jwks
    const server = createServer((_request, response) => {
      if (served === null) response.writeHead(503)
      response.end(JSON.stringify(served))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const time = { now: 0 }
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
    const keys = fetching(url, { monotonic: () => time.now })
    expect(await keys.find('k1')).not.toBeNull()
    served = null
    time.now += 300_000
    expect(await keys.find('k1')).not.toBeNull()
    served = { keys: [] }
    time.now += 299_999
    expect(await keys.find('k1')).not.toBeNull()
    time.now += 1
    expect(await keys.find('k1')).toBeNull()
    server.close()
  })
})
