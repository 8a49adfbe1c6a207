// The decisions of a form as the inputs of a modal, pure: one for each that is still open, with its description, its
// options and a field for the comment. Nothing is preselected. A form that one modal does not hold comes in parts: the
// rest is asked by the next one.
import type { types } from '@slack/bolt'
import {
  type Decision,
  describeLine,
  type FormSchema,
  quotedLines,
  schemaOf,
} from '../../src/adapter/index.js'
import { options, rich } from './document.js'
import { BOLD, line, plain, words } from './inert.js'
import { COMMENT, commentInput, DECISION, inputOf } from './inputs.js'

type Block = types.KnownBlock

/** Slack takes a hundred blocks in a modal; a few stand above the decisions. */
const MAX_BLOCKS = 90

/** `settled`: the decisions that were answered already. */
export function decisionBlocks(form: FormSchema, settled: readonly string[]): Block[] {
  const open = form.decisions.filter(({ id }) => !settled.includes(id))
  const blocks: Block[] = []
  let shown = 0
  for (const decision of open) {
    const next = blocksOf(decision)
    if (blocks.length + next.length > MAX_BLOCKS) break
    blocks.push(...next)
    shown++
  }
  return [...blocks, ...rest(open.length - shown)]
}

const rest = (left: number): Block[] =>
  left === 0
    ? []
    : [
        rich(
          line(
            words(
              `${left} more ${left === 1 ? 'decision is' : 'decisions are'} asked when you press Answer again.`,
            ),
          ),
        ),
      ]

function blocksOf(decision: Decision): Block[] {
  const { id, prompt, description, required, reason } = decision
  const schema = schemaOf(decision)
  const described = [...quotedLines(description), ...optionWords(decision)]
  return [
    ...(described.length === 0 ? [] : [rich(...described.map(text => line(words(text))))]),
    ...options(schema),
    {
      type: 'input',
      block_id: `${DECISION}${id}`,
      optional: true,
      label: plain(prompt),
      hint: plain(`${required ? 'Required' : 'Optional'}${defaultOf(decision)}. ${describeLine(decision)}`),
      element: inputOf(schema),
    },
    ...(reason === undefined ? [] : [commentInput(`${COMMENT}${id}`, 'Comment', reason)]),
  ]
}

/** The descriptions of options, which a choice has no room for. */
const optionWords = (decision: Decision): string[] =>
  'options' in decision
    ? decision.options.flatMap(({ value, description }) =>
        description === undefined ? [] : [`${value}: ${description}`],
      )
    : []

/** The caller's default is named and never preselected. */
function defaultOf({ default: given }: Decision): string {
  if (given === undefined) return ''
  const value = typeof given === 'boolean' ? (given ? 'YES' : 'NO') : [given].flat().join(', ')
  return `, the caller’s default is ${value}`
}

/** What surrounds the form: the caller's context, and what waits for it. */
export function surroundings({ context, blocking = [] }: FormSchema): Block[] {
  const lines = [
    ...quotedLines(context).map(text => line(words(text))),
    ...blocking.map(({ description, task_id, artifact_id }) =>
      line(
        words('Waits for this: ', BOLD),
        words([description, task_id, artifact_id].filter(part => part !== undefined).join(', ')),
      ),
    ),
  ]
  return lines.length === 0 ? [] : [rich(...lines)]
}
