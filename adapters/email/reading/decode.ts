// Transfer encoding and character set of one part. Input is bounded here; the decoded text is bounded by its reader.
// Written by hand, because it is little: a library that keeps a piece of its own for every line takes seconds for an
// empty mail of a megabyte, and everybody else waits meanwhile.
import { TextDecoder } from 'node:util'
import { firstOf, readHead } from './head.js'
import type { Part } from './parts.js'

/** Base64 makes three bytes of four characters, and no encoding here makes text longer. */
const MAX_ENCODED_BYTES = 1024 * 1024
/** The stand-in for an unknown character set: it leaves ASCII as it is. */
const USUAL_CHARSET = 'windows-1252'

/** Null where it cannot be decoded. */
type Decode = (body: Buffer) => Buffer | null

/** RFC 2045, 6.1. A part under another name would be decoded by one program and shown as it is by the next. */
const ENCODINGS: Readonly<Record<string, Decode>> = {
  '7bit': body => body,
  '8bit': body => body,
  binary: body => body,
  base64: fromBase64,
  'quoted-printable': fromQuotedPrintable,
}

/** The text of a text part; null where it is too large to have been typed, or cannot be decoded. */
export function decodeText(part: Part): string | null {
  const encoding = encodingOf(part)
  const decode = Object.hasOwn(ENCODINGS, encoding) ? ENCODINGS[encoding] : undefined
  if (part.bytes.length > MAX_ENCODED_BYTES || decode === undefined) return null
  const bytes = decode(part.body)
  return bytes === null ? null : decoderOf(part.parameters.get('charset')).decode(bytes)
}

function encodingOf({ bytes }: Part): string {
  const head = readHead(bytes)
  const fields = typeof head === 'string' ? [] : head.fields
  return firstOf(fields, 'content-transfer-encoding')?.toLowerCase() ?? '7bit'
}

function decoderOf(charset = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder(USUAL_CHARSET)
  }
}

/** Foreign characters within base64, or behind its end, are skipped by one program and read by the next. */
function fromBase64(body: Buffer): Buffer | null {
  const text = body.toString('latin1').replace(/[\r\n\t ]+/g, '')
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null
}

/** RFC 2045, 6.7. Blanks at the end of a line were put there on the way; a "=" that begins no escape stays. */
function fromQuotedPrintable(body: Buffer): Buffer {
  const lines = body.toString('latin1').split('\r\n').map(withoutEnd)
  const last = lines.length - 1
  const text = lines.map((line, at) =>
    line.endsWith('=') ? line.slice(0, -1) : at === last ? line : `${line}\r\n`,
  )
  return Buffer.from(text.join('').replace(ESCAPE, unescaped), 'latin1')
}

const ESCAPE = /=([0-9A-Fa-f]{2})/g
const unescaped = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

function withoutEnd(line: string): string {
  let end = line.length
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--
  return line.slice(0, end)
}
