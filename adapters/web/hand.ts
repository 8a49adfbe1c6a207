// The way to hand the request on: a form of its own, so that it shares nothing with an answer but the page. Its one
// choice is a person, whom the server writes as the reply that would be typed elsewhere.
import { type Beside, html, type Markup } from '../../src/adapter/index.js'

type Delegates = Beside['delegates']

/** `proof`: the field for the code, with the stamp. `action`: where it is sent to. `send`: its button. `isOpen`: it was used before, and not taken. */
export const handForm = (
  delegates: Delegates,
  proof: Markup,
  action: Markup | null,
  send: Markup,
  isOpen: boolean,
): Markup | null =>
  delegates.length === 0
    ? null
    : html`<details class="sheet" id="hand"${isOpen ? html` open` : null}><summary>Hand it to somebody else</summary>
<form class="stack" method="post"${action} autocomplete="off">
<p class="hint">Whoever you choose is asked in your place, and you can no longer answer. Both names are recorded.</p>
<div><label class="ask" for="delegate">Who answers in your place</label>
<div class="field"><select id="delegate" name="delegate" required><option value="">Choose one</option>${delegates.map(option)}</select></div></div>
${proof}
<div>${send}</div>
</form></details>`

const option = ({ user_id, name }: Delegates[number]): Markup =>
  html`<option value="${user_id}">${name === user_id ? name : `${name} (${user_id})`}</option>`
