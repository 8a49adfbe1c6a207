// The line every mail of ours begins with, and the Message-ID it carries. The text above the line is the reply; the
// text below it is ours. The line is found in any language and behind any number of quotation marks, because a
// program looks for one word without spaces and never for the words around it.
//
// EM1  The word names the delivery it was sent for, by two short hashes: of the reply handle and of the Message-ID. A
//      signature covers the body, so a signed reply that quotes us cannot be re-addressed to another request.
// EM2  It reveals neither: eight hexadecimal digits of a hash say nothing about 130 random bits.
import { createHash } from 'node:crypto'
import { dense } from './reading/lines.js'

const TAG_CHARS = 8
const ID_CHARS = 32

/** The delivery a mail of ours was sent for. */
export type Marker = { readonly handleTag: string; readonly idTag: string }

const digest = (domain: string, text: string): string =>
  createHash('sha256').update(`lane/${domain}/v1\n${text}`).digest('hex')

export const handleTag = (handle: string): string =>
  digest('mail-handle', handle.toLowerCase()).slice(0, TAG_CHARS).toUpperCase()
export const idTag = (messageId: string): string =>
  digest('mail-id', messageId).slice(0, TAG_CHARS).toUpperCase()

/** The first line of the text part, and of the HTML part in a block of its own, with nothing else in that block. */
export const markerLine = (handle: string, messageId: string): string =>
  `=== Reply above this line === LANE-${handleTag(handle)}-${idTag(messageId)} ===`

const MARKER = /LANE-([0-9A-F]{8})-([0-9A-F]{8})/i

/** The marker in a line, wherever in it; null for a line that has none. */
export function findMarker(line: string): Marker | null {
  const [, handle, id] = MARKER.exec(line) ?? []
  if (handle === undefined || id === undefined) return null
  return { handleTag: handle.toUpperCase(), idTag: id.toUpperCase() }
}

/** The end of every mail of ours that takes a reply, without its blanks: `Request …, sha256:…` as render.ts writes
 *  it, or the end of a notice. */
const LAST_LINE = /(?:Request.{1,300},sha256:[0-9a-f]{64}|Replytothismail,ortothefirstone\.)$/
/** Programs break that line into at most these many. */
const LAST_LINES = 4

/** The index at which the last such line ends; -1 if there is none, because a program cut it off or wrote it anew. */
export const findLastLine = (lines: readonly string[]): number =>
  lines.findLastIndex((line, at) => {
    if (!/[0-9a-f.]$/.test(line.trimEnd())) return false
    return LAST_LINE.test(dense(lines.slice(Math.max(at - LAST_LINES + 1, 0), at + 1).join('')).slice(-400))
  })

/** The Message-ID of a delivery's mail, with its angle brackets: it is the delivery's `ref`. `stamp` is a value that
 *  only the lane can write for this delivery, the same at every attempt. */
export const writeMessageId = (stamp: string, domain: string): string =>
  `<lane.${digest('mail-delivery', stamp).slice(0, ID_CHARS)}@${domain.toLowerCase()}>`

/** The Message-ID of the mail that says why a reply was not taken. */
export const writeNoticeId = (stamp: string, domain: string): string =>
  `<notice.${digest('mail-notice', stamp).slice(0, ID_CHARS)}@${domain.toLowerCase()}>`

const OWN_ID = /<lane\.[0-9a-f]{32}@([a-z0-9.-]{1,255})>/gi

/** The Message-IDs of ours that a header names, in its order. */
export function findMessageIds(header: string, domain: string): string[] {
  const own = domain.toLowerCase()
  return [...header.matchAll(OWN_ID)].flatMap(([id, at]) =>
    at?.toLowerCase() === own ? [id.toLowerCase()] : [],
  )
}
