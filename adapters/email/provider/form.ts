// The fields of a posted form, as bytes: a raw message decoded as text would no longer be what its sender signed.
// Linear in its length, and nothing but splitting: it runs before the sender of the form is known.

/** A field given twice has no one value, so the whole form has none. */
export type Fields = ReadonlyMap<string, Buffer>

/** A provider's form has a few dozen fields; more is somebody trying out how many we can bear. */
const MAX_FIELDS = 200
const MAX_HEADER_BYTES = 2_000
/** RFC 2046, 5.1.1. */
const BOUNDARY = /^multipart\/form-data\s*;.*\bboundary="?([0-9A-Za-z'()+_,./:=?-]{1,70})"?\s*(?:;|$)/i
const NAME = /^content-disposition:\s*form-data\s*;(?:.*;)?\s*name="([^"]{1,100})"/im

export function readFields(bytes: Uint8Array, contentType: string): Fields | null {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const boundary = BOUNDARY.exec(contentType.slice(0, MAX_HEADER_BYTES))?.[1]
  if (boundary !== undefined) return once(parts(body, boundary))
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType) ? once(pairs(body)) : null
}

type Field = readonly [name: string, value: Buffer]

function once(fields: Iterable<Field>): Fields | null {
  const map = new Map<string, Buffer>()
  for (const [name, value] of fields) {
    if (map.has(name) || map.size >= MAX_FIELDS) return null
    map.set(name, value)
  }
  return map
}

function* parts(body: Buffer, boundary: string): Iterable<Field> {
  const open = Buffer.from(`--${boundary}\r\n`)
  const next = Buffer.from(`\r\n--${boundary}`)
  if (!body.subarray(0, open.length).equals(open)) return
  for (let at = open.length; ; ) {
    const end = body.indexOf(next, at)
    const head = body.indexOf('\r\n\r\n', at)
    if (end < 0 || head < 0 || head >= end || head - at > MAX_HEADER_BYTES) return
    const name = NAME.exec(body.toString('latin1', at, head))?.[1]
    if (name !== undefined) yield [name, body.subarray(head + 4, end)]
    at = end + next.length + 2
  }
}

function* pairs(body: Buffer): Iterable<Field> {
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf('&', at)
    const pair = body.toString('latin1', at, end < 0 ? body.length : end)
    const equals = pair.indexOf('=')
    if (equals > 0) yield [decoded(pair.slice(0, equals)).toString('latin1'), decoded(pair.slice(equals + 1))]
    at = end < 0 ? body.length : end + 1
  }
}

/** To bytes, not to text: %E9 is one byte whatever the charset of the message is. */
const decoded = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll('+', ' ')
      .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
