// A handle with what is shown of its content, in the text of a mail and in its HTML: each line behind the margin, and
// broken before a mail program would break it.
import {
  behindMargin,
  type Display,
  type Exhibit,
  html,
  inGroups,
  isMissing,
  LEFT_OUT,
  type Line,
  type Markup,
  NOT_HELD,
  type ShownHandle,
  wordsOn,
} from '../../../src/adapter/index.js'
import { unlinked } from './defang.js'

/** A handle, and what is shown of its content. */
export type Named = { readonly words: string; readonly exhibit: Exhibit | null }

export function shownHandle(display: Display, shown: ShownHandle): Named {
  const { name, handle, fixed } = shown
  const exhibit = display.exhibits.get(handle) ?? null
  const of = name === null ? '' : `${name}: `
  const said = [
    ...(fixed ? [] : ['name only, content not fixed']),
    ...(exhibit === null ? [] : [wordsOn(exhibit)]),
    ...(isMissing(display, shown) ? [NOT_HELD] : []),
  ]
  const words = unlinked(`${of}${inGroups(handle)}`)
  return {
    words: said.length === 0 ? words : `${words} (${said.join('; ')})`,
    exhibit: exhibit && safe(exhibit),
  }
}

const safe = (exhibit: Exhibit): Exhibit => ({
  ...exhibit,
  parts: exhibit.parts.map(lines => lines.map(line => ({ ...line, text: unlinked(line.text) }))),
})

/** A caller's words are set in, so that none of them can begin a line: a line that begins with ">" would be a quote. */
export const inset = (text: string): string => `    ${text}`

/** Mail programs break longer lines themselves, and a line that they begin has no margin. */
const CONTENT_COLUMNS = 66
/** Stands before a line that we have begun. */
const CONTINUED = '┆ '

export function handleLines({ words, exhibit }: Named): string[] {
  const parts = exhibit?.parts.map(lines => lines.flatMap(broken)) ?? []
  return [
    inset(words),
    ...parts.flatMap((lines, at) => [...(at === 0 ? [] : [inset(LEFT_OUT)]), ...lines.map(inset)]),
    ...(parts.length === 0 ? [] : ['']),
  ]
}

function broken(line: Line): string[] {
  const characters = [...line.text]
  const [first = '', ...more] = Array.from(
    { length: Math.max(1, Math.ceil(characters.length / CONTENT_COLUMNS)) },
    (_, at) => characters.slice(at * CONTENT_COLUMNS, (at + 1) * CONTENT_COLUMNS).join(''),
  )
  return [behindMargin([{ ...line, text: first }]), ...more.map(text => `${CONTINUED}${text}`)]
}

export const contentOf = ({ parts }: Exhibit): Markup =>
  html`${parts.map(
    (lines, at) =>
      html`${at === 0 ? null : html`<p class="soft">${LEFT_OUT}</p>`}<pre class="content">${lines.map(
        line => html`<span class="${line.sign ?? 'plain'}">${behindMargin([line])}</span>
`,
      )}</pre>`,
  )}`
