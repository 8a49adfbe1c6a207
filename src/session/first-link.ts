// The link that a newcomer is shown at the first start: it signs in the one person of the shipped configuration, once,
// from this machine. With anybody else in the configuration there is none.
import { isLoopback } from '../config/loopback.js'
import type { People } from '../people/person.js'
import type { Stamper } from '../token/stamp.js'
import { issue, read } from './ticket.js'

/** The person of config/lane.yaml as it is shipped. */
const SHIPPED = 'operator'
const VALID_MS = 10 * 60 * 1000

type Parts = {
  readonly csrf: Stamper
  readonly people: People
  readonly publicUrl: string
  readonly now: number
}

/** Null where nobody is to be signed in so. */
export function firstLink({ csrf, people, publicUrl, now }: Parts): string | null {
  const { hostname, port, protocol } = new URL(publicUrl)
  if (!isShipped(people) || protocol !== 'http:' || !isLoopback(hostname)) return null
  const ticket = issue(csrf, 'console', SHIPPED, now + VALID_MS)
  return `http://localhost:${port}/console/sign-in?link=${ticket}`
}

/** The person whom this ticket signs in; null for any other text. */
export function personOf({ csrf, people, now }: Omit<Parts, 'publicUrl'>, ticket: string): string | null {
  const about = read(csrf, 'console', ticket, now)
  return about !== null && isShipped(people) ? about : null
}

const isShipped = (people: People): boolean =>
  Object.keys(people).length === 1 && people[SHIPPED] !== undefined
