// The deeds that can be done to an export of three hundred entries, each found: by its own hashes, or by a checkpoint that
// was published while it was whole. Every flipped bit of such an export: ../faults/bit-flip.test.ts.
import { describe, expect, test } from 'vitest'
import { leafOfLine } from '../../src/ledger/entry.js'
import { isSameHash } from '../../src/ledger/tree/hash.js'
import { verify } from '../../src/ledger/verify.js'
import { Craft, started } from '../ledger/craft.js'
import { question, Tale } from '../ledger/tale.js'
import { grownOf } from '../ledger/tree/grown.js'

const SIZE = 300

function exported(version = '0.1.0'): string[] {
  const craft = new Craft()
  craft.put({ ...started, body: { ...started.body, version } } as typeof started)
  for (let n = 0; craft.seq < SIZE; n++) {
    craft.later(1000)
    const tale = new Tale(craft, question({ question_id: `q-${n}` }), `q-${n}`)
    tale.opened()
  }
  return craft.lines.slice(0, SIZE)
}
const lines = exported()
const published = grownOf(lines.map(leafOfLine)).root(SIZE)

const holds = async (other: readonly string[]): Promise<boolean> => (await verify(other)).ok
/** Whether a ledger contains what was published. */
const contains = (other: readonly string[]): boolean =>
  other.length >= SIZE && isSameHash(grownOf(other.map(leafOfLine)).root(SIZE), published)

describe(`an export of ${SIZE} entries`, () => {
  test('holds, and contains what was published', async () => {
    expect([await holds(lines), contains(lines)]).toEqual([true, true])
  })

  test.each([
    ['deletion', () => lines.toSpliced(150, 1)],
    ['insertion', () => lines.toSpliced(150, 0, exported('0.2.0')[150] as string)],
    ['a swap', () => lines.with(150, lines[151] as string).with(151, lines[150] as string)],
    ['duplication', () => lines.toSpliced(150, 0, lines[150] as string)],
  ])('%s is found by its own hashes', async (_, deed) => {
    expect(await holds(deed())).toBe(false)
  })

  test.each([
    ['truncation', () => lines.slice(0, -10)],
    ['a rollback that went on', () => [...lines.slice(0, 200), ...exported('0.2.0').slice(200)]],
    ['a full rewrite with a valid chain', () => exported('0.2.0')],
  ])('%s is found by what was published', (_, deed) => {
    expect(contains(deed())).toBe(false)
  })

  test('what is found by a checkpoint alone holds by itself', async () => {
    expect([await holds(lines.slice(0, -10)), await holds(exported('0.2.0'))]).toEqual([true, true])
  })
})
