// The proper control for every kind of answer. Each sends strings of the reply grammar under the name `reply`, the
// same strings a person would type on any other channel, so the page has no second way to mean something.
// Nothing is ever chosen for the person: not at first sight, and a single choice not after a refusal either.
import {
  describeReply,
  html,
  letterOf,
  type Markup,
  type Option,
  type ReplySchema,
} from '../../src/adapter/index.js'

type Kind<K extends ReplySchema['kind']> = Extract<ReplySchema, { kind: K }>

/** `describedBy` names the elements that explain the control; `typed` is the reply sent before, '' at first. */
export function control(schema: ReplySchema, typed: string, describedBy: string): Markup {
  switch (schema.kind) {
    case 'yes_no':
      return group(schema, describedBy, 'cards pair', ['YES', 'NO'].map(plainCard))
    case 'choice':
      return group(schema, describedBy, 'cards', schema.options.map(choiceCard))
    case 'multi_choice':
      return group(schema, describedBy, 'cards', schema.options.map(tickCard(typed)))
    case 'text':
      return field(schema, textInput(schema, typed, describedBy))
    case 'number':
      return field(schema, numberInput(schema, typed, describedBy))
    case 'date':
      return field(schema, dateInput(schema, typed, describedBy))
  }
}

// If the control itself shows every accepted answer, the sentence of other channels would only repeat it.
function hintOf(schema: ReplySchema): string {
  switch (schema.kind) {
    case 'yes_no':
      return 'Choose YES or NO.'
    case 'choice':
      return 'Choose one. The options are the caller’s words.'
    case 'multi_choice':
      return `Choose ${countOf(schema)}. The options are the caller’s words.`
    case 'date':
      return dayRange(schema)
    default:
      return describeReply(schema)
  }
}

function countOf({ min, max }: Kind<'multi_choice'>): string {
  // Nothing ticked is no answer, so the least that can be chosen is one.
  const least = Math.max(min, 1)
  return least === max ? `exactly ${max}` : `${least} to ${max}`
}

function dayRange({ min, max }: Kind<'date'>): string {
  if (min !== undefined && max !== undefined) return `A day from ${min} to ${max}.`
  if (min !== undefined) return `A day not before ${min}.`
  return max === undefined ? 'Any day.' : `A day not after ${max}.`
}

const hint = (schema: ReplySchema): Markup => html`<p class="hint" id="accepted">${hintOf(schema)}</p>`

const group = (schema: ReplySchema, describedBy: string, style: string, cards: readonly Markup[]): Markup =>
  html`<fieldset aria-describedby="${describedBy}">
<legend>Your answer</legend>
${hint(schema)}
<div class="${style}">${cards}</div>
</fieldset>`

const plainCard = (answer: string): Markup =>
  html`<label class="card"><input type="radio" name="reply" value="${answer}" required><span>${answer}</span></label>`

const choiceCard = (option: Option, at: number): Markup =>
  html`<label class="card"><input type="radio" name="reply" value="${option.value}" required>${face(option, at)}</label>`

const tickCard =
  (typed: string) =>
  (option: Option, at: number): Markup => {
    const tick = isTicked(option, at, typed) ? html` checked` : null
    return html`<label class="card"><input type="checkbox" name="reply" value="${option.value}"${tick}>${face(option, at)}</label>`
  }

// The value is recorded, so it stands beside a label that could say something else.
const face = (option: Option, at: number): Markup =>
  html`<span class="letter">${letterOf(at)}</span><span class="label">${option.label}${
    option.value === option.label ? null : html` <code class="value">${option.value}</code>`
  }</span>`

function isTicked(option: Option, at: number, typed: string): boolean {
  const parts = typed.split(',').map(part => part.trim().toLowerCase())
  return parts.includes(option.value.toLowerCase()) || parts.includes(letterOf(at).toLowerCase())
}

const field = (schema: ReplySchema, input: Markup): Markup =>
  html`<div><label class="ask" for="reply">Your answer</label>
${hint(schema)}
<div class="field">${input}</div></div>`

// maxlength counts UTF-16 units and cuts a paste in silence; the grammar counts code points, of at most two units. So
// only an answer that would be refused is cut, and no acceptable answer is ever shortened.
const textInput = (schema: Kind<'text'>, typed: string, describedBy: string): Markup =>
  html`<input id="reply" name="reply" type="text" value="${typed}" maxlength="${2 * schema.max_chars}" required aria-describedby="${describedBy}">`

const numberInput = (schema: Kind<'number'>, typed: string, describedBy: string): Markup =>
  html`${beside(schema.lead)}<input id="reply" name="reply" class="number" type="text" inputmode="${
    schema.min < 0 ? 'text' : 'decimal'
  }" value="${typed}" required aria-describedby="${describedBy}">${beside(schema.unit)}`

const beside = (word: string | undefined): Markup | null =>
  word === undefined ? null : html`<span>${word}</span>`

// A bound given as an instant falls within a day: the browser could only hold people to the wrong day.
const DAY = /^\d{4}-\d{2}-\d{2}$/
const dayBound = (name: 'min' | 'max', bound: string | undefined): Markup | null => {
  if (bound === undefined || !DAY.test(bound)) return null
  return name === 'min' ? html` min="${bound}"` : html` max="${bound}"`
}

// A calendar takes days alone, and an instant is an answer too. Neither can be required of a person who fills in the
// other; a person who fills in both has given two answers, and is told so.
const dateInput = (schema: Kind<'date'>, typed: string, describedBy: string): Markup => {
  const [day, instant] = DAY.test(typed) ? [typed, ''] : ['', typed]
  return html`<input id="reply" name="reply" class="date" type="date" value="${day}"${dayBound('min', schema.min)}${dayBound('max', schema.max)} aria-describedby="${describedBy}">
<label class="or" for="instant">or a moment, with its offset from UTC, such as <code>${EXAMPLE_INSTANT}</code></label>
<input id="instant" name="reply" class="instant" type="text" value="${instant}" autocapitalize="none" spellcheck="false" aria-describedby="${describedBy}">`
}
const EXAMPLE_INSTANT = '2026-02-17T09:30:00+01:00'
