// `lane ail gate`: a step of a pipeline that asks, waits and exits. The pipeline goes on only on 0.
//
// AGT1  0 is a YES that gives the right to go on, and nothing else: a lane that cannot be reached is 69.
// AGT2  Standard input is never read: a shell step shares it with the run. Standard output is the case as JSON, and nothing
//      else is ever written there.
import type { Trouble } from '../../client/call.js'
import { readArguments } from '../arguments.js'
import { misuse } from '../command.js'
import type { Subcommand } from '../deeds.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { APPROVAL_OPTIONS, approvalFrom } from '../review.js'
import { makeIds, submitTo } from '../submit.js'
import { enterWatching } from '../watcher.js'

const ACTION = 'RUN_STEP'
const PARAMETER = 'step'
const SERVER_ERROR = 500

/** A lane that cannot answer now is as far away as one that does not listen. */
const exitOf = (trouble: Trouble): ExitCode =>
  trouble.kind === 'unreachable' || trouble.status >= SERVER_ERROR ? EXIT.unreachable : EXIT.error

export const gate: Subcommand = async (args, shell) => {
  const read = readArguments(args, APPROVAL_OPTIONS, ['ACTION?'])
  if (!read.ok) return misuse(...read.flaws)
  const { values, words } = read
  const { why, param = [], value = [], file = [] } = values
  const isBare = param.length + value.length + file.length === 0
  if (isBare && why === undefined)
    return misuse('--why is missing: what the person is asked to let happen (or --param, --value or --file)')
  const shown = isBare ? { value: [`${PARAMETER}=${why}`] } : {}
  // Whatever the default is called, it is no YES.
  const given = { default: 'DENY', ...values, ...shown }
  const wanted = approvalFrom(words[0] ?? ACTION, given, makeIds(shell, 'gate', values.id))
  if (!wanted.ok) return misuse(...wanted.flaws)
  const watching = await enterWatching(shell, 'the pipeline, and every step of it,')
  if (watching === null) return EXIT.error
  return await submitTo({ endpoint: watching.endpoint, exitOf }, shell, wanted.submission, {
    wait: true,
    json: true,
  })
}
