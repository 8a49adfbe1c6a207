// What is kept with a raw reply, where there is more than its string: the fields beside it as they were typed, and the
// words of each reason with a salt of its own. An entry holds the hashes alone, so that words can be erased.
//
// LW1  The words of a reason are told from the salt and the words: who knows the hash and guesses the words learns
//      nothing without the salt.
import { type Hash, sha256 } from '../canonical.js'
import type { Fields, Remark } from '../compiler/compile.js'
import type { Counted } from '../tally/tally.js'
import type { Words } from '../tally/told.js'
import type { Shelf } from './shelf.js'

export type KeptRemark = Remark & { readonly salt: Uint8Array }
type Beside = { readonly fields: Fields; readonly remarks: readonly KeptRemark[] }

/** Null where there is nothing beside the string. */
export function writeBeside({ fields, remarks }: Beside): string | null {
  if (remarks.length === 0 && Object.keys(fields).length === 0) return null
  return JSON.stringify({
    fields,
    remarks: remarks.map(({ about, words, salt }) => ({
      about,
      words,
      salt: Buffer.from(salt).toString('hex'),
    })),
  })
}

/** Text that is not as we write it says nothing: the hashes then find nothing that fits them. */
export function readBeside(text: string | null | undefined): Beside {
  if (text === null || text === undefined) return NOTHING
  try {
    const { fields, remarks } = JSON.parse(text)
    return {
      fields: Object.fromEntries(Object.entries(fields ?? {}).filter(isText)),
      remarks: (Array.isArray(remarks) ? remarks : []).filter(isRemark).map(readRemark),
    }
  } catch {
    return NOTHING
  }
}

const NOTHING: Beside = { fields: {}, remarks: [] }

type Written = { readonly about: string | null; readonly words: string; readonly salt: string }
const isText = (field: [string, unknown]): field is [string, string] => typeof field[1] === 'string'
const isRemark = (one: Partial<Written> | null): one is Written =>
  typeof one?.words === 'string' &&
  typeof one.salt === 'string' &&
  (one.about === null || typeof one.about === 'string')
const readRemark = ({ about, words, salt }: Written): KeptRemark => ({
  about,
  words,
  salt: Buffer.from(salt, 'hex'),
})

/** The words of the reasons of these replies, by their hash; without those that were erased. */
export async function wordsOf(shelf: Pick<Shelf, 'raw'>, replies: readonly Counted[]): Promise<Words> {
  const words = new Map<Hash, string>()
  for (const { reply } of replies) {
    if (!isExplained(reply)) continue
    const kept = await shelf.raw(reply.reply_id)
    for (const remark of readBeside(kept?.beside).remarks) words.set(hashRemark(remark), remark.words)
  }
  return words
}

/** Most replies give no reason: then nothing is read. */
function isExplained({ parsed_payload: payload }: Counted['reply']): boolean {
  if (payload === null) return false
  if ('reason_hash' in payload) return true
  return 'decisions' in payload && payload.decisions.some(({ comment_hash }) => comment_hash !== undefined)
}

export const hashRemark = ({ salt, words }: KeptRemark): Hash => sha256(salt, words)
