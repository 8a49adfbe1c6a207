// The message a person gets: short, whole, and with nothing in it that a phone would turn into somebody else's link.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plain } from '../../adapters/sms/plain.js'
import { render, shows } from '../../adapters/sms/render.js'
import { countSegments } from '../../adapters/sms/segments.js'
import { refusalText } from '../../adapters/sms/words.js'
import { compile } from '../../src/compiler/compile.js'
import { describeAnswer } from '../../src/compiler/describe.js'
import type { Display } from '../../src/request/display.js'
import { approval, HANDLE, HASH, question, review, SCHEMAS } from '../web/samples.js'

const LINK = `https://lane.example.org/r/${HANDLE}`
const PUBLIC_URL = 'https://lane.example.org'
const WAY = { reply: { handle: HANDLE, code: '7K3FQ2M' }, page: { link: LINK, code: null } }
const ANNOUNCED = { reply: null, page: { link: LINK, code: '7K3F' } }
const shown = (display: Display): string => render(display, WAY) ?? ''
const segmentsOf = (text: string): number => countSegments(text).segments
const DIGEST = `sha256:${Array(8).fill('3f9a1b2c').join(' ')}`
const bare = { ...question(), handles: [] }

describe('a message', () => {
  test('[LANE-035] holds a question, what it changes, how to answer it, until when, and the link', () => {
    const text = shown({ ...bare, headline: 'Ship the release today?', impact: 'Decides the rollout.' })
    expect(text.split('\n')).toEqual([
      'release-agent asks: Ship the release today?',
      'Decides the rollout.',
      'Reply Y 7K3FQ2M or N 7K3FQ2M, by 17 Feb 14:00 UTC, else HALT',
      LINK,
    ])
    expect(countSegments(text)).toMatchObject({ encoding: 'GSM-7', segments: 2 })
  })

  test('an SMS never asks for an approval without its parameters: each stands there with its whole digest', () => {
    const text = shown(approval)
    expect(text.split('\n')).toEqual([
      'release-agent asks: Approve PUBLISH',
      `artifact ${DIGEST}`,
      `notes sha256:${Array(8).fill('0badf00d').join(' ')}`,
      'Reply Y 7K3FQ2M or N 7K3FQ2M, by 17 Feb 14:00 UTC, else DENY',
      LINK,
    ])
    const handles = Array.from({ length: 20 }, (_, at) => ({ name: `p${at}`, handle: HASH, fixed: true }))
    expect([shows({ ...approval, handles }, PUBLIC_URL), render({ ...approval, handles }, WAY)]).toEqual([
      false,
      null,
    ])
  })

  test('a shorter form is never preferred to one that says everything', () => {
    for (let chars = 1; chars <= 500; chars += 7) {
      const [headline, impact] = ['q'.repeat(chars), 'i'.repeat(chars)]
      const text = render({ ...question(), headline, impact }, WAY)
      if (text === null) continue
      for (const part of ['release-agent asks: ', headline, impact, DIGEST, 'doc:rollout-plan (name only)'])
        expect(text).toContain(part)
    }
  })

  test('an option shows the value that is recorded beside a label that says something else', () => {
    const options = [
      { value: 'delete-all', label: 'Keep everything' },
      { value: 'keep', label: 'Delete everything' },
    ]
    const lines = shown({ ...bare, reply_schema: { kind: 'choice', options } }).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining(['A = delete-all (Keep everything)', 'B = keep (Delete everything)']),
    )
  })

  test('what the command of a permission prompt would be is nowhere in a message, so it is only announced', () => {
    for (const action of ['USE_TOOL', 'RUN_STEP']) {
      const prompt = { ...approval, headline: `Approve ${action}`, action }
      expect([shows(prompt, PUBLIC_URL), render(prompt, WAY)]).toEqual([false, null])
    }
  })

  test('an announcement says who asks, and where all of it is; nothing in it is a way to answer here', () => {
    const headline = 'Which of all these should it be, then? '.repeat(9)
    const text = render({ ...question(SCHEMAS.choice), headline }, ANNOUNCED)
    expect(text?.split('\n')).toEqual([
      'Question by release-agent: Which of all these should it be, then?..',
      'This message cannot be answered. Read and answer it on its page, code 7K3F:',
      LINK,
    ])
    const bare = render(approval, { reply: null, page: { link: LINK, code: null } })
    expect(bare).not.toMatch(/Reply|End with|code|sha256/)
    expect(bare).toContain('Approval by release-agent: Approve PUBLISH')
  })

  test('no request the lane takes is shown by half with a way to answer it here', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 500, size: 'max' })
    let offered = 0
    fc.assert(
      fc.property(text, text, fc.constantFrom(...Object.values(SCHEMAS)), (headline, impact, schema) => {
        const display = { ...question(schema), headline, impact }
        const message = render(display, WAY)
        expect(message !== null).toBe(shows(display, PUBLIC_URL))
        expect(segmentsOf(render(display, ANNOUNCED) ?? '')).toBeLessThanOrEqual(6)
        if (message === null) return
        offered += 1
        expect(message.length).toBeLessThanOrEqual(1600)
        expect(segmentsOf(message)).toBeLessThanOrEqual(6)
        expect(message.endsWith(`\n${LINK}`)).toBe(true)
        for (const part of [plain(headline), plain(impact), DIGEST, '7K3FQ2M'])
          expect(message).toContain(part)
      }),
    )
    expect(offered).toBeGreaterThan(0)
  })
})

