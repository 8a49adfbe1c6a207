// Entries as the lane's ledger has them: of one request that is resolved, or as they come.
import { type Endpoint, openStream, type Trouble } from './call.js'
import { isFields, type ShownCase } from './case.js'

type ShownEntry = {
  readonly seq: number
  readonly type: string
  readonly hash: string
  readonly request_id?: string
  readonly body: Readonly<Record<string, unknown>>
}
type Told = { readonly kind: 'story'; readonly entries: readonly ShownEntry[] } | Trouble

/** From the opening to the resolution; the stream is left there. */
export async function storyOf(endpoint: Endpoint, { request_id, receipt }: ShownCase): Promise<Told> {
  const query = new URLSearchParams({ request_id, from: String(receipt.seq) })
  const stream = await openStream(endpoint, `/v1/events?${query}`)
  if (stream.kind !== 'stream') return stream
  const entries: ShownEntry[] = []
  for await (const entry of entriesIn(stream.chunks)) {
    entries.push(entry)
    if (entry.type === 'REQUEST_RESOLVED') return { kind: 'story', entries }
  }
  return { kind: 'unreachable', why: 'interrupted', detail: 'the stream ended before the resolution' }
}

/** Entries from now on, behind the word that the stream stands; nothing where it cannot be opened. */
export async function* followEntries(
  endpoint: Endpoint,
  query: URLSearchParams,
): AsyncIterable<ShownEntry | 'standing'> {
  const stream = await openStream(endpoint, `/v1/events?${query}`)
  if (stream.kind !== 'stream') return
  yield 'standing'
  yield* entriesIn(stream.chunks)
}

async function* entriesIn(chunks: AsyncIterable<Uint8Array>): AsyncIterable<ShownEntry> {
  const utf8 = new TextDecoder()
  let held = ''
  for await (const chunk of chunks) {
    held += utf8.decode(chunk, { stream: true })
    const blocks = held.split('\n\n')
    held = blocks.pop() ?? ''
    yield* blocks.flatMap(entryIn)
  }
}

function entryIn(block: string): ShownEntry[] {
  const data = /^data: ?(.*)$/m.exec(block)?.[1]
  if (data === undefined || data === '') return []
  const entry: unknown = JSON.parse(data)
  const whole =
    isFields(entry) &&
    typeof entry.seq === 'number' &&
    typeof entry.type === 'string' &&
    typeof entry.hash === 'string' &&
    isFields(entry.body)
  return whole ? [entry as unknown as ShownEntry] : []
}
