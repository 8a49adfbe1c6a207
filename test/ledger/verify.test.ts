// What verify says of a whole ledger, and of one whose bytes were touched.
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { canonical } from '../../src/canonical.js'
import { linesOf as split } from '../../src/cli/lines.js'
import { type Entry, EVENT_TYPES } from '../../src/event.js'
import { GENESIS } from '../../src/ledger/entry.js'
import { readLine } from '../../src/ledger/invariant/line.js'
import { MAX_PROBLEMS, verify } from '../../src/ledger/verify.js'
import { ALL } from '../faults/rig.js'
import { Craft, found, hashEntry, started } from './craft.js'
import { soundLedger } from './sound-ledger.js'
import { question, Tale } from './tale.js'

/** A sound ledger with letters beyond ASCII, as the bytes of its export. */
function exported(): { readonly craft: Craft; readonly bytes: Buffer } {
  const craft = soundLedger()
  const tale = new Tale(craft, question({ question_id: 'q-5', impact: 'Die Möwe \ufffd 🕊 fliegt' }), 'q-5')
  tale.asked()
  tale.answered()
  craft.put(started)
  return { craft, bytes: Buffer.from(craft.lines.map(line => `${line}\n`).join('')) }
}

/** As `lane ledger verify FILE` reads a file. */
const linesOf = (chunks: readonly Uint8Array[]) => split(Readable.from(chunks))

/** The bytes with one bit turned over, for each bit of one byte, or of all; every day for one bit of each. */
function* flips(bytes: Buffer, only?: number) {
  for (const at of only === undefined ? bytes.keys() : [only]) {
    for (const bit of ALL ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8]) {
      const touched = Buffer.from(bytes)
      touched[at] = (touched[at] ?? 0) ^ (1 << bit)
      yield { touched, where: `byte ${at}, bit ${bit}` }
    }
  }
}

describe('a sound ledger', () => {
  test('holds, and its head is the hash of its last entry', async () => {
    const craft = soundLedger()
    const head = craft.entries.at(-1)?.hash
    expect(await verify(craft.lines)).toEqual({
      ok: true,
      entries: craft.seq,
      head,
      problems: [],
      beyond: null,
    })
  })

  test('has an entry of every type', () => {
    expect(new Set(soundLedger().entries.map(entry => entry.type))).toEqual(new Set(EVENT_TYPES))
  })

  test('may be empty', async () => {
    const head = `sha256:${'0'.repeat(64)}`
    expect(await verify([])).toEqual({ ok: true, entries: 0, head, problems: [], beyond: null })
  })

  test('may end after any entry', async () => {
    const { lines } = soundLedger()
    for (const end of lines.keys()) expect((await verify(lines.slice(0, end))).problems).toEqual([])
  })

  test('is read as a stream of bytes, wherever it is cut', async () => {
    const craft = new Craft()
    while (craft.seq < 20_000) craft.put(started)
    const bytes = Buffer.from(craft.lines.join('\n'))
    const chunks = [bytes.subarray(0, 1000), bytes.subarray(1000, 1001), bytes.subarray(1001)]
    const result = await verify(linesOf(chunks))
    expect([result.ok, result.entries]).toEqual([true, 20_000])
  })
})

