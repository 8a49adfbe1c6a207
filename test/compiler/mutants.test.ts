// Would the tests notice? Each patch under mutants/ breaks the compiler in one way that somebody has broken a reply
// parser before; the vectors or the oracle must tell it from the real one.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ALL } from '../faults/rig.js'
import { inBareRealm, type Patch } from './realm.js'
import { allVectors } from './vector-files.js'
import { sampled, wrong } from './verdict.js'

const FOLDER = new URL('./mutants/', import.meta.url)
const VECTORS = allVectors()
const SAMPLES = sampled(20_260_217, ALL ? 4_000 : 1_500)

/** `# why`, then hunks: `@ file`, `- ` lines that occur once in it, `+ ` lines to put there. */
function hunksOf(file: string): Patch[] {
  const hunks = readFileSync(new URL(file, FOLDER), 'utf8').split(/^@ /m).slice(1)
  return hunks.map(hunk => {
    const [name = '', ...lines] = hunk.trimEnd().split('\n')
    const marked = (sign: string): string =>
      lines
        .filter(line => line.startsWith(`${sign} `))
        .map(line => line.slice(2))
        .join('\n')
    return { file: name, find: marked('-'), put: marked('+') }
  })
}

const mutants = readdirSync(FOLDER).filter(file => file.endsWith('.patch'))

it('the unpatched compiler passes through the same rig', async () => {
  const compile = await inBareRealm()
  expect(wrong(compile, VECTORS)).toEqual([])
  expect(wrong(compile, SAMPLES)).toEqual([])
})

describe('a broken compiler is caught', () => {
  const caughtByOracle = new Set<string>()

  it.each(mutants)('%s', async file => {
    const compile = await inBareRealm(...hunksOf(file))
    const misread = wrong(compile, VECTORS).length
    expect(misread).toBeGreaterThan(0)
    // One fault, not a wreck: a patch that breaks everything would prove nothing.
    expect(misread).toBeLessThan(VECTORS.length / 3)
    if (wrong(compile, SAMPLES).length > 0) caughtByOracle.add(file)
  })

  it('and most of them by the oracle alone, without one vector', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(12)
    expect(caughtByOracle.size).toBeGreaterThan(mutants.length / 2)
  })
})
