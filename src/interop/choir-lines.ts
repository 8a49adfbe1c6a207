// Entries of the ledger in, lines of the Choir export out.
import type { Entry } from '../event.js'
import { envelopesOf } from './choir.js'

export async function* choirLines(entries: AsyncIterable<Entry>): AsyncIterable<string> {
  for await (const entry of entries) {
    for (const envelope of envelopesOf(entry)) yield JSON.stringify(envelope)
  }
}
