// A content by its bytes (src/request/content/unopened.ts): what came with its request and what was sent before are shown alike.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Hash, sha256 } from '../../../src/canonical.js'
import { readJson } from '../../../src/http/json.js'
import { exhibitWhole, rowsWithin } from '../../../src/request/content/exhibit.js'
import { bytesOf } from '../../../src/request/content/given.js'
import { imprintsOf } from '../../../src/request/content/imprint.js'
import { contentsOf } from '../../../src/request/display.js'
import type { RequestDraft } from '../../../src/request/request.js'

const asking = (context_handles: string[]): RequestDraft => ({
  type: 'REQUEST_QUESTION',
  question_text: 'Ship it?',
  impact: 'Decides what the run does',
  context_handles,
  deadline_seconds: 60,
  default_action: 'HALT',
  reply_schema: { kind: 'yes_no' },
})

const text = fc.string({
  unit: fc.constantFrom('a', ' ', '\n', '"', '\\', 'é', '│', '😀', '\u202e', '\ud83d', '\ude00'),
  maxLength: 40,
})

test('a text is measured and drawn the same, whether it came with its request, through the door or had been sent before', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), fc.nat(60), (texts, room) => {
      const given = Object.fromEntries(texts.map(one => [sha256(one), one])) as Record<Hash, string>
      const held = bytesOf(given)
      const request = asking([...held.keys()])
      const read = readJson(JSON.stringify({ contents: given }))
      const through = (read.ok ? read.value : { contents: given }) as { contents: Record<Hash, string> }
      const before = contentsOf(request, held)
      for (const imprints of [imprintsOf(given), imprintsOf(through.contents)]) {
        const came = contentsOf(request, held, imprints)
        for (const some of [room, 100_000]) expect(rowsWithin(came, some)).toEqual(rowsWithin(before, some))
        expect(came.map(exhibitWhole)).toEqual(before.map(exhibitWhole))
        expect(came.map(one => one.text)).toEqual(before.map(one => one.text))
      }
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['bytes that are not UTF-8', [0xff, 0x61]],
  ['a NUL', [0x61, 0x00]],
])('%s are no text: named by their size, with nothing shown', (_, bytes) => {
  const handle = sha256(Uint8Array.from(bytes))
  const [content, ...others] = contentsOf(asking([handle]), new Map([[handle, Uint8Array.from(bytes)]]))
  expect(others).toEqual([])
  expect(content).toMatchObject({ handle, size: 2, chars: null, text: null })
  expect(content && exhibitWhole(content)).toMatchObject({
    kind: 'bytes',
    measure: '2 bytes that are no text',
  })
})
