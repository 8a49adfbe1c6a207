// Sections of a handoff file, between markers that are comments: a reader takes the part it needs, and a writer changes
// that part alone. Any other comment is text that people do not see and agents do, and is reported.
import { inStyleOf } from './words.js'

const MARKER = /^[ \t]*<!--[ \t]*(\/?)SECTION:[ \t]*([A-Za-z0-9_-]+)[ \t]*-->[ \t]*\r?$/

type Span = { readonly name: string; readonly from: number; readonly to: number }

/** What stands between the markers, without them; null if there is no such section. */
export function readSection(text: string, name: string): string | null {
  const found = spans(text).find(span => span.name === name)
  return found === undefined ? null : text.slice(found.from, found.to)
}

/** The text with this section's body; it is added at the end where it is not there. Nothing else changes. */
export function putSection(text: string, name: string, body: string): string {
  const found = spans(text).find(span => span.name === name)
  if (found !== undefined) return text.slice(0, found.from) + inStyleOf(text, body) + text.slice(found.to)
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  const added = `${gap}${text === '' ? '' : '\n'}<!-- SECTION: ${name} -->\n${body}<!-- /SECTION: ${name} -->\n`
  return text + inStyleOf(text, added)
}

function spans(text: string): Span[] {
  const found: Span[] = []
  const open = new Map<string, number>()
  for (const { line, start, end } of linesOf(text)) {
    const [, closing, name = ''] = MARKER.exec(line) ?? []
    if (closing === undefined) continue
    const from = open.get(name)
    if (closing === '') open.set(name, end)
    else if (from !== undefined) {
      found.push({ name, from, to: start })
      open.delete(name)
    }
  }
  return found
}

/** Every line with its number, and where it begins and ends; its end belongs to it, but not to `line`. */
export function* linesOf(text: string) {
  for (let start = 0, number = 1; start < text.length; number++) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline + 1
    yield { line: text.slice(start, newline < 0 ? end : newline), start, end, number }
    start = end
  }
}

/** Comments that are no markers of sections, and markers without their other half, by the line they begin on. */
export function strayComments(text: string): number[] {
  const stray: number[] = []
  const open = new Map<string, number>()
  for (const { line, number } of linesOf(text)) {
    const [, closing, name = ''] = MARKER.exec(line) ?? []
    if (closing === '') open.set(name, number)
    else if (closing === '/' && !open.delete(name)) stray.push(number)
    else if (closing === undefined && line.includes('<!--')) stray.push(number)
  }
  return [...stray, ...open.values()].sort((a, b) => a - b)
}
