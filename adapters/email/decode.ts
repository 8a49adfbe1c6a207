// Transfer encoding and character set of one part, by postal-mime, as if the part were a message of its own. The part
// has been cut to size before, and what comes out is cut again.
import PostalMime from 'postal-mime'
import { firstOf, readHead } from './head.js'
import type { Part } from './parts.js'

/** Base64 makes three bytes of four characters; nothing here makes more of less. */
const MAX_ENCODED_BYTES = 1024 * 1024

/** RFC 2045, 6.1. What is called otherwise would be decoded by one program and shown as it is by the next. */
const ENCODINGS = new Set(['7bit', '8bit', 'binary', 'base64', 'quoted-printable'])

/** The text of a text part; null where it is too large to have been typed, or cannot be decoded. */
export async function decodeText(part: Part): Promise<string | null> {
  const encoding = encodingOf(part)
  if (part.bytes.length > MAX_ENCODED_BYTES || !ENCODINGS.has(encoding)) return null
  const limits = { maxNestingDepth: 1, maxRfc822NestingDepth: 0 }
  const read = await PostalMime.parse(asMessage(part, encoding), limits).catch(() => null)
  return read === null ? null : ((part.type === 'text/html' ? read.html : read.text) ?? '')
}

function encodingOf({ bytes }: Part): string {
  const head = readHead(bytes)
  const fields = typeof head === 'string' ? [] : head.fields
  return firstOf(fields, 'content-transfer-encoding')?.toLowerCase() ?? '7bit'
}

/** Only what decoding asks for: the other fields of a part say nothing about its bytes. */
function asMessage({ body, type, parameters }: Part, encoding: string): Buffer {
  const charset = /^[A-Za-z0-9._:-]{1,40}$/.exec(parameters.get('charset') ?? '')?.[0] ?? 'utf-8'
  const head8 = `Content-Type: ${type === 'text/html' ? type : 'text/plain'}; charset="${charset}"\r\n`
  const transfer = `Content-Transfer-Encoding: ${encoding}\r\n\r\n`
  return Buffer.concat([Buffer.from(head8 + transfer), body])
}
