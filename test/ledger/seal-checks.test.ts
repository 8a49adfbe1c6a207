// Each check of the seals by itself, with a key whose mac is the words: in the lane one stands behind the other, so that an attack
// that one of them lets through is often stopped by the next.
import { expect, test } from 'vitest'
import type { Hash } from '../../src/canonical.js'
import type { Draft, Entry } from '../../src/event.js'
import { SealBroken } from '../../src/ledger/contract.js'
import { GENESIS, inscribe } from '../../src/ledger/entry.js'
import { Known } from '../../src/ledger/known.js'
import { Runs } from '../../src/ledger/runs.js'
import { SealAudit, UnsealedAudit } from '../../src/ledger/seal-audit.js'
import {
  BEGINNING,
  placeOf,
  type SealedLine,
  Seals,
  type Standing,
  soundEntries,
} from '../../src/ledger/seals.js'
import { STARTED } from '../contract/ledger/stage.js'

const KEY = { kid: 'k-1', mac: (words: string): string => words }
const unlocked = (): Seals => {
  const seals = new Seals()
  seals.unlock(KEY)
  return seals
}

type Told = { readonly entries: Entry[]; readonly lines: string[] }
const closing = (request_id: string, delivery_id: string): Draft => ({
  type: 'DELIVERY_CLOSED',
  request_id,
  run_id: 'run-1',
  body: { delivery_id, edited: true },
})

/** These drafts as entries, from this place on. */
function told(drafts: readonly Draft[], from = 0, after: Hash = GENESIS): Told {
  let prev = after
  const written = drafts.map((draft, index) => {
    const inscribed = inscribe(draft, { seq: from + index, at: '2026-11-01T12:00:00.000Z', prev })
    prev = inscribed.entry.hash
    return inscribed
  })
  return { entries: written.map(({ entry }) => entry), lines: written.map(({ line }) => line) }
}

/** One append, sealed where its story stood. */
function sealed({ entries, lines }: Told, story: Standing | null, seals = unlocked()): SealedLine[] {
  const seal = seals.ofAppend(placeOf(entries, story))
  return lines.map((line, index) => ({ line, seal: index === lines.length - 1 ? seal : null }))
}

const after = ({ entries }: Told, version: number): Standing => ({
  version,
  last: entries.at(-1)?.hash ?? null,
})

const first = told([closing('q-1', 'a'), closing('q-1', 'b')], 5)
const second = told([closing('q-1', 'c')], 9, 'sha256:9')
const story = [...sealed(first, BEGINNING), ...sealed(second, after(first, 2))]

test('the words of an append are those of the specification, under the name of the key', () => {
  const [a, b] = [first.entries[1]?.hash, second.entries[0]?.hash]
  expect(story.map(({ seal }) => seal)).toEqual([
    null,
    `k-1.lane/append/v1\n5\n6\n${a}\n\n0\n2`,
    `k-1.lane/append/v1\n9\n9\n${b}\n${a}\n2\n3`,
  ])
  const none = told([STARTED], 7)
  expect(sealed(none, null)[0]?.seal).toBe(`k-1.lane/append/v1\n7\n7\n${none.entries[0]?.hash}\n\n0\n0`)
})

test('a story is told whole, as it was sealed, and in no other way', () => {
  const tell = (rows: readonly SealedLine[], id = 'q-1', version = rows.length) =>
    unlocked().story(id, version, rows)
  expect(tell(story)).toEqual([...first.entries, ...second.entries])
  const [opening, opened, later] = story as [SealedLine, SealedLine, SealedLine]
  const broken: [string, () => unknown][] = [
    ['of another version', () => tell(story, 'q-1', 2)],
    ['of another request', () => tell(story, 'q-2')],
    ['without its end', () => tell([opening])],
    ['with an end that has no seal', () => tell([opening, opened, { ...later, seal: null }])],
    ['with a seal too many', () => tell([{ ...opening, seal: opened.seal }, opened, later])],
    ['without its beginning', () => tell([opened, later])],
    ['in another order', () => tell([later, opening, opened])],
    ['with the seal of the other append', () => tell([opening, { ...opened, seal: later.seal }, later])],
    ['with a line that is none', () => tell([opening, opened, { ...later, line: '{' }])],
    [
      'with a line that is altered',
      () => tell([opening, opened, { ...later, line: later.line.replace('"c"', '"d"') }]),
    ],
  ]
  for (const [how, attempt] of broken) expect(attempt, how).toThrow(SealBroken)
})

