// A unified diff, told by its first characters. Its hunks say how many lines they hold: one whose lines do not add up
// could have a line read as added that is none, so it is no diff.

/** `note` is a line of the diff about the files, or about the line before it. */
export type Sign = 'added' | 'removed' | 'same' | 'note'

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

export type Diff = { readonly kind: 'diff'; readonly signs: readonly Sign[] } | { readonly kind: 'unsound' }

/** A hunk's lines that are still to come, on each side. */
type Left = { removed: number; added: number }

/** Null for lines without a hunk. */
export function readDiff(lines: readonly string[]): Diff | null {
  if (!lines.some(line => HUNK.test(line))) return null
  const left: Left = { removed: 0, added: 0 }
  const signs: Sign[] = []
  for (const line of lines) {
    const sign = left.removed > 0 || left.added > 0 ? within(line, left) : between(line, left)
    if (sign === null) return { kind: 'unsound' }
    signs.push(sign)
  }
  return left.removed === 0 && left.added === 0 ? { kind: 'diff', signs } : { kind: 'unsound' }
}

function within(line: string, left: Left): Sign | null {
  switch (line[0]) {
    case '+':
      left.added -= 1
      return left.added < 0 ? null : 'added'
    case '-':
      left.removed -= 1
      return left.removed < 0 ? null : 'removed'
    case '\\':
      return 'note'
    // Some programs write an empty line without its blank.
    case ' ':
    case undefined:
      left.added -= 1
      left.removed -= 1
      return left.added < 0 || left.removed < 0 ? null : 'same'
    default:
      return null
  }
}

const FILE = /^(?:--- |\+\+\+ )/

/** Outside hunks no line is added or removed: one that looks so is one too many. */
function between(line: string, left: Left): Sign | null {
  const hunk = HUNK.exec(line)
  if (hunk !== null) {
    left.removed = Number(hunk[1] ?? 1)
    left.added = Number(hunk[2] ?? 1)
    return 'note'
  }
  return /^[+-]/.test(line) && !FILE.test(line) ? null : 'note'
}
