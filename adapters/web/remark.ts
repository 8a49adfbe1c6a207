// The field for a reason: words beside an answer, recorded with it, and never a condition of it.
import { type AskedReason, html, type Markup } from '../../src/adapter/index.js'

type Field = {
  readonly name: string
  readonly id: string
  readonly label: string
  readonly typed: string
}

export const remark = ({ when, max_chars }: AskedReason, { name, id, label, typed }: Field): Markup =>
  html`<div class="remark"><label for="${id}">${label}${when === 'on_no' ? ', needed with a NO' : ', if you like'}</label>
<p class="hint" id="hint-${id}">Recorded with your answer; it is not a condition. One line of plain text, at most ${max_chars} characters, without links.</p>
<div class="field"><input id="${id}" name="${name}" type="text" value="${typed}" maxlength="${2 * max_chars}" aria-describedby="hint-${id}"></div></div>`
