// The tree of a MIME message, found by its boundaries, with no part decoded. Only the structure is judged here, so that
// a bomb is refused before anything is unpacked.
//
// EP1  Every byte is looked at once per level of nesting, and there are few levels.
// EP2  A message inside a message is a leaf: another person's words are never read as this author's.
import { firstOf, hasDoubled, readHead } from './head.js'
import type { RefusedMail } from './mail.js'

/** alternative in related in mixed in signed is four; a list's footer around it makes five. */
const MAX_DEPTH = 8
/** Pictures in a signature and a few attachments. */
const MAX_PARTS = 100
/** RFC 2046, 5.1.1. */
const MAX_BOUNDARY_CHARS = 70

export type Part = {
  /** Lower case, `text/plain` where nothing is said. */
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly attached: boolean
  /** The part with its own header, to be decoded as if it were a message. */
  readonly bytes: Buffer
  readonly body: Buffer
  /** The text before the first boundary of a multipart. */
  readonly preamble: Buffer
  readonly children: readonly Part[]
}

export function readParts(bytes: Buffer): Part | RefusedMail {
  const budget = { parts: MAX_PARTS }
  return readPart(bytes, MAX_DEPTH, budget)
}

function readPart(bytes: Buffer, depth: number, budget: { parts: number }): Part | RefusedMail {
  if (depth === 0) return 'nesting'
  if (--budget.parts < 0) return 'too_many_parts'
  const head = readHead(bytes)
  if (typeof head === 'string') return head
  if (hasDoubled(head.fields)) return 'doubled_header'
  const { type, parameters } = readStructured(firstOf(head.fields, 'content-type') ?? '')
  const disposition = readStructured(firstOf(head.fields, 'content-disposition') ?? '')
  const part = {
    type: type === '' ? 'text/plain' : type,
    parameters,
    attached: disposition.type === 'attachment' || disposition.parameters.has('filename'),
    bytes,
    body: bytes.subarray(head.bodyAt),
    preamble: bytes.subarray(0, 0),
    children: [],
  }
  if (!type.startsWith('multipart/')) return part
  const boundary = parameters.get('boundary') ?? ''
  if (boundary === '' || boundary.length > MAX_BOUNDARY_CHARS) return 'malformed'
  const pieces = split(part.body, boundary)
  const children: Part[] = []
  for (const piece of pieces.slice(1)) {
    const child = readPart(piece, depth - 1, budget)
    if (typeof child === 'string') return child
    children.push(child)
  }
  return { ...part, preamble: pieces[0] ?? part.preamble, children }
}

/** The preamble and then each part; text behind the closing boundary is dropped. Only the beginnings of lines are
 *  looked at closely, so that a line made of boundaries costs no more than another. */
function split(body: Buffer, boundary: string): Buffer[] {
  const pieces: Buffer[] = []
  const dashes = Buffer.from(`--${boundary}`)
  let from = 0
  for (let at = body.indexOf(dashes); at !== -1; at = body.indexOf(dashes, at + dashes.length)) {
    if (at !== 0 && body[at - 1] !== LF) continue
    const end = lineEnd(body, at)
    const rest = body.toString('latin1', at + dashes.length, Math.min(end, at + dashes.length + 80)).trimEnd()
    if (rest !== '' && rest !== '--') continue
    pieces.push(body.subarray(from, at))
    if (rest === '--' || pieces.length > MAX_PARTS + 1) return pieces
    from = end
  }
  pieces.push(body.subarray(from))
  return pieces
}

const LF = 0x0a

function lineEnd(body: Buffer, at: number): number {
  const lf = body.indexOf(LF, at)
  return lf === -1 ? body.length : lf + 1
}

const PARAMETER =
  /;[ \t]*([!-'*+.0-9A-Z^_`a-z{|}~-]{1,60})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.){0,500})"|([^\s;"]{1,500}))/gy

/** `type/subtype; name=value; name="value"`. Reading ends at the first parameter that has another form. */
function readStructured(value: string): { type: string; parameters: Map<string, string> } {
  const semicolon = value.indexOf(';')
  const type = (semicolon === -1 ? value : value.slice(0, semicolon)).trim().toLowerCase()
  const parameters = new Map<string, string>()
  const rest =
    semicolon === -1
      ? ''
      : value
          .slice(semicolon)
          .replace(/[ \t]+/g, ' ')
          .replace(/ ;/g, ';')
  for (const [, name = '', quoted, plain] of rest.matchAll(PARAMETER)) {
    const key = name.toLowerCase()
    // The first counts, as for everybody else.
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '')
  }
  return { type, parameters }
}

/** The part and everything in it, in reading order. */
export const allParts = (part: Part): Part[] => [part, ...part.children.flatMap(allParts)]