describe('how to answer', () => {
  test.each([
    ['yes_no', /Reply Y 7K3FQ2M or N 7K3FQ2M/],
    ['choice', /A = canary \(Ship to one percent first\)\n.*Reply with one letter\. End with 7K3FQ2M/s],
    ['multi_choice', /Reply with 1 to 2 letters separated by commas, .*\. End with 7K3FQ2M/],
    ['text', /Reply with one line of plain text, .*\. End with 7K3FQ2M/],
    ['number', /Reply with a number from 0 to 200 in steps of 5, .*\. End with 7K3FQ2M/],
    ['date', /Reply with a date from 2026-02-17 to 2026-12-31, .*\. End with 7K3FQ2M/],
  ] as const)('of %s', (kind, words) => expect(shown(question(SCHEMAS[kind]))).toMatch(words))

  test('every example that is quoted is itself an answer', () => {
    for (const schema of [SCHEMAS.number, SCHEMAS.date, SCHEMAS.multi_choice]) {
      const how =
        shown(question(schema))
          .split('\n')
          .find(line => line.includes('End with')) ?? ''
      const examples = [...how.matchAll(/"([^"]+)"/g)].map(([, example]) => example ?? '')
      expect(examples.length).toBeGreaterThan(0)
      for (const example of examples) expect(compile(schema, example)).toMatchObject({ ok: true })
    }
  })

  test('of a review', () => expect(shown(review)).toContain('Review for'))
})

describe('what others wrote', () => {
  test.each([
    ['see https://evil.example/x', 'see https: //evil. example/x'],
    ['cafe\u0301.example', 'cafe\u0301. example'],
    ['🍕.example', '🍕. example'],
    ['www.evil.example', 'www. evil. example'],
    ['mail a@b.example now', 'mail a@b. example now'],
    ['evil。example evil．example', 'evil。 example evil． example'],
    ['go to 10.0.0.1 now', 'go to 10. 0.0.1 now'],
    ['version 4.2.1 is out. Ship it?', 'version 4.2.1 is out. Ship it?'],
    ['“Ship” – it’s time…', '"Ship" - it\'s time...'],
  ])('%s is shown as %s', (written, read) => expect(plain(written)).toBe(read))

  test('has no address in it that a phone could open', () => {
    const host = fc.tuple(fc.stringMatching(/^[a-z0-9-]{1,8}$/), fc.constantFrom('com', 'dev', 'рф', 'co.uk'))
    fc.assert(
      fc.property(fc.string(), host, fc.string(), (before, [name, end], after) => {
        const text = plain(`${before}https://${name}.${end}${after}`)
        expect(text).not.toContain('://')
        expect(text).not.toContain(`${name}.${end.slice(0, 1)}`)
      }),
    )
  })

  test('a handle that is named like a host is no link', () => {
    const handles = [{ name: null, handle: 'doc:evil.com', fixed: false }]
    expect(shown({ ...review, handles, reply_schema: { kind: 'yes_no' } })).toContain('doc:evil. com')
  })

  test('a label that looks like a link is none either', () => {
    const options = [
      { value: 'a', label: 'see evil.example' },
      { value: 'b', label: 'wait' },
    ]
    expect(shown(question({ kind: 'choice', options }))).toContain('A = a (see evil. example)')
  })
})

describe('a refusal', () => {
  const refused = (label: string, value = ''): Parameters<typeof refusalText>[0] => {
    const options = Array.from({ length: 26 }, (_, index) => ({ value: `v${index}${value}`, label }))
    return {
      kind: 'refused',
      reason: 'reply_not_in_schema',
      request_id: 'q-1',
      delivery_id: 'd-1',
      theirs: true,
      read: 'perhaps',
      accepted: describeAnswer({ kind: 'choice', options }),
      ending: null,
    }
  }

  test.each(['a.'.repeat(37), '😀'.repeat(75), 'l'.repeat(75)])(
    'of 26 options named %s stays within what a provider sends, and cuts no label',
    label => {
      const text = refusalText(refused(label))
      expect(text).toMatch(/^Not understood\. Reply with one letter: A = v0, B = v1, .* Z = v25\. End with/)
      expect(refusalText(refused(label, 'x'.repeat(29)))).toBe(
        'Not understood. Answer as the message says, and end with its code.',
      )
    },
  )

  test('that fits says what would be understood', () =>
    expect(refusalText(refused('ok'))).toMatch(
      /^Not understood\. Reply with one letter: A = v0 \(ok\), .* End with/,
    ))
})
