// The public key of a passkey: COSE (RFC 9052) in the one encoding that CTAP2 allows, of the three algorithms that are
// taken here. Its bytes are compared with what such a key must look like, so no decoder of anything larger is needed.

export type PublicKey =
  | { readonly alg: 'ES256'; readonly x: Uint8Array; readonly y: Uint8Array }
  | { readonly alg: 'EdDSA'; readonly x: Uint8Array }
  | { readonly alg: 'RS256'; readonly n: Uint8Array }

/** {1: 2, 3: -7, -1: 1, -2: 32 bytes, -3: 32 bytes} */
const ES256 = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
const ES256_Y = [0x22, 0x58, 0x20]
/** {1: 1, 3: -8, -1: 6, -2: 32 bytes} */
const EDDSA = [0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20]
/** {1: 3, 3: -257, -1: as many bytes, -2: 65537} */
const RS256 = [0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59]
const RS256_E = [0x21, 0x43, 0x01, 0x00, 0x01]
const COORDINATE = 32
/** Bytes of a modulus: 2048, 3072 and 4096 bits. */
const MODULI = [256, 384, 512]

/** Null for what is no such key. Whether a point lies on its curve is asked where a signature is checked. */
export function readPublicKey(bytes: Uint8Array): PublicKey | null {
  return readEs256(bytes) ?? readEdDsa(bytes) ?? readRs256(bytes)
}

const holds = (bytes: Uint8Array, at: number, expected: readonly number[]): boolean =>
  expected.every((byte, index) => bytes[at + index] === byte)

function readEs256(bytes: Uint8Array): PublicKey | null {
  const middle = ES256.length + COORDINATE
  const y = middle + ES256_Y.length
  if (bytes.length !== y + COORDINATE || !holds(bytes, 0, ES256) || !holds(bytes, middle, ES256_Y))
    return null
  return { alg: 'ES256', x: bytes.slice(ES256.length, middle), y: bytes.slice(y) }
}

function readEdDsa(bytes: Uint8Array): PublicKey | null {
  if (bytes.length !== EDDSA.length + COORDINATE || !holds(bytes, 0, EDDSA)) return null
  const x = bytes.slice(EDDSA.length)
  return isWeak(x) ? null : { alg: 'EdDSA', x }
}

/** The y, in hexadecimal and the smallest byte first, of points that add up to nothing after eight times at most. */
const SMALL_ORDER = [
  '00'.repeat(COORDINATE),
  `01${'00'.repeat(COORDINATE - 1)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]
/** 2^255 - 20: this y is of order two, and those above it are others, spelt a second time. */
const LAST = `ec${'ff'.repeat(COORDINATE - 2)}7f`

/** Whether a point of Ed25519 is one of the few whose signatures hold for many messages, or has another spelling. */
function isWeak(point: Uint8Array): boolean {
  const y = point.with(COORDINATE - 1, (point[COORDINATE - 1] ?? 0) & 0x7f)
  const hex = Array.from(y, byte => byte.toString(16).padStart(2, '0'))
  const isAbove = hex.slice(1).join('') === LAST.slice(2) && (hex[0] ?? '') >= LAST.slice(0, 2)
  return isAbove || SMALL_ORDER.includes(hex.join(''))
}

function readRs256(bytes: Uint8Array): PublicKey | null {
  const begin = RS256.length + 2
  const size = (bytes[RS256.length] ?? 0) * 256 + (bytes[RS256.length + 1] ?? 0)
  const end = begin + size
  if (!holds(bytes, 0, RS256) || !MODULI.includes(size) || bytes.length !== end + RS256_E.length) return null
  // A modulus that begins with zeros is a shorter one, spelt otherwise.
  if (!holds(bytes, end, RS256_E) || (bytes[begin] ?? 0) < 0x80) return null
  return { alg: 'RS256', n: bytes.slice(begin, end) }
}
