// An export's bytes as lines. Lines end at LF and nowhere else: RFC 8785 leaves U+2028 and its like inside a string as
// they are, and a reader that breaks lines there would take an entry apart.
import { isUtf8 } from 'node:buffer'

const LF = 0x0a

/** A line that is not UTF-8 comes with this in front: no entry begins so, hence none of its bytes is taken for good. */
const NOT_UTF8 = '\ufffd'

export async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = rest.indexOf(LF); end !== -1; end = rest.indexOf(LF, start)) {
      yield textOf(rest.subarray(start, end))
      start = end + 1
    }
    rest = rest.subarray(start)
  }
  if (rest.length > 0) yield textOf(rest)
}

const textOf = (line: Buffer): string => (isUtf8(line) ? '' : NOT_UTF8) + line.toString('utf8')
