// `lane review` and `lane approve`: something that exists is looked at, or an action is allowed.
import { LENSES } from '../request/request.js'
import { readArguments } from './arguments.js'
import { REPLY_USAGE, type ReadSubmission } from './ask.js'
import { type Command, misuse } from './command.js'
import { REPLY_OPTIONS, type ReplyValues, readReplySchema } from './reply-options.js'
import {
  addressed,
  COMMON_OPTIONS,
  type CommonValues,
  commonUsage,
  flawsOfRecipients,
  readTiming,
} from './submission.js'
import { makeIds, submit } from './submit.js'

type Made = { readonly requestId: string; readonly runId: string }
type ReviewValues = CommonValues &
  ReplyValues & {
    readonly target?: string[] | undefined
    readonly lens?: string | undefined
    readonly id?: string | undefined
  }

export function reviewFrom(values: ReviewValues, made: Made): ReadSubmission {
  const timing = readTiming(values)
  const reply = readReplySchema(values)
  const { target: target_handles } = values
  const lens = LENSES.find(name => name === values.lens)
  const flaws = flawsOfRecipients(values)
  if (target_handles === undefined) flaws.push('--target is missing: a handle of what is to be reviewed')
  if (lens === undefined) flaws.push(`--lens takes one of ${LENSES.join(', ')}`)
  if (!timing.ok) flaws.push(...timing.flaws)
  if (!reply.ok) flaws.push(...reply.flaws)
  if (target_handles === undefined || lens === undefined || !timing.ok || !reply.ok || flaws.length > 0)
    return { ok: false, flaws }
  const request = {
    type: 'REQUEST_REVIEW' as const,
    review_id: values.id ?? made.requestId,
    target_handles,
    lens,
    ...timing.timing,
    reply_schema: reply.schema,
  }
  return { ok: true, submission: addressed(request, values, made.runId) }
}

export const review: Command = {
  usage: `lane review --target H … --lens L REPLY --deadline D --default A [options]

Has something reviewed. H is a handle (sha256:…, doc:…, diff:…, receipt:…, run:…, artifact:…),
L one of ${LENSES.join(', ')}.

REPLY, exactly one of:
${REPLY_USAGE}

Options (with …: given once for each value):
${commonUsage()}`,

  async run(args, shell) {
    const options = {
      ...COMMON_OPTIONS,
      ...REPLY_OPTIONS,
      target: { type: 'string', multiple: true },
      lens: { type: 'string' },
    } as const
    const read = readArguments(args, options)
    if (!read.ok) return misuse(...read.flaws)
    const wanted = reviewFrom(read.values, makeIds(shell, 'review', read.values.id))
    return wanted.ok ? await submit(shell, wanted.submission, read.values) : misuse(...wanted.flaws)
  },
}

type ApprovalValues = CommonValues & {
  readonly param?: string[] | undefined
  readonly id?: string | undefined
}

export function approvalFrom(action: string, values: ApprovalValues, made: Made): ReadSubmission {
  const timing = readTiming(values)
  const flaws = flawsOfRecipients(values)
  const parameters = readParameters(values.param ?? [], flaws)
  if (!timing.ok) flaws.push(...timing.flaws)
  if (!timing.ok || flaws.length > 0) return { ok: false, flaws }
  const request = {
    type: 'REQUEST_APPROVAL' as const,
    approval_id: values.id ?? made.requestId,
    action,
    parameters,
    ...timing.timing,
    reply_schema: { kind: 'yes_no' as const },
  }
  return { ok: true, submission: addressed(request, values, made.runId) }
}

/** `k=HANDLE`; a name that is given twice would leave open which of the two was approved. */
function readParameters(params: readonly string[], flaws: string[]): Record<string, string> {
  const named = new Map<string, string>()
  if (params.length === 0) flaws.push('--param k=HANDLE is missing: what the action is performed on')
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
  usage: `lane approve ACTION --param k=HANDLE … --deadline D --default A [options]

Asks for the right to perform a configured action (such as PUBLISH) on exactly what is named. HANDLE is
sha256:<64 hex>. It is answered YES or NO. With --wait it exits 0 only while the YES gives the right to act: not once
that was spent or taken back, or has expired.

Options (with …: given once for each value):
${commonUsage('DENY, HALT, QUARANTINE_OUTPUTS, DO_NOT_PUBLISH (PUBLISH only), DO_NOT_EXPORT (EXPORT only)')}`,

  async run(args, shell) {
    const options = { ...COMMON_OPTIONS, param: { type: 'string', multiple: true } } as const
    const read = readArguments(args, options, ['ACTION'])
    if (!read.ok) return misuse(...read.flaws)
    const wanted = approvalFrom(read.words[0] ?? '', read.values, makeIds(shell, 'approve', read.values.id))
    return wanted.ok ? await submit(shell, wanted.submission, read.values) : misuse(...wanted.flaws)
  },
}