test('within an append every entry has its hash, and follows on the one before by its seq and its prev', () => {
  const holds = (told: Told): boolean => unlocked().holds(sealed(told, BEGINNING), told.entries, BEGINNING)
  expect(holds(first)).toBe(true)
  const apart = told([closing('q-1', 'b')], 7, first.entries[0]?.hash)
  const unlinked = told([closing('q-1', 'b')], 6)
  for (const next of [apart, unlinked]) {
    const both = {
      entries: [...first.entries.slice(0, 1), ...next.entries],
      lines: [...first.lines.slice(0, 1), ...next.lines],
    }
    expect(holds(both)).toBe(false)
  }
  const altered = first.lines.map(line => line.replace('"a"', '"z"'))
  expect(holds({ ...first, lines: altered })).toBe(false)
})

test('what this process knows is known at its place alone: after the same entry, at the same version', () => {
  const seals = unlocked()
  seals.keep(first.entries, BEGINNING)
  seals.keep(second.entries, after(first, 2))
  const unsealed = story.map(({ line }) => ({ line, seal: null }))
  expect(seals.story('q-1', 3, unsealed)).toHaveLength(3)
  const other = told([closing('q-1', 'a'), closing('q-1', 'x')], 5)
  seals.keep(other.entries, BEGINNING)
  const mixed = [...other.lines, ...second.lines].map(line => ({ line, seal: null }))
  expect(() => seals.story('q-1', 3, mixed)).toThrow(SealBroken)
  const moved = unlocked()
  moved.keep(second.entries, { version: 1, last: null })
  expect(() => moved.story('q-1', 1, [{ line: second.lines[0] ?? '', seal: null }])).toThrow(SealBroken)
})

test('a line that was altered is not known by the hash it still carries', () => {
  const seals = unlocked()
  seals.keep(first.entries, BEGINNING)
  const [entry] = first.entries as [Entry]
  const [line] = first.lines as [string]
  expect(seals.knows(entry, line)).toBe(true)
  expect(seals.knows(entry, line.replace('"a"', '"z"'))).toBe(false)
  const altered = first.lines.map(one => ({ line: one.replace('"a"', '"z"'), seal: null }))
  expect(() => seals.story('q-1', 2, altered)).toThrow(SealBroken)
})

test('entries are known by their hashes, the newest of them for long enough', () => {
  const known = new Known()
  const hash = (seq: number): Hash => `sha256:${seq}`
  for (let seq = 0; seq < 40_000; seq++) known.add(seq, hash(seq), { version: seq, follows: null })
  const has = (seq: number): boolean => known.hasAt(seq, hash(seq), { version: seq, follows: null })
  expect([has(39_999), has(25_000), has(0), has(40_000)]).toEqual([true, true, false, false])
  expect(known.has(39_999, hash(0))).toBe(false)
})

test('what is broken is told once, named until it is found sound again, and no more than a hundred are', () => {
  const seals = unlocked()
  const heard: string[] = []
  seals.onBroken(name => void heard.push(name))
  const row = { request_id: 'q-1', url: 'https://example.org/' }
  const seal = seals.ofRow('callbacks', row)
  for (const given of [null, 'k-1.x', seal.replace('k-1', 'k-2')])
    expect(seals.sound('callbacks', { ...row, seal: given })).toBeNull()
  expect(() => seals.story('q-1', 9, story)).toThrow(SealBroken)
  expect([heard, seals.broken()]).toEqual([
    ['callback of request q-1', 'request q-1'],
    ['callback of request q-1', 'request q-1'],
  ])
  expect(seals.sound('callbacks', { ...row, seal })).toEqual(row)
  seals.story('q-1', 3, story)
  expect(seals.broken()).toEqual([])
  for (let one = 0; one < 200; one++)
    seals.sound('callbacks', { request_id: `q-${one}`, url: '', seal: null })
  expect(seals.broken()).toHaveLength(100)
})

