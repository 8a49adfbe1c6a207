// A long past, written straight through the ledger: requests to one person by text message, each sent and then withdrawn,
// with the grants and references that a lane would have kept. No measurement on them depends on who ended them.
import { randomBytes } from 'node:crypto'
import type { Clock } from '../src/clock.js'
import { instant } from '../src/clock.js'
import { type Draft, LANE } from '../src/event.js'
import type { Moment, Store } from '../src/ledger/contract.js'
import type { Grant, Shelving } from '../src/ledger/shelf.js'
import { openSqlite } from '../src/ledger/sqlite/open.js'
import { PROOFS } from '../src/request/channel.js'
import { display, hashDisplay } from '../src/request/display.js'
import { envelopeHash } from '../src/request/envelope.js'
import { hashRequest, type Request } from '../src/request/request.js'
import { NEWEST_RULES } from '../src/rules.js'
import type { Place } from './place.js'
import { personOf, question } from './question.js'
import { unlocked } from './unlocking.js'

/** Appends handed over at once: some commits' worth, so that none waits for the next. */
const TOGETHER = 2_048
/** The past ends an hour ago, so that nothing of it is due when a lane starts on it. */
const ENDED_MS = 3_600_000
const PERSON = personOf(0)
const NAME = 'bench'
/** As long as a reply token is; nobody spends it. */
const TOKEN = 't'.repeat(700)

const hash = () => `sha256:${randomBytes(32).toString('hex')}` as const

/** Each look at the clock is a millisecond after the one before. */
class PastClock implements Clock {
  #now: number
  constructor(start: number) {
    this.#now = start
  }
  wall(): number {
    this.#now += 1
    return this.#now
  }
  monotonic(): number {
    return this.#now
  }
}

export async function writeHistory({ dir }: Pick<Place, 'dir'>, count: number): Promise<void> {
  const clock = new PastClock(Date.now() - ENDED_MS - 2 * count)
  const store = await unlocked(openSqlite(dir, clock), 'embedded')
  for (let first = 0; first < count; first += TOGETHER) {
    const last = Math.min(first + TOGETHER, count)
    await Promise.all(Array.from({ length: last - first }, (_, index) => writeOne(store, first + index)))
  }
  await store.ledger.close()
}

/** All of a story in one append: nobody waits for any of it. */
async function writeOne({ ledger }: Store, n: number): Promise<void> {
  const request_id = `past-${n}`
  const run_id = `past-run-${n}`
  const told = await ledger.append({
    story: { request_id, expected: 0, last: null },
    decide: moment => ({
      kind: 'append',
      events: [...asking(request_id, run_id, n, moment), ...ending(moment)].map(
        draft => ({ request_id, run_id, ...draft }) as Draft,
      ),
      shelve: kept(request_id),
      alarm: null,
    }),
  })
  if (told.kind !== 'appended') throw new Error(`${request_id} could not be written: ${told.kind}`)
}

function asking(request_id: string, run_id: string, n: number, { ms }: Moment): readonly object[] {
  const asked = question(n, 1)
  const request = { ...asked.request, question_id: request_id } as unknown as Request
  const run = { run_id, mood: 'DEFERENTIAL' } as const
  const attempted = { delivery_id: `d-${request_id}`, attempt: 1, channel: 'sms', recipient: PERSON }
  const token_hash = hash()
  const request_hash = hashRequest(request)
  const deadline_at = instant(ms + request.deadline_seconds * 1000)
  const terms = { urgency: 'normal', policy: { proofs: PROOFS } } as const
  const shown = display(
    { request, request_hash, run, deadline_at, terms, asked_by: NAME, origin: null },
    NAME,
  )
  return [
    {
      type: 'REQUEST_OPENED',
      body: {
        request,
        request_hash,
        run,
        recipients: [{ user_id: PERSON, channels: ['sms'], route: 'first' }],
        envelope_hash: envelopeHash({ run, recipients: [{ user_id: PERSON }] }, NEWEST_RULES),
        deadline_at,
        opened_by: 'key-bench',
        asked_by: NAME,
        terms,
      },
    },
    {
      type: 'DELIVERY_STARTED',
      body: {
        token_hash,
        display_hash: hashDisplay(shown),
        kid: 'k',
        lease_until: instant(ms + 30_000),
        ...attempted,
      },
    },
    { type: 'OUTBOUND_REQUEST_SENT', body: { request_hash, token_hash, ...attempted } },
  ]
}

/** A page, a way to answer by code, and the provider's reference. */
function kept(request_id: string): readonly Shelving[] {
  const delivery_id = `d-${request_id}`
  const of = { token: TOKEN, request_id, delivery_id, channel: 'sms', user_id: PERSON } as const
  const page: Grant = { handle_hash: hash(), use: 'page', code_hash: '', ...of }
  const code_hash = `hmac:${randomBytes(32).toString('hex')}`
  const reply: Grant = { handle_hash: hash(), use: 'reply', code_hash, ...of }
  const ref = `SM${randomBytes(16).toString('hex')}`
  return [
    { put: 'grant', grant: page },
    { put: 'grant', grant: reply },
    { put: 'ref', delivery_id, handle_hash: reply.handle_hash, channel: 'sms', ref },
  ]
}

/** After the three entries of the asking. */
const ending = ({ seq }: Moment): readonly object[] => [
  { type: 'REQUEST_WITHDRAWN', body: { reason: 'of the past', by: 'key-bench' } },
  { type: 'REQUEST_RESOLVED', body: { outcome: 'withdrawn', causes: [seq + 3] } },
  {
    type: 'DIRECTOR_DECIDED',
    body: { by: LANE, because: seq + 4, decision: 'CONTINUE', reason: 'the request was withdrawn' },
  },
]
