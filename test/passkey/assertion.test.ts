// A confirmation by a passkey, from its bytes alone: what is taken, and each way in which it is none.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkAssertion } from '../../src/passkey/assertion.js'
import { decode, encode } from '../../src/passkey/base64url.js'
import { type Confirmed, challengeOf } from '../../src/passkey/challenge.js'
import { hashCredential } from '../../src/passkey/credential.js'
import { type Evidence, hashEvidence, isEvidence } from '../../src/passkey/evidence.js'
import { readPublicKey } from '../../src/passkey/public-key.js'
import { ALGORITHMS, makeCredential, type Oddly, PRESENT, VERIFIED } from './authenticator.js'

const ORIGIN = 'https://lane.example.org'
const SAID: Confirmed = {
  nonce: encode(new Uint8Array(32).fill(7)),
  request_id: 'ship-42',
  request_hash: `sha256:${'1'.repeat(64)}`,
  delivery_id: 'd-1',
  display_hash: `sha256:${'2'.repeat(64)}`,
  reply: 'NO',
}
const confirmed = (algorithm: (typeof ALGORITHMS)[number], oddly: Oddly = {}, said = SAID): Evidence => {
  const credential = makeCredential(algorithm)
  const { public_key } = credential
  return { ...credential.assert(challengeOf(said), ORIGIN, oddly), public_key, nonce: said.nonce }
}

describe.each(ALGORITHMS)('an assertion by %s', algorithm => {
  test('is taken for what it was made for', async () => {
    const evidence = confirmed(algorithm)
    expect(isEvidence(evidence)).toBe(true)
    expect(await checkAssertion(evidence, challengeOf(SAID))).toEqual({ ok: true, origin: ORIGIN })
  })

  test.each<[string, Partial<Confirmed>]>([
    ['turned from NO to YES', { reply: 'YES' }],
    ['for another request', { request_id: 'ship-43' }],
    ['for another content of the request', { request_hash: `sha256:${'3'.repeat(64)}` }],
    ['for another delivery', { delivery_id: 'd-2' }],
    ['for another display', { display_hash: `sha256:${'3'.repeat(64)}` }],
    ['with another nonce', { nonce: encode(new Uint8Array(32)) }],
  ])('%s answers another challenge', async (_, other) => {
    expect(await checkAssertion(confirmed(algorithm), challengeOf({ ...SAID, ...other }))).toEqual({
      ok: false,
      flaw: 'another_challenge',
    })
  })

  test('with another challenge written into it is signed by nobody', async () => {
    const evidence = confirmed(algorithm)
    const challenge = challengeOf({ ...SAID, reply: 'YES' })
    const client = Buffer.from(evidence.client_data_json, 'base64url').toString()
    const turned = client.replace(challengeOf(SAID), challenge)
    const forged = { ...evidence, client_data_json: encode(Buffer.from(turned)) }
    expect(await checkAssertion(forged, challenge)).toEqual({ ok: false, flaw: 'another_key' })
  })

  test('of another key is none of this one', async () => {
    const forged = { ...confirmed(algorithm), public_key: makeCredential(algorithm).public_key }
    expect(await checkAssertion(forged, challengeOf(SAID))).toEqual({ ok: false, flaw: 'another_key' })
  })

  test('with any byte of its signature changed is signed by nobody', async () => {
    const evidence = confirmed(algorithm)
    const signature = Buffer.from(evidence.signature, 'base64url')
    for (const at of [0, 1, 5, signature.length - 1]) {
      const other = Buffer.from(signature)
      other[at] = (other[at] ?? 0) ^ 1
      const { ok } = await checkAssertion({ ...evidence, signature: encode(other) }, challengeOf(SAID))
      expect(ok).toBe(false)
    }
    const longer = encode(Buffer.concat([signature, Buffer.of(0)]))
    expect(await checkAssertion({ ...evidence, signature: longer }, challengeOf(SAID))).toMatchObject({
      ok: false,
    })
  })
})

test.each<[string, Oddly, string]>([
  ['without anybody there', { flags: VERIFIED }, 'nobody_verified'],
  ['without user verification', { flags: PRESENT }, 'nobody_verified'],
  ['from another origin', { origin: 'https://lane.example.com' }, 'another_origin'],
  ['from a page of a subdomain', { origin: 'https://evil.lane.example.org' }, 'another_origin'],
  ['from a page over http', { origin: 'http://lane.example.org' }, 'another_origin'],
  ['for another relying party', { rpId: 'example.org' }, 'another_origin'],
  ['from a page in somebody’s frame', { more: { crossOrigin: true } }, 'another_origin'],
  ['of a registration', { type: 'webauthn.create' }, 'no_assertion'],
  ['with a new key in it', { flags: PRESENT | VERIFIED | 0x40 }, 'no_assertion'],
  ['with extensions that are not there', { flags: PRESENT | VERIFIED | 0x80 }, 'no_assertion'],
])('an assertion %s is refused', async (_, oddly, flaw) => {
  expect(await checkAssertion(confirmed('ES256', oddly), challengeOf(SAID))).toEqual({ ok: false, flaw })
})

test('a key has one encoding, and a point that is on no curve is none', async () => {
  const evidence = confirmed('ES256')
  const key = Buffer.from(evidence.public_key, 'base64url')
  expect(readPublicKey(key)?.alg).toBe('ES256')
  for (const other of [
    key.subarray(0, -1),
    Buffer.concat([key, Buffer.of(0)]),
    key.with(3, 0x02),
    key.with(0, 0xa4),
  ])
    expect(readPublicKey(other)).toBeNull()
  const nowhere = Buffer.from(key)
  nowhere.fill(1, 10, 42)
  expect(await checkAssertion({ ...evidence, public_key: encode(nowhere) }, challengeOf(SAID))).toEqual({
    ok: false,
    flaw: 'another_key',
  })
})

test('base64url has one spelling', () => {
  expect(encode(Buffer.from([251, 255, 1]))).toBe('-_8B')
  expect(decode('-_8B')).toEqual(Uint8Array.of(251, 255, 1))
  for (const text of ['-_8C=', '+/8B', '-', 'AB', 'A A']) expect(decode(text)).toBeNull()
})

test('evidence has its members, each base64url, and no others', () => {
  const evidence = confirmed('ES256')
  const { nonce: _, ...lacking } = evidence
  const long = encode(new Uint8Array(2000))
  for (const odd of [
    null,
    [],
    lacking,
    { ...evidence, more: '' },
    { ...evidence, signature: 7 },
    { ...evidence, signature: '=' },
    { ...evidence, signature: '' },
    { ...evidence, signature: long },
  ])
    expect(isEvidence(odd)).toBe(false)
})

type Vector = {
  readonly name: string
  readonly confirmed: Confirmed
  readonly challenge: string
  readonly evidence: Evidence
  readonly evidence_hash: string
  readonly credential_hash: string
  readonly flaw: string | null
}
const VECTORS: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../vectors/passkeys/assertions.json', import.meta.url), 'utf8'),
)

test.each(VECTORS.map(vector => [vector.name, vector] as const))('the vector: %s', async (_, vector) => {
  expect(challengeOf(vector.confirmed)).toBe(vector.challenge)
  expect(hashEvidence(vector.evidence)).toBe(vector.evidence_hash)
  expect(hashCredential(vector.evidence)).toBe(vector.credential_hash)
  const checked = await checkAssertion(vector.evidence, vector.challenge)
  expect(checked.ok ? null : checked.flaw).toBe(vector.flaw)
})
