// AskUserQuestion, which a coding agent asks as if it were leave for a tool: the choices it offers become a choice before a person,
// and what was chosen goes back in the agent's own words.

import { flawOfText, questionsIn } from '../../request/text.js'
import { isFields } from '../fields.js'
import { listOf, textAt } from './pipeline.js'
import { LABEL_CHARS, shown, TEXT_CHARS } from './words.js'

export const ASK_USER = 'AskUserQuestion'
const [LEAST_OPTIONS, MOST_OPTIONS, MOST_QUESTIONS] = [2, 26, 50]

type Option = { readonly value: string; readonly label: string }
export type AgentQuestion = {
  readonly text: string
  readonly many: boolean
  readonly options: readonly Option[]
  /** As the agent wrote them, by the values people choose. */
  readonly words: ReadonlyMap<string, string>
}

/** Null where there is nothing to choose from: a free text is not for a prompt. */
export function questionsOf(input: unknown): readonly AgentQuestion[] | null {
  const given = isFields(input) && Array.isArray(input.questions) ? input.questions : [input]
  const asked = given.map(questionOf)
  const whole = asked.filter(one => one !== null)
  return whole.length === asked.length && whole.length > 0 && whole.length <= MOST_QUESTIONS ? whole : null
}

function questionOf(given: unknown): AgentQuestion | null {
  const text = isFields(given) ? textAt(given, 'question') : null
  if (!isFields(given) || text === null) return null
  const labels = listOf(given.options).map(one => (isFields(one) ? textAt(one, 'label') : one))
  const isText = labels.every(label => typeof label === 'string' && label.trim() !== '')
  if (!isText || labels.length < LEAST_OPTIONS || labels.length > MOST_OPTIONS) return null
  const words = new Map(labels.map((label, at) => [`option-${at + 1}`, String(label)]))
  const options = [...words].map(([value, label]) => ({ value, label: shown(label, LABEL_CHARS, value) }))
  return { text, many: given.multiSelect === true || given.multiSelect === 'true', options, words }
}

const PLAIN = 'Which answer is the agent to be given?'

/** The question as a person is asked it: in the agent's words where these can be shown as one question. */
export const questionText = (asked: readonly AgentQuestion[]): string => {
  const [only] = asked
  if (only === undefined || asked.length > 1) return 'Which answers is the agent to be given?'
  return flawOfText(only.text, TEXT_CHARS) === null && questionsIn(only.text) <= 1 ? only.text : PLAIN
}

export function schemaOf(asked: readonly AgentQuestion[]): Readonly<Record<string, unknown>> {
  const [only] = asked
  if (only === undefined || asked.length > 1)
    return { kind: 'form', decisions: asked.map((one, at) => decisionOf(one, `q${at + 1}`)) }
  const { many, options } = only
  return many ? { kind: 'multi_choice', options, min: 1, max: options.length } : { kind: 'choice', options }
}

const decisionOf = ({ text, many, options }: AgentQuestion, id: string) => ({
  id,
  type: many ? 'multi_choice' : 'choice',
  prompt: shown(text, TEXT_CHARS, id),
  required: true,
  options,
})

type Answer = {
  readonly parsed_choice: string | null
  readonly parsed_payload: Readonly<Record<string, unknown>> | null
}

/** What was chosen, in the agent's words; null if the answer is none of these. */
export function chosen(
  asked: readonly AgentQuestion[],
  { parsed_choice, parsed_payload }: Answer,
): string | null {
  const payload = parsed_payload ?? {}
  const [only] = asked
  if (only !== undefined && asked.length === 1) return inWords(only, parsed_choice ?? payload.selected)
  const decisions = listOf(payload.decisions).filter(isFields)
  const said = asked.map((one, at) => {
    const words = inWords(one, decisions.find(({ decision_id }) => decision_id === `q${at + 1}`)?.selected)
    return words === null ? null : `${one.text}: ${words}`
  })
  return said.includes(null) ? null : said.join('; ')
}

function inWords({ words }: AgentQuestion, selected: unknown): string | null {
  const values = [selected].flat().map(value => words.get(String(value)))
  return values.length === 0 || values.includes(undefined) ? null : values.join(', ')
}
