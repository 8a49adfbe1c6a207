// The word that was probably meant: the known one that takes the fewest changed letters, if they are few.

/** More changes than this are another word, not a slip. */
const MAX_SLIPS = 2

export function nearest(word: string, known: readonly string[]): string | null {
  const ranked = known
    .map(candidate => ({ candidate, slips: slipsBetween(word, candidate) }))
    .filter(({ candidate, slips }) => slips <= Math.min(MAX_SLIPS, candidate.length - 1))
    .sort((a, b) => a.slips - b.slips)
  return ranked[0]?.candidate ?? null
}

/** Levenshtein's distance, row by row. */
function slipsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
