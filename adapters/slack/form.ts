// The form behind the "Answer" button, pure: the request once more, and an input for each thing that is asked.
import type { types } from '@slack/bolt'
import { type Display, describeReply, type ReplySchema } from '../../src/adapter/index.js'
import { decisionBlocks, surroundings } from './decisions.js'
import { asked, handles, options, stamp, steps, until } from './document.js'
import { plain } from './inert.js'
import { ANSWER, commentInput, inputOf, REASON } from './inputs.js'

export const FORM_VIEW = 'lane:answer'

/** `settled`: the decisions of a form that were answered already. */
export const formView = (
  display: Display,
  settled: readonly string[],
  metadata: string,
): types.ModalView => ({
  type: 'modal',
  callback_id: FORM_VIEW,
  private_metadata: metadata,
  title: plain('Your answer'),
  submit: plain('Send answer'),
  close: plain('Cancel'),
  blocks: [
    asked(display),
    ...handles(display, null),
    ...(display.reply_schema.kind === 'form'
      ? surroundings(display.reply_schema)
      : options(display.reply_schema)),
    until(display),
    ...steps(display),
    stamp(display),
    ...inputs(display.reply_schema, settled),
  ],
})

function inputs(schema: ReplySchema, settled: readonly string[]): types.KnownBlock[] {
  if (schema.kind === 'form') return decisionBlocks(schema, settled)
  const reason = 'reason' in schema ? schema.reason : undefined
  return [
    {
      type: 'input',
      block_id: ANSWER,
      label: plain('Your answer'),
      hint: plain(hintOf(schema)),
      element: inputOf(schema),
    },
    ...(reason === undefined ? [] : [commentInput(REASON, 'Reason', reason)]),
  ]
}

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
