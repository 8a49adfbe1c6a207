// Both verdicts on one export, and on many that were tampered with.
import { expect } from 'vitest'
import { chanceOf } from './chance.js'
import { deedOn } from './deed.js'
import type { Loose } from './ledger.js'
import { judge, type Second, type Verdict } from './second.js'

/** Judged at once: the two work side by side, and not everything is kept in memory. */
const TOGETHER = 50
/** Enough of the bytes to see the deed. */
const SHOWN = 20_000

export async function agreed(second: Second, bytes: Buffer, deed: string): Promise<Verdict> {
  const [ours, theirs] = await Promise.all([judge(bytes), second.judge(bytes)])
  expect(theirs, `${deed}\n${bytes.toString('utf8').slice(0, SHOWN)}`).toEqual(ours)
  return ours
}

/** As many deeds on these ledgers; how often each verdict was met, by the invariant broken first. */
export async function tampered(
  second: Second,
  bases: readonly Loose[][],
  deeds: number,
): Promise<ReadonlyMap<string, number>> {
  const met = new Map<string, number>()
  for (let from = 0; from < deeds; from += TOGETHER) {
    const verdicts = Array.from({ length: TOGETHER }, async (_, index) => {
      const chance = chanceOf(from + index)
      const { name, bytes } = deedOn(chance.of(bases), chance)
      return agreed(second, bytes, `deed ${from + index}: ${name}`)
    })
    for (const verdict of await Promise.all(verdicts)) {
      const word = wordOf(verdict)
      met.set(word, (met.get(word) ?? 0) + 1)
    }
  }
  return met
}

const wordOf = ({ ok, first }: Verdict): string => (ok ? 'holds' : (first?.[0] ?? 'beyond'))
