// Three ways to forbid something, each of which reads a text once: an archive has very many lines, and whoever writes
// one must not be able to make reading it slow.
import { RE2JS } from 're2js'

export type Pattern = {
  /** Whether any line of the text could hold it; may say yes too often. `lowered` is the text in lower case. */
  within(text: string, lowered: string): boolean
  holds(line: string): boolean
}

/** These words in this order in one line, in any case, whatever stands between. */
export function inOrder(...words: readonly string[]): Pattern {
  const wanted = words.map(word => word.toLowerCase())
  return {
    within: (_, lowered) => wanted.every(word => lowered.includes(word)),
    holds(line) {
      const lowered = line.toLowerCase()
      let from = 0
      for (const word of wanted) {
        const at = lowered.indexOf(word, from)
        if (at < 0) return false
        from = at + word.length
      }
      return true
    },
  }
}

/** An expression of our own, which looks only so far ahead as it is long. */
export const ours = (expression: RegExp): Pattern => ({
  within: text => expression.test(text),
  holds: line => expression.test(line),
})

/** An expression of somebody else's, by an engine whose work grows with the text alone. Throws if it is none. */
export function theirs(source: string): Pattern {
  const compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE)
  const found = (text: string): boolean => compiled.matcher(text).find()
  return { within: found, holds: found }
}

export const quoted = (text: string): string => RE2JS.quote(text)
