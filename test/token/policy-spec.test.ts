// docs/spec/policy-token.md, held to the code: its example is recomputed, by our rooms and past them.
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { canonical } from '../../src/canonical.js'
import { hashParameters } from '../../src/director/direct.js'
import { CODES } from '../../src/http/problem.js'
import { hashRequest, type Request } from '../../src/request/request.js'
import { mintPolicyToken, type PolicyClaims, verifyPolicyToken } from '../../src/token/policy-token.js'
import { START } from '../lane/stage.js'
import { type ExampleKey, exampleRing } from './example-ring.js'
import { openShelf } from './ring.js'

const read = (page: string): string =>
  readFileSync(new URL(`../../docs/spec/${page}`, import.meta.url), 'utf8')
const page = read('policy-token.md')
const block = (text: string, name: string): string => {
  const found = new RegExp(`\`\`\`(?:json|text) ${name}\n([\\s\\S]*?)\n\`\`\``).exec(text)?.[1]
  if (found === undefined) throw new Error(`the page has no block ${name}`)
  return found
}
const key = JSON.parse(block(read('reply-token.md'), 'key')) as ExampleKey
const request = JSON.parse(block(read('reply-token.md'), 'request')) as Request & { parameters: object }
const claims = JSON.parse(block(page, 'claims')) as PolicyClaims & { iss: string; aud: string }
const token = block(page, 'token')
const KID = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'

const opened = openShelf()
afterAll(opened.close)

describe('the example of docs/spec/policy-token.md', () => {
  test('its claims bind the request and its parameters, by our code and by the formula', () => {
    expect(claims).toMatchObject({ rqh: hashRequest(request), prh: hashParameters(request.parameters) })
    const text = `lane/parameters/v1\n${canonical(request.parameters)}`
    expect(claims.prh).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`)
    expect(claims.exp - claims.iat).toBe(900)
    expect(claims.iat * 1000).toBe(Date.parse('2026-11-01T12:05:00.000Z'))
  })

  test('our mint makes exactly this token, and our verify reads these claims from it', async () => {
    const { iss: _iss, aud: _aud, ...ours } = claims
    const ring = await exampleRing(opened.shelf, key, KID)
    expect(await mintPolicyToken(ring, ours)).toBe(token)
    expect(await verifyPolicyToken(ring, token, START)).toEqual({ ok: true, claims: ours })
  })

  test('so does a reader who has the pages and an Ed25519 library alone', () => {
    const [head = '', body = '', signature = ''] = token.split('.')
    const parsed = JSON.parse(Buffer.from(head, 'base64url').toString())
    expect(parsed).toEqual({ alg: 'EdDSA', typ: 'lane-policy+jwt', kid: KID })
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toEqual(claims)
    const publicKey = createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: 'jwk' })
    const input = Buffer.from(`${head}.${body}`)
    expect(verifySignature(null, input, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
  })
})

describe('the tables of the page', () => {
  test('the claims are those of the token', () => {
    const section = page.slice(page.indexOf('| claim |'), page.indexOf('`expires_at` is'))
    expect([...section.matchAll(/^\| ([a-z]{3}) \|/gm)].map(([, claim]) => claim)).toEqual(
      Object.keys(claims),
    )
  })

  test('the codes of a refused spend are the door’s, with their statuses', () => {
    const rows = [...page.matchAll(/^\| \d \|.*\| (\d{3}) `(\w+)` \|$/gm)]
    expect(rows).toHaveLength(6)
    for (const [, status, code] of rows) expect(CODES[code as keyof typeof CODES][0]).toBe(Number(status))
  })
})
