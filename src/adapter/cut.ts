// Text that is cut to be recognised, not read, with a mark that something is missing. Nobody decides on cut text. Channels
// count in different units, so each unit has its function; none of them splits a character.

const SURROGATE = /[\ud800-\udfff]/

/** Cuts to so many code points, the mark among them. */
export function cutToCharacters(text: string, most: number, mark = '…'): string {
  // A code point has one or two units, so the units alone settle most texts.
  if (text.length <= most) return text
  const kept = most - mark.length
  if (!SURROGATE.test(text)) return `${text.slice(0, kept)}${mark}`
  const points = [...text]
  return points.length <= most ? text : `${points.slice(0, kept).join('')}${mark}`
}

/** Cuts to so many UTF-16 units, the mark among them: the text fits however the other side counts. */
export function cutToUnits(text: string, most: number): string {
  if (text.length <= most) return text
  const end = (text.codePointAt(most - 2) ?? 0) > 0xffff ? most - 2 : most - 1
  return `${text.slice(0, end)}…`
}
