// The codes that people type. A page asks for four characters that came beside its link, which a robot following
// links does not have; an answer by text message ends with seven, which name its copy together with the number they
// came from. They are kept under a key of the ring: a reader of the database cannot search for them.

import { type Hash, sha256 } from '../canonical.js'
import type { Channel } from '../request/channel.js'
import { encode } from './crockford.js'
import type { Mac } from './mac.js'

const PAGE_CHARACTERS = 4
const REPLY_CHARACTERS = 7
/** 20 bits of three bytes, 35 bits of five. */
export const PAGE_CODE_BYTES = 3
export const REPLY_CODE_BYTES = 5

export const writePageCode = (random: Uint8Array): string => encode(random, PAGE_CHARACTERS).toUpperCase()
export const writeReplyCode = (random: Uint8Array): string => encode(random, REPLY_CHARACTERS).toUpperCase()

/** As typed by a person: any case, and the three letters Crockford reads as the digits they resemble. */
function read(typed: string, characters: number): string | null {
  const folded = typed
    .replace(/[a-z]/g, letter => String.fromCharCode(letter.charCodeAt(0) - 32))
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1')
  return folded.length === characters && /^[0-9A-HJKMNP-TV-Z]+$/.test(folded) ? folded : null
}

export const readPageCode = (typed: string): string | null => read(typed, PAGE_CHARACTERS)
export const readReplyCode = (typed: string): string | null => read(typed, REPLY_CHARACTERS)

/** It counts for one page alone. */
export const keepPageCode = (mac: Mac, handleHash: Hash, code: string): string =>
  `hmac:${mac(`lane/code/v2\npage\n${handleHash}\n${code}`)}`

/** It is searched for by its sender, because it comes without a handle. */
export const keepReplyCode = (mac: Mac, channel: Channel, userId: string, code: string): string =>
  `hmac:${mac(`lane/code/v2\nreply\n${channel}\n${userId}\n${code}`)}`

/** The stored form of the one code, of four characters, that a grant had before grants had uses. */
export const keepFormerCode = (handleHash: Hash, code: string): string =>
  sha256('lane/code/v1\n', handleHash, '\n', code)
