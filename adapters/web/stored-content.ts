// A caller's content as a reviewer sees it: inert lines behind the margin, on the page of a request and on one of its own.

import {
  behindMargin,
  type Content,
  type Exhibit,
  exhibitWhole,
  html,
  inGroups,
  LEFT_OUT,
  type Line,
  type Markup,
  wordsOn,
} from '../../src/adapter/index.js'
import { frame } from './frame.js'

/** A colour only where a diff has one: a page has up to a quarter of a million lines. */
const drawn = (line: Line): Markup =>
  line.sign === null
    ? html`${behindMargin([line])}
`
    : html`<span class="${line.sign}">${behindMargin([line])}</span>
`

export const passages = ({ parts }: Exhibit): Markup =>
  html`${parts.map(
    (lines, at) => html`${at === 0 ? null : html`<p class="soft">${LEFT_OUT}</p>`}<pre class="content">
${lines.map(drawn)}</pre>`,
  )}`

export function storedContent(content: Content, askedBy: string): string {
  const exhibit = exhibitWhole(content)
  return frame({
    title: 'Content sent by the caller',
    pill: 'Content',
    main: html`<section class="sheet"><h1 class="long">Sent by ${askedBy}</h1>
<p class="soft">This is the caller’s content as plain text, not the lane’s words: ${wordsOn(exhibit)}.</p>
${passages(exhibit)}</section>`,
    foot: html`<p>Its hash: <code>${inGroups(content.handle)}</code></p>`,
  })
}
