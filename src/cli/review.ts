// `lane review` and `lane approve`: something that exists is looked at, or an action is allowed.
import { type ApprovalSchema, approvalOf, reviewOf } from '../client/draft.js'
import { LENSES } from '../request/request.js'
import { readArguments } from './arguments.js'
import { REPLY_USAGE, type ReadSubmission } from './ask.js'
import { type Command, misuse } from './command.js'
import {
  REPLY_OPTIONS,
  type ReadSchema,
  type ReplyValues,
  readFormFile,
  readReplySchema,
  withReason,
} from './reply-options.js'
import { COMMON_OPTIONS, type CommonValues, commonUsage, type Made, readCommon } from './submission.js'
import { makeIds, submit } from './submit.js'
import { readNamedValues, readValues, VALUE_OPTIONS, type ValueOptions } from './values.js'

type ReviewValues = CommonValues &
  ReplyValues &
  ValueOptions & {
    readonly why?: string | undefined
    readonly target?: string[] | undefined
    readonly lens?: string | undefined
  }

export function reviewFrom(values: ReviewValues, made: Made): ReadSubmission {
  const common = readCommon(values, made)
  const reply = readReplySchema(values)
  const { target: targets = [], why } = values
  const lens = LENSES.find(name => name === values.lens)
  const flaws: string[] = []
  const contents = readValues(values, flaws)
  if (targets.length + contents.length + flaws.length === 0)
    flaws.push('--target, --value or --file is missing: what is to be reviewed')
  if (lens === undefined) flaws.push(`--lens takes one of ${LENSES.join(', ')}`)
  if (!common.ok) flaws.push(...common.flaws)
  if (!reply.ok) flaws.push(...reply.flaws)
  if (lens === undefined || !common.ok || !reply.ok || flaws.length > 0) return { ok: false, flaws }
  const draft = { ...common.common, targets, values: contents, lens, why, reply: reply.schema }
  return { ok: true, submission: reviewOf(draft).submission }
}

export const review: Command = {
  usage: `lane review (--target H | --value TEXT | --file PATH) … --lens L REPLY --deadline D --default A [options]

Has something reviewed. H is a handle (sha256:…, doc:…, diff:…, receipt:…, run:…, artifact:…), TEXT and the text in the
file PATH are shown to the person; L is one of ${LENSES.join(', ')}.

REPLY, exactly one of:
${REPLY_USAGE}

Options (with …: given once for each value):
  --why T               what it is asked for, in one line
${commonUsage()}`,

  async run(args, shell) {
    const options = {
      ...COMMON_OPTIONS,
      ...REPLY_OPTIONS,
      ...VALUE_OPTIONS,
      why: { type: 'string' },
      target: { type: 'string', multiple: true },
      lens: { type: 'string' },
    } as const
    const read = readArguments(args, options)
    if (!read.ok) return misuse(...read.flaws)
    const wanted = reviewFrom(read.values, makeIds(shell, 'review', read.values.id))
    return wanted.ok ? await submit(shell, wanted.submission, read.values) : misuse(...wanted.flaws)
  },
}

export const APPROVAL_OPTIONS = {
  ...COMMON_OPTIONS,
  ...VALUE_OPTIONS,
  why: { type: 'string' },
  param: { type: 'string', multiple: true },
  quorum: { type: 'string' },
  form: { type: 'string' },
  'ask-reason': { type: 'string' },
} as const

type ApprovalValues = CommonValues &
  ValueOptions & {
    readonly why?: string | undefined
    readonly param?: string[] | undefined
    readonly quorum?: string | undefined
    readonly form?: string | undefined
    readonly 'ask-reason'?: string | undefined
  }

export function approvalFrom(action: string, values: ApprovalValues, made: Made): ReadSubmission {
  const common = readCommon(values, made)
  const flaws: string[] = []
  const parameters = readParameters(values.param ?? [], flaws)
  const contents = readNamedValues(values, flaws)
  for (const name of contents.keys())
    if (Object.hasOwn(parameters, name)) flaws.push(`${name} is given twice`)
  if (Object.keys(parameters).length + contents.size + flaws.length === 0)
    flaws.push('--param, --value or --file is missing: what the action is performed on')
  const quorum = readQuorum(values.quorum, flaws)
  const reply = readApprovalSchema(values)
  if (!common.ok) flaws.push(...common.flaws)
  if (!reply.ok) flaws.push(...reply.flaws)
  if (!common.ok || !reply.ok || flaws.length > 0) return { ok: false, flaws }
  const draft = {
    ...common.common,
    action,
    parameters,
    values: Object.fromEntries(contents),
    why: values.why,
    quorum,
    reply: reply.schema as ApprovalSchema,
  }
  return { ok: true, submission: approvalOf(draft).submission }
}

function readApprovalSchema({ form, 'ask-reason': when }: ApprovalValues): ReadSchema {
  const schema: ReadSchema =
    form === undefined ? { ok: true, schema: { kind: 'yes_no' } } : readFormFile(form)
  return withReason(schema, when)
}

function readQuorum(text: string | undefined, flaws: string[]): { readonly need: number } | undefined {
  if (text === undefined) return undefined
  const need = /^[0-9]{1,2}$/.test(text) ? Number(text) : 0
  if (need < 2 || need > 10) flaws.push(`--quorum takes how many must say YES, 2 to 10; read "${text}"`)
  return { need }
}

/** `k=HANDLE`; a name that is given twice would leave open which of the two was approved. */
function readParameters(params: readonly string[], flaws: string[]): Record<string, string> {
  const named = new Map<string, string>()
  for (const param of params) {
    const at = param.indexOf('=')
    const name = param.slice(0, at)
    if (at < 1) flaws.push(`--param takes k=HANDLE; read "${param}"`)
    else if (named.has(name)) flaws.push(`--param ${name} is given twice`)
    else named.set(name, param.slice(at + 1))
  }
  return Object.fromEntries(named)
}

export const approve: Command = {
  usage: `lane approve ACTION (--value k=TEXT | --file k=PATH | --param k=HANDLE) … --deadline D --default A [options]

Asks for the right to perform a configured action (such as PUBLISH) on exactly what is named. TEXT and the text in the
file PATH are shown to the person, and their hashes are what is approved; HANDLE is such a hash, sha256:<64 hex>, of
what the person is not shown. It is answered YES or NO. With --wait it exits 0 only while the YES gives the right to act: not once
that was spent or taken back, or has expired.

Options (with …: given once for each value):
  --why T               what it is asked for, in one line
  --quorum N            N people must say YES, and the first NO decides
  --form FILE           a form, from a file of JSON; the approval is given only if every approval in it is
  --ask-reason W        on_no (a NO must say why) or optional
${commonUsage('DENY, HALT, QUARANTINE_OUTPUTS, DO_NOT_PUBLISH (PUBLISH only), DO_NOT_EXPORT (EXPORT only)')}`,

  async run(args, shell) {
    const read = readArguments(args, APPROVAL_OPTIONS, ['ACTION'])
    if (!read.ok) return misuse(...read.flaws)
    const wanted = approvalFrom(read.words[0] ?? '', read.values, makeIds(shell, 'approve', read.values.id))
    return wanted.ok ? await submit(shell, wanted.submission, read.values) : misuse(...wanted.flaws)
  },
}
