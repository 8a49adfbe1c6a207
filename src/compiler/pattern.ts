// Patterns of a form's texts: RE2 syntax, read and matched by re2js, which is pinned and so a part of the grammar's
// version. It looks at each character a bounded number of times: no pattern goes back for ever.
//
// GP1  A pattern that the door takes is read here, by the same call: none is taken that cannot be matched.
// GP2  Unanchored, as in JSON Schema: it is found anywhere in the text, unless it says ^ and $ itself.

import { RE2JS } from 're2js'

/** UTF-16 units: longer ones are programs, and nobody reads them in a form. */
export const MAX_PATTERN_CHARS = 200
/** Of the compiled program: the work on the longest text is this times its length. */
export const MAX_PATTERN_INSTRUCTIONS = 250

type Pattern = { readonly isFoundIn: (text: string) => boolean }

/** Null for a string that is no such expression, or too large a one. */
export function readPattern(source: string): Pattern | null {
  const known = READ.get(source)
  if (known !== undefined) return known
  const pattern = compiled(source)
  // A lane sees few patterns often; should it see many, the oldest are the ones nobody asks about.
  if (READ.size === MAX_READ) READ.delete(READ.keys().next().value ?? '')
  READ.set(source, pattern)
  return pattern
}

const MAX_READ = 256
const READ = new Map<string, Pattern | null>()

function compiled(source: string): Pattern | null {
  if (source === '' || source.length > MAX_PATTERN_CHARS) return null
  try {
    const expression = RE2JS.compile(source)
    if (expression.programSize() > MAX_PATTERN_INSTRUCTIONS) return null
    // By a search that remembers each place of the program at each character. Asked for no place, the library would
    // build an automaton while it reads: fast the second time, and with much more to do the first.
    return { isFoundIn: text => expression.matcher(text).find() }
  } catch {
    // The library refuses by throwing; whatever it cannot read is no pattern.
    return null
  }
}
