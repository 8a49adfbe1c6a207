// A finding, and the gates that findings are about: those of `ail`'s own, and those of the lane.

import { isFields } from '../fields.js'
import type { Mode } from './mode.js'
import { listOf, type Step, textAt } from './pipeline.js'
import { RUNNER } from './plugin.js'
import { laneGateIn } from './shell.js'
import type { Placed } from './walk.js'

export type Finding = {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly file: string
  readonly line: number
  readonly step: string
  readonly why: string
  readonly instead: string
}
export type Found = Pick<Finding, 'severity' | 'code' | 'why' | 'instead'> & {
  readonly at?: readonly PropertyKey[]
}
export type Rule = (placed: Placed, mode: Mode) => readonly Found[]

export type OwnGate = { readonly kind: 'pause' | 'modify' | 'result'; readonly at: readonly PropertyKey[] }

/** The gates of `ail`'s own that a step has. */
export function ownGates({ fields }: Step): readonly OwnGate[] {
  const results = listOf(fields.on_result).flatMap((branch, place) =>
    isFields(branch) && branch.action === 'pause_for_human'
      ? [{ kind: 'result' as const, at: ['on_result', place, 'action'] }]
      : [],
  )
  const sides = ['if_true', 'if_false'].flatMap(side => {
    const branch = isFields(fields.on_result) ? fields.on_result[side] : undefined
    return isFields(branch) && branch.action === 'pause_for_human'
      ? [{ kind: 'result' as const, at: ['on_result', side, 'action'] }]
      : []
  })
  if (fields.action === 'pause_for_human') return [{ kind: 'pause', at: ['action'] }]
  if (fields.action === 'modify_output') return [{ kind: 'modify', at: ['action'] }]
  return [...results, ...sides]
}

export const shellOf = ({ fields }: Step): string | null =>
  isFields(fields.context) ? textAt(fields.context, 'shell') : null
export const isPlugin = ({ fields }: Step): boolean => fields.runner === RUNNER
const isLaneGate = (step: Step): boolean => isPlugin(step) || laneGateIn(shellOf(step) ?? '') !== null
export const isGate = (step: Step): boolean => isLaneGate(step) || ownGates(step).length > 0

/** In chains and async branches. */
export const dropped = (where: string, at: readonly PropertyKey[]): Found => ({
  severity: 'error',
  code: 'action_dropped',
  at,
  why: `in ${where} the action of on_result is dropped, and the run goes on`,
  instead: `a step of the pipeline itself; in an async branch or a chain only \`runner: ${RUNNER}\` stops the run`,
})
