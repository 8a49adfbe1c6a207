// Undoes the drawing of contents: what a reader who knows the rules makes of the lines of an exhibit.
import type { Exhibit } from '../../../src/request/content/exhibit.js'

const NAMED = /⟨(?:(\d+) × )?U\+([0-9A-F]{4,6})⟩/g

/** The line that was spelt so. */
export const unspell = (line: string): string =>
  line.replace(NAMED, (_, count: string | undefined, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)).repeat(Number(count ?? 1)),
  )

/** The passages of an exhibit, with LF for every line end and without the last one. */
export const passagesIn = ({ parts }: Exhibit): string[] =>
  parts.map(lines => lines.map(({ text }) => unspell(text)).join('\n'))

/** A passage as far as a drawing can tell it: line ends are alike, and the last closes its line. */
export const asLines = (passage: string): string => {
  const lines = passage.replaceAll('\r\n', '\n')
  return lines.length > 1 && lines.endsWith('\n') ? lines.slice(0, -1) : lines.replace(/^\n$/, '')
}
