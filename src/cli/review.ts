// `lane review` and `lane approve`: something that exists is looked at, or an action is allowed.
import { approvalOf, reviewOf } from '../client/draft.js'
import { LENSES } from '../request/request.js'
import { readArguments } from './arguments.js'
import { REPLY_USAGE, type ReadSubmission } from './ask.js'
import { type Command, misuse } from './command.js'
import { REPLY_OPTIONS, type ReplyValues, readReplySchema } from './reply-options.js'
import { COMMON_OPTIONS, type CommonValues, commonUsage, type Made, readCommon } from './submission.js'
import { makeIds, submit } from './submit.js'

type ReviewValues = CommonValues &
  ReplyValues & {
    readonly target?: string[] | undefined
    readonly lens?: string | undefined
  }

export function reviewFrom(values: ReviewValues, made: Made): ReadSubmission {
  const common = readCommon(values, made)
  const reply = readReplySchema(values)
  const { target: targets } = values
  const lens = LENSES.find(name => name === values.lens)
  const flaws: string[] = []
  if (targets === undefined) flaws.push('--target is missing: a handle of what is to be reviewed')
  if (lens === undefined) flaws.push(`--lens takes one of ${LENSES.join(', ')}`)
  if (!common.ok) flaws.push(...common.flaws)
  if (!reply.ok) flaws.push(...reply.flaws)
  if (targets === undefined || lens === undefined || !common.ok || !reply.ok) return { ok: false, flaws }
  const draft = { ...common.common, targets, lens, reply: reply.schema }
  return { ok: true, submission: reviewOf(draft).submission }
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

type ApprovalValues = CommonValues & { readonly param?: string[] | undefined }

export function approvalFrom(action: string, values: ApprovalValues, made: Made): ReadSubmission {
  const common = readCommon(values, made)
  const flaws: string[] = []
  const parameters = readParameters(values.param ?? [], flaws)
  if (!common.ok) flaws.push(...common.flaws)
  if (!common.ok || flaws.length > 0) return { ok: false, flaws }
  return { ok: true, submission: approvalOf({ ...common.common, action, parameters }).submission }
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
