// [LANE-043] and every other way in which a token may be almost one.
import { createHmac, createPublicKey } from 'node:crypto'
import fc from 'fast-check'
import { base64url, compactVerify, exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashToken } from '../../src/token/jws.js'
import { type Keyring, rotate } from '../../src/token/keyring.js'
import { mint, verify } from '../../src/token/reply-token.js'
import { SECRET, START } from '../lane/stage.js'
import { CLAIMS, FULL, HEADER, openShelf, sign } from './ring.js'

const { shelf, close } = openShelf()
let ring: Keyring
let token: string
let parts: [string, string, string]

beforeAll(async () => {
  ring = (await rotate(shelf, SECRET, START)).keyring
  token = await mint(ring, CLAIMS)
  parts = token.split('.') as [string, string, string]
})
afterAll(close)

const header = () => ({ ...HEADER, kid: ring.signing.kid })
const flawOf = async (text: string): Promise<string> => {
  const verified = await verify(ring, text, START)
  return verified.ok ? 'accepted' : verified.flaw
}
const signed = (head: Record<string, unknown>, payload: unknown) => sign(ring.signing.key, head, payload)
const encoded = (value: unknown): string => base64url.encode(JSON.stringify(value))
const flipped = (text: string, index: number, bit: number): string =>
  text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ (1 << bit)) + text.slice(index + 1)

describe('a token of ours', () => {
  test('says exactly what was minted', async () => {
    expect(await verify(ring, token, START)).toEqual({ ok: true, claims: CLAIMS })
  })

  test('is a compact JWS of type lane-reply+jwt, signed with EdDSA under the current kid', () => {
    expect(JSON.parse(Buffer.from(parts[0], 'base64url').toString())).toEqual(header())
    expect(JSON.parse(Buffer.from(parts[1], 'base64url').toString())).toEqual(FULL)
  })

  test('the same claims and key give the same token; its hash is over its bytes', async () => {
    expect(await mint(ring, CLAIMS)).toBe(token)
    expect(hashToken(token)).not.toBe(hashToken(flipped(token, token.length - 1, 0)))
  })

  test('claims that could not be verified are not minted', () => {
    for (const flaw of [{ jti: 'short' }, { sub: '' }, { ch: 'fax' }, { rqh: 'sha256:1' }, { exp: 1.5 }]) {
      expect(() => mint(ring, { ...CLAIMS, ...flaw } as typeof CLAIMS)).toThrow()
    }
  })
})

