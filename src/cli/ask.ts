// `lane ask`: one question.
import { questionOf } from '../client/draft.js'
import type { Submission } from '../client/put.js'
import { readArguments } from './arguments.js'
import { type Command, misuse } from './command.js'
import { REPLY_OPTIONS, type ReplyValues, readReplySchema } from './reply-options.js'
import { COMMON_OPTIONS, type CommonValues, commonUsage, type Made, readCommon } from './submission.js'
import { makeIds, submit } from './submit.js'
import { readValues, VALUE_OPTIONS, type ValueOptions } from './values.js'

export const REPLY_USAGE = `  --yes-no              YES or NO
  --option v=label …    one of these
  --multi v=label …     some of these  [--min N] [--max N]
  --text N              one plain line of at most N characters
  --number MIN..MAX     a number  [--step S] [--unit U] [--lead L]
  --date                a date  [--from D] [--until D]
  --form FILE           several decisions at once, from a file of JSON: { "decisions": [ … ] }
  with --yes-no: --ask-reason on_no (a NO must say why) or optional; with --option: --ask-reason optional`

const OPTIONS = {
  ...COMMON_OPTIONS,
  ...REPLY_OPTIONS,
  impact: { type: 'string' },
  context: { type: 'string', multiple: true },
  ...VALUE_OPTIONS,
} as const

type Values = CommonValues &
  ReplyValues &
  ValueOptions & {
    readonly impact?: string | undefined
    readonly context?: string[] | undefined
  }
export type ReadSubmission =
  | { readonly ok: true; readonly submission: Submission }
  | { readonly ok: false; readonly flaws: readonly string[] }

export function questionFrom(text: string, values: Values, made: Made): ReadSubmission {
  const common = readCommon(values, made)
  const reply = readReplySchema(values)
  const { impact, context } = values
  const flaws: string[] = []
  const contents = readValues(values, flaws)
  if (impact === undefined) flaws.push('--impact is missing: what the answer changes')
  if (!common.ok) flaws.push(...common.flaws)
  if (!reply.ok) flaws.push(...reply.flaws)
  if (impact === undefined || !common.ok || !reply.ok || flaws.length > 0) return { ok: false, flaws }
  const draft = { ...common.common, question: text, impact, context, values: contents, reply: reply.schema }
  return { ok: true, submission: questionOf(draft).submission }
}

export const ask: Command = {
  usage: `lane ask TEXT --impact T REPLY --deadline D --default A [options]

Asks one question. TEXT is the question, T what the answer changes.

REPLY, exactly one of:
${REPLY_USAGE}

Options (with …: given once for each value):
  --context H …         what to look at: sha256:…, doc:…, diff:…, receipt:…, run:…, artifact:…
  --value TEXT …        a text that is shown beside the question
  --file PATH …         the text in a file, shown beside the question
${commonUsage()}`,

  async run(args, shell) {
    const read = readArguments(args, OPTIONS, ['TEXT'])
    if (!read.ok) return misuse(...read.flaws)
    const question = questionFrom(read.words[0] ?? '', read.values, makeIds(shell, 'ask', read.values.id))
    return question.ok ? await submit(shell, question.submission, read.values) : misuse(...question.flaws)
  },
}
