// A form as lines of plain text, for channels of words: what surrounds it, then each decision with all that can be said
// about it. Callers' words are among them: each channel makes them harmless with its own pen.
//
// SH1  A caller's text that may have several lines stands behind a sign that no line of ours begins with, each line of it:
//      none can pass for a sentence of the lane, for another decision or for a content it holds.
import { describeLine, describeOption } from '../compiler/describe.js'
import type { Decision, FormSchema } from '../compiler/reply-schema.js'
import { lookAlike } from '../request/content/look-alike.js'

/** The lines that belong together: first the surroundings, where there are any, then a group for each decision. */
export function sheetOf({ context, blocking = [], decisions }: FormSchema): readonly (readonly string[])[] {
  const around = [...quotedLines(context), ...blocking.map(waiting)]
  return [...(around.length === 0 ? [] : [around]), ...decisions.map(decisionLines)]
}

/** The caller's words, line by line (SH1). */
export const quotedLines = (text: string | undefined): string[] =>
  text === undefined ? [] : text.split('\n').map(line => (line === '' ? QUOTED : `${QUOTED} ${line}`))
const QUOTED = '>'

const waiting = ({
  task_id,
  artifact_id,
  description,
}: NonNullable<FormSchema['blocking']>[number]): string =>
  `Waits for this: ${[description, task_id, artifact_id].filter(part => part !== undefined).join(', ')}`

function decisionLines(decision: Decision, index: number): string[] {
  const { id, prompt, description, required } = decision
  const about = [required ? 'required' : 'optional', ...named(decision)].join(', ')
  return [
    `${index + 1}. ${marked(prompt)}`,
    ...quotedLines(description),
    ...('options' in decision ? decision.options.map(optionLine) : []),
    `${describeLine(decision)} (${id}: ${about})`,
  ]
}

/** Named beside the control, never preselected. */
function named({ default: given }: Decision): string[] {
  if (given === undefined) return []
  const value = typeof given === 'boolean' ? (given ? 'YES' : 'NO') : [given].flat().join(', ')
  return [`the caller’s default is ${value}`]
}

type Option = Extract<Decision, { type: 'choice' }>['options'][number]
function optionLine(option: Option, at: number): string {
  const line = describeOption(option, at) + markOf(option.label)
  return option.description === undefined ? line : `${line}: ${option.description}`
}

const marked = (text: string): string => text + markOf(text)
function markOf(text: string): string {
  const mark = lookAlike(text)
  return mark === null ? '' : ` (${mark})`
}
