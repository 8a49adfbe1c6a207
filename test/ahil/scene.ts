// An exchange file in a directory of its own, and `lane ahil` called on it in this process.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { main } from '../../src/cli/commands.js'
import type { Entry } from '../../src/interop/ahil/entry.js'
import { shellFor } from '../aahp/scene.js'

export type Told = {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly json: Record<string, unknown>
}

/** The path of a file with these contents; its directory goes with the test. */
export function freshFile(contents: unknown, name = 'exchange.ahil.json'): string {
  const dir = mkdtempSync(join(tmpdir(), 'lane-ahil-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, name)
  if (contents !== null) save(path, contents)
  return path
}

export const save = (path: string, contents: unknown): void =>
  writeFileSync(path, typeof contents === 'string' ? contents : `${JSON.stringify(contents, null, 2)}\n`)
export const load = (path: string): string => readFileSync(path, 'utf8')
export const entriesIn = (path: string): Entry[] => {
  const value = JSON.parse(load(path))
  return Array.isArray(value) ? value : (value.entries ?? value.ahi.log)
}
export const namesBeside = (path: string): string[] => readdirSync(join(path, '..')).sort()

export const standaloneWith = (...entries: readonly object[]) => ({
  schema_version: '1.0',
  description: 'Sample.',
  entries,
})

/** `lane ahil …` */
export async function ahil(env: Record<string, string>, ...args: string[]): Promise<Told> {
  const { shell, out, err } = shellFor(env)
  const code = await main(['ahil', ...args], shell)
  const text = out.join('')
  return { code, out: text, err: err.join(''), json: text.startsWith('{') ? JSON.parse(text) : {} }
}

export const append = (path: string, values: Record<string, string>, ...more: string[]): Promise<Told> =>
  ahil(
    {},
    'append',
    path,
    ...Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]),
    ...more,
  )

const CHILD = fileURLToPath(new URL('working.mjs', import.meta.url))

/** The built program in a process of its own; what it wrote, once it has ended by itself or by its own hand. */
export function inProcess(order: object): Promise<string> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const out: string[] = []
  child.stdout.on('data', chunk => out.push(String(chunk)))
  return new Promise(resolve => child.once('close', () => resolve(out.join(''))))
}
