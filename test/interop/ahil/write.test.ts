// Writing entries: what a writer is held to, ids, and the bytes that stay.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonical } from '../../../src/canonical.js'
import { type Entry, TYPES } from '../../../src/interop/ahil/entry.js'
import { isKnownPrefix, readSeen, seenOf, spellSeen, unseen } from '../../../src/interop/ahil/prefix.js'
import { strictOf } from '../../../src/interop/ahil/profile.js'
import { addTo, type Draft, emptyLog, entriesOf, flawsOfDraft } from '../../../src/interop/ahil/write.js'
import { EMBEDDED, MINIMAL, SEVEN } from './examples.js'
import { bytes, draft, entry, logOf, standalone } from './log.js'

const AT = '2026-03-17T23:59:59.999Z'
const known = new Map([entry(), entry({ id: 'end', type: 'acknowledgement' })].map(one => [one.id, one]))
const codes = (more: Partial<Draft>): string[] => flawsOfDraft(draft(more), known).map(({ code }) => code)
const ids = (drafts: readonly Draft[], before: readonly Pick<Entry, 'id'>[] = [], at = AT): string[] =>
  entriesOf(drafts, before, at).map(({ id }) => id)

describe('a writer', () => {
  test('[AHIL-095, AHIL-096] addresses all with an observation, an alert or an order, and a recommendation to somebody', () => {
    for (const type of TYPES) {
      const from = type === 'order' || type === 'override' ? 'human' : 'scout'
      const isFine = ['observation', 'alert', 'order'].includes(type)
      const found = codes({ type, from, to: 'all', context: { ref: 'scout-20260317-001' } })
      expect([type, found]).toEqual([type, isFine ? [] : ['broadcast']])
    }
    expect(codes({ to: 'all' })).toEqual(['broadcast'])
  })

  test('[AHIL-114, AHIL-115] names what an acknowledgement, an approval or an override is about', () => {
    for (const type of ['acknowledgement', 'approval', 'override'] as const) {
      const from = type === 'override' ? 'human' : 'builder'
      expect([type, codes({ type, from })]).toEqual([type, ['no_ref']])
      expect([type, codes({ type, from, context: { ref: 7 } })]).toEqual([type, ['no_ref']])
      expect([type, codes({ type, from, context: { ref: 'scout-20260317-001' } })]).toEqual([type, []])
    }
  })

  test('[AHIL-113, AHIL-116] refers to no unknown entry, and acknowledges no acknowledgement', () => {
    expect(codes({ type: 'acknowledgement', context: { ref: 'nobody-20260317-001' } })).toEqual([
      'unknown_ref',
    ])
    expect(codes({ type: 'approval', context: { ref: '__proto__' } })).toEqual(['unknown_ref'])
    expect(codes({ type: 'acknowledgement', context: { ref: 'end' } })).toEqual([
      'acknowledges_acknowledgement',
    ])
  })

  test('[AHIL-125] says something: nothing blank, and not an id or a reference alone', () => {
    for (const content of [
      ' ',
      '\n',
      '…',
      '42',
      'scout-20260317-001',
      'see scout-20260317-001.',
      'Ref: #12',
      `sha256:${'a'.repeat(64)}`,
      'https://example.org/a?b=c',
      'doc:plan-7',
    ])
      expect([content, codes({ content })]).toEqual([content, ['not_actionable']])
    for (const content of ['Prüfe scout-20260317-001', '重启', 'Restart #12 now'])
      expect([content, codes({ content })]).toEqual([content, []])
    expect(codes({ content: 'a\u0000b' })).toEqual(['text'])
    expect(codes({ content: 'x'.repeat(10_001) })).toEqual(['text'])
  })

  test('writes the types that are theirs, under a name that can stand in an id', () => {
    expect(codes({ type: 'order', to: 'builder' })).toEqual(['not_theirs'])
    expect(codes({ from: 'human' })).toEqual(['not_theirs'])
    for (const from of ['', 'a b', 'all', '-x', 'x'.repeat(65), 'a/b', 'ä'])
      expect([from, codes({ from })]).toEqual([from, ['slug']])
    expect(codes({ status: 'acted' })).toEqual(['status'])
    expect(
      codes({ type: 'acknowledgement', status: 'pending', context: { ref: 'scout-20260317-001' } }),
    ).toEqual(['status'])
  })

  test('[AHIL-106, AHIL-107] begins each entry as its type does', () => {
    const status = (more: Partial<Draft>): string | undefined => entriesOf([draft(more)], [], AT)[0]?.status
    expect(TYPES.map(type => status({ type, to: 'builder' }))).toEqual([
      'noted',
      'pending',
      'noted',
      'pending',
      'pending',
      'pending',
      'noted',
    ])
    expect(status({ type: 'alert', to: 'human' })).toBe('pending')
    expect(status({ type: 'acknowledgement', status: 'rejected' })).toBe('rejected')
  })
})

