// The pages of somebody who has not signed in: the ways to do so, and the link of a first start.
import { html, type Markup } from '../adapter/markup.js'

type SignIn = {
  /** The path under which the lane is reached: '' or '/lane'. */
  readonly root: string
  /** Where they wanted to go; '' for nowhere. */
  readonly to: string
  /** Whether people sign in by an OpenID provider. */
  readonly hasProvider: boolean
  /** The form of those who have a passkey; null where there can be none. */
  readonly passkey: Markup | null
  /** What was wrong with the last try. */
  readonly refused: string | null
}

/** For people there is what is configured, for operators always the key. */
export const signInPage = ({ root, to, hasProvider, passkey, refused }: SignIn): Markup =>
  html`<section class="sheet stack"><h1>Sign in</h1>
<p>People answer by the links they are sent; a link with its code works without signing in.</p>${
    hasProvider
      ? html`
<p><a class="button" href="${root}/console/oidc/start?to=${encodeURIComponent(to)}">Sign in</a></p>`
      : null
  }${passkey}</section>
<form class="sheet stack" method="post" action="${root}/console/sign-in" autocomplete="off">
<h2>Operator</h2>
${refused === null ? null : html`<p class="refused" id="refused" role="alert">${refused}</p>`}
<div><label class="ask" for="key">API key</label>
<p class="hint" id="key-hint">A key of scope operate. It is looked at once and kept nowhere; the session lasts an hour, sees Operations, and answers nothing.</p>
<div class="field"><input id="key" name="key" type="password" required maxlength="200" autocomplete="off" spellcheck="false" aria-describedby="key-hint${refused === null ? '' : ' refused'}"></div></div>
<input type="hidden" name="to" value="${to}">
<div><button type="submit">Sign in</button></div>
</form>`

/** Names the person: who opens somebody else's link sees it before anything happens. */
export const linkPage = (root: string, ticket: string, name: string): Markup =>
  html`<form class="sheet stack" method="post" action="${root}/console/sign-in" autocomplete="off">
<h1>Sign in as ${name}?</h1>
<p class="hint">This link was printed where the lane was started. It works once, within ten minutes.</p>
<input type="hidden" name="link" value="${ticket}">
<div><button type="submit">Sign in as ${name}</button></div>
</form>`
