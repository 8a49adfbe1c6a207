// Over generated requests: what is well formed is accepted whatever its key order, and no misspelling passes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from '../../src/http/json.js'
import { parseSubmission } from '../../src/request/parse.js'
import { completeRequest, hashRequest, idOf } from '../../src/request/request.js'
import { request } from './generated.js'
import { POLICY, run, submit } from './samples.js'

/** The same value with every object's keys turned round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

function read(body: unknown) {
  const json = readJson(JSON.stringify(body))
  const parsed = parseSubmission(json.ok ? json.value : undefined, POLICY)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return completeRequest(parsed.submission.request, () => 'made-1')
}

describe('any well-formed request', () => {
  it('is read unchanged, and hashes the same whatever the order of its keys', () => {
    fc.assert(
      fc.property(request, given => {
        const straight = read(submit(given))
        expect(straight).toEqual(given)
        expect(hashRequest(read(reversed(submit(given))))).toBe(hashRequest(straight))
        expect(hashRequest(straight)).toMatch(/^sha256:[0-9a-f]{64}$/)
      }),
    )
  })

  it('is refused when any one of its field names is misspelt', () => {
    fc.assert(
      fc.property(request, fc.nat(), fc.constantFrom('s', '_', ' ', '\u0430'), (given, pick, added) => {
        const fields = Object.keys(given)
        const field = fields[pick % fields.length] ?? ''
        const entries = Object.entries(given).map(([key, value]) => [
          key === field ? `${key}${added}` : key,
          value,
        ])
        const parsed = parseSubmission(submit(Object.fromEntries(entries)), POLICY)
        expect(parsed).toMatchObject({ ok: false, code: 'invalid_request' })
        const named = parsed.ok ? [] : parsed.errors.map(error => error.field)
        expect(named).toContain(field === 'type' ? '/request/type' : `/request/${field}${added}`)
      }),
    )
  })

  it('gets the id the lane made only where it brought none', () => {
    fc.assert(
      fc.property(request, given => {
        const own = Object.keys(given).find(field => field.endsWith('_id')) ?? ''
        const anonymous = Object.fromEntries(Object.entries(given).filter(([field]) => field !== own))
        expect(idOf(read(submit(anonymous)))).toBe('made-1')
        expect(idOf(read(submit(given)))).toBe((given as Record<string, unknown>)[own])
        expect(read(submit({ ...anonymous, [own]: 'made-1' }))).toEqual(read(submit(anonymous)))
      }),
    )
  })
})

describe('any JSON value at all', () => {
  it('is parsed or refused, never thrown at, and a refusal names a field of bounded length', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (inner, rest) => {
        for (const body of [
          inner,
          submit(inner, { run }),
          submit({ type: 'REQUEST_APPROVAL', parameters: inner }, { run: rest }),
        ]) {
          const parsed = parseSubmission(body, POLICY)
          if (parsed.ok) throw new Error('nothing generated here is a request')
          for (const error of parsed.errors) expect(JSON.stringify(error).length).toBeLessThan(1000)
        }
      }),
    )
  })
})
