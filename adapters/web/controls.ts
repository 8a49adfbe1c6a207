// The proper control for every kind of answer. Each sends strings of the reply grammar under the name `reply`, the
// same strings a person would type on any other channel, so the page has no second way to mean something.
// Nothing is ever chosen for the person: not at first sight, and a single choice not after a refusal either.
import {
  describeReply,
  html,
  letterOf,
  lookAlike,
  type Markup,
  type Option,
  type ReplySchema,
} from '../../src/adapter/index.js'

type Kind<K extends ReplySchema['kind']> = Extract<ReplySchema, { kind: K }>

/** A control's name, its id, and what was typed into it before. */
export type Control = {
  readonly name: string
  readonly id: string
  readonly typed: string
  /** The elements that explain it. */
  readonly describedBy: string
  readonly required: boolean
  /** Whether a single choice that was made before is shown as made: of a form, whose other decisions must not be lost. */
  readonly keeps: boolean
}

type PlainSchema = Exclude<ReplySchema, { kind: 'form' }>

/** The control for one answer, with its legend; `typed` is the reply sent before, '' at first. */
export function control(schema: PlainSchema, typed: string, describedBy: string): Markup {
  const place: Control = { name: 'reply', id: 'reply', typed, describedBy, required: true, keeps: false }
  const inner = bare(schema, place)
  return isGroup(schema)
    ? html`<fieldset aria-describedby="${describedBy}">
<legend>Your answer</legend>
${hint(schema)}
${inner}
</fieldset>`
    : html`<div><label class="ask" for="reply">Your answer</label>
${hint(schema)}
<div class="field">${inner}</div></div>`
}

/** A group of cards has a legend, a field has a label. */
export const isGroup = ({ kind }: PlainSchema): boolean =>
  kind === 'yes_no' || kind === 'choice' || kind === 'multi_choice'

/** The control itself, without a word around it. */
export function bare(schema: PlainSchema, place: Control): Markup {
  switch (schema.kind) {
    case 'yes_no':
      return html`<div class="cards pair">${['YES', 'NO'].map(answer => plainCard(answer, place))}</div>`
    case 'choice':
      return html`<div class="cards">${schema.options.map((option, at) => choiceCard(option, at, place))}</div>`
    case 'multi_choice':
      return html`<div class="cards">${schema.options.map((option, at) => tickCard(option, at, place))}</div>`
    case 'text':
      return textInput(schema, place)
    case 'number':
      return numberInput(schema, place)
    case 'date':
      return dateInput(schema, place)
  }
}

// If the control itself shows every accepted answer, the sentence of other channels would only repeat it.
export function hintOf(schema: PlainSchema): string {
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

const hint = (schema: PlainSchema): Markup => html`<p class="hint" id="accepted">${hintOf(schema)}</p>`

const needed = ({ required }: Control): Markup | null => (required ? html` required` : null)
const ticked = (isIt: boolean): Markup | null => (isIt ? html` checked` : null)

const plainCard = (answer: string, place: Control): Markup =>
  html`<label class="card"><input type="radio" name="${place.name}" value="${answer}"${needed(place)}${ticked(
    place.keeps && place.typed.toUpperCase() === answer,
  )}><span>${answer}</span></label>`

const choiceCard = (option: Described, at: number, place: Control): Markup =>
  html`<label class="card"><input type="radio" name="${place.name}" value="${option.value}"${needed(place)}${ticked(
    place.keeps && isTicked(option, at, place.typed),
  )}>${face(option, at)}</label>`

const tickCard = (option: Described, at: number, place: Control): Markup =>
  html`<label class="card"><input type="checkbox" name="${place.name}" value="${option.value}"${ticked(
    isTicked(option, at, place.typed),
  )}>${face(option, at)}</label>`

type Described = Option & { readonly description?: string }

// The value is recorded, so it stands beside a label that could say something else.
const face = (option: Described, at: number): Markup =>
  html`<span class="letter">${letterOf(at)}</span><span class="label">${option.label}${
    option.value === option.label ? null : html` <code class="value">${option.value}</code>`
  }${marked(option)}${
    option.description === undefined ? null : html`<span class="described">${option.description}</span>`
  }</span>`

/** Text and no element: a caller's words change no tag of ours. */
function marked({ label }: Option): string {
  const mark = lookAlike(label)
  return mark === null ? '' : ` (${mark})`
}

function isTicked(option: Option, at: number, typed: string): boolean {
  const parts = typed.split(',').map(part => part.trim().toLowerCase())
  return parts.includes(option.value.toLowerCase()) || parts.includes(letterOf(at).toLowerCase())
}

// maxlength counts UTF-16 units and cuts a paste in silence; the grammar counts code points, of at most two units. So
// only an answer that would be refused is cut, and no acceptable answer is ever shortened.
const textInput = (schema: Kind<'text'>, place: Control): Markup =>
  html`<input id="${place.id}" name="${place.name}" type="text" value="${place.typed}" maxlength="${2 * schema.max_chars}"${needed(place)} aria-describedby="${place.describedBy}">`

const numberInput = (schema: Kind<'number'>, place: Control): Markup =>
  html`${beside(schema.lead)}<input id="${place.id}" name="${place.name}" class="number" type="text" inputmode="${
    schema.min < 0 ? 'text' : 'decimal'
  }" value="${place.typed}"${needed(place)} aria-describedby="${place.describedBy}">${beside(schema.unit)}`

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
const dateInput = (schema: Kind<'date'>, { id, name, typed, describedBy }: Control): Markup => {
  const [day, instant] = DAY.test(typed) ? [typed, ''] : ['', typed]
  const moment = id === 'reply' ? 'instant' : `${id}-instant`
  return html`<input id="${id}" name="${name}" class="date" type="date" value="${day}"${dayBound('min', schema.min)}${dayBound('max', schema.max)} aria-describedby="${describedBy}">
<label class="or" for="${moment}">or a moment, with its offset from UTC, such as <code>${EXAMPLE_INSTANT}</code></label>
<input id="${moment}" name="${name}" class="instant" type="text" value="${instant}" autocapitalize="none" spellcheck="false" aria-describedby="${describedBy}">`
}
const EXAMPLE_INSTANT = '2026-02-17T09:30:00+01:00'
