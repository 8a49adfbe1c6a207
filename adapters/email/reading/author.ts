// The author of a mail, and the voucher for that: DMARC, by our own check of the message or by the word of the
// operator's own server. DMARC proves the domain; the domain must see that only its owner uses an address.
//
// EW1  Exactly one From with exactly one address, and no Sender beside it but the same. The verifier must have read
//      the same address.
// EW2  Only an explicit pass counts. A silent name server is neither pass nor fail: the mail is read again later.
// EW3  A signature vouches only for the fields it covers. It must cover the author, and the request that is answered:
//      by a signed To, In-Reply-To or References, or by our marker in the signed body. Otherwise anybody could send a
//      signed "YES" on to another request.

import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type AuthenticateResult, authenticate, type DKIMResult } from 'mailauth'
import { addressParser } from 'postal-mime'
import { readSignature, type Signature, soundSignatures } from './dkim.js'
import { type Field, valuesOf } from './head.js'
import { isKeyFor } from './key-record.js'
import type { MailFacts, Resolver } from './mail.js'
import { isPassedByOwnServer } from './results.js'

/** Questions to name servers for one mail: ten signatures, DMARC's two, with room. */
const MAX_LOOKUPS = 20
/** So much is hashed in a few milliseconds. */
const PIECE_BYTES = 64 * 1024
/** Characters of a name and an address; two lines of a mail have no more. */
const MAX_AUTHOR_CHARS = 2_000
/** Shorter keys have been broken; RFC 8301 takes no less. */
const MIN_KEY_BITS = 1024
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/

export type Voucher =
  /** Fields the signature covers; 'all' where the author's own server handed the mail in. */
  | { readonly kind: 'vouched'; readonly covers: ReadonlySet<string> | 'all' }
  | { readonly kind: 'not_vouched' }
  | { readonly kind: 'later' }

const NOT_VOUCHED: Voucher = { kind: 'not_vouched' }

/** The one address of the one From, in lower case; null where there is not exactly one. */
export function readAuthor(fields: readonly Field[]): string | null {
  const [from, ...others] = valuesOf(fields, 'from')
  return from === undefined || others.length > 0 ? null : onlyAddress(from)
}

function onlyAddress(value: string): string | null {
  if (value.length > MAX_AUTHOR_CHARS) return null
  const [mailbox, ...others] = addressParser(value)
  if (mailbox === undefined || others.length > 0) return null
  const address = mailbox.address ?? ''
  // A lenient parser finds addresses in names and comments too; others then find another one.
  const written = value.trim().toLowerCase()
  const lower = address.toLowerCase()
  const isPlain = written === lower || written.endsWith(`<${lower}>`)
  // Judged before it is folded: U+212A would become the k of somebody else's mailbox.
  return mailbox.group === undefined && isPlain && ADDRESS.test(address) ? lower : null
}

/** RFC 5322, 3.6.2: the person in Sender sent it for the one in From, as a deputy or from their mailbox. */
const isSentByAnother = (fields: readonly Field[], author: string): boolean =>
  valuesOf(fields, 'sender').some(value => onlyAddress(value) !== author)

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** `isKnown`: whether the mail could come from a person we asked. Only then are name servers asked. */
export async function vouch(
  bytes: Buffer,
  fields: readonly Field[],
  author: string,
  facts: MailFacts,
  isKnown: boolean,
): Promise<Voucher> {
  if (isSentByAnother(fields, author)) return NOT_VOUCHED
  const { authservId } = facts
  if (authservId !== null && isPassedByOwnServer(fields, authservId, domainOf(author))) {
    const covers = coveredByAll(fields, domainOf(author))
    if (covers !== null) return { kind: 'vouched', covers }
  }
  // Name servers are never asked for a stranger's mail: a silent one of theirs would hold up everybody else's.
  const useful = usefulSignatures(fields, domainOf(author), facts.now)
  if (useful.size === 0 || !isKnown) return NOT_VOUCHED
  return verify(onlyWhatVouches(useful, bytes, fields), soundSignatures(fields, facts.now), author, facts)
}

/** Used for a signature that the operator's server judged on arrival: expiry was that server's affair. */
const ON_ARRIVAL = 0

/** The operator's server does not say which signature passed, so a field counts as covered only if every signature
 *  that could have passed covers it. Without any signature it was SPF: the author's own server handed the mail in as
 *  it is. Null where one that vouches for nothing may have passed, such as one that leaves the end of the body open:
 *  then the signatures are checked here. */
function coveredByAll(fields: readonly Field[], domain: string): ReadonlySet<string> | 'all' | null {
  const sound = soundSignatures(fields, ON_ARRIVAL)
  if (sound.length < valuesOf(fields, 'dkim-signature').length) return null
  const related = sound.filter(signature => canAlign(signature.domain, domain))
  const [first, ...more] = related.length > 0 ? related : sound
  if (first === undefined) return 'all'
  return new Set([...first.covers].filter(name => more.every(({ covers }) => covers.has(name))))
}

