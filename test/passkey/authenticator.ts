// An authenticator in software: keys of every algorithm that is taken, and assertions as a browser gives them. It does as
// it is told, also what no authenticator would do.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { hashCredential } from '../../src/passkey/credential.js'
import type { Evidence } from '../../src/passkey/evidence.js'
import type { PublicKey } from '../../src/passkey/public-key.js'

export const ALGORITHMS = ['ES256', 'EdDSA', 'RS256'] as const satisfies readonly PublicKey['alg'][]
type Algorithm = (typeof ALGORITHMS)[number]

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

export const PRESENT = 0x01
export const VERIFIED = 0x04
export const NEW_KEY = 0x40

/** What an assertion says, where it is not what it should say. */
export type Oddly = {
  readonly origin?: string
  readonly rpId?: string
  readonly flags?: number
  readonly type?: string
  readonly more?: object
}

export type Credential = {
  readonly credential_id: string
  readonly public_key: string
  readonly credential_hash: ReturnType<typeof hashCredential>
  /** What a browser gives when this key was just made. */
  attest(
    challenge: string,
    origin: string,
    oddly?: Oddly,
  ): { readonly client_data: string; readonly attestation: string }
  /** For a browser's own authenticator: PKCS #8, in base64. */
  readonly private_key: string
  /** Confirms a challenge at this origin. */
  assert(challenge: string, origin: string, oddly?: Oddly): Assertion
}
export type Assertion = Pick<
  Evidence,
  'credential_id' | 'authenticator_data' | 'client_data_json' | 'signature'
>

export function makeCredential(algorithm: Algorithm = 'ES256', idBytes = 16): Credential {
  const { publicKey, privateKey } = MADE[algorithm]()
  const named = { credential_id: base64url(randomBytes(idBytes)), public_key: base64url(coseOf(publicKey)) }
  return {
    ...named,
    credential_hash: hashCredential(named),
    private_key: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    attest(challenge, origin, oddly = {}) {
      const client = clientData('webauthn.create', challenge, origin, oddly)
      const id = Buffer.from(named.credential_id, 'base64url')
      const data = Buffer.concat([
        sha256(oddly.rpId ?? new URL(origin).hostname),
        Buffer.of(oddly.flags ?? PRESENT | VERIFIED | NEW_KEY, 0, 0, 0, 0),
        Buffer.alloc(16),
        Buffer.of(id.length >> 8, id.length & 0xff),
        id,
        Buffer.from(named.public_key, 'base64url'),
      ])
      return { client_data: base64url(client), attestation: base64url(attestationOf(data)) }
    },
    assert(challenge, origin, oddly = {}) {
      const client = clientData('webauthn.get', challenge, origin, oddly)
      const rpId = oddly.rpId ?? new URL(origin).hostname
      const flags = Buffer.of(oddly.flags ?? PRESENT | VERIFIED, 0, 0, 0, 0)
      const data = Buffer.concat([sha256(rpId), flags])
      const signed = Buffer.concat([data, sha256(client)])
      const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', signed, privateKey)
      return {
        credential_id: named.credential_id,
        authenticator_data: base64url(data),
        client_data_json: base64url(client),
        signature: base64url(signature),
      }
    },
  }
}

const clientData = (type: string, challenge: string, origin: string, oddly: Oddly): Buffer =>
  Buffer.from(
    JSON.stringify({
      type: oddly.type ?? type,
      challenge,
      origin: oddly.origin ?? origin,
      crossOrigin: false,
      ...oddly.more,
    }),
  )

/** {fmt: "none", attStmt: {}, authData} as CBOR. */
const attestationOf = (data: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
    Buffer.of(0x59, data.length >> 8, data.length & 0xff),
    data,
  ])

type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
const MADE: Readonly<Record<Algorithm, () => Pair>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

/** The key as COSE, written out from RFC 9053 and RFC 8230. */
function coseOf(key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' })
  const bytes = (member: string | undefined): Buffer => Buffer.from(member ?? '', 'base64url')
  if (jwk.kty === 'EC')
    return Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      bytes(jwk.x),
      Buffer.from('225820', 'hex'),
      bytes(jwk.y),
    ])
  if (jwk.kty === 'OKP') return Buffer.concat([Buffer.from('a4010103272006215820', 'hex'), bytes(jwk.x)])
  return Buffer.concat([
    Buffer.from('a401030339010020590100', 'hex'),
    bytes(jwk.n),
    Buffer.from('2143010001', 'hex'),
  ])
}