describe('an id', () => {
  test('[AHIL-097, AHIL-098, AHIL-099] is sender, UTC day and a number that begins at 001 for each of them', () => {
    const two = [draft(), draft({ from: 'builder' }), draft()]
    expect(ids(two)).toEqual(['scout-20260317-001', 'builder-20260317-001', 'scout-20260317-002'])
    expect(ids(two, [{ id: 'scout-20260317-007' }])).toEqual([
      'scout-20260317-008',
      'builder-20260317-001',
      'scout-20260317-009',
    ])
    expect(ids([draft()], [{ id: 'scout-20260317-007' }], '2026-03-18T00:00:00.000Z')).toEqual([
      'scout-20260318-001',
    ])
    const [one] = entriesOf([draft()], [], AT)
    expect([one?.date, one?.context]).toEqual(['2026-03-17', { at: AT }])
  })

  test('[AHIL-101] beyond 999 has four digits, and counts by number', () => {
    expect(ids([draft(), draft()], [{ id: 'scout-20260317-999' }])).toEqual([
      'scout-20260317-1000',
      'scout-20260317-1001',
    ])
    expect(ids([draft()], [{ id: 'scout-20260317-1000' }, { id: 'scout-20260317-999' }])).toEqual([
      'scout-20260317-1001',
    ])
    // Somebody's own number without end is no count; it is only never given again.
    expect(ids([draft()], [{ id: `scout-20260317-${'9'.repeat(30)}` }])).toEqual(['scout-20260317-001'])
  })

  test('of a sender whose name ends like one is never another’s', () => {
    const made = entriesOf(
      [draft({ from: 'a' }), draft({ from: 'a-20260317-001' }), draft({ from: 'a' })],
      [],
      AT,
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(3)
  })
})

describe('an append', () => {
  const made = entriesOf([draft({ content: 'Neu: "quoted"\nand „more“' }), draft()], SEVEN, AT)
  const files: Record<string, string> = {
    minimal: JSON.stringify(MINIMAL, null, 2),
    dense: JSON.stringify(MINIMAL),
    tabs: JSON.stringify(MINIMAL, null, '\t'),
    windows: JSON.stringify(MINIMAL, null, 2).replaceAll('\n', '\r\n'),
    list: JSON.stringify(SEVEN, null, 4),
    empty: emptyLog('Nothing yet.'),
    'empty list': '[ ]',
    pipeline: JSON.stringify(EMBEDDED, null, 2),
    'keys behind': '{ "entries" : [ ] , "schema_version":"1.0","\\u0061":1e2,"b]":"}\\"[" }',
    hard: '{"x":"\\\\","ahi":{"a":["]"],"log":[{"id":"a","type":"order","from":"human","to":"x","date":"2026-01-01","status":"pending","content":"a \\"]} b"} ],"z":-0.10},"n":12345678901234567890}',
  }

  test.each(Object.keys(files))(
    '[AHIL-104, AHIL-126] to a file that is %s leaves every entry and every other byte as it was',
    name => {
      const before = Buffer.from(files[name] ?? '')
      const log = logOf(before)
      const grown = addTo(log, made)
      const after = Buffer.from(grown.bytes)
      const now = logOf(after)
      expect(now.place).toEqual(grown.place)
      expect(now.entries).toEqual([...log.entries, ...made])
      const end = before.length - log.place.last
      expect(after.subarray(0, log.place.last)).toEqual(before.subarray(0, log.place.last))
      const isEmpty = log.entries.length === 0
      if (!isEmpty) expect(after.subarray(after.length - end)).toEqual(before.subarray(log.place.last))
      const others = (file: Buffer): unknown => {
        const { entries: _entries, ahi, ...rest } = JSON.parse(file.toString())
        const { log: _log, ...beside } = ahi ?? {}
        return [rest, beside]
      }
      if (log.form !== 'list') expect(others(after)).toEqual(others(before))
      expect(logOf(addTo(now, [entry({ id: 'more' })]).bytes).entries).toHaveLength(now.entries.length + 1)
    },
  )

  test('to any JSON around the list finds its place', () => {
    const around = fc.dictionary(
      fc.string().filter(name => name !== 'entries' && name !== 'ahi' && name !== 'schema_version'),
      fc.jsonValue({ maxDepth: 4 }),
    )
    fc.assert(
      fc.property(around, around, fc.constantFrom(undefined, 1, '\t'), (one, other, space) => {
        const value = { ...one, entries: SEVEN.slice(0, 2), ...other }
        const log = logOf(bytes(JSON.stringify(value, null, space)))
        const after = JSON.parse(Buffer.from(addTo(log, made).bytes).toString())
        expect(canonical(after)).toBe(
          canonical({ ...JSON.parse(JSON.stringify(value)), entries: [...SEVEN.slice(0, 2), ...made] }),
        )
      }),
    )
  })
})

describe('what was seen', () => {
  const first = logOf(standalone(...SEVEN.slice(0, 3)))
  const seen = seenOf(first, unseen('c'.repeat(32)), {})
  const known = (file: Uint8Array): boolean => isKnownPrefix(logOf(file), seen)

  test('[AHIL-105] is known again while entries are added or laid out anew, and not once one is changed, gone or moved', () => {
    expect(known(addTo(first, [entry({ id: 'new' })]).bytes)).toBe(true)
    expect(known(bytes(JSON.stringify(SEVEN)))).toBe(true)
    const [one, two, three] = SEVEN
    expect(known(standalone(one as object, { ...two, content: 'Another.' }, three as object))).toBe(false)
    expect(known(standalone(two as object, one as object, three as object))).toBe(false)
    expect(known(standalone(one as object, two as object))).toBe(false)
    expect(known(standalone(one as object, two as object, { ...three, context: {} }))).toBe(false)
  })

  test('[AHIL-105] is not known again in a list that somebody has put behind it, though its bytes stand there unchanged', () => {
    const changed = SEVEN.slice(0, 3).map(one => ({ ...one, content: 'Another.' }))
    const whole = Buffer.from(first.bytes).toString()
    const behind = `${whole.slice(0, whole.lastIndexOf('}'))},"ahi":{"log":${JSON.stringify(changed)}}}`
    expect(logOf(bytes(behind)).entries).toEqual(changed)
    expect(behind.startsWith(whole.slice(0, first.place.last))).toBe(true)
    expect(known(bytes(behind))).toBe(false)
  })

  test('grows by what is new alone, to the same as seen at once', () => {
    const all = logOf(addTo(first, [entry({ id: 'new' }), entry({ id: 'more' })]).bytes)
    expect(seenOf(all, seen, {})).toEqual(seenOf(all, unseen('c'.repeat(32)), {}))
  })

  test('is read back, and nothing else is taken for it', () => {
    expect(readSeen(spellSeen({ ...seen, asked: { a: 'b' } }))).toEqual({ ...seen, asked: { a: 'b' } })
    for (const broken of [
      '',
      '[]',
      '{}',
      spellSeen({ ...seen, length: -1 }),
      spellSeen({ ...seen, log: 'x' }),
    ])
      expect(readSeen(broken)).toBe(null)
  })
})

describe('a strict entry', () => {
  test('has neither a context nor a status that the pipeline’s schema lacks, and tells both in its words', () => {
    expect(strictOf(entry({ context: { priority: 'high' } }))).toEqual(entry())
    expect(
      strictOf(
        entry({ type: 'acknowledgement', status: 'rejected', content: 'No.', context: { ref: 'a-1' } }),
      ),
    ).toEqual(entry({ type: 'acknowledgement', status: 'noted', content: 'No. [rejected, ref a-1]' }))
    expect(strictOf(entry({ status: 'acknowledged' }))).toMatchObject({
      status: 'noted',
      content: expect.stringMatching(/ \[acknowledged\]$/),
    })
  })
})
