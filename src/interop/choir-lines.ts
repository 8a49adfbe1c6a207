// Lines of the ledger in, lines of the Choir export out.
import { parseEntry } from '../ledger/entry.js'
import { envelopesOf } from './choir.js'

export async function* choirLines(lines: AsyncIterable<string>): AsyncIterable<string> {
  for await (const line of lines) {
    for (const envelope of envelopesOf(parseEntry(line))) yield JSON.stringify(envelope)
  }
}