describe('a ledger whose bytes were touched', () => {
  test(`[LANE-076] ${ALL ? 'every single flipped bit' : 'a flipped bit of every byte'} of an entry is found`, async () => {
    const { craft } = exported()
    const missed: string[] = []
    for (const [seq, line] of craft.lines.entries()) {
      const link = { seq, prev: craft.entries[seq - 1]?.hash ?? GENESIS }
      expect(readLine(line, link).flaws).toEqual([])
      for (const { touched, where } of flips(Buffer.from(line))) {
        // What comes after a line cannot make it good again: verify reports what readLine finds.
        const [first = ''] = isUtf8(touched) ? touched.toString().split('\n') : ['not UTF-8']
        if (readLine(first, link).flaws.length === 0) missed.push(`entry ${seq}, ${where}`)
      }
    }
    expect(missed).toEqual([])
  })

  test('[LANE-076] a flipped bit anywhere in an export is found by verify', async () => {
    const { bytes } = exported()
    expect((await verify(linesOf([bytes]))).ok).toBe(true)
    const missed: string[] = []
    // Every line's end, and a byte out of every two hundred.
    const places = [...bytes.keys()].filter(at => bytes[at] === 0x0a || at % 199 === 0)
    for (const at of places) {
      for (const { touched, where } of flips(bytes, at)) {
        if ((await verify(linesOf([touched]))).ok) missed.push(where)
      }
    }
    expect(missed).toEqual([])
  })

  test('a deleted, doubled or exchanged entry is found', async () => {
    const { lines } = exported().craft
    for (const at of lines.keys()) {
      const without = lines.toSpliced(at, 1)
      const twice = lines.toSpliced(at, 0, lines[at] ?? '')
      const exchanged = lines.toSpliced(at, 2, ...lines.slice(at, at + 2).reverse())
      expect((await verify(twice)).ok).toBe(false)
      // Without its end, or exchanged with nothing, a chain still holds: see the page on what it cannot show.
      if (at === lines.length - 1) continue
      expect((await verify(without)).ok).toBe(false)
      expect((await verify(exchanged)).ok).toBe(false)
    }
  })

  test('one missing line is one problem, and what needed it is named beside it; every later line is sound', async () => {
    const craft = soundLedger()
    for (let n = 0; n < 200; n++) craft.put(started)
    const { lines } = craft
    for (const at of lines.keys()) {
      if (at === lines.length - 1) continue
      const { problems } = await verify(lines.toSpliced(at, 1))
      expect(problems[0]).toEqual({
        invariant: 'I1',
        seq: at,
        message: `the entry is missing: in its place stands entry ${at + 1}`,
      })
      expect(problems.filter(({ invariant }) => invariant === 'I1')).toHaveLength(1)
    }
    expect((await verify(lines.toSpliced(-100, 1))).problems).toHaveLength(1)
  })

  test('a missing piece is one problem, and so is an entry that stands there again', async () => {
    const craft = new Craft()
    for (let n = 0; n < 50; n++) craft.put(started)
    const { lines } = craft
    const message = 'the entry is missing, and so are all up to entry 19: in its place stands entry 20'
    expect((await verify(lines.toSpliced(10, 10))).problems).toEqual([{ invariant: 'I1', seq: 10, message }])
    const first = 'the entry is missing, and so are all up to entry 4: in its place stands entry 5'
    expect((await verify(lines.slice(5))).problems).toEqual([{ invariant: 'I1', seq: 0, message: first }])
    expect((await verify(lines.toSpliced(10, 0, lines[9] ?? ''))).problems).toEqual([
      { invariant: 'I1', seq: 10, message: 'in its place stands entry 9, again or out of order' },
    ])
  })

  test('a resolution whose cause is missing is named beside the gap, and not its neighbour', async () => {
    const craft = new Craft()
    new Tale(craft).asked().answered()
    expect(craft.entries[4]?.type).toBe('HUMAN_REPLY_EVENT')
    const { problems } = await verify(craft.lines.toSpliced(4, 1))
    expect(problems.map(({ invariant, seq }) => [invariant, seq])).toEqual([
      ['I1', 4],
      ['I8', 5],
    ])
  })

  test('an altered seq is a problem of its line alone: without its own hash it moves nothing', async () => {
    const craft = new Craft()
    for (let n = 0; n < 50; n++) craft.put(started)
    const altered = craft.lines.with(10, craft.lines[10]?.replace('"seq":10,', '"seq":30,') ?? '')
    expect(new Set((await verify(altered)).problems.map(({ seq }) => seq))).toEqual(new Set([10]))
  })

  test('bytes that only a lenient decoder would read alike are found', async () => {
    const { bytes } = exported()
    const at = bytes.indexOf('\ufffd')
    const shorter = Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff]), bytes.subarray(at + 3)])
    expect(shorter.toString('utf8')).toBe(bytes.toString('utf8'))
    expect((await verify(linesOf([shorter]))).ok).toBe(false)
    const marked = Buffer.concat([Buffer.from('\ufeff'), bytes])
    expect((await verify(linesOf([marked]))).ok).toBe(false)
  })

  test('another spelling of the same entry is found', async () => {
    const [first = ''] = soundLedger().lines
    const { v, ...rest } = JSON.parse(first)
    const spellings = [
      ` ${first}`,
      `${first}\r`,
      first.replace('"v":1', '"v":1.0'),
      first.replace('"v":1', '"v":1,"v":1'),
      first.replace('embedded', '\\u0065mbedded'),
      JSON.stringify({ v, ...rest }),
    ]
    for (const line of spellings) {
      expect((await verify([line])).problems).toMatchObject([{ invariant: 'I1', seq: 0 }])
    }
    expect(canonical({ v, ...rest })).toBe(first)
  })

  test('an entry rewritten with its own hash made anew is found by the next one, and by the next checkpoint', async () => {
    const { lines, entries } = exported().craft
    const { hash: _, ...entry } = entries[0] as Entry
    const forged = { ...entry, body: { ...entry.body, version: '0.1.1' } }
    const line = canonical({ ...forged, hash: hashEntry(forged) })
    expect((await verify(lines.with(0, line))).problems).toMatchObject([
      { invariant: 'I1', seq: 1 },
      { invariant: 'I3' },
    ])
  })

  test('no line makes it throw', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const lines = [
      '',
      'null',
      '[]',
      '7',
      '{}',
      '"a"',
      deep,
      `{"body":${deep}}`,
      '{"type":{"toString":1}}',
      '{"at":7}',
    ]
    const { ok, entries } = await verify(lines)
    expect([ok, entries]).toEqual([false, lines.length])
  })

  test('no request and no delta makes it throw that holds half a character, or is nested beyond all depth', async () => {
    const craft = new Craft()
    const decision = { id: 'd1', type: 'approval', prompt: 'Ship it?', required: true }
    new Tale(craft, question({ reply_schema: { kind: 'form', decisions: [decision] } })).opened()
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const [wrong, invariant] of [
      ['"\\ud800"', 'I22'],
      [deep, 'I4'],
    ] as const) {
      const { problems } = await verify([craft.lines[0]?.replace('"Ship it?"', wrong) ?? ''])
      expect(problems.at(-1)?.invariant).toBe(invariant)
    }
    const sound = soundLedger().lines
    const halved = sound.map(line => line.replace('"asked_by":"agent"', '"asked_by":"\\ud800"'))
    expect((await verify(halved)).problems.map(({ invariant }) => invariant)).toContain('I34')
    const proposed = sound.map(line => line.replace('"delta":[{"prefers":"blue"}]', `"delta":[${deep}]`))
    expect((await verify(proposed)).problems.map(({ invariant }) => invariant)).toContain('I4')
  })

  test('problems are kept up to a number, and every line is still read', async () => {
    const result = await verify(Array.from({ length: 1000 }, () => '{}'))
    expect([result.ok, result.entries, result.problems.length]).toEqual([false, 1000, MAX_PROBLEMS])
  })

  test('a string that has no RFC 8785 text is found', async () => {
    const craft = new Craft()
    craft.put(started)
    const line = craft.lines[0]?.replace('0.1.0', '\\ud800') ?? ''
    expect((await verify([line])).problems).toMatchObject([{ invariant: 'I1' }, { invariant: 'I1' }])
  })

  test('a backslash that looks like an escaped surrogate is sound', async () => {
    const craft = new Craft()
    new Tale(craft, question({ impact: 'see C:\\udata and \\ud800' })).asked().answered()
    expect(await found(craft)).toEqual([])
  })
})
