// The message a person gets: short, whole, and with nothing in it that a phone would turn into somebody else's link.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refusedWords } from '../../adapters/sms/feedback.js'
import { plain } from '../../adapters/sms/plain.js'
import { render } from '../../adapters/sms/render.js'
import { countSegments } from '../../adapters/sms/segments.js'
import { compile } from '../../src/compiler/compile.js'
import { describeAnswer } from '../../src/compiler/describe.js'
import { approval, HANDLE, question, review, SCHEMAS } from '../web/samples.js'

const LINK = `https://lane.example.org/r/${HANDLE}`
const WAY = { reply: { handle: HANDLE, code: '7K3FQ2M' }, page: { link: LINK, code: '7K3F' } }
const shown = (display: Parameters<typeof render>[0]): string => render(display, WAY) ?? ''
const segmentsOf = (text: string): number => countSegments(text).segments

describe('one segment', () => {
  test('[LANE-035] holds a question, how to answer it, until when, and the link', () => {
    const text = shown({ ...question(), headline: 'Ship the release today?' })
    expect(text.split('\n')).toEqual([
      'release-agent asks: Ship the release today?',
      'Reply Y 7K3F or N 7K3F, by 17 Feb 14:00 UTC, else HALT',
      LINK,
    ])
    expect(countSegments(text)).toMatchObject({ encoding: 'GSM-7', segments: 1 })
  })

  test('loses first who asks, then the deadline, never the question, the code or the link', () => {
    const headline = (chars: number) => 'q'.repeat(chars)
    const lines = (chars: number) => shown({ ...question(), headline: headline(chars) }).split('\n')
    expect(lines(45)[0]).toBe(`${headline(45)}`)
    expect(lines(45)[1]).toContain('else HALT')
    expect(lines(80)).toEqual([headline(80), 'Reply Y 7K3F or N 7K3F', LINK])
    for (let chars = 1; chars <= 83; chars++) {
      expect([chars, segmentsOf(lines(chars).join('\n'))]).toEqual([chars, 1])
    }
  })

  test('shows of an approval what it is about', () => {
    const text = shown({ ...approval, handles: approval.handles.slice(0, 1) })
    expect([text.split('\n').slice(0, 2), segmentsOf(text)]).toEqual([
      ['Approve PUBLISH', 'artifact sha256:3f9a1b2c..'],
      1,
    ])
  })
})

describe('more than one', () => {
  test('are used where the question needs them, and then everything is said', () => {
    const text = shown({ ...question(), headline: `${'word '.repeat(40)}?` })
    expect(text).toContain(`release-agent asks: ${'word '.repeat(40)}?`)
    expect(text).toContain(question().impact)
    expect(segmentsOf(text)).toBeGreaterThan(1)
  })

  test('are too many for what fills six: it is announced, and answered on the page', () => {
    const options = Array.from({ length: 26 }, (_, index) => ({
      value: `v${index}`,
      label: 'l'.repeat(75),
    }))
    const text = shown({
      ...question({ kind: 'choice', options }),
      headline: 'Which of all these should it be, then?',
    })
    expect(text.split('\n')).toEqual([
      'Which of all these should it be, then?',
      'Too long for a text message. Read and answer it here, code 7K3F:',
      LINK,
    ])
  })

  test('no request the lane takes is shown with half a question and a way to answer it here', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 500, size: 'max' })
    fc.assert(
      fc.property(text, text, fc.constantFrom(...Object.values(SCHEMAS)), (headline, impact, schema) => {
        const message = shown({ ...question(schema), headline, impact })
        const offered = !message.includes('Too long for a text message')
        expect(message.endsWith(LINK)).toBe(true)
        expect(message).toContain('7K3F')
        expect(segmentsOf(message)).toBeLessThanOrEqual(6)
        expect(message.length).toBeLessThanOrEqual(1600)
        if (offered) expect(message).toContain(plain(headline))
      }),
    )
  })
})

describe('how to answer', () => {
  test.each([
    ['yes_no', /Reply Y 7K3F or N 7K3F/],
    ['choice', /Reply with one letter: A \(Ship to one percent first\), B .*\. End with 7K3F/],
    ['multi_choice', /Reply with 1 to 2 letters separated by commas, .*\. End with 7K3F/],
    ['text', /Reply with one line of plain text, .*\. End with 7K3F/],
    ['number', /Reply with a number from 0 to 200 in steps of 5, .*\. End with 7K3F/],
    ['date', /Reply with a date from 2026-02-17 to 2026-12-31, .*\. End with 7K3F/],
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
    expect(shown(question({ kind: 'choice', options }))).toContain('A (see evil. example)')
  })
})

describe('a refusal', () => {
  const refused = (label: string): Parameters<typeof refusedWords>[0] => {
    const options = Array.from({ length: 26 }, (_, index) => ({ value: `v${index}`, label }))
    return {
      kind: 'refused',
      reason: 'reply_not_in_schema',
      request_id: 'q-1',
      delivery_id: 'd-1',
      theirs: true,
      read: 'perhaps',
      accepted: describeAnswer({ kind: 'choice', options }),
      outcome: null,
    }
  }

  test.each(['a.'.repeat(37), '😀'.repeat(75), 'l'.repeat(75)])(
    'of 26 options named %s stays within what a provider sends, and leads to the page',
    label => {
      const text = refusedWords(refused(label))
      expect(text).toBe('Not understood. Read and answer it by the link in the message.')
    },
  )

  test('that fits says what would be understood', () =>
    expect(refusedWords(refused('ok'))).toMatch(
      /^Not understood\. Reply with one letter: A \(ok\), .* End with/,
    ))
})
