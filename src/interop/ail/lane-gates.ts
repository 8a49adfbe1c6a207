// What becomes of the lane's gates in a pipeline: the shell gate, whose exit code must abort, and the runner plugin, whose error
// must not be swallowed.
import { onRefusal } from './branch.js'
import { dropped, type Found, isPlugin, type Rule, shellOf } from './finding.js'
import { findInvocation } from './invocation.js'
import { type Step, textAt } from './pipeline.js'
import { RUNNER } from './plugin.js'
import { laneGateIn } from './shell.js'

const shellGates: Rule = ({ step, place }) => {
  const script = shellOf(step)
  const gate = script === null ? null : laneGateIn(script)
  if (script === null || gate === null) return []
  const at = ['context', 'shell']
  const found: Found[] = []
  const error = (code: string, why: string, instead: string, where: readonly PropertyKey[] = at): void =>
    void found.push({ severity: 'error', code, at: where, why, instead })
  if (!gate.waits)
    error(
      'gate_does_not_wait',
      'without --wait the command exits 0 once it has asked',
      '`lane ail gate`, which always waits',
    )
  if (!gate.isOwn)
    error(
      'exit_code_lost',
      'the exit code of this command is not that of the gate: what stands around it decides',
      'the gate as the last command, with `&&` alone between commands',
    )
  if (gate.isSame)
    found.push({
      severity: 'warning',
      code: 'id_fixed',
      at,
      why: 'with the same --id every run asks the same request: a YES to an earlier run lets this one pass',
      instead: 'no --id, or one that holds what the run is called',
    })
  if (script.includes('{{'))
    found.push({
      severity: 'warning',
      code: 'command_static',
      at,
      why: 'the command of a context step is not a template: the shell is given the braces',
      instead: `\`runner: ${RUNNER}\`, whose prompt is a template`,
    })
  if (place.dropped !== null) return [...found, dropped(place.dropped, at)]
  const refusal = onRefusal(step.fields.on_result)
  const where = step.fields.on_result === undefined ? at : ['on_result']
  const branches =
    'on_result: [{ exit_code: 0, action: continue }, { exit_code: any, action: abort_pipeline }]'
  const ends = refusal === 'breaks' && !place.loop && !place.child
  if (ends)
    found.push({
      severity: 'warning',
      code: 'refusal_breaks',
      at: where,
      why: 'break ends the pipeline as if all had gone well',
      instead: branches,
    })
  else if (refusal !== 'aborts')
    error(
      'no_abort_branch',
      'an exit code that is not 0 is only a result: for a NO, a timeout or an error the run goes on',
      branches,
      where,
    )
  if (step.fields.then !== undefined)
    error(
      'then_runs_first',
      'the then: chain of a step runs before its on_result counts, after a NO too',
      'the chain as steps of their own behind the gate',
      ['then'],
    )
  if (place.swallowedBy !== null)
    error('abort_swallowed', swallowedWhy(place.swallowedBy), 'on_error: abort_pipeline there')
  return found
}

const swallowedWhy = ({ id, line, fields }: Step): string =>
  `the step around it (${id}, line ${line}) has on_error: ${fields.on_error}, so the run goes on after the abort`

const pluginSteps: Rule = ({ step, place }) => {
  if (!isPlugin(step)) return []
  const found: Found[] = []
  const error = (code: string, why: string, instead: string, at: readonly PropertyKey[]): void =>
    void found.push({ severity: 'error', code, at, why, instead })
  const onError = textAt(step.fields, 'on_error')
  if (onError === 'continue')
    error(
      'error_swallowed',
      'a NO is an error of this step, and on_error: continue goes on after it',
      'on_error: abort_pipeline, which is the default',
      ['on_error'],
    )
  if (onError === 'retry')
    error(
      'error_retried',
      'a NO is an error of this step, and on_error: retry asks again until somebody says yes',
      'on_error: abort_pipeline, which is the default',
      ['on_error'],
    )
  if (place.swallowedBy !== null)
    error('abort_swallowed', swallowedWhy(place.swallowedBy), 'on_error: abort_pipeline there', ['runner'])
  if (place.forgivingJoin !== null)
    error(
      'join_forgives',
      `the join ${place.forgivingJoin.id} (line ${place.forgivingJoin.line}) has on_error: wait_for_all, and goes on after a NO`,
      'on_error: fail_fast there, which is the default',
      ['runner'],
    )
  const prompt = textAt(step.fields, 'prompt')
  const isFile = prompt !== null && /^(?:\.{0,2}\/|~\/)/.test(prompt)
  if (prompt === null || isFile) return found
  const block = findInvocation(prompt)
  if (!block.ok)
    found.push({
      severity: 'warning',
      code: 'request_unreadable',
      at: ['prompt'],
      why: `no request can be read from the prompt: ${block.detail}`,
      instead: 'one block of JSON, ```json { "request": { … } } ```, and what people are shown around it',
    })
  else if (block.json.includes('{{'))
    found.push({
      severity: 'warning',
      code: 'template_in_request',
      at: ['prompt'],
      why: 'an agent whose words are filled into the JSON can change the request',
      instead: 'templates outside of the block: what stands there is shown as a text',
    })
  return found
}

export const LANE_GATE_RULES: readonly Rule[] = [shellGates, pluginSteps]
