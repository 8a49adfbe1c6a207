// The sheet of paper that every page of the console is written on: who is signed in, where they can go, and the way out.
import { html, type Markup } from '../adapter/markup.js'
import type { PasskeyUse, ReplyPage } from '../adapter/page.js'
import { LIVE } from './live.js'
import { STYLE } from './style.js'

/** Who looks, and what every page needs of them. */
export type Viewer = {
  /** The path under which the lane is reached: '' or '/lane'. */
  readonly root: string
  readonly kind: 'person' | 'operator'
  readonly name: string
  readonly csrf: string
}

type Sheet = {
  readonly title: string
  readonly here: 'inbox' | 'past' | 'request' | 'passkeys' | 'operations'
  readonly main: Markup
  readonly passkey?: PasskeyUse
}

type Look = Pick<ReplyPage, 'style' | 'script' | 'headersOf'>
type Written = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

/** Writes a page for its viewer, with the headers that allow it what it needs and no more. */
export function write(look: Look, viewer: Viewer, { title, here, main, passkey }: Sheet): Written {
  const { root } = viewer
  const style = html`${look.style}${STYLE}`
  const scripts = [look.script, LIVE, ...(passkey === undefined ? [] : [passkey.script])]
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#f3f2ee" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0e1112" media="(prefers-color-scheme: dark)">
<title>${title} · Interrupt Lane</title>
<link rel="manifest" href="${root}/console/manifest.webmanifest">
<link rel="icon" type="image/svg+xml" href="${root}/console/icon.svg">
<link rel="apple-touch-icon" href="${root}/console/icon.png">
<style>${style}</style>
</head>
<body class="console">
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="home" href="${root}/console/${viewer.kind === 'person' ? 'inbox' : 'operations'}"><span class="mark"></span>Interrupt Lane</a>
${viewer.kind === 'person' ? personWays(viewer, here) : null}
<form class="leave" method="post" action="${root}/console/sign-out"><input type="hidden" name="csrf" value="${viewer.csrf}"><span class="me">${viewer.name}</span><button class="plain" type="submit">Sign out</button></form></header>
<main id="main">${main}</main>
${scripts.map(script => html`<script>${script}</script>`)}
</body>
</html>
`
  const dress = { style, scripts, isLive: true, ...(passkey && { passkeys: passkey.use }) }
  return { headers: look.headersOf(dress), body: page.text }
}

const personWays = ({ root }: Viewer, here: Sheet['here']): Markup =>
  html`<nav aria-label="Console"><a href="${root}/console/inbox"${current(here === 'inbox')}>Inbox</a><a href="${root}/console/inbox?view=past"${current(
    here === 'past',
  )}>History</a><a href="${root}/console/passkeys"${current(here === 'passkeys')}>Passkeys</a></nav>`

/** Says of a link that it leads to where the reader is. */
export const current = (isHere: boolean): Markup | null => (isHere ? html` aria-current="page"` : null)

/** A page that says one thing. */
export const saying = (title: string, words: Markup): Markup =>
  html`<section class="sheet calm"><h1>${title}</h1><p>${words}</p></section>`
