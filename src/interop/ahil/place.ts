// Where the list of entries lies in the bytes of a JSON text. An append puts its bytes there and leaves all others as they
// are, so a foreign file keeps its keys, its numbers and its layout.
//
// AL1  The text is one that JSON.parse has taken. The walk is linear, keeps no stack, and reads bytes: in UTF-8 no byte of
//      another character looks like a sign of JSON.

/** Offsets into the bytes. */
export type Span = {
  /** Behind the opening bracket. */
  readonly open: number
  /** Of the first entry; the closing bracket's where there is none. */
  readonly first: number
  /** Behind the last entry; behind the opening bracket where there is none. */
  readonly last: number
}
type Walked = {
  readonly place: Span | null
  /** How many members all objects of the text have, doubled names among them. */
  readonly members: number
  readonly depth: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OBJECT, OBJECT_END, LIST, LIST_END, COLON, COMMA] = [0x7b, 0x7d, 0x5b, 0x5d, 0x3a, 0x2c]

/** `path` are the names from the top to the list; an empty one for a text that is the list itself. */
export function walk(bytes: Uint8Array, path: readonly string[]): Walked {
  let members = 0
  let deepest = 0
  let at = 0

  const blank = (): void => {
    while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at++
  }
  /** Behind the string that begins at `from`. */
  const endOfString = (from: number): number => {
    let here = from + 1
    while (here < bytes.length && bytes[here] !== QUOTE) here += bytes[here] === BACKSLASH ? 2 : 1
    return here + 1
  }
  /** Goes behind the value that begins here; `above` is how deep it lies. */
  const pass = (above: number): void => {
    let here = at
    let depth = above
    do {
      switch (bytes[here]) {
        case QUOTE:
          here = endOfString(here)
          continue
        case OBJECT:
        case LIST:
          if (++depth > deepest) deepest = depth
          break
        case OBJECT_END:
        case LIST_END:
          depth--
          break
        case COLON:
          members++
      }
      here++
    } while (here < bytes.length && (depth > above || !isEnd(bytes[here])))
    at = here
  }
  /** At the beginning of a value on the way to the list. */
  const descend = (names: readonly string[], depth: number): Span | null => {
    blank()
    if (depth > deepest) deepest = depth
    const [name, ...rest] = names
    if (name === undefined) return bytes[at] === LIST ? list(depth) : passed(depth)
    if (bytes[at] !== OBJECT) return passed(depth)
    let found: Span | null = null
    at++
    for (blank(); bytes[at] !== OBJECT_END; blank()) {
      const start = at
      at = endOfString(at)
      const key: string = JSON.parse(new TextDecoder().decode(bytes.subarray(start, at)))
      blank()
      members++
      at++
      blank()
      if (key === name) found = descend(rest, depth + 1)
      else pass(depth + 1)
      blank()
      if (bytes[at] === COMMA) at++
    }
    at++
    return found
  }
  const passed = (depth: number): null => {
    pass(depth)
    return null
  }
  const list = (depth: number): Span => {
    at++
    const open = at
    blank()
    const first = at
    let last = open
    while (bytes[at] !== LIST_END) {
      pass(depth + 1)
      last = at
      blank()
      if (bytes[at] === COMMA) at++
      blank()
    }
    at++
    return { open, first, last }
  }
  const place = descend(path, 0)
  return { place, members, depth: deepest }
}

/** A sign that ends a number or a word. */
const isEnd = (byte: number | undefined): boolean =>
  byte === undefined || byte === COMMA || byte === OBJECT_END || byte === LIST_END || byte <= 0x20

/** How many members a parsed value has in all its objects: fewer than its text, where a name was given twice. NaN if a
 *  number is too large for any: it has no canonical form. */
export function countMembers(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const one of value) count += countMembers(one)
  else
    for (const name of Object.keys(value)) {
      const member = (value as Readonly<Record<string, unknown>>)[name]
      count += typeof member === 'string' ? 1 : 1 + countMembers(member)
    }
  return count
}
