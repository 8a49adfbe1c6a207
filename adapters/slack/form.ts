// The form behind the "Answer" button, pure: one input that fits the answer, and back from it the one string of the
// request's own grammar. The lane checks the filled-in form again: it is a client's claim.

import type { types, ViewOutput } from '@slack/bolt'
import { type Display, describeReply, type Option, type ReplySchema } from '../../src/adapter/index.js'
import { asked, handles, options, stamp, until } from './document.js'
import { plain } from './inert.js'
import { faceOf } from './render.js'

export const FORM_VIEW = 'lane:answer'
/** The input's block: refusals are shown under it. */
export const ANSWER = 'answer'
const VALUE = 'value'

/** Slack shows at most ten of these at once. */
const MAX_RADIO = 10

type Input = types.InputBlock['element']

export const formView = (display: Display, metadata: string): types.ModalView => ({
  type: 'modal',
  callback_id: FORM_VIEW,
  private_metadata: metadata,
  title: plain('Your answer'),
  submit: plain('Send answer'),
  close: plain('Cancel'),
  blocks: [
    asked(display),
    ...handles(display, null),
    ...options(display.reply_schema),
    until(display),
    stamp(display),
    {
      type: 'input',
      block_id: ANSWER,
      label: plain('Your answer'),
      hint: plain(hintOf(display.reply_schema)),
      element: inputOf(display.reply_schema),
    },
  ],
})

function inputOf(schema: ReplySchema): Input {
  switch (schema.kind) {
    case 'yes_no':
      return { type: 'radio_buttons', action_id: VALUE, options: ['YES', 'NO'].map(bare) }
    case 'choice':
      return schema.options.length <= MAX_RADIO
        ? { type: 'radio_buttons', action_id: VALUE, options: schema.options.map(choose) }
        : { type: 'static_select', action_id: VALUE, options: schema.options.map(choose) }
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

function hintOf(schema: ReplySchema): string {
  switch (schema.kind) {
    case 'yes_no':
    case 'choice':
      return 'Choose one.'
    case 'multi_choice':
      return schema.min === schema.max ? `Choose ${schema.max}.` : `Choose ${schema.min} to ${schema.max}.`
    default:
      return describeReply(schema)
  }
}

/** The filled-in answer, as a person would have typed it; '' for none. */
export function readForm(state: ViewOutput['state']): string {
  const given = state.values[ANSWER]?.[VALUE]
  if (given === undefined) return ''
  if (given.selected_options) return given.selected_options.map(({ value }) => value).join(', ')
  return given.selected_option?.value ?? given.selected_date ?? given.value ?? ''
}
