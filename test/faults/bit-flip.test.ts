// Every single bit of an export, flipped. A whole verification per flip would take hours, so each flip is first put to
// the check that verify makes of the one line it falls in; and for many of them to the whole verification as well.
import { setImmediate as breath } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linesOf } from '../../src/cli/lines.js'
import { GENESIS, parseEntry } from '../../src/ledger/entry.js'
import { readLine } from '../../src/ledger/invariant/line.js'
import { verify } from '../../src/ledger/verify.js'
import { type LaneUnderTest, question, startLane, UNLIMITED } from '../lane-under-test.js'
import { ALL } from './rig.js'

const ENTRIES = 300
/** Whole verifications, at random places. */
const WHOLE = ALL ? 1_000 : 100
/** In everyday work every bit of so many entries. */
const LINES = ALL ? ENTRIES : 10
const LF = 0x0a

let lane: LaneUnderTest
let lines: string[]

beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
  for (let n = 0; (await lane.ledger()).length < ENTRIES; n++) {
    const id = `entry-${n}`
    await lane.submit(question(id, { impact: 'Decides about the Möwe, 🕊 and "quotes"' }))
    const reply = await lane.link(id)
    await lane.answer(reply, 'maybe')
    if (n % 3 === 0) await lane.call('POST', `/v1/requests/${id}/withdraw`, { body: { reason: 'enough' } })
    else await lane.answer(reply, n % 3 === 1 ? 'yes' : 'no')
  }
  const { text } = await lane.call('GET', `/v1/ledger?limit=${ENTRIES}`, { key: lane.operatorKey })
  lines = text.trimEnd().split('\n')
})
afterAll(() => lane.close())

const reading = (bytes: Buffer): AsyncGenerator<string> =>
  linesOf(
    (async function* () {
      yield bytes
    })(),
  ) as AsyncGenerator<string>

const flipped = (bytes: Buffer, at: number, bit: number): Buffer => {
  const touched = Buffer.from(bytes)
  touched[at] = (touched[at] ?? 0) ^ (1 << bit)
  return touched
}

describe(`an export of ${ENTRIES} entries`, () => {
  test('holds as it is', async () => {
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    expect(await verify(reading(bytes))).toMatchObject({ ok: true, entries: ENTRIES, problems: [] })
  })

  test(`[LANE-076] with any single bit of ${LINES} entries flipped: that entry is found to be wrong`, async () => {
    const first = Math.floor(Math.random() * (ENTRIES - LINES + 1))
    let tried = 0
    const missed: string[] = []
    for (let seq = first; seq < first + LINES; seq++) {
      const bytes = Buffer.from(lines[seq] ?? '')
      const prev = seq === 0 ? GENESIS : parseEntry(lines[seq - 1] ?? '').hash
      expect(readLine(bytes.toString(), { seq, prev }).flaws).toEqual([])
      await breath()
      for (let at = 0; at < bytes.length; at++) {
        for (let bit = 0; bit < 8; bit++, tried++) {
          const touched = flipped(bytes, at, bit)
          const line =
            isPlain(bytes[at]) && isPlain(touched[at]) ? touched.toString() : await firstOf(touched)
          const { flaws } = readLine(line, { seq, prev })
          if (flaws.length === 0) missed.push(`entry ${seq}, byte ${at}, bit ${bit}`)
        }
      }
    }
    console.log(`${tried} single-bit flips in ${LINES} entries`)
    expect(missed).toEqual([])
  }, 300_000)

  test('[LANE-076] so says verify of the whole, at many places, be it the end of a line', async () => {
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    const ends = [...bytes.keys()].filter(at => bytes[at] === LF)
    const places = [
      // The last line feed of all ends nothing: an export without it is the same export.
      ...spread(ends.slice(0, -1)),
      ...Array.from({ length: WHOLE }, () => Math.floor(Math.random() * (bytes.length - 1))),
    ]
    const missed: string[] = []
    const flips = places.flatMap(at => bitsOf(bytes, at).map(bit => ({ at, bit })))
    for (const { at, bit } of flips) {
      if (at % 16 === 0) await breath()
      const { ok } = await verify(reading(flipped(bytes, at, bit)))
      if (ok) missed.push(`byte ${at}, bit ${bit}`)
    }
    expect(missed).toEqual([])
  }, 300_000)
})

/** A printing character of ASCII: where one takes the place of another, the reader of lines has nothing to find. */
const isPlain = (byte = 0): boolean => byte >= 0x20 && byte < 0x7f

/** A flip that makes a line feed leaves two lines; the first is the one that stands in this place. */
const firstOf = async (bytes: Buffer): Promise<string> => (await reading(bytes).next()).value ?? ''

/** Each bit of a line's end; of any other place one, for the others were put to the check of the line. */
const bitsOf = (bytes: Buffer, at: number): readonly number[] =>
  bytes[at] === LF ? [0, 1, 2, 3, 4, 5, 6, 7] : [Math.floor(Math.random() * 8)]

const spread = (all: readonly number[]): number[] => (ALL ? [...all] : all.filter((_, n) => n % 10 === 0))
