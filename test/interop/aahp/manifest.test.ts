// The manifest: what it may hold, and how it is made anew.
import { existsSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checksumOf,
  type Manifest,
  parseManifest,
  spellManifest,
} from '../../../src/interop/aahp/manifest.js'
import { regenerate } from '../../../src/interop/aahp/regenerate.js'
import { AT, boardOf, bytes, handoff, manifestOf, SESSION, TASKS } from './handoff.js'

const SCHEMA = new URL('../../../../shared/foreign/aahp/aahp-manifest.schema.json', import.meta.url)
const SEED = new URL('../../../../shared/seeds/003_cb9ba5b7810e98bd.txt', import.meta.url)

const whole = (more: Partial<Manifest> = {}): Manifest => manifestOf({ 'STATUS.md': 's\n' }, more)
/** Where the first flaw lies; 'taken' if there is none. */
function flawOf(value: unknown): string {
  const parsed = parseManifest(JSON.stringify(value))
  return parsed.ok ? 'taken' : (parsed.flaws[0]?.path ?? '')
}
const withTask = (id: string, task: Record<string, unknown>): unknown => ({
  ...whole(),
  next_task_id: 9999,
  tasks: { [id]: { title: 'a', status: 'ready', ...task } },
})

describe('a manifest', () => {
  test('[AAHP-251] with its required fields is taken; without any one of them it is refused there', () => {
    expect(flawOf(whole())).toBe('taken')
    for (const field of ['aahp_version', 'project', 'last_session', 'files', 'quick_context']) {
      const { [field]: _, ...rest } = whole() as Record<string, unknown>
      expect([field, flawOf(rest)]).toEqual([field, `/${field}`])
    }
    for (const field of ['agent', 'timestamp', 'phase']) {
      const { [field]: _, ...rest } = whole().last_session as Record<string, unknown>
      expect(flawOf({ ...whole(), last_session: rest })).toBe(`/last_session/${field}`)
    }
    for (const field of ['checksum', 'updated', 'lines', 'summary']) {
      const { [field]: _, ...rest } = whole().files['STATUS.md'] as Record<string, unknown>
      expect(flawOf({ ...whole(), files: { 'STATUS.md': rest } })).toBe(`/files/STATUS.md/${field}`)
    }
    expect(flawOf({ ...whole(), more: 1 })).toBe('')
    expect(parseManifest('{')).toMatchObject({ ok: false })
  })

  test.skipIf(!existsSync(SEED))('[AAHP-252] takes the tasks of the page (needs ../shared)', () => {
    const page = readFileSync(SEED, 'utf8')
    const from = page.indexOf('{\n  "aahp_version": "3.0",\n  "next_task_id"')
    const given = JSON.parse(page.slice(from, page.indexOf('\n}\n', from) + 2)) as Partial<Manifest>
    expect(Object.keys(given.tasks ?? {})).toEqual(['T-001', 'T-002', 'T-003'])
    expect(flawOf({ ...whole(), ...given })).toBe('taken')
  })

  test('[AAHP-253] with a checksum of another form is refused', () => {
    const hex = 'a'.repeat(64)
    for (const checksum of [
      hex,
      `sha256:${hex}a`,
      `sha256:${hex.slice(1)}`,
      `sha256:${hex.toUpperCase()}`,
      `sha512:${hex}`,
    ]) {
      const files = { 'STATUS.md': { checksum, updated: AT, lines: 1, summary: '' } }
      expect([checksum, flawOf({ ...whole(), files })]).toEqual([checksum, '/files/STATUS.md/checksum'])
    }
  })

  test('[AAHP-254] has checksums that do not see carriage returns', () => {
    expect(checksumOf(bytes('a\r\nb\r\n'))).toBe(checksumOf(bytes('a\nb\n')))
    expect(checksumOf(bytes('a\nb'))).not.toBe(checksumOf(bytes('a\nb\n')))
    fc.assert(
      fc.property(fc.array(fc.string()), lines => {
        const plain = lines.join('\n').replaceAll('\r', '')
        expect(checksumOf(bytes(lines.join('\r\n')))).toBe(checksumOf(bytes(plain)))
      }),
    )
  })

  test('[AAHP-255] with a phase of its own is refused', () => {
    expect(flawOf({ ...whole(), last_session: { ...whole().last_session, phase: 'dreaming' } })).toBe(
      '/last_session/phase',
    )
  })

  test('[AAHP-256] with too long a context or summary is refused', () => {
    expect(flawOf(whole({ quick_context: 'x'.repeat(500) }))).toBe('taken')
    expect(flawOf(whole({ quick_context: 'x'.repeat(501) }))).toBe('/quick_context')
    const row = (summary: string) => ({
      ...whole(),
      files: { 'a.md': { checksum: `sha256:${'a'.repeat(64)}`, updated: AT, lines: 1, summary } },
    })
    expect([flawOf(row('x'.repeat(200))), flawOf(row('x'.repeat(201)))]).toEqual([
      'taken',
      '/files/a.md/summary',
    ])
  })

  test('[AAHP-257] with too long a title or blocker is refused', () => {
    const long = 'x'.repeat(201)
    expect(flawOf(withTask('T-001', { title: long }))).toBe('/tasks/T-001/title')
    expect(flawOf(withTask('T-001', { blocked_by: long }))).toBe('/tasks/T-001/blocked_by')
    expect(flawOf(withTask('T-001', { title: long.slice(1), blocked_by: long.slice(1) }))).toBe('taken')
  })

  test('[AAHP-258] names tasks by T- and at least three digits', () => {
    for (const id of ['T-001', 'T-1000']) expect([id, flawOf(withTask(id, {}))]).toEqual([id, 'taken'])
    for (const id of ['T-01', 't-001', 'T-001a', 'T001', ' T-001', '__proto__x', 'T-٠٠١'])
      expect([id, flawOf(withTask(id, {}))]).toEqual([id, `/tasks/${id}`])
    expect(flawOf(withTask('T-002', { depends_on: ['T-1'] }))).toBe('/tasks/T-002/depends_on/0')
  })

  test('[AAHP-259, AAHP-260] knows five states of a task, cancelled among them', () => {
    for (const status of ['ready', 'in_progress', 'blocked', 'done', 'cancelled'])
      expect([status, flawOf(withTask('T-001', { status }))]).toEqual([status, 'taken'])
    expect(flawOf(withTask('T-001', { status: 'paused' }))).toBe('/tasks/T-001/status')
  })
})

