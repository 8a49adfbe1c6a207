// DKIM-Signature fields (RFC 6376), as far as they are judged before verification: which of them can vouch for a
// reply at all, and which fields they cover.
import { type Field, valuesOf } from './head.js'

/** Each one costs a question to a name server and a verification; a mail through many hands has four. */
export const MAX_SIGNATURES = 10

export type Signature = {
  readonly domain: string
  /** The domain of `i=`: that of the author or agent for whom it was signed. */
  readonly identity: string
  readonly algorithm: string
  readonly covers: ReadonlySet<string>
  /** The signature itself, by which a verifier's result is known. */
  readonly value: string
}

const ALGORITHMS = new Set(['rsa-sha256', 'ed25519-sha256'])

function tagsOf(value: string): Map<string, string> {
  const tags = new Map<string, string>()
  for (const tag of value.split(';')) {
    const equals = tag.indexOf('=')
    if (equals !== -1) tags.set(tag.slice(0, equals).trim(), tag.slice(equals + 1).replace(/\s+/g, ''))
  }
  return tags
}

/** Null for one that vouches for nothing: it leaves the end of the body open (`l=`), does not cover From, rests on SHA-1
 *  (RFC 8301), is made for a domain that is not below its own, or has run out. */
export function readSignature(value: string, now: number): Signature | null {
  const tags = tagsOf(value)
  const covers = new Set((tags.get('h') ?? '').toLowerCase().split(':'))
  const isCurrent = !tags.has('x') || Number(tags.get('x')) * 1000 > now
  const isWhole = !tags.has('l') && covers.has('from')
  const domain = tags.get('d')?.toLowerCase() ?? ''
  const identity = identityIn(tags) ?? domain
  const isTheirs = identity === domain || identity.endsWith(`.${domain}`)
  const algorithm = tags.get('a')?.toLowerCase() ?? ''
  const isSound = isWhole && isCurrent && isTheirs && ALGORITHMS.has(algorithm)
  return isSound ? { domain, identity, algorithm, covers, value: tags.get('b') ?? '' } : null
}

const identityIn = (tags: ReadonlyMap<string, string>): string | undefined =>
  tags.get('i')?.toLowerCase().split('@').at(-1)

export const soundSignatures = (fields: readonly Field[], now: number): Signature[] =>
  valuesOf(fields, 'dkim-signature').flatMap(value => readSignature(value, now) ?? [])
