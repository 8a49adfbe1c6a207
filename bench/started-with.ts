// What node is given where the lane is started: a figure is of the lane as people run it. An earlier build is started as it
// was started then.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** From the start command of the package in this directory. */
export function startedWith(directory: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string }
  }
  const [, between = ''] = /exec node (.*?)\s*dist\//.exec(scripts.start) ?? []
  return between.split(' ').filter(Boolean)
}

/** Two steps above the compiled bench. */
export const STARTED_WITH = startedWith(fileURLToPath(new URL('../../', import.meta.url)))
