// The reply handle travels in place of the reply token, which is too long for a button or an SMS: 26 characters. The
// lane stores its hash alone.
import { type Hash, sha256 } from '../canonical.js'
import { encode } from './crockford.js'
import type { Mac } from './mac.js'

const HANDLE_CHARACTERS = 26
export const HANDLE_BYTES = 17

const WRITTEN = /^[0-9a-hjkmnp-tv-z]{26}$/

/** 130 bits, written in lower case. */
export const writeHandle = (random: Uint8Array): string => encode(random, HANDLE_CHARACTERS)

/** The page handle of an attempt on the web: who has the lane's key, and nobody else, can make it again. */
export const deriveHandle = (mac: Mac, deliveryId: string, attempt: number): string =>
  writeHandle(Buffer.from(mac(`lane/page-handle/v1\n${deliveryId}/${attempt}`), 'hex'))

/** Read in any case; anything else is not a handle. */
export function readHandle(text: string): string | null {
  if (text.length !== HANDLE_CHARACTERS) return null
  const lower = text.replace(/[A-Z]/g, letter => String.fromCharCode(letter.charCodeAt(0) + 32))
  return WRITTEN.test(lower) ? lower : null
}

export const hashHandle = (handle: string): Hash => sha256('lane/handle/v1\n', handle)
