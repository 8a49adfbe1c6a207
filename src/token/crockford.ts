// Crockford base32: no I, L, O or U, so that text read aloud or retyped from a screen survives the trip.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** The first `length` characters of the bytes, five bits each. */
export function encode(bytes: Uint8Array, length: number): string {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5 && text.length < length; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 31]
    held &= (1 << bits) - 1
  }
  if (text.length < length) throw new RangeError(`${bytes.length} bytes are too few for ${length} characters`)
  return text
}
