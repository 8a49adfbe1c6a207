// DKIM-Signature fields (RFC 6376), as far as they are judged before anything is verified: which of them can vouch for
// a reply at all, and what they cover.
import { type Field, valuesOf } from './head.js'

/** Each one costs a question to a name server and a verification; a mail through many hands has four. */
export const MAX_SIGNATURES = 10

export type Signature = { readonly domain: string; readonly covers: ReadonlySet<string> }

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
 *  (RFC 8301), or has run out. */
export function readSignature(value: string, now: number): Signature | null {
  const tags = tagsOf(value)
  const covers = new Set((tags.get('h') ?? '').toLowerCase().split(':'))
  const isCurrent = !tags.has('x') || Number(tags.get('x')) * 1000 > now
  const isWhole = !tags.has('l') && covers.has('from')
  const isSound = isWhole && isCurrent && ALGORITHMS.has(tags.get('a')?.toLowerCase() ?? '')
  return isSound ? { domain: tags.get('d')?.toLowerCase() ?? '', covers } : null
}

export const soundSignatures = (fields: readonly Field[], now: number): Signature[] =>
  valuesOf(fields, 'dkim-signature').flatMap(value => readSignature(value, now) ?? [])
