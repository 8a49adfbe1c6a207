// What a program gets that installs the package: a door of that name, with types, and nothing behind it to install.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readSource } from '../rooms/source.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe('interrupt-lane/client', () => {
  test('is found by its name, and gives what it promises', () => {
    const script = `
      const client = await import('interrupt-lane/client')
      const root = await import('interrupt-lane')
      console.log(JSON.stringify([Object.keys(client).sort(), root.connect === client.connect]))`
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT })
    expect(JSON.parse(String(printed))).toEqual([
      ['CallbackRefused', 'NotApproved', 'assertApproved', 'connect', 'hashParameters', 'verifyCallback'],
      true,
    ])
  })

  test('every file the map names is built, with its types, and the program beside it still starts', () => {
    const { exports, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const files = [...Object.values<Record<string, string>>(exports).flatMap(one => Object.values(one))]
    for (const file of [...files.filter(name => name.startsWith('./dist')), bin.lane])
      expect([file, existsSync(join(ROOT, file))]).toEqual([file, true])
  })

  test('needs no package: it runs on fetch, node:crypto and the clock', () => {
    const seen = new Map<string, readonly string[]>()
    const walk = (path: string): void => {
      if (seen.has(path)) return
      const source = readSource(path, readFileSync(join(ROOT, path), 'utf8'))
      const atRunTime = source.imports.filter(one => !one.typeOnly)
      seen.set(
        path,
        atRunTime.filter(one => !one.ours).map(one => one.to),
      )
      for (const one of atRunTime.filter(one => one.ours)) walk(one.to)
    }
    walk('src/client/index.ts')
    expect([...new Set([...seen.values()].flat())]).toEqual(['node:crypto'])
    const elsewhere = [...seen.keys()].filter(path => !path.startsWith('src/client/'))
    expect(elsewhere).toEqual(['src/clock.ts'])
    expect(seen.size).toBeGreaterThan(10)
  })
})
