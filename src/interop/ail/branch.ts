// What a shell gate's own branches do with an exit code that is not 0. `ail` takes the first branch that matches, and
// where none does the run goes on.
import { isFields } from '../fields.js'
import { textAt } from './pipeline.js'

const ABORT = 'abort_pipeline'

/** `aborts`: whatever the code, the pipeline aborts. `breaks`: it ends, as if all had gone well. `passes`: for some code the
 *  run goes on. */
export function onRefusal(branches: unknown): 'aborts' | 'breaks' | 'passes' {
  let breaks = false
  for (const branch of Array.isArray(branches) ? branches : []) {
    if (!isFields(branch)) return 'passes'
    const match = matchOf(branch)
    if (match === 'never') continue
    const action = textAt(branch, 'action')
    if (action === 'break') breaks = true
    else if (action !== ABORT) return 'passes'
    if (match === 'always') return breaks ? 'breaks' : 'aborts'
  }
  return 'passes'
}

/** Whether a branch takes a gate that did not pass: `any` is every code but 0. */
function matchOf(branch: Readonly<Record<string, unknown>>): 'always' | 'sometimes' | 'never' {
  if (branch.exit_code === 'any' || Object.hasOwn(branch, 'always')) return 'always'
  return branch.exit_code === 0 ? 'never' : 'sometimes'
}
