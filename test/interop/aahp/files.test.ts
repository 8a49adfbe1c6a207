// The parts of handoff files: sections, the log, trust, next actions.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addOverflow, countActions, limitActions, noteDecision } from '../../../src/interop/aahp/actions.js'
import {
  addEntry,
  archive,
  flawOfArchive,
  hashOfEntry,
  splitLog,
  titleOf,
} from '../../../src/interop/aahp/log.js'
import type { Task } from '../../../src/interop/aahp/manifest.js'
import { putSection, readSection } from '../../../src/interop/aahp/section.js'
import { confirm, expiredRows, trustRows, worthOf } from '../../../src/interop/aahp/trust.js'
import { ascii } from '../../../src/interop/aahp/words.js'
import { AT, logOf, TODAY } from './handoff.js'

describe('a section', () => {
  const text =
    '# a\r\n\r\n<!-- SECTION: one -->\r\nfirst\r\n<!-- /SECTION: one -->\r\nbetween\r\n<!-- SECTION: two -->\r\nsecond\r\n<!-- /SECTION: two -->\r\n'

  test('[AAHP-317] is read alone, and its markers and all around it stay when it is written', () => {
    expect(readSection(text, 'one')).toBe('first\r\n')
    expect(readSection(text, 'three')).toBe(null)
    expect(putSection(text, 'one', 'x\ny\n')).toBe(text.replace('first\r\n', 'x\r\ny\r\n'))
    expect(readSection(putSection(text, 'three', 'new\n'), 'three')).toBe('new\r\n')
    expect(putSection(text, 'three', 'new\n').startsWith(text)).toBe(true)
  })

  test('is what was put there, whatever stands around it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (around, inside) => {
        fc.pre(!/SECTION|\r/.test(around + inside))
        const body = `${inside}\n`
        const once = putSection(around, 'a', body)
        expect(readSection(once, 'a')).toBe(body)
        expect(putSection(once, 'a', body)).toBe(once)
      }),
    )
  })
})

describe('the log', () => {
  const entry = '## [2026-03-01] interrupt-lane: a decision\n\nYES'

  test('[AAHP-307] has the newest entry on top, under its day', () => {
    const { log, moved } = addEntry(logOf(3), entry)
    expect(splitLog(log).entries.map(titleOf)).toEqual([
      '## [2026-03-01] interrupt-lane: a decision',
      '## [2026-02-03] builder: step 3',
      '## [2026-02-02] builder: step 2',
      '## [2026-02-01] builder: step 1',
    ])
    expect(moved).toEqual([])
    expect(log.endsWith(logOf(3).slice(logOf(3).indexOf('## [')))).toBe(true)
  })

  test('[AAHP-308] keeps ten entries: the eleventh goes to the archive, byte for byte', () => {
    const { log, moved } = addEntry(logOf(10), entry)
    expect(splitLog(log).entries).toHaveLength(10)
    expect(moved).toEqual(splitLog(logOf(10)).entries.slice(-1))
    const kept = archive({ text: null, index: null }, moved)
    expect(splitLog(kept.text).entries).toEqual(moved)
    expect(
      splitLog(archive(kept, splitLog(logOf(20)).entries.slice(0, 2)).text).entries.map(titleOf),
    ).toEqual([
      '## [2026-02-20] builder: step 20',
      '## [2026-02-19] builder: step 19',
      '## [2026-02-01] builder: step 1',
    ])
  })

  test('[AAHP-309] has an archive whose index holds the hash of each entry, and tells what is lost', () => {
    const first = archive({ text: null, index: null }, splitLog(logOf(12)).entries.slice(10))
    const kept = archive(first, splitLog(logOf(12)).entries.slice(8, 10))
    expect(flawOfArchive(kept.text, kept.index)).toBe(null)
    expect(JSON.parse(kept.index)).toEqual({
      version: 1,
      entries: splitLog(kept.text).entries.map(one => ({ sha256: hashOfEntry(one), title: titleOf(one) })),
    })
    expect(flawOfArchive(kept.text.replace('step 3', 'step 33'), kept.index)).toMatch(/lacks 1 entries/)
    expect(flawOfArchive(kept.text, '{}')).toMatch(/no index/)
  })

  test('takes no entry twice that a crash has left in both places', () => {
    const moved = splitLog(logOf(2)).entries
    const kept = archive(archive({ text: null, index: null }, moved), moved)
    expect(splitLog(kept.text).entries).toHaveLength(2)
    expect(flawOfArchive(kept.text, kept.index)).toBe(null)
  })

  test('loses nothing, however often it is rotated and whatever entries hold', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string().map(text => text.replaceAll(/[\r#]/g, '')),
          { maxLength: 40 },
        ),
        texts => {
          let log = '# journal\n'
          let kept: { text: string | null; index: string | null } = { text: null, index: null }
          for (const [n, text] of texts.entries()) {
            const rotated = addEntry(log, `## [2026-03-01] a: ${n}\n\n${text}`)
            log = rotated.log
            if (rotated.moved.length > 0) kept = archive(kept, rotated.moved)
          }
          const all = [...splitLog(log).entries, ...splitLog(kept.text ?? '').entries]
          expect(all.map(titleOf)).toEqual(texts.map((_, n) => `## [2026-03-01] a: ${n}`).reverse())
          expect(flawOfArchive(kept.text, kept.index)).toBe(null)
        },
      ),
    )
  })
})

