// The request a mail is about: by the reply handle in the address it was written to, or by the Message-ID of ours
// that it answers. Only fields the author wrote count: a server's note of the recipient shows who passed the mail on,
// not what was answered.
import { addressParser } from 'postal-mime'
import type { Binding } from '../../../src/adapter/index.js'
import { findMessageIds, handleTag, idTag, type Marker } from '../marker.js'
import { type Field, firstOf, valuesOf } from './head.js'
import type { Ignored, MailFacts } from './mail.js'

/** Fields in which a receiving server notes the envelope's recipient. */
const ENVELOPE = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-delivered-to']
const HANDLE = /^[0-9a-hjkmnp-tv-z]{26}$/

type Own = Pick<MailFacts, 'replyTo' | 'from'>
/** Handles written behind our address, and whether our address stands there at all. */
type Addressed = { readonly handles: ReadonlySet<string>; readonly isOurs: boolean }

export function readBinding(fields: readonly Field[], own: Own): Binding | Ignored {
  const to = addressed(valuesOf(fields, 'to'), own)
  const noted = addressed(fieldsOf(fields, ENVELOPE), own)
  if (new Set([...to.handles, ...noted.handles]).size > 1) return 'names_two_requests'
  const [handle] = to.handles
  if (handle !== undefined) return { kind: 'handle', handle }
  if (to.isOurs) return answered(fields, own) ?? 'names_no_request'
  const isCopied = noted.handles.size > 0 || addressed(valuesOf(fields, 'cc'), own).isOurs
  return isCopied || answered(fields, own) !== null ? 'not_addressed_to_us' : 'names_no_request'
}

/** A report comes back to the envelope's sender, whatever its header says. */
export function readReturned(fields: readonly Field[], own: Own): Binding | null {
  const [handle, ...others] = addressed(
    [...valuesOf(fields, 'to'), ...fieldsOf(fields, ENVELOPE)],
    own,
  ).handles
  if (handle !== undefined && others.length === 0) return { kind: 'handle', handle }
  return answered(fields, own)
}

const fieldsOf = (fields: readonly Field[], names: readonly string[]): string[] =>
  names.flatMap(name => valuesOf(fields, name))

function addressed(values: readonly string[], { replyTo, from }: Own): Addressed {
  const handles = new Set<string>()
  const bare = `${replyTo.local}@${replyTo.domain}`.toLowerCase()
  const before = `${replyTo.local}${replyTo.delimiter}`.toLowerCase()
  const after = `@${replyTo.domain}`.toLowerCase()
  let isOurs = false
  for (const address of values.flatMap(addressesOf)) {
    const inside = address.startsWith(before) && address.endsWith(after)
    const handle = inside ? address.slice(before.length, -after.length) : ''
    if (HANDLE.test(handle)) handles.add(handle)
    isOurs ||= address === bare || address === from.toLowerCase() || handle !== ''
  }
  return { handles, isOurs }
}

const addressesOf = (value: string): string[] =>
  addressParser(value, { flatten: true }).map(({ address }) => address?.toLowerCase() ?? '')

const ANSWERING = ['in-reply-to', 'references']

const namedIn = (fields: readonly Field[], name: string, { replyTo }: Own): string[] =>
  findMessageIds(firstOf(fields, name) ?? '', replyTo.domain)

/** The first that names a mail of ours: In-Reply-To names the mail answered, References earlier ones too. */
const answeringField = (fields: readonly Field[], own: Own): string | undefined =>
  ANSWERING.find(name => namedIn(fields, name, own).length > 0)

/** The first id in In-Reply-To is the one answered; in References the last is the nearest. */
function answered(fields: readonly Field[], own: Own): Binding | null {
  const name = answeringField(fields, own)
  if (name === undefined) return null
  const ref = namedIn(fields, name, own).at(name === 'references' ? -1 : 0)
  return ref === undefined ? null : { kind: 'ref', ref }
}

const ANY_ID = /<[^<>\s]{1,250}>/g

/** The mail that a reply says it answers: In-Reply-To, and where there is none the last of References, which begin
 *  with the oldest. Null where both are empty; a value that is no id is given as it is, and names no mail of ours. */
export function answeredId(fields: readonly Field[]): string | null {
  const [inReplyTo, references] = ANSWERING.map(name => firstOf(fields, name) ?? '')
  if (inReplyTo) return inReplyTo.match(ANY_ID)?.[0] ?? inReplyTo
  return references ? (references.match(ANY_ID)?.at(-1) ?? references) : null
}

/** Whether the mail quoted below is the one this binding names. */
export function isQuoted(binding: Binding, marker: Marker): boolean {
  if (binding.kind === 'handle') return marker.handleTag === handleTag(binding.handle)
  return binding.kind === 'ref' && marker.idTag === idTag(binding.ref)
}

/** The field the binding was read from: a signature that covers it vouches for the binding. */
export const bindingField = (binding: Binding, fields: readonly Field[], own: Own): string =>
  binding.kind === 'handle' ? 'to' : (answeringField(fields, own) ?? '')
