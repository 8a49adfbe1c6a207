// Logs for the tests, and short ways to read them.

import type { Entry } from '../../../src/interop/ahil/entry.js'
import { type Log, readLog } from '../../../src/interop/ahil/log.js'
import type { Draft } from '../../../src/interop/ahil/write.js'

export const bytes = (value: unknown): Buffer =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value, null, 2))

/** A file of its own with these entries. */
export const standalone = (...entries: readonly object[]): Buffer =>
  bytes({ schema_version: '1.0', description: 'Sample.', entries })

export function logOf(file: Uint8Array): Log {
  const read = readLog(file)
  if (!read.ok) throw new Error(JSON.stringify(read.flaws))
  return read.log
}
/** The code and path of what is wrong; empty where the file is taken. */
export const flawsOf = (file: Uint8Array): string[] => {
  const read = readLog(file)
  return read.ok ? [] : read.flaws.map(({ code, path }) => `${code} ${path}`)
}
export const warningsOf = (...entries: readonly object[]): string[] =>
  logOf(standalone(...entries)).warnings.map(({ id, code }) => `${id} ${code}`)

export const entry = (more: Partial<Record<keyof Entry, unknown>> = {}): Entry =>
  ({
    id: 'scout-20260317-001',
    type: 'recommendation',
    from: 'scout',
    to: 'human',
    date: '2026-03-17',
    status: 'pending',
    content: 'Rotate the key of the staging cluster.',
    ...more,
  }) as Entry

export const draft = (more: Partial<Draft> = {}): Draft => ({
  type: 'recommendation',
  from: 'scout',
  to: 'human',
  content: 'Rotate the key of the staging cluster.',
  ...more,
})
