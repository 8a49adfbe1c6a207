// The one function of node:crypto that the checking code needs, for a browser: SHA-256 (FIPS 180-4) in one go, because a
// browser's own is asynchronous and the code is not.

const primes = count => {
  const found = []
  for (let candidate = 2; found.length < count; candidate++)
    if (found.every(prime => candidate % prime !== 0)) found.push(candidate)
  return found
}
/** The first 32 bits of the fractional part. */
const fraction = value => ((value - Math.floor(value)) * 2 ** 32) | 0
const K = primes(64).map(prime => fraction(Math.cbrt(prime)))
const START = primes(8).map(prime => fraction(Math.sqrt(prime)))

const turned = (word, by) => (word >>> by) | (word << (32 - by))

function digest(bytes) {
  const length = Math.ceil((bytes.length + 9) / 64) * 64
  const padded = new Uint8Array(length)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(length - 4, (bytes.length * 8) >>> 0)
  const state = [...START]
  const words = new Int32Array(64)
  for (let block = 0; block < length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + i * 4)
    for (let i = 16; i < 64; i++) {
      const [a, b] = [words[i - 15], words[i - 2]]
      const s0 = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)
      const s1 = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10)
      words[i] = (words[i - 16] + s0 + words[i - 7] + s1) | 0
    }
    let [a, b, c, d, e, f, g, h] = state
    for (let i = 0; i < 64; i++) {
      const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
      const one = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + words[i]) | 0
      const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0]
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] + word) | 0
  }
  const out = new DataView(new ArrayBuffer(32))
  for (const [i, word] of state.entries()) out.setInt32(i * 4, word)
  return new Uint8Array(out.buffer)
}

/** As node:crypto has it, for the encodings that are asked for. */
export function hash(_algorithm, data, encoding) {
  const bytes = digest(typeof data === 'string' ? new TextEncoder().encode(data) : data)
  if (encoding === 'binary') return String.fromCharCode(...bytes)
  if (encoding !== 'hex') return bytes
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
