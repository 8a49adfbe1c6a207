// A ledger is judged for ever by the rules in force when its entries were written. LANE_STARTED names them; an
// entry's rules are those of the last LANE_STARTED before it. Each room keeps its part of each set in a table by this
// name: the reasons (reason.ts), the entries' shapes (event.ts), the door's parse (request/),
// the invariants and the grammar.
//
// Both are fixed by ledgers that were written under them and are kept as vectors (test/vectors/ledgers/): what those hold
// stays valid for ever. Until a release has rules 2, something may still join them, with a further ledger that holds it;
// from then on what is new needs new rules, as it does now for rules 1.

export const RULES = ['1', '2'] as const
export type Rules = (typeof RULES)[number]

/** The rules this program writes by. */
export const NEWEST_RULES = '2' satisfies Rules

/** The rules a ledger begins with: a LANE_STARTED that names none was written before rules had names. */
export const FIRST_RULES = '1' satisfies Rules

export const areKnown = (rules: string): rules is Rules => (RULES as readonly string[]).includes(rules)

export const areOlder = (one: Rules, other: Rules): boolean => RULES.indexOf(one) < RULES.indexOf(other)

/** The sentence of a program that meets rules it does not know: it cannot judge the entries written under them. */
export const unknownRules = (rules: string): string =>
  `the ledger is written under rules ${JSON.stringify(rules.slice(0, 40))}, and this lane knows ${RULES.join(', ')}: run the newer lane`
