// The closed kinds speak ASCII, and fold A–Z onto a–z and nothing else. toUpperCase and the `iu` flags know more
// letters than that: U+017F would become S, U+212A would become K.

export function isAscii(said: string): boolean {
  for (let at = 0; at < said.length; at += 1) if (said.charCodeAt(at) > 0x7f) return false
  return true
}

const folded = (unit: number): number => (unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit)

/** Whether two strings are one, but for the case of A–Z. */
export function isSame(said: string, word: string): boolean {
  if (said.length !== word.length) return false
  for (let at = 0; at < said.length; at += 1) {
    if (folded(said.charCodeAt(at)) !== folded(word.charCodeAt(at))) return false
  }
  return true
}

/** 0 for a lone A or a, 25 for Z; anything else is outside 0…25. */
export const letterIndex = (said: string): number =>
  said.length === 1 ? folded(said.charCodeAt(0)) - 0x61 : -1

/** Phones end a reply with a stop or an exclamation mark; one of them belongs to yes_no, choice and multi_choice. */
export const withoutFinalMark = (said: string): string =>
  said.endsWith('.') || said.endsWith('!') ? said.slice(0, -1) : said
