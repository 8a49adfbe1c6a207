// Mail programs fold away the end of a mail whose HTML has more than 102 400 bytes. Whoever could push a parameter or a
// decision there would have it answered unseen, so such a mail asks for nothing.
import { describe, expect, test } from 'vitest'
import { render, shows } from '../../adapters/email/render.js'
import { sha256 } from '../../src/canonical.js'
import { fitInto } from '../../src/delivery/fit.js'
import type { Content } from '../../src/request/content/exhibit.js'
import { type Display, display } from '../../src/request/display.js'
import { hashRequest, type Request } from '../../src/request/request.js'

const FOLDED_BYTES = 102_400

const shown = (request: Request): Display =>
  display(
    {
      request,
      request_hash: hashRequest(request),
      run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
      deadline_at: '2026-11-01T12:00:00.000Z',
      terms: { urgency: 'normal' },
      asked_by: 'agent',
      origin: null,
    },
    'agent',
  )

const COMMON = {
  type: 'REQUEST_APPROVAL',
  approval_id: 'a-1',
  action: 'PUBLISH',
  deadline_seconds: 60,
  default_action: 'DENY',
} as const

const bytesOf = (drawn: Display): number =>
  Buffer.byteLength(
    render(drawn, 'x'.repeat(80), { link: `https://lane.example.org/r/${'0'.repeat(26)}`, code: null }).html,
  )

describe('a mail whose end would be folded away', () => {
  test.each([
    ['quotation marks', '"'],
    ['brackets', '<'],
    ['blanks of two kinds in turn', ' \t'],
    ['empty lines', '\n'],
    ['signs that are named', '\u202e'],
    ['addresses', 'a.b '],
  ])('a parameter of %s does not push the next one out of sight', (_, piece) => {
    const held = [piece.repeat(30_000), 'rm -rf /'].map(
      (text, at): Content => ({
        handle: sha256(text),
        name: `p${at}`,
        size: Buffer.byteLength(text),
        text,
      }),
    )
    const parameters = Object.fromEntries(held.map(({ name, handle }) => [name ?? '', handle]))
    const frame = shown({ ...COMMON, parameters, reply_schema: { kind: 'yes_no' } })
    const { shown: drawn, fits } = fitInto('email', shows, frame, held, 'any')
    expect(fits).toBe(true)
    expect(bytesOf(drawn)).toBeLessThan(FOLDED_BYTES)
    expect(drawn.contents[1]?.whole).toBe(true)
  })

  test('a form whose last decision would stand there is announced', () => {
    const decisions = Array.from({ length: 30 }, (_, at) => ({
      id: `d${at}`,
      type: 'approval' as const,
      prompt: 'Is this right?',
      description: '"'.repeat(1500),
      required: true,
    }))
    const form = (count: number): Display =>
      shown({
        ...COMMON,
        parameters: { artifact: `sha256:${'a'.repeat(64)}` },
        reply_schema: { kind: 'form', decisions: decisions.slice(0, count) },
      })
    expect([1, 5, 30].map(count => shows(form(count)))).toEqual([true, true, false])
    expect(bytesOf(form(30))).toBeGreaterThan(FOLDED_BYTES)
  })

  test('no other request comes near', () => {
    const labels = Array.from({ length: 26 }, (_, at) => ({ value: `v${at}`, label: '"'.repeat(75) }))
    const request: Request = {
      type: 'REQUEST_QUESTION',
      question_id: 'q-1',
      question_text: '"'.repeat(500),
      impact: '"'.repeat(500),
      context_handles: Array.from({ length: 20 }, (_, at) => `doc:${'x'.repeat(125)}${at}`),
      deadline_seconds: 60,
      default_action: 'HALT',
      reply_schema: { kind: 'multi_choice', options: labels, min: 1, max: 26 },
    }
    expect(bytesOf(shown(request))).toBeLessThan(FOLDED_BYTES / 2)
  })
})