describe('a token with something changed', () => {
  test('[LANE-043] one flipped bit of any character is refused', async () => {
    const flaws = new Set<string>()
    for (let index = 0; index < token.length; index++) {
      for (let bit = 0; bit < 8; bit++) flaws.add(await flawOf(flipped(token, index, bit)))
    }
    expect([...flaws].sort()).toEqual(['token_bad_signature', 'token_malformed', 'token_unknown_key'])
  })

  test('[LANE-043] one flipped bit of any signed or signing byte is refused, however it is spelt', async () => {
    const accepted: string[] = []
    for (const [place, part] of parts.entries()) {
      const bytes = Buffer.from(part, 'base64url')
      for (let index = 0; index < bytes.length * 8; index++) {
        const changed = Buffer.from(bytes)
        changed.writeUInt8(changed.readUInt8(index >> 3) ^ (1 << (index & 7)), index >> 3)
        const text = parts.with(place, changed.toString('base64url')).join('.')
        if ((await flawOf(text)) === 'accepted') accepted.push(`part ${place} bit ${index}`)
      }
    }
    expect(accepted).toEqual([])
  })

  test('other spellings of the last signature character are refused, though the library would take them', async () => {
    const key = await ring.verifier(ring.signing.kid, START)
    if (key === null) throw new Error('the signing key must verify')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const bytes = Buffer.from(parts[2], 'base64url')
    const spellings = [...alphabet]
      .map(last => parts[2].slice(0, -1) + last)
      .filter(text => text !== parts[2] && Buffer.from(text, 'base64url').equals(bytes))
    expect(spellings).toHaveLength(15)
    for (const spelling of spellings) {
      const text = `${parts[0]}.${parts[1]}.${spelling}`
      await expect(compactVerify(text, key)).resolves.toBeDefined()
      expect(await flawOf(text)).toBe('token_malformed')
    }
  })

  test.each([
    ['a line feed at the end', () => `${token}\n`],
    ['a blank before it', () => ` ${token}`],
    [
      'a line feed inside the header',
      () => `${parts[0].slice(0, 8)}\n${parts[0].slice(8)}.${parts[1]}.${parts[2]}`,
    ],
    [
      'a line feed inside the payload',
      () => `${parts[0]}.${parts[1].slice(0, 9)}\r\n${parts[1].slice(9)}.${parts[2]}`,
    ],
    [
      'a line feed inside the signature',
      () => `${parts[0]}.${parts[1]}.${parts[2].slice(0, 9)}\n${parts[2].slice(9)}`,
    ],
    ['padding', () => `${token}==`],
    ['a letter of the other base64 alphabet', () => `+${token.slice(1)}`],
    ['a fourth part', () => `${token}.${parts[2]}`],
    ['an empty fourth part', () => `${token}.`],
    ['no signature', () => `${parts[0]}.${parts[1]}.`],
    ['no header', () => `.${parts[1]}.${parts[2]}`],
    ['no payload (detached)', () => `${parts[0]}..${parts[2]}`],
    ['nothing at all', () => ''],
    ['two dots', () => '..'],
    ['parts of one character, which no bytes spell', () => 'e.e.e'],
    ['a header one character short', () => `${parts[0].slice(0, 5)}.${parts[1]}.${parts[2]}`],
    ['a NUL', () => `${token}\0`],
    ['a look-alike letter', () => `\u0435${token.slice(1)}`],
    ['upper case', () => token.toUpperCase()],
    ['itself twice', () => token + token],
    [
      'the flattened JSON form',
      () => JSON.stringify({ protected: parts[0], payload: parts[1], signature: parts[2] }),
    ],
    ['far too many characters', () => `${parts[0]}.${'A'.repeat(1_000_000)}.${parts[2]}`],
  ])('%s: token_malformed', async (_name, text) => {
    expect(text()).not.toBe(token)
    expect(await flawOf(text())).toBe('token_malformed')
  })

  test('a signature cut short, drawn out or emptied to zeros is refused', async () => {
    const bytes = Buffer.from(parts[2], 'base64url')
    const variants = [
      bytes.subarray(0, 63),
      bytes.subarray(0, 32),
      Buffer.alloc(64),
      Buffer.concat([bytes, Buffer.alloc(1)]),
    ]
    for (const variant of variants) {
      expect(await flawOf(`${parts[0]}.${parts[1]}.${variant.toString('base64url')}`)).toBe(
        'token_bad_signature',
      )
    }
  })

  test('a signature with S raised by the group order (the other root of the same equation) is refused', async () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const bytes = Buffer.from(parts[2], 'base64url')
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
    const raised = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()
    const text = `${parts[0]}.${parts[1]}.${Buffer.concat([bytes.subarray(0, 32), raised]).toString('base64url')}`
    expect(await flawOf(text)).toBe('token_bad_signature')
  })

  test('the signature of another token of ours does not sign this one', async () => {
    const other = (await mint(ring, { ...CLAIMS, req: 'other' })).split('.')
    expect(await flawOf(`${parts[0]}.${parts[1]}.${other[2]}`)).toBe('token_bad_signature')
    expect(await flawOf(`${parts[0]}.${other[1]}.${parts[2]}`)).toBe('token_bad_signature')
  })

  test('arbitrary text is never accepted and never throws', async () => {
    const piece = fc.oneof(fc.base64String(), fc.string({ unit: 'binary' }), fc.constantFrom(...'.-_=', ''))
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async pieces => {
        expect(await flawOf(pieces.join('.'))).toBe('token_malformed')
      }),
    )
  })
})

describe('a token that takes the rules from itself', () => {
  const forged = (head: unknown, signature: string, body: string = parts[1]) =>
    `${encoded(head)}.${body}.${signature}`

  test.each(['none', 'None', 'NONE', 'nOnE'])(
    'alg %s is refused, with and without a signature',
    async alg => {
      expect(await flawOf(forged({ ...header(), alg }, ''))).toBe('token_malformed')
      expect(await flawOf(forged({ ...header(), alg }, parts[2]))).toBe('token_malformed')
    },
  )

  test('HS256 keyed with our public key, in each form it is published or stored in, is refused', async () => {
    const jwk = ring.jwks(START).keys[0]
    if (jwk === undefined) throw new Error('the ring publishes its key')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: jwk.x ?? '' }, format: 'jwk' })
    const secrets = [
      Buffer.from(jwk.x ?? '', 'base64url'),
      Buffer.from(jwk.x ?? ''),
      Buffer.from(JSON.stringify(jwk)),
      key.export({ type: 'spki', format: 'der' }),
      Buffer.from(key.export({ type: 'spki', format: 'pem' })),
    ]
    for (const secret of secrets) {
      for (const head of [{ ...header(), alg: 'HS256' }, header()]) {
        const input = `${encoded(head)}.${parts[1]}`
        const mac = createHmac('sha256', secret).update(input).digest('base64url')
        expect(await flawOf(`${input}.${mac}`)).toBe(
          head.alg === 'HS256' ? 'token_malformed' : 'token_bad_signature',
        )
      }
    }
  })

  test('a key that the token brings along is not used', async () => {
    const own = await generateKeyPair('EdDSA', { extractable: true })
    const jwk = await exportJWK(own.publicKey)
    expect(await flawOf(await sign(own.privateKey, { ...header(), jwk }, FULL))).toBe('token_malformed')
    expect(await flawOf(await sign(own.privateKey, header(), FULL))).toBe('token_bad_signature')
    expect(await flawOf(await sign(own.privateKey, { ...HEADER, kid: 'mine' }, FULL))).toBe(
      'token_unknown_key',
    )
  })

  test.each([
    ['another typ', { typ: 'JWT' }],
    ['typ in another case', { typ: 'LANE-REPLY+JWT' }],
    ['typ with its media type prefix', { typ: 'application/lane-reply+jwt' }],
    ['a policy token type', { typ: 'lane-policy+jwt' }],
    ['no typ', { typ: undefined }],
    ['no kid', { kid: undefined }],
    ['a kid that is a number', { kid: 7 }],
    ['a jku', { jku: 'https://example.org/jwks.json' }],
    ['an x5c', { x5c: ['AA'] }],
    ['a cty', { cty: 'JWT' }],
    ['the other name of the algorithm', { alg: 'Ed25519' }],
  ])('%s, signed with the true key: token_malformed', async (_name, change) => {
    expect(await flawOf(await signed({ ...header(), ...change }, FULL))).toBe('token_malformed')
  })

  test('a crit or b64 header is refused before anything is verified', async () => {
    for (const more of [{ crit: ['exp'], exp: 1 }, { b64: true }, { crit: [] }]) {
      expect(await flawOf(forged({ ...header(), ...more }, parts[2]))).toBe('token_malformed')
    }
  })

  test.each(['__proto__', 'constructor', 'toString', '', '../../etc/passwd', "' OR 1=1"])(
    'kid %j names no key',
    async kid => {
      expect(await flawOf(await signed({ ...HEADER, kid }, FULL))).toBe('token_unknown_key')
    },
  )
})

