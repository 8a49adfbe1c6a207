// The inputs of a modal, pure: one that fits each kind of answer, and back from them the strings of the request's own
// grammar. The lane checks what comes back again: it is a client's claim.
import type { types, ViewOutput } from '@slack/bolt'
import type { AskedReason, Option, ReplySchema } from '../../src/adapter/index.js'
import { plain } from './inert.js'
import { faceOf } from './render.js'

/** The blocks of inputs: refusals are shown under them. */
export const ANSWER = 'answer'
export const REASON = 'reason'
export const DECISION = 'd.'
export const COMMENT = 'c.'
const VALUE = 'value'

/** Slack shows at most ten of these at once. */
const MAX_RADIO = 10

type Input = types.InputBlock['element']
type PlainSchema = Exclude<ReplySchema, { kind: 'form' }>

export function inputOf(schema: PlainSchema): Input {
  switch (schema.kind) {
    case 'yes_no':
      return { type: 'radio_buttons', action_id: VALUE, options: ['YES', 'NO'].map(bare) }
    case 'choice':
      return schema.options.length <= MAX_RADIO
        ? { type: 'radio_buttons', action_id: VALUE, options: schema.options.map(choose) }
        : choiceOf(schema.options.map(choose))
    case 'multi_choice':
      return schema.options.length <= MAX_RADIO
        ? { type: 'checkboxes', action_id: VALUE, options: schema.options.map(choose) }
        : severalOf(schema)
    case 'text':
      // Slack may count UTF-16 units, and a character has at most two: no acceptable answer is cut.
      return { type: 'plain_text_input', action_id: VALUE, min_length: 1, max_length: 2 * schema.max_chars }
    case 'number':
      return numberInput(schema)
    case 'date':
      return { type: 'datepicker', action_id: VALUE }
  }
}

/** One of these, none of them chosen. */
export const choiceOf = (options: types.PlainTextOption[]): types.StaticSelect => ({
  type: 'static_select',
  action_id: VALUE,
  options,
})

const NOT_A_CONDITION = 'Recorded with your answer; it is not a condition.'

export const commentInput = (
  block_id: string,
  label: string,
  { when, max_chars }: AskedReason,
): types.InputBlock => ({
  type: 'input',
  block_id,
  optional: true,
  label: plain(when === 'on_no' ? `${label}, needed with a NO` : label),
  hint: plain(`${NOT_A_CONDITION} One line of plain text, at most ${max_chars} characters, without links.`),
  element: { type: 'plain_text_input', action_id: VALUE, min_length: 1, max_length: 2 * max_chars },
})

const bare = (answer: string): types.PlainTextOption => ({ text: plain(answer), value: answer })

const choose = (option: Option, at: number): types.PlainTextOption => ({
  text: plain(faceOf(option, at)),
  value: option.value,
  description: plain(`recorded as ${option.value}`),
})

const severalOf = (schema: Extract<ReplySchema, { kind: 'multi_choice' }>): types.MultiStaticSelect => ({
  type: 'multi_static_select',
  action_id: VALUE,
  options: schema.options.map(choose),
  max_selected_items: schema.max,
})

function numberInput({ min, max, step }: Extract<ReplySchema, { kind: 'number' }>): types.NumberInput {
  const whole = step !== undefined && [min, max, step].every(Number.isInteger)
  return {
    type: 'number_input',
    action_id: VALUE,
    is_decimal_allowed: !whole,
    min_value: written(min),
    max_value: written(max),
  }
}

/** As the grammar writes numbers: at most six decimals and never an exponent. */
const written = (number: number): string =>
  Number.isInteger(number) ? String(number) : number.toFixed(6).replace(/0+$/, '')

type Filled = { readonly text: string; readonly fields: Readonly<Record<string, string>> }

/** The filled-in answers, as a person would have typed them: one, or a line for each decision, and the words beside
 *  them. An input left empty says nothing. */
export function readInputs({ values }: ViewOutput['state']): Filled {
  const given = Object.keys(values).map(block => [block, filled(values[block]?.[VALUE])] as const)
  const said = given.filter(([, value]) => value !== '')
  const lines = said.filter(([block]) => block.startsWith(DECISION))
  return {
    text: [
      ...said.filter(([block]) => block === ANSWER).map(([, value]) => value),
      // An input is one line: with a line break in it, or in its name, it would answer another decision too. The sign is
      // in no alphabet.
      ...lines.map(([block, value]) => `${block.slice(DECISION.length)} ${value}`.replace(/[\r\n]+/g, '¶')),
    ].join('\n'),
    fields: Object.fromEntries(said.filter(([block]) => block === REASON || block.startsWith(COMMENT))),
  }
}

function filled(given: ViewOutput['state']['values'][string][string] | undefined): string {
  if (given === undefined) return ''
  if (given.selected_options) return given.selected_options.map(({ value }) => value).join(', ')
  return given.selected_option?.value ?? given.selected_date ?? given.value ?? ''
}
