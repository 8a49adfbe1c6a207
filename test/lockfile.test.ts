// What is installed is what was chosen: every package of the lockfile is named by the hash of its bytes, or stands on the
// list of those that could not be.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'))

type Locked = {
  readonly version: string
  readonly integrity?: string
  readonly resolved?: string
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}
const locked = Object.entries(read('package-lock.json').packages as Record<string, Locked>).filter(
  ([path]) => path !== '',
)
const without = locked.filter(([, { integrity }]) => integrity === undefined)

test('no package is taken on trust: whatever lacks an integrity is one the registry did not serve', () => {
  const names = without.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`)
  expect(names.sort()).toEqual(read('scripts/unserved.json'))
  const weak = locked.filter(([, { integrity = 'sha512-' }]) => !integrity.startsWith('sha512-'))
  expect(weak).toEqual([])
})

test('what lacks an integrity is for another platform than the image and the tests run on, and can be left out', () => {
  const here = ({ os = [], cpu = [] }: Locked) => os.includes('linux') && cpu.includes('x64')
  for (const [path, entry] of without)
    expect([path, entry.optional, here(entry)]).toEqual([path, true, false])
})

test('the lockfile names no place to download from', () => {
  expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
