// The compiler touches nothing: shown by what it imports and names, and by running it where there is nothing to touch.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bundle, load } from './realm.js'
import { allVectors } from './vector-files.js'
import { wrong } from './verdict.js'

const ROOM = new URL('../../src/compiler/', import.meta.url)
const FILES = readdirSync(ROOM)
const codeOf = (file: string): string =>
  readFileSync(new URL(file, ROOM), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '')

/** Ways out of a pure function. */
const DOORS =
  /\b(?:process|require|globalThis|fetch|eval|Function|Date|performance|crypto|setTimeout|setInterval|setImmediate|queueMicrotask|Worker|Intl|console|localeCompare|toLocale\w*|async|await)\b|Math\.random|import\(|import\.meta/

describe('[LANE-055] the compiler performs no I/O, no network and no model call', () => {
  it.each(FILES)('%s imports its own room, and from outside only types', file => {
    const imports = [
      ...codeOf(file).matchAll(/^(?:import|export)\b[^'\n]*?(?:\{[^}]*\})?[^'\n]*?from '([^']+)'/gm),
    ]
    for (const [statement, from] of imports) {
      const isOwn = /^\.\/[a-z-]+\.js$/.test(from ?? '')
      // The pinned engine of patterns is a part of the grammar's version, and comes in by one file.
      if (from === 're2js' && file === 'pattern.ts') continue
      expect(isOwn || /^import type /.test(statement), `${file}: ${statement}`).toBe(true)
      if (!isOwn) expect(from).toBe('../request/reply-schema.js')
    }
    expect(imports.length).toBe(codeOf(file).match(/\bfrom '/g)?.length ?? 0)
  })

  it.each(FILES)('%s names no clock, no randomness, no global and nothing asynchronous', file => {
    expect(codeOf(file)).not.toMatch(DOORS)
  })

  it('compiles every vector in a realm that has no process, no module loader, no network, no timer and no clock', async () => {
    const { compile, globals } = load(await bundle())
    for (const door of [
      'process',
      'require',
      'fetch',
      'setTimeout',
      'Date',
      'WebAssembly',
      'eval',
      'Function',
    ]) {
      expect(globals).not.toContain(door)
    }
    expect(wrong(compile, allVectors())).toEqual([])
  })
})
