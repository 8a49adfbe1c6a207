// Builds ledgers line by line with the real seal, so that a test can break one rule and leave the chain sound. To
// break a schema itself, `force` writes the same bytes without asking it.
import { canonical, type Hash, sha256 } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import { GRAMMAR } from '../../src/compiler/compile.js'
import type { Draft, Entry } from '../../src/event.js'
import { GENESIS, inscribe } from '../../src/ledger/entry.js'
import { verify } from '../../src/ledger/verify.js'
import { NEWEST_RULES } from '../../src/rules.js'

/** As docs/spec/ledger.md says it, from the members alone. */
export const hashEntry = ({ hash: _, ...rest }: Record<string, unknown>): Hash =>
  sha256('lane/entry/v1\n', canonical(rest))

export const START = Date.parse('2026-03-01T12:00:00.000Z')
export const hashed = (name: string): Hash => sha256(name)

type Place = { readonly seq?: number; readonly at?: string; readonly prev?: Hash }

export class Craft {
  readonly lines: string[] = []
  readonly entries: Entry[] = []
  ms = START
  #prev: Hash = GENESIS

  get seq(): number {
    return this.lines.length
  }

  get at(): string {
    return instant(this.ms)
  }

  /** Time passes. */
  later(ms: number): this {
    this.ms += ms
    return this
  }

  put(draft: Draft, place: Place = {}): Entry {
    const { entry, line } = inscribe(draft, { seq: this.seq, at: this.at, prev: this.#prev, ...place })
    return this.#keep(entry, line)
  }

  /** Any members at all, with the hash they have. */
  force(members: Record<string, unknown>): Entry {
    const open = { v: 1, seq: this.seq, at: this.at, prev: this.#prev, ...members }
    const entry = { ...open, hash: hashEntry(open) } as unknown as Entry
    return this.#keep(entry, canonical(entry))
  }

  #keep(entry: Entry, line: string): Entry {
    this.lines.push(line)
    this.entries.push(entry)
    this.#prev = entry.hash
    return entry
  }
}

export const started: Draft = {
  type: 'LANE_STARTED',
  body: { version: '0.1.0', grammar: GRAMMAR, profile: 'embedded', rules: NEWEST_RULES },
}

/** What verify finds in it: the invariants and where they are broken. */
export async function found(craft: Craft): Promise<[string, number][]> {
  const { problems } = await verify(craft.lines)
  return problems.map(({ invariant, seq }) => [invariant, seq])
}
