// The reply handle is what travels: 26 characters that stand in for a reply token too long for a button or an SMS.
// The code is the four characters beside it that a robot following links does not have. Neither is kept: the lane
// stores the hash of the handle, and of the code a hash that counts for that handle alone.
import { type Hash, sha256 } from '../canonical.js'
import { encode } from './crockford.js'

const HANDLE_CHARACTERS = 26
const CODE_CHARACTERS = 4
export const HANDLE_BYTES = 17
export const CODE_BYTES = 3

const WRITTEN = /^[0-9a-hjkmnp-tv-z]{26}$/

/** 130 bits, written in lower case. */
export const writeHandle = (random: Uint8Array): string => encode(random, HANDLE_CHARACTERS)

/** Read in any case; anything else is not a handle. */
export function readHandle(text: string): string | null {
  if (text.length !== HANDLE_CHARACTERS) return null
  const lower = text.replace(/[A-Z]/g, letter => String.fromCharCode(letter.charCodeAt(0) + 32))
  return WRITTEN.test(lower) ? lower : null
}

/** 20 bits, written in upper case. */
export const writeCode = (random: Uint8Array): string => encode(random, CODE_CHARACTERS).toUpperCase()

/** As typed by a person: any case, and the three letters Crockford reads as the digits they resemble. */
export function readCode(typed: string): string | null {
  const folded = typed
    .replace(/[a-z]/g, letter => String.fromCharCode(letter.charCodeAt(0) - 32))
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{4}$/.test(folded) ? folded : null
}

export const hashHandle = (handle: string): Hash => sha256('lane/handle/v1\n', handle)
/** By the handle's hash, because a code that comes by SMS comes without the handle. Four characters can be searched for
 *  by whoever reads the database; they are of use only beside the handle or from the person's own number. */
export const hashCode = (handleHash: Hash, code: string): Hash =>
  sha256('lane/code/v1\n', handleHash, '\n', code)
