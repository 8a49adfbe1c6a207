// `DELEGATE deputy`: a reply that hands the request to somebody else. It is looked for before the schema is asked, in
// every kind but `text`, where it could be an answer; no option, lead, unit or id of a decision begins like it.
import { isSame } from './ascii.js'
import { trimmed } from './trim.js'

const WORD = 'delegate'
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** The name as it was written, or null: the whole reply is the word, one space and a name. */
export function readDelegation(reply: string): string | null {
  const said = trimmed(reply)
  const name = said.slice(WORD.length + 1)
  const isOne = said.charAt(WORD.length) === ' ' && isSame(said.slice(0, WORD.length), WORD)
  return isOne && NAME.test(name) ? name : null
}

/** The reply that hands it to this person, for a channel that has a control for it; null where that is no name. */
export const writeDelegation = (userId: string): string | null =>
  NAME.test(userId) ? `DELEGATE ${userId}` : null

/** The one among these people whom a name means, whatever the case of its letters; null where it could be two. */
export function whoIsMeant(name: string, people: readonly string[]): string | null {
  if (people.includes(name)) return name
  const [one, ...others] = people.filter(person => isSame(person, name))
  return one === undefined || others.length > 0 ? null : one
}