test('LEDGER_SEALED is the last of its append, and nothing else passes for it', () => {
  const mark: Draft = { type: 'LEDGER_SEALED', body: { size: 0, hash: GENESIS } }
  const begun = told([STARTED, mark])
  const seals = unlocked()
  expect(seals.ledgerSealed(sealed(begun, null)).type).toBe('LEDGER_SEALED')
  expect(() => seals.ledgerSealed(sealed(told([STARTED]), null))).toThrow(SealBroken)
  expect(() => seals.ledgerSealed(begun.lines.map(line => ({ line, seal: null })))).toThrow(SealBroken)
})

test('of entries one after the other those of a story that is not sound are left out', async () => {
  const seals = unlocked()
  seals.keep(first.entries, BEGINNING)
  async function* lines() {
    yield* [...first.lines, ...second.lines, 'no entry']
  }
  const yielded: number[] = []
  const unsound = async (): Promise<never> => {
    throw new SealBroken('request q-1')
  }
  for await (const { seq } of soundEntries(seals, lines(), unsound)) yielded.push(seq)
  expect(yielded).toEqual([5, 6])
})

test('a ledger of before is sealed run by run, each after the one before it in its story', () => {
  const runs = new Runs()
  const all = told([closing('q-1', 'a'), closing('q-1', 'b'), STARTED, closing('q-1', 'c')])
  const stories = [0, 0, null, 0]
  const ended = all.entries.map((entry, at) => runs.add(entry, stories[at] ?? null))
  const [a, b, c, d] = all.entries.map(({ hash }) => hash)
  expect(a).not.toBe(b)
  expect([...ended, runs.end(), runs.end()]).toEqual([
    null,
    null,
    { first: 0, last: 1, hash: b, follows: null, before: 0, after: 2 },
    { first: 2, last: 2, hash: c, follows: null, before: 0, after: 0 },
    { first: 3, last: 3, hash: d, follows: b, before: 2, after: 3 },
    null,
  ])
})

test('an audit finds each append that is not sealed, and a ledger that nothing says is', async () => {
  const audited = async (
    rows: readonly SealedLine[],
    audit: SealAudit | UnsealedAudit = new SealAudit(KEY),
  ) => {
    async function* all() {
      yield* rows
    }
    let read = 0
    for await (const _line of audit.watch(all())) read += 1
    expect(read).toBe(rows.length)
    return audit.problems.map(({ seq, message }) => `${seq} ${message}`)
  }
  const begun = sealed(told([STARTED, { type: 'LEDGER_SEALED', body: { size: 0, hash: GENESIS } }]), null)
  const [opening, opened, later] = story as [SealedLine, SealedLine, SealedLine]
  const unsealed = 'its append has no seal'
  const foreign = 'the seal of its append is not that of this lane'
  const third = told([closing('q-1', 'd')], 10, second.entries[0]?.hash)
  expect(await audited([...begun, ...story, ...sealed(third, after(second, 3))])).toEqual([])
  expect(await audited(story)).toEqual([
    '0 the ledger has no LEDGER_SEALED, though there is a key that seals',
  ])
  expect(await audited([...begun, opening, { ...opened, seal: null }])).toEqual([`5 ${unsealed}`])
  const other = sealed(told([closing('q-2', 'a')], 7), BEGINNING)
  expect(await audited([...begun, opening, { ...opened, seal: null }, ...other])).toEqual([`5 ${unsealed}`])
  expect(await audited([...begun, opening, { ...opened, seal: later.seal }, later])).toEqual([`5 ${foreign}`])
  expect(await audited([...begun, later])).toEqual([`9 ${foreign}`])
  expect(await audited([...begun, ...Array(200).fill({ ...later, seal: 'k-1.x' })])).toHaveLength(100)
  expect(await audited([...begun, ...story], new UnsealedAudit())).toEqual([
    expect.stringMatching(/^1 the ledger is sealed, and its keyring has not the key/),
  ])
  expect(await audited(story, new UnsealedAudit())).toEqual([])
})
