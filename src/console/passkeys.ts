// The passkeys of a person: those they have, the form in which a browser makes another, and what comes after.
import { html, type Markup } from '../adapter/markup.js'

/** What a form needs for a browser to make a passkey, or to ask for one. */
type Ask = {
  readonly ticket: string
  /** In base64url. */
  readonly challenge: string
  /** The host that passkeys belong to. */
  readonly host: string
}

type Offer = Ask & {
  /** Where the form is sent to. */
  readonly action: string
  /** The stamp of the session; null for somebody who came by a link. */
  readonly csrf: string | null
  readonly person: { readonly user_id: string; readonly name: string; readonly handle: string }
  /** The ids of those they have: no device makes a second. */
  readonly known: readonly string[]
  readonly algorithms: readonly number[]
}

const hidden = (names: readonly string[]): readonly Markup[] =>
  names.map(name => html`<input type="hidden" name="${name}" value="">`)

const NOTE = html`<p class="hint" id="passkey-note" role="status"></p>`

/** Not shown before the script has found that the browser can do it. */
export const makingForm = ({
  action,
  csrf,
  ticket,
  challenge,
  host,
  person,
  known,
  algorithms,
}: Offer): Markup =>
  html`<form class="stack" id="passkey" hidden method="post" action="${action}" data-use="create" data-challenge="${challenge}" data-host="${host}" data-person="${person.handle}" data-id="${person.user_id}" data-name="${person.name}" data-known="${known.join(' ')}" data-algorithms="${algorithms.join(' ')}">
${csrf === null ? null : html`<input type="hidden" name="csrf" value="${csrf}">`}<input type="hidden" name="ticket" value="${ticket}">${hidden(['client_data', 'attestation'])}
<div><button type="submit">Make a passkey</button></div>
${NOTE}</form>`

/** The form by which somebody signs in with one. */
export const askingForm = ({
  action,
  to,
  ticket,
  challenge,
  host,
}: Ask & { readonly action: string; readonly to: string }): Markup =>
  html`<form class="stack" id="passkey" hidden method="post" action="${action}" data-use="get" data-challenge="${challenge}" data-host="${host}">
<input type="hidden" name="to" value="${to}"><input type="hidden" name="ticket" value="${ticket}">${hidden(['credential_id', 'client_data', 'authenticator_data', 'signature'])}
<div><button type="submit">Sign in with a passkey</button></div>
${NOTE}</form>`

/** A passkey as its person sees it. */
type Shown = {
  readonly credential: string
  readonly credential_hash: string
  readonly by: 'person' | 'operator'
  readonly registered_at: string | null
}

/** The form by which one is taken back. */
type Ending = {
  readonly action: string
  readonly csrf: string
  /** The passkey that this session began with; null where there is none. */
  readonly here: string | null
}

type Listed = Ending & {
  readonly passkeys: readonly Shown[]
  /** The form for another; null with why there is none. */
  readonly form: Markup | null
  readonly why: string
  /** Where a new one is confirmed, in words. */
  readonly channels: string
}

export const drawPasskeys = ({ passkeys, form, why, channels, ...ending }: Listed): Markup =>
  html`<div class="whole"><section class="sheet stack"><h1>Your passkeys</h1>
<p>A passkey is a key on your phone, computer or security key that never leaves it. With one you sign in here, and confirm answers for which nothing less is enough.</p>
${
  passkeys.length === 0
    ? html`<p class="hint">You have none yet.</p>`
    : html`<ul>${passkeys.map(one => lineOf(one, ending))}</ul>
<p class="hint">One that you take back signs nobody in and confirms nothing any more, at once and for good; what it confirmed before stays. You are told of it on all your channels.</p>`
}
</section>
<section class="sheet stack"><h2>Add one</h2>
${
  form === null
    ? html`<p>${why}</p>`
    : html`<p>Your device makes it, and then you are asked on ${channels} whether it is yours. It works once you have answered YES there.</p>
<noscript><p>A browser makes passkeys only with JavaScript.</p></noscript>
${form}`
}</section></div>`

const lineOf = (
  { credential, credential_hash, by, registered_at }: Shown,
  { action, csrf, here }: Ending,
): Markup =>
  html`<li><code>${credential}</code> ${by === 'person' ? 'confirmed by you' : 'enrolled by an operator: what it confirms counts only where policy lists passkey_by_operator'}${registered_at === null ? null : html`, <time datetime="${registered_at}">${registered_at.slice(0, 10)}</time>`}${here === credential_hash ? html`; you have signed in here with it` : null}
<form method="post" action="${action}"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="credential" value="${credential_hash}"><button type="submit" class="plain" aria-label="Take back ${credential}">Take back</button></form></li>`

export const confirmWords = (fingerprint: string, channels: string, back: string): Markup =>
  html`<section class="sheet calm whole"><h1>Now say that it is yours</h1>
<p>You were asked on ${channels} just now. Answer YES there within 15 minutes, if the question shows the same characters:</p>
<p class="fingerprint"><code>${fingerprint}</code></p>
<p><a href="${back}">Go on</a></p></section>`

/** For somebody who came by an operator's link, or by an invitation. */
export const invitedPage = (name: string, isVouched: boolean, form: Markup): Markup =>
  html`<section class="sheet stack"><h1>A passkey for ${name}</h1>
<p>${isVouched ? 'Your device makes it, and then you are asked on your own channel whether it is yours.' : 'Your device makes it. An operator of this lane has said that you are this person.'} This link works once, within an hour.</p>
<noscript><p>A browser makes passkeys only with JavaScript.</p></noscript>
${form}</section>`
