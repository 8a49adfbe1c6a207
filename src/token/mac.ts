// HMAC-SHA-256 (RFC 2104) under one key, made of two digests. Every append and every row that gives a right is
// sealed, so this is asked for some ten times a request; an Hmac object of the platform costs three times as much,
// most of it garbage.
import { hash } from 'node:crypto'

/** 64 hex digits. */
export type Mac = (words: string) => string

const BLOCK = 64
const DIGEST = 32
/** Longer words have a buffer of their own. */
const USUAL_CHARS = 1_024
/** A UTF-16 unit is three bytes of UTF-8 at most. */
const BYTES_PER_CHAR = 3

export function macUnder(key: Uint8Array): Mac {
  if (key.length > BLOCK) throw new Error('a key of the ring is no longer than a block')
  const inner = Buffer.alloc(BLOCK + USUAL_CHARS * BYTES_PER_CHAR)
  const outer = Buffer.alloc(BLOCK + DIGEST)
  pad(inner, key, 0x36)
  pad(outer, key, 0x5c)
  return words => {
    const first = words.length <= USUAL_CHARS ? filled(inner, words) : grown(inner, words)
    outer.write(hash('sha256', first, 'binary'), BLOCK, 'latin1')
    return hash('sha256', outer, 'hex')
  }
}

function pad(block: Buffer, key: Uint8Array, value: number): void {
  for (let at = 0; at < BLOCK; at++) block[at] = (key[at] ?? 0) ^ value
}

const filled = (inner: Buffer, words: string): Buffer =>
  inner.subarray(0, BLOCK + inner.write(words, BLOCK, 'utf8'))

const grown = (inner: Buffer, words: string): Buffer =>
  Buffer.concat([inner.subarray(0, BLOCK), Buffer.from(words)])