describe('a manifest made anew', () => {
  const files = handoff()
  const before = JSON.parse(files['MANIFEST.json'] ?? '') as Manifest
  const anew = (manifest: Manifest, changed: Record<string, string> = {}) =>
    regenerate(manifest, boardOf({ ...files, ...changed }), {
      tasks: manifest.tasks,
      context: 'now',
      session: SESSION,
    })

  test('[AAHP-274, AAHP-275] keeps tasks, their keys of other tools, and the counter', () => {
    const tasks = {
      ...TASKS,
      'T-003': { ...TASKS['T-003'], lane: { to: 'operator' }, notes: 'kept', github_issue: 7 },
    }
    const made = anew({ ...before, tasks: tasks as Manifest['tasks'], next_task_id: 77 })
    expect(made.tasks).toEqual(tasks)
    expect(made.next_task_id).toBe(77)
    expect(parseManifest(spellManifest(made))).toMatchObject({ ok: true, manifest: { tasks } })
  })

  test('[AAHP-276] keeps the reference to another repository', () => {
    const cross_repo_ref = { repo: 'some/where', commit: 'abc', relation: 'implements' as const }
    expect(anew({ ...before, cross_repo_ref }).cross_repo_ref).toEqual(cross_repo_ref)
  })

  test('[AAHP-277] refreshes checksum, day, lines, summary and budget of what changed, and of nothing else', () => {
    const text = '# sample: state\n\nAll is well.\nAnd dry.\n'
    const made = anew(before, { 'STATUS.md': text })
    expect(made.files['STATUS.md']).toEqual({
      checksum: checksumOf(bytes(text)),
      updated: AT,
      lines: 4,
      summary: 'All is well.',
    })
    expect(made.files['LOG.md']).toEqual(before.files['LOG.md'])
    const { manifest_only = 0, manifest_plus_core = 0, full_read = 0 } = made.token_budget ?? {}
    expect(0 < manifest_only && manifest_only < manifest_plus_core && manifest_plus_core < full_read).toBe(
      true,
    )
    expect(made.last_session).toMatchObject({
      agent: 'interrupt-lane',
      commit: 'c0ffee0',
      timestamp: AT,
      phase: 'implementation',
    })
  })

  test.skipIf(!existsSync(SCHEMA))('fits the published schema (needs ../shared)', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false })
    addFormats.default(ajv)
    const fits = ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8')))
    expect([fits(anew(before)), fits.errors]).toEqual([true, null])
  })
})
