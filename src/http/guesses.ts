// Bounds the wrong guesses of an address, or of its network for IPv6. Only failures count (an unknown handle, a bad
// key), so that honest traffic of any volume is not slowed, and a guesser who tries handles or keys in turn is.
import { isIPv4, isIPv6 } from 'node:net'

const WINDOW_MS = 60_000
const FAILURES = 60
/** Addresses remembered at once; past it the oldest window is forgotten first. */
const ADDRESSES = 10_000

/** Groups of an IPv6 address that name a network: the holder of one address of a /64 has them all. */
const NETWORK_GROUPS = 4
const GROUPS = 8

/** The name an address counts under: itself, or its /64; an IPv4 address that is written as IPv6 is that address. */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%')
  const mapped = /^::ffff:([0-9.]+)$/i.exec(bare)?.[1]
  if (mapped !== undefined && isIPv4(mapped)) return mapped
  if (!isIPv6(bare)) return address
  const [head = '', tail] = bare.split('::')
  const groups = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? [] : tail.split(':')
  // A dotted end stands for two groups; how many the gap stands for follows from the rest.
  const gap = tail === undefined ? 0 : GROUPS - groups.length - behind.length - (bare.includes('.') ? 1 : 0)
  const whole = [...groups, ...Array.from({ length: gap }, () => '0'), ...behind]
  const named = whole.slice(0, NETWORK_GROUPS).map(group => Number.parseInt(group, 16).toString(16))
  return `${named.join(':')}::/64`
}

type Window = { count: number; readonly until: number }

export class Guesses {
  readonly #now: () => number
  readonly #windows = new Map<string, Window>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Seconds to wait, or 0 when the address may go on. */
  blockedFor(address: string): number {
    const window = this.#windows.get(networkOf(address))
    if (window === undefined || window.until <= this.#now() || window.count < FAILURES) return 0
    return Math.ceil((window.until - this.#now()) / 1000)
  }

  failed(address: string): void {
    const now = this.#now()
    const network = networkOf(address)
    const window = this.#windows.get(network)
    if (window !== undefined && window.until > now) {
      window.count++
      return
    }
    this.#windows.delete(network)
    this.#windows.set(network, { count: 1, until: now + WINDOW_MS })
    const oldest = this.#windows.keys().next().value
    if (this.#windows.size > ADDRESSES && oldest !== undefined) this.#windows.delete(oldest)
  }
}
