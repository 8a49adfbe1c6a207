// Bytes into lines of an export. Only LF ends a line (U+2028 may stand inside a JSON string, so Node's readline would
// cut there), and bytes that are not UTF-8 come out as a line no ledger holds, so that an audit reports them.
import { TextDecoder } from 'node:util'

/** An entry is a few kilobytes; a file without line ends is no export, and must not fill the memory. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const NEWLINE = 10
export const NOT_UTF8 = 'bytes that are not UTF-8'

export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let held = Buffer.alloc(0)
  for await (const chunk of chunks) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk])
    let start = 0
    for (let end = held.indexOf(NEWLINE); end !== -1; end = held.indexOf(NEWLINE, start)) {
      yield decode(decoder, held.subarray(start, end))
      start = end + 1
    }
    held = held.subarray(start)
    if (held.length > MAX_LINE_BYTES)
      throw new Error(`a line is longer than ${MAX_LINE_BYTES} bytes: this is no export`)
  }
  if (held.length > 0) yield decode(decoder, held)
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    return NOT_UTF8
  }
}
