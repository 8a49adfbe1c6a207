// Outer SP, TAB, CR and LF belong to the sending of a reply, not to its words. String.prototype.trim would also cut
// NBSP, the byte order mark and every other Unicode space, and so accept replies that hold them.

const SP = 0x20
const isSpace = (unit: number): boolean => unit === SP
const isBlank = (unit: number): boolean => unit === SP || unit === 0x09 || unit === 0x0d || unit === 0x0a

function cut(text: string, isOuter: (unit: number) => boolean): string {
  let start = 0
  let end = text.length
  while (start < end && isOuter(text.charCodeAt(start))) start += 1
  while (end > start && isOuter(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

export const trimmed = (reply: string): string => cut(reply, isBlank)
export const withoutSpaces = (part: string): string => cut(part, isSpace)
