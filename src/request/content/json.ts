// JSON with its members on lines of their own. The tokens stay as they were written, character by character; only the
// blanks between them are others.

/** Deeper than people read; indentation would push the words off the screen. */
const MAX_DEPTH = 16
/** More lines and blanks than this, and the words between them are lost. */
const MAX_GROWTH = 4
const MAX_GROWN_UNITS = 4096
const TOKEN = /[ \t\n\r]*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^ \t\n\r"{}[\],:]+)/gy

export type Json =
  | { readonly kind: 'json'; readonly text: string }
  /** Two members of an object have one name, and readers differ on which of them counts. */
  | { readonly kind: 'doubled' }

/** Null for a text that is no JSON object or list, or nests too deep to be drawn on lines of its own. */
export function readJson(text: string): Json | null {
  if (!/^[ \t\n\r]*[{[]/.test(text)) return null
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  return indent(text)
}

/** An open object remembers its names; an open list has none. */
type Open = Set<string> | null

/** Of a text that JSON.parse takes. */
function indent(text: string): Json | null {
  const open: Open[] = []
  let drawn = ''
  let before = ''
  let isDoubled = false
  const line = (): string => `\n${'  '.repeat(open.length)}`
  for (const [, token = ''] of text.matchAll(TOKEN)) {
    if (token === '}' || token === ']') {
      open.pop()
      drawn += before === '{' || before === '[' ? token : `${line()}${token}`
    } else if (token === ',' || token === ':') {
      drawn += token === ':' ? ': ' : ','
    } else {
      const keys = open.at(-1)
      if (before === ',' || before === '{' || before === '[') drawn += line()
      if (keys && before !== ':') isDoubled = isKnown(keys, token) || isDoubled
      drawn += token
      if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null)
      if (open.length > MAX_DEPTH) return null
    }
    before = token
  }
  if (isDoubled) return { kind: 'doubled' }
  return drawn.length > MAX_GROWTH * text.length + MAX_GROWN_UNITS ? null : { kind: 'json', text: drawn }
}

/** "a" and "\u0061" are one name. */
function isKnown(keys: Set<string>, token: string): boolean {
  const name: string = JSON.parse(token)
  const known = keys.has(name)
  keys.add(name)
  return known
}
