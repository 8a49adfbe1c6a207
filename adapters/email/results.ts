// Authentication-Results (RFC 8601): what the operator's own server found out when it took the mail in.
//
// A1  Only fields of the configured authserv-id count, and of those only the topmost that speaks of DMARC: servers add
//     at the top, so whatever a stranger wrote under that name stands below.
// A2  A server that adds nothing to some mail must remove what arrives under its own name (RFC 8601, 5): otherwise the
//     topmost one is the stranger's. That is a matter of its configuration, and the README says how.
// A3  `dmarc=pass` counts for the domain it names, and only for that.
import { type Field, valuesOf } from './head.js'

/** True where the own server says that this author's domain vouches for the mail. */
export function isPassedByOwnServer(fields: readonly Field[], authservId: string, domain: string): boolean {
  for (const value of valuesOf(fields, 'authentication-results')) {
    const [id = '', ...results] = withoutComments(value).split(';')
    if (id.trim().split(/\s/, 1)[0]?.toLowerCase() !== authservId.toLowerCase()) continue
    const verdicts = results.map(words).filter(([method]) => method?.startsWith('dmarc='))
    if (verdicts.length === 0) continue
    const [verdict = []] = verdicts
    return verdicts.length === 1 && verdict[0] === 'dmarc=pass' && verdict.includes(`header.from=${domain}`)
  }
  return false
}

const words = (result: string): string[] =>
  result
    .toLowerCase()
    .replace(/\s*=\s*/g, '=')
    .split(/\s+/)
    .filter(word => word !== '')

/** Comments may nest, and may hold anything, semicolons too. An open one swallows the rest, as it would for others. */
function withoutComments(value: string): string {
  let depth = 0
  let quoted = false
  let text = ''
  for (let at = 0; at < value.length; at++) {
    const sign = value.charAt(at)
    if (sign === '\\') at++
    else if (sign === '"' && depth === 0) quoted = !quoted
    else if (sign === '(' && !quoted) depth++
    else if (sign === ')' && depth > 0) depth--
    else if (depth === 0) text += quoted && sign === ';' ? ' ' : sign
  }
  return text
}
