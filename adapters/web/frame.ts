// The sheet of paper every page is written on.
import { html, type Markup } from '../../src/adapter/index.js'
import { STYLE } from './page-style.js'

type Sheet = {
  readonly title: string
  readonly pill?: string
  readonly main: Markup
  readonly foot?: Markup
  readonly script?: Markup
}

export function frame(sheet: Sheet): string {
  const pill = sheet.pill === undefined ? null : html`<span class="pill">${sheet.pill}</span>`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${sheet.title} · Interrupt Lane</title>
<style>${STYLE}</style>
</head>
<body>
<header class="bar"><span class="mark"></span>Interrupt Lane${pill}</header>
<main>${sheet.main}</main>
<footer class="foot">${sheet.foot ?? null}</footer>
${sheet.script === undefined ? null : html`<script>${sheet.script}</script>`}
</body>
</html>
`
  return page.text
}

/** A page that says one thing and asks nothing. */
export const calm = (title: string, sentence: Markup): string =>
  frame({
    title,
    main: html`<section class="sheet calm"><h1>${title}</h1><p>${sentence}</p></section>`,
  })

export const moment = (instant: string, words: string): Markup =>
  html`<time datetime="${instant}">${words}</time>`