describe('claims, signed with the true key', () => {
  test('the whole set is accepted: what is refused below is refused for its change', async () => {
    expect(await flawOf(await signed(header(), FULL))).toBe('accepted')
  })

  test.each(Object.keys(FULL))('without %s: token_malformed', async claim => {
    const { [claim as 'iss']: _, ...rest } = FULL
    expect(await flawOf(await signed(header(), rest))).toBe('token_malformed')
  })

  test.each([
    ['another iss', { iss: 'interrupt-lane.example' }],
    ['another aud', { aud: 'lane.policy' }],
    ['a list of audiences', { aud: ['lane.reply'] }],
    ['two audiences', { aud: ['lane.reply', 'other'] }],
    ['an empty sub', { sub: '' }],
    ['a sub that is an object', { sub: { user_id: 'owner' } }],
    ['a short jti', { jti: 'AAECAwQFBgcICQoLDA0OD' }],
    ['a long jti', { jti: 'AAECAwQFBgcICQoLDA0ODwA' }],
    ['a jti with a line feed', { jti: 'AAECAwQFBgcICQoLDA0OD\n' }],
    ['exp as text', { exp: '1793534400' }],
    ['exp with a fraction', { exp: CLAIMS.exp + 0.5 }],
    ['exp beyond all integers', { exp: 1e300 }],
    ['exp null', { exp: null }],
    ['iat as text', { iat: 'now' }],
    ['an empty req', { req: '' }],
    ['a bare request hash', { rqh: '1'.repeat(64) }],
    ['a request hash in upper case', { rqh: `sha256:${'A'.repeat(64)}` }],
    ['a schema hash of another length', { rsh: `sha256:${'2'.repeat(63)}` }],
    ['a display hash with a line feed', { dsh: `sha256:${'3'.repeat(64)}\n` }],
    ['an unknown channel', { ch: 'fax' }],
    ['a channel in capitals', { ch: 'SLACK' }],
    ['an extra claim', { role: 'admin' }],
    ['an nbf', { nbf: 0 }],
  ])('%s: token_malformed', async (_name, change) => {
    expect(await flawOf(await signed(header(), { ...FULL, ...change }))).toBe('token_malformed')
  })

  test.each([
    ['no JSON', 'yes'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"owner"'],
    ['JSON with trailing text', `${JSON.stringify(FULL)} x`],
    ['a byte order mark', `\uFEFF${JSON.stringify(FULL)}`],
    [
      'an inherited claim',
      JSON.stringify({ ...FULL, sub: undefined }).replace('{', '{"__proto__":{"sub":"owner"},'),
    ],
  ])('%s as payload: token_malformed', async (_name, payload) => {
    expect(await flawOf(await signed(header(), payload))).toBe('token_malformed')
  })

  test('more than 2048 characters are refused unread, however truly they are signed', async () => {
    expect(await flawOf(await signed(header(), { ...FULL, sub: 'o'.repeat(800) }))).toBe('accepted')
    expect(await flawOf(await signed(header(), { ...FULL, sub: 'o'.repeat(1_200) }))).toBe('token_malformed')
  })

  test('expiry is not judged here: the ledger decides, by its own clock', async () => {
    expect(await flawOf(await signed(header(), { ...FULL, exp: 1 }))).toBe('accepted')
  })
})
