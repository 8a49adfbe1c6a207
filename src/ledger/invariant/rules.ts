// I28: the rules a ledger is written under, as its LANE_STARTED entries name them. They never go back.
import { areKnown, areOlder, FIRST_RULES } from '../../rules.js'
import type { Book } from './book.js'
import { type Flaw, flaw } from './invariants.js'
import type { ChainLink, Members } from './line.js'

/** An entry that begins rules which are not known here, and their name. */
export type Beyond = { readonly seq: number; readonly rules: string }

/** The rules that a LANE_STARTED names; null for any other entry. */
export function rulesNamedBy({ type, body }: Members): string | null {
  if (type !== 'LANE_STARTED' || typeof body !== 'object' || body === null) return null
  const named = 'rules' in body ? body.rules : FIRST_RULES
  return typeof named === 'string' ? named : null
}

/** Only a sound line is believed: a damaged one is damage, not news from a newer program. */
export function beyondOf(line: {
  readonly members: Members | null
  readonly flaws: readonly Flaw[]
  readonly seq: ChainLink['seq']
}): Beyond | null {
  const rules = line.members === null || line.flaws.length > 0 ? null : rulesNamedBy(line.members)
  return rules === null || areKnown(rules) ? null : { seq: line.seq, rules }
}

/** From a LANE_STARTED on, itself included, its rules hold. */
export function checkRules(book: Book, members: Members): Flaw | null {
  const named = rulesNamedBy(members)
  if (named === null || !areKnown(named)) return null
  if (book.rules !== null && areOlder(named, book.rules))
    return flaw('I28', `rules ${named} after rules ${book.rules}`)
  book.rules = named
  return null
}
