// Authentication-Results (RFC 8601): the findings of the operator's own server when it took the mail in.
//
// EC1  Only fields of the configured authserv-id count, and of those only the topmost that speaks of DMARC: servers
//      add at the top, so a field a stranger wrote under that name stands below.
// EC2  A server that adds nothing to some mail must remove fields that arrive under its own name (RFC 8601, 5):
//      otherwise the topmost one is the stranger's. That is a matter of its configuration, and the README says how.
// EC3  `dmarc=pass` counts for the one domain it names, and only for that. The sender may have written a header.from
//      that is a second one, is quoted, stands inside a quoted value or is itself a value: none of these counts.
import { type Field, valuesOf } from './head.js'

/** True where the own server says that this author's domain vouches for the mail. */
export function isPassedByOwnServer(fields: readonly Field[], authservId: string, domain: string): boolean {
  for (const value of valuesOf(fields, 'authentication-results')) {
    const [[id] = [], ...results] = sections(value)
    if (id !== authservId.toLowerCase()) continue
    const verdicts = results.filter(([method]) => method === 'dmarc' || method?.startsWith('dmarc/'))
    if (verdicts.length === 0) continue
    const [verdict = []] = verdicts
    return verdicts.length === 1 && isPass(verdict) && onlyAuthor(verdict) === domain
  }
  return false
}

/** `dmarc = pass`, in that order. */
const isPass = ([method, equals, result]: readonly string[]): boolean =>
  method === 'dmarc' && equals === '=' && result === 'pass'

function onlyAuthor(verdict: readonly string[]): string | null {
  const places = verdict.flatMap((word, at) =>
    word === 'header.from' && verdict[at - 1] !== '=' ? [at] : [],
  )
  const [at = -1] = places
  return places.length === 1 && verdict[at + 1] === '=' ? (verdict[at + 2] ?? null) : null
}

/** Stands for every quoted value, and equals no word that is looked for. */
const QUOTED = '"'

/** The words between semicolons, in lower case; each "=" is one. A comment says nothing and may nest; an open one, or an
 *  open quotation, swallows the rest, as it would for others. One pass, whatever stands there. */
function sections(value: string): string[][] {
  const found: string[][] = [[]]
  let word = ''
  const end = (): void => {
    if (word !== '') found.at(-1)?.push(word.toLowerCase())
    word = ''
  }
  for (let at = 0; at < value.length; at++) {
    const sign = value.charAt(at)
    if (sign === '"' || sign === '(') {
      at = sign === '"' ? afterQuoted(value, at) : afterComment(value, at)
      if (sign === '(') end()
      else word += QUOTED
    } else if (sign === ';' || sign === '=' || sign.trim() === '') {
      end()
      if (sign === ';') found.push([])
      if (sign === '=') found.at(-1)?.push(sign)
    } else word += sign
  }
  end()
  return found
}

/** The index of its last sign. */
function afterQuoted(value: string, from: number): number {
  let at = from + 1
  while (at < value.length && value.charAt(at) !== '"') at += value.charAt(at) === '\\' ? 2 : 1
  return at
}

function afterComment(value: string, from: number): number {
  let depth = 1
  let at = from + 1
  for (; at < value.length; at++) {
    const sign = value.charAt(at)
    if (sign === '\\') at++
    else if (sign === '(') depth++
    else if (sign === ')' && --depth === 0) break
  }
  return at
}
