// Each crafted ledger has a sound chain and one entry that is wrong by itself: verify names invariant and entry.
import { expect, test } from 'vitest'
import type { Hash } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import type { Draft } from '../../src/event.js'
import { GENESIS } from '../../src/ledger/entry.js'
import type { Invariant } from '../../src/ledger/invariant/invariants.js'
import { Craft, found, hashed, started } from './craft.js'
import { question, Tale } from './tale.js'

function breaks(
  invariant: Invariant,
  seq: number,
  what: string,
  tell: (craft: Craft, tale: Tale) => unknown,
) {
  test(`${invariant} ${what}`, async () => {
    const craft = new Craft()
    tell(craft, new Tale(craft))
    expect(await found(craft)).toEqual([[invariant, seq]])
  })
}

/** A request the door would have refused, under a true hash. */
const opens = (changes: Record<string, unknown>) => (craft: Craft) =>
  new Tale(craft, question(changes)).opened()

breaks('I1', 1, 'refuses a seq that skips one', craft => {
  craft.put(started)
  craft.put(started, { seq: 2 })
})
breaks('I1', 1, 'refuses a seq that comes again', craft => {
  craft.put(started)
  craft.put(started, { seq: 0 })
})
breaks('I1', 1, 'refuses the prev of another ledger', craft => {
  craft.put(started)
  craft.put(started, { prev: hashed('other') })
})
breaks('I1', 0, 'refuses a first prev that is not zeros', craft =>
  craft.put(started, { prev: hashed('other') }),
)
breaks('I1', 0, 'refuses another version', craft => craft.force({ ...started, v: 2 }))

breaks('I4', 0, 'refuses an unknown type', craft => craft.force({ type: 'APPROVED', body: {} }))
breaks('I4', 0, 'refuses an entry without a body', craft => craft.force({ type: 'LANE_STARTED' }))
breaks('I4', 0, 'refuses an unknown member of an entry', craft => craft.force({ ...started, note: 'hi' }))
breaks('I4', 0, 'refuses an unknown member of a body', craft =>
  craft.force({ ...started, body: { ...started.body, note: 'hi' } }),
)
breaks('I4', 0, 'refuses a time with an offset', craft =>
  craft.force({ ...started, at: '2026-03-01T12:00:00.000+00:00' }),
)
breaks('I4', 0, 'refuses an id that is none', craft => craft.force({ ...started, run_id: 'run 1' }))
breaks(
  'I4',
  1,
  'refuses a name of more than 256 code points, and counts what lies beyond U+FFFF once',
  craft => {
    craft.put({ ...started, body: { ...started.body, version: '🕊'.repeat(256) } } as Draft)
    craft.force({ ...started, body: { ...started.body, version: '🕊'.repeat(257) } })
  },
)
breaks('I4', 0, 'refuses a run without a request', craft => craft.force({ ...started, run_id: 'run-1' }))
breaks('I4', 0, 'refuses a lane that starts inside a story', craft =>
  craft.force({ ...started, request_id: 'q-1' }),
)
breaks('I4', 3, 'refuses a delivery of no request', (craft, tale) => {
  tale.asked()
  craft.put({ type: 'DELIVERY_CLOSED', body: { delivery_id: 'd-q-1', edited: true } })
})
breaks('I4', 3, 'refuses an entry of another run', (craft, tale) => {
  tale.asked()
  const closed = tale.draft('DELIVERY_CLOSED', { delivery_id: 'd-q-1', edited: true })
  craft.put({ ...closed, run_id: 'run-2' } as Draft)
})
breaks('I4', 0, 'refuses a request under another id', (craft, tale) =>
  craft.put({ ...tale.draft('REQUEST_OPENED', tale.opening()), request_id: 'q-2' } as Draft),
)
breaks('I4', 0, 'refuses a request without its id', opens({ question_id: undefined }))
breaks('I4', 0, 'refuses a question that asks twice', opens({ question_text: 'Now? Or never?' }))
breaks('I4', 0, 'refuses a default that is not conservative', opens({ default_action: 'PUBLISH' }))
breaks('I4', 0, 'refuses a deadline beyond thirty days', opens({ deadline_seconds: 2_592_001 }))
breaks('I4', 0, 'refuses a reply schema without bounds', opens({ reply_schema: { kind: 'anything' } }))

breaks('I5', 1, 'refuses a time that goes back', craft => {
  craft.put(started)
  craft.later(-1).put(started)
})
breaks('I5', 0, 'refuses a day that is not in the calendar', craft =>
  craft.put(started, { at: '2026-02-30T12:00:00.000Z' }),
)
const suspect = (craft: Craft, state: 'suspected' | 'confirmed' | 'cleared') =>
  craft.put({
    type: 'CLOCK_SUSPECT',
    body: { state, wall: instant(craft.ms + 3_600_000), expected: craft.at },
  })
breaks('I5', 4, 'refuses a time-out while the clock is suspect', (craft, tale) => {
  tale.asked()
  suspect(craft.later(60_000), 'suspected')
  tale.timedOut('defaulted')
})
for (const state of ['confirmed', 'cleared'] as const) {
  test(`I5 lets a time-out stand once the suspicion is ${state}`, async () => {
    const craft = new Craft()
    const tale = new Tale(craft).asked()
    suspect(craft.later(60_000), 'suspected')
    suspect(craft, state)
    tale.timedOut('defaulted')
    expect(await found(craft)).toEqual([])
  })
}

breaks('I22', 0, 'refuses a question that reads backwards', opens({ question_text: 'Pay \u202e001 chips?' }))
breaks('I22', 0, 'refuses an impact with a zero-width space', opens({ impact: 'no\u200bthing' }))
breaks('I22', 0, 'refuses an impact with a control', opens({ impact: 'one\u0007two' }))
breaks(
  'I22',
  0,
  'refuses a label with a hidden letter',
  opens({
    reply_schema: {
      kind: 'choice',
      options: [
        { value: 'a', label: 'Keep' },
        { value: 'x', label: 'Dr\u2066op' },
      ],
    },
  }),
)

const SECRETS = {
  'a reply token': `eyJhbGciOiJFZERTQSJ9.${'a'.repeat(40)}.${'b'.repeat(86)}`,
  'an API key': `lane_${'0123456789abcdefghjkmnpqrstvwxyz01234567'}`,
  'a reply link': `https://lane.example/r/${'0123456789abcdefghjkmnpqrs'}`,
}
for (const [what, secret] of Object.entries(SECRETS)) {
  breaks('I23', 2, `refuses ${what} in the ledger`, (_, tale) => {
    tale.opened()
    tale.started()
    tale.failed(1, { code: secret })
  })
}

const sealed = (size: number, hash: Hash): Draft => ({ type: 'LEDGER_SEALED', body: { size, hash } })

breaks('I30', 0, 'refuses a LEDGER_SEALED before anything has started', craft =>
  craft.put(sealed(0, GENESIS)),
)
breaks('I30', 2, 'refuses one that does not follow on LANE_STARTED', craft => {
  craft.put(started)
  new Tale(craft).opened()
  craft.put(sealed(0, GENESIS))
})
breaks('I30', 3, 'refuses a second one', craft => {
  craft.put(started)
  const { hash } = craft.put(sealed(0, GENESIS))
  craft.put(started)
  craft.put(sealed(2, hash))
})
breaks('I30', 2, 'refuses one that names another size', craft => {
  const { hash } = craft.put(started)
  craft.put(started)
  craft.put(sealed(2, hash))
})
breaks('I30', 2, 'refuses one that names another hash', craft => {
  craft.put(started)
  craft.put(started)
  craft.put(sealed(1, hashed('other')))
})
