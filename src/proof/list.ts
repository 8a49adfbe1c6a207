// The list of a story: what the lane signs beside a checkpoint, so that nobody can leave a part out of the proof.

const FIRST_LINE = 'lane/story/v1'

export type Listed = {
  readonly origin: string
  readonly size: number
  readonly request_id: string
  /** Every entry of the request below that size. */
  readonly entries: readonly { readonly seq: number; readonly type: string }[]
}

export const writeList = ({ origin, size, request_id, entries }: Listed): string =>
  [FIRST_LINE, origin, size, request_id, ...entries.map(({ seq, type }) => `${seq} ${type}`), ''].join('\n')

const LINE = /^(0|[1-9][0-9]{0,15}) ([A-Z_]+)$/

/** Null for a text that is no list. */
export function readList(text: string): Listed | null {
  const [first, origin = '', size = '', request_id = '', ...lines] = text.split('\n')
  const entries = lines.slice(0, -1).map(line => {
    const [, seq = '', type = ''] = LINE.exec(line) ?? []
    return { seq: Number(seq), type }
  })
  const listed = { origin, size: Number(size), request_id, entries }
  // One spelling: what is read is what was written.
  return first === FIRST_LINE && entries.every(({ type }) => type !== '') && writeList(listed) === text
    ? listed
    : null
}
