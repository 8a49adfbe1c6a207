// Somebody else's server: it takes each note by POST, and gives its newest by GET.
import type { Place } from './place.js'

const PATIENCE_MS = 10_000
const LONGEST_NOTE = 65_536
const PLAIN = 'text/plain; charset=utf-8'

export function httpPlace(url: string): Place {
  const call = (method: string, body?: string): Promise<Response> =>
    fetch(url, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': PLAIN } }),
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
  return {
    // Its path may be what keeps strangers away.
    name: `http ${new URL(url).host}`,
    async put({ note }) {
      const answer = await call('POST', note)
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`it answered ${answer.status}`)
    },
    async *notes() {
      const answer = await call('GET')
      if (answer.status === 404) return void (await answer.body?.cancel())
      if (!answer.ok) throw new Error(`it answered ${answer.status}`)
      yield await wordsOf(answer)
    },
  }
}

async function wordsOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > LONGEST_NOTE) throw new Error('it answered with more than a note')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
