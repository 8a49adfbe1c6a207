// A caller's stored content as a reviewer sees it: plain text, every character either itself or named. A mark that
// turns the reading direction, hides or moves text is shown by its number, so that a reviewer sees all that is there.

import { html, inGroups, type Markup, UNSEEN } from '../../src/adapter/index.js'
import { frame } from './frame.js'

/** The tab and the line feed are left out: they give content its form. */
const NAMED = new RegExp(`((?![\\n\\t])(?:${UNSEEN.source}))`, 'u')

const number = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** CR LF is a line end like LF; a CR alone would be one to some readers only, and is named. */
export const spelled = (text: string): Markup[] =>
  text
    .replaceAll('\r\n', '\n')
    .split(NAMED)
    .map((piece, at) => (at % 2 === 0 ? html`${piece}` : html`<mark>${number(piece)}</mark>`))

function read(content: Uint8Array): { readonly text: string; readonly note: Markup | null } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content), note: null }
  } catch {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
    return {
      text,
      note: html`<p class="soft">Not text in UTF-8: bytes that could not be read are shown as \uFFFD.</p>`,
    }
  }
}

export function contentPage(handle: string, content: Uint8Array, askedBy: string): string {
  const { text, note } = read(content)
  return frame({
    title: 'Content sent by the caller',
    pill: 'Content',
    main: html`<section class="sheet"><h1 class="long">Sent by ${askedBy}</h1>
<p class="soft">This is the caller’s content as plain text, not the lane’s words. ${content.byteLength} bytes.</p>${note}
<pre class="content">
${spelled(text)}</pre></section>`,
    foot: html`<p>Its hash: <code>${inGroups(handle)}</code></p>`,
  })
}