/** Domains of one organisation share at least this much. That is enough here: alignment is judged elsewhere. */
const canAlign = (one: string, other: string): boolean => ending(one) === ending(other)
const ending = (domain: string): string => domain.split('.').slice(-2).join('.')

/** The fields of the signatures that could vouch for somebody of this domain. */
const usefulSignatures = (fields: readonly Field[], domain: string, now: number): ReadonlySet<Field> =>
  new Set(
    fields.filter(({ name, value }) => {
      const signature = name === 'dkim-signature' ? readSignature(value, now) : null
      return signature !== null && canAlign(signature.domain, domain)
    }),
  )

async function verify(
  bytes: Buffer,
  signatures: readonly Signature[],
  author: string,
  facts: MailFacts,
): Promise<Voucher> {
  const result = await check(bytes, facts)
  if (result === null || result.dmarc === false) return NOT_VOUCHED
  const { dkim, dmarc } = result
  if (dkim.headerFrom.length !== 1 || dkim.headerFrom[0]?.toLowerCase() !== author) return NOT_VOUCHED
  const sound = dkim.results.filter(result => isByKeyForMail(result, signatures))
  if (dmarc.status.result === 'pass') return passed(sound, author, dmarc.alignment.dkim.strict)
  const own = dkim.results.filter(({ status }) => status.aligned)
  const statuses = [dmarc.status, ...own.map(({ status }) => status)]
  return statuses.some(isTemporary) && !facts.last ? { kind: 'later' } : NOT_VOUCHED
}

/** Null for a message on which the checker itself fails: nobody vouches for that. */
function check(bytes: Buffer, { resolver }: MailFacts): Promise<AuthenticateResult | null> {
  return authenticate(Readable.from(inTurns(bytes)), {
    mta: 'lane',
    resolver: counted(resolver),
    minBitLength: MIN_KEY_BITS,
    disableArc: true,
    disableBimi: true,
  }).catch(() => null)
}

/** A large mail is hashed piece by piece, and everybody else has their turn in between. */
async function* inTurns(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES)
    await setImmediate()
  }
}

/** SPF vouches for nothing here: the connection the mail came by is not known. */
function passed(signatures: readonly DKIMResult[], author: string, strict: boolean): Voucher {
  const aligned = signatures.filter(one => isAligned(one, author, strict))
  return aligned.length > 0 ? { kind: 'vouched', covers: new Set(aligned.flatMap(coveredBy)) } : NOT_VOUCHED
}

const isTemporary = ({ result }: { result: string }): boolean =>
  result === 'temperror' || result === 'temperr'

/** mailauth reads `adkim=s` and takes a related domain all the same: strictness is kept here. */
function isAligned({ status, signingDomain }: DKIMResult, author: string, strict: boolean): boolean {
  if (status.result !== 'pass' || !status.aligned || status.underSized) return false
  return !strict || signingDomain.toLowerCase() === domainOf(author)
}

/** The members of mailauth's result that its published types leave out: the names of the fields it covers, the
 *  signature itself, and the record that its key was found in. */
type Detailed = DKIMResult & {
  readonly signingHeaders?: { readonly keys: string }
  readonly signature?: string
  readonly rr?: string
}

function isByKeyForMail({ signature, rr }: Detailed, signatures: readonly Signature[]): boolean {
  const value = signature?.replace(/\s+/g, '')
  const made = signatures.find(one => one.value === value)
  return made !== undefined && rr !== undefined && isKeyFor(rr, made)
}

const coveredBy = (result: Detailed): string[] =>
  (result.signingHeaders?.keys ?? '').toLowerCase().split(/[:\s]+/)

/** The message with only these signatures, the fields they claim to cover, and From. mailauth reads every field it
 *  knows, and is slow on some that are not honest; no signature covers another's field, so the rest can go. */
function onlyWhatVouches(useful: ReadonlySet<Field>, bytes: Buffer, fields: readonly Field[]): Buffer {
  const covered = new Set(['from', ...[...useful].flatMap(coveredNames)])
  const isKept = (field: Field): boolean =>
    useful.has(field) || (covered.has(field.name) && !NEVER_SIGNED.test(field.name))
  const kept = fields.filter(isKept).map(({ start, end }) => bytes.subarray(start, end))
  return Buffer.concat([...kept, bytes.subarray(fields.at(-1)?.end ?? 0)])
}

/** RFC 6376, 5.4.1: fields that every server on the way writes anew. A signature that covers one fails here. */
const NEVER_SIGNED = /^(?:return-path|received|dkim-signature|arc-.*)$/

const coveredNames = ({ value }: Field): string[] => [...(readSignature(value, ON_ARRIVAL)?.covers ?? [])]

function counted(resolver: Resolver): Resolver {
  let left = MAX_LOOKUPS
  return async (name, rrtype) => {
    if (--left < 0) throw Object.assign(new Error('too many lookups for one mail'), { code: 'ENOTFOUND' })
    return resolver(name, rrtype)
  }
}
