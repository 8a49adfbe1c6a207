// pii-allowlist.json: addresses that may stand in handoff files, each with its reason, its owner and its last day. A list
// that is not whole allows nothing.
import { z } from 'zod'

export const ALLOW_LIST = 'pii-allowlist.json'

const list = z.strictObject({
  version: z.literal(1),
  entries: z.array(
    z.strictObject({
      value: z.string().regex(/^[^\s@]+@[^\s@]+\.[A-Za-z]{2,}$/),
      kind: z.literal('email'),
      reason: z.string().min(1),
      owner: z.string().min(1),
      expires: z.string().regex(/^\d{4}-\d\d-\d\d$/),
    }),
  ),
})

export type Allowed = { readonly value: string; readonly expires: string }
type Read = { readonly ok: true; readonly allowed: readonly Allowed[] } | { readonly ok: false }

export function readAllowList(text: string | null): Read {
  if (text === null) return { ok: true, allowed: [] }
  try {
    const read = list.safeParse(JSON.parse(text))
    return read.success ? { ok: true, allowed: read.data.entries } : { ok: false }
  } catch {
    return { ok: false }
  }
}

const LOCAL = /[\p{L}\p{N}._%+-]/u
const DOMAIN = /[\p{L}\p{N}.-]/u
const WHOLE_DOMAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*\.)+\p{L}{2,}/u
/** More than either part of an address may have. */
const LONGEST = 255

type Address = { readonly text: string; readonly from: number; readonly to: number }

/** Addresses in a line, with their places. Each at-sign is looked at once, and only so far around it as an address goes. */
export function addressesIn(line: string): readonly Address[] {
  const found: Address[] = []
  for (let at = line.indexOf('@'); at >= 0; at = line.indexOf('@', at + 1)) {
    const from = at - reach(LOCAL, step => line[at - step])
    const domain = line.slice(at + 1, at + 1 + reach(DOMAIN, step => line[at + step]))
    const whole = WHOLE_DOMAIN.exec(domain)?.[0]
    if (from === at || whole === undefined) continue
    const to = at + 1 + whole.length
    found.push({ text: line.slice(from, to), from, to })
  }
  return found
}

/** How many characters in a row, from the first one on, are of a kind. */
function reach(kind: RegExp, characterAt: (step: number) => string | undefined): number {
  for (let step = 1; step <= LONGEST; step++) {
    const character = characterAt(step)
    if (character === undefined || !kind.test(character)) return step - 1
  }
  return LONGEST
}

export const isAllowed = ({ text }: Address, allowed: readonly Allowed[], today: string): boolean =>
  allowed.some(({ value, expires }) => value === text && expires >= today)