describe('trust', () => {
  const table = (expires: string): string =>
    `| Property | Status | Verified | TTL | Expires |\n|---|---|---|---|---|\n| pipe | verified | 2026-02-01 | 7d | ${expires} |\n| valve | assumed | - | - | - |\n`

  test('[AAHP-311] that has expired is an assumption, whatever the row says', () => {
    expect(trustRows(table('2026-02-08 EXPIRED')).map(row => worthOf(row, TODAY))).toEqual([
      'assumed',
      'assumed',
    ])
    expect(trustRows(table('2026-03-01')).map(row => worthOf(row, TODAY))).toEqual(['verified', 'assumed'])
    expect(expiredRows(table('-'), TODAY).map(({ property, expires }) => [property, expires])).toEqual([
      ['pipe', '2026-02-08'],
    ])
  })

  test('[AAHP-312] given anew has a new term', () => {
    const about = { property: 'T-003', by: 'human:operator', notes: 'n' }
    const once = confirm('# trust\n', { ...about, at: '2026-01-01T00:00:00Z' })
    expect(expiredRows(once, TODAY)).toHaveLength(1)
    const again = confirm(once, { ...about, at: AT })
    expect(expiredRows(again, TODAY)).toEqual([])
    expect(trustRows(again)).toEqual([
      {
        property: 'T-003',
        status: 'verified',
        provenance: 'human_confirmed',
        verified: TODAY,
        expires: '2026-03-31',
      },
    ])
  })

  test('[AAHP-313] by a person is human_confirmed, with its last day, beside the rows that were there', () => {
    const text = confirm(table('2026-03-01'), {
      property: 'a|b',
      by: 'human:operator',
      at: AT,
      notes: '\u2014',
    })
    expect(text.startsWith(table('2026-03-01'))).toBe(true)
    expect(text).toContain(
      '| a/b | verified | human_confirmed | 2026-03-01 | human:operator | 30d | 2026-03-31 | - |',
    )
  })
})

describe('next actions', () => {
  const task = (more: Partial<Task> = {}): Task => ({ title: 'a', status: 'ready', ...more })
  const ids = ['T-001', 'T-002', 'T-003', 'T-004', 'T-005', 'T-006', 'T-007']
  const tasks = Object.fromEntries(
    ids.map((id, n) => [id, task(n === 1 ? { priority: 'low' } : { priority: 'high' })]),
  )
  const sections = ids.slice(0, 6).map(id => `## ${id}: do it\n\nwords of ${id}\n\n---\n\n`)
  const rows = Array.from({ length: 7 }, (_, n) => `| item ${n} | done |\n`)
  const text = `# next\n\n${sections.join('')}## Recently Completed\n\n| Item | Resolution |\n|---|---|\n${rows.join('')}\n## Reference\n\nend\n`

  test('[AAHP-310] have five active and five completed items at most; what has no room is moved whole', () => {
    expect(countActions(text, tasks)).toEqual({ active: 6, completed: 7 })
    const limited = limitActions(noteDecision(text, 'T-007', task(), 'YES'), tasks)
    expect(countActions(limited.text, tasks)).toEqual({ active: 5, completed: 5 })
    expect(limited.overflow).toEqual([sections[1], expect.stringContaining('## T-007: a')])
    expect(limited.text).toContain('item 0')
    expect(limited.text).not.toContain('item 6')
    expect(limited.text.endsWith('## Reference\n\nend\n')).toBe(true)
    const board = addOverflow('# board', limited)
    expect(board).toContain('words of T-002')
    expect(readSection(board, 'completed_earlier')).toBe(
      '## Completed earlier\n\n| item 5 | done |\n| item 6 | done |\n',
    )
    // Every line that stood there stands in one of the two.
    const now = `${limited.text}${board}`.split('\n')
    expect(text.split('\n').filter(line => !now.includes(line))).toEqual([])
    const later = addOverflow(board, { overflow: [], completed: ['| item 4 | done |'] })
    expect(readSection(later, 'completed_earlier')).toBe(
      '## Completed earlier\n\n| item 4 | done |\n| item 5 | done |\n| item 6 | done |\n',
    )
  })

  test('say a decision beneath its heading, and change no other line', () => {
    const said = noteDecision(text, 'T-004', task(), 'YES')
    expect(said.replace('\n**Decision:** YES\n', '')).toBe(text)
    expect(said).toContain('## T-004: do it\n\n**Decision:** YES\n\nwords of T-004')
  })
})

test('[AAHP-314] a text of ours is plain ASCII, without a dash that is none', () => {
  expect(ascii('Caf\u00e9 \u2014 \u201eno\u201c\u2026 \u2192 \u{1f600}\nx')).toBe('Cafe - ?no"... -> ? x')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      expect(ascii(text)).toMatch(/^[\x20-\x7e]*$/)
    }),
  )
})
