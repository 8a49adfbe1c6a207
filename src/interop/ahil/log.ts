// An exchange log as a file has it: alone (`.ahil.json`), inside a pipeline (`ahi.log` of an `.adpl`), or a bare list. Read
// tolerantly: what breaks a rule that only binds writers is a named warning, and what cannot be understood is a flaw, with
// its path, and refuses the whole file.

import { canonical } from '../../canonical.js'
import { quote } from '../../request/text.js'
import { type Fields, isFields } from '../fields.js'
import {
  ALL,
  BROADCAST,
  type Entry,
  type EntryType,
  REFERRING,
  REQUIRED,
  refOf,
  STATUSES,
  type Status,
  TYPES,
} from './entry.js'
import { conventionOf } from './id.js'
import { countMembers, type Span, walk } from './place.js'

type Form = 'standalone' | 'adpl' | 'list'
export type LogFlaw = { readonly path: string; readonly code: FlawCode; readonly detail: string }
type FlawCode =
  | 'not_json'
  | 'not_a_log'
  | 'other_version'
  | 'doubled_name'
  | 'too_deep'
  | 'too_large_number'
  | 'half_character'
  | 'not_an_entry'
  | 'missing_field'
  | 'unknown_type'
  | 'unknown_status'
  | 'not_a_context'
  | 'duplicate_id'
type Warning = { readonly id: string; readonly code: WarningCode; readonly detail: string }
type WarningCode =
  | 'id_convention'
  | 'date'
  | 'broadcast'
  | 'unusual_status'
  | 'no_ref'
  | 'unknown_ref'
  | 'acknowledges_acknowledgement'
  | 'unknown_field'
  | 'no_version'

export type Log = {
  readonly form: Form
  readonly entries: readonly Entry[]
  readonly byId: ReadonlyMap<string, Entry>
  readonly warnings: readonly Warning[]
  readonly place: Span
  readonly bytes: Uint8Array
}
type ReadLog =
  | { readonly ok: true; readonly log: Log }
  | { readonly ok: false; readonly flaws: readonly LogFlaw[] }

const VERSION = '1.0'
/** Nothing that people or agents write nests deeper, and a hash is made by recursion. */
const MAX_DEPTH = 64
const PATHS: Readonly<Record<Form, readonly string[]>> = {
  standalone: ['entries'],
  adpl: ['ahi', 'log'],
  list: [],
}

export function readLog(bytes: Uint8Array): ReadLog {
  const document = parse(bytes)
  if (document === undefined) return refuse('', 'not_json', 'text in UTF-8 that is JSON')
  const form = formOf(document)
  if (form === null)
    return refuse(
      '',
      'not_a_log',
      'a list of entries, or an object with entries or with ahi.log, which is one',
    )
  const { place, members, depth } = walk(bytes, PATHS[form])
  if (depth > MAX_DEPTH) return refuse('', 'too_deep', `JSON that nests at most ${MAX_DEPTH} deep`)
  const counted = countMembers(document)
  if (Number.isNaN(counted)) return refuse('', 'too_large_number', 'numbers that can be told apart')
  if (members !== counted)
    return refuse('', 'doubled_name', 'objects that give each name once: two readers could read two things')
  if (place === null) return refuse('', 'not_a_log', 'a list of entries')
  const version = form === 'standalone' ? (document as Fields).schema_version : VERSION
  if (version !== undefined && version !== VERSION)
    return refuse('/schema_version', 'other_version', `"${VERSION}"`)
  return readEntries(form, bytes, place, listIn(form, document), version === undefined)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

function formOf(document: unknown): Form | null {
  if (Array.isArray(document)) return 'list'
  if (!isFields(document)) return null
  if (isFields(document.ahi) && Array.isArray(document.ahi.log)) return 'adpl'
  return Array.isArray(document.entries) ? 'standalone' : null
}

function listIn(form: Form, document: unknown): readonly unknown[] {
  let found = document
  for (const name of PATHS[form]) found = (found as Fields)[name]
  return found as readonly unknown[]
}

function readEntries(
  form: Form,
  bytes: Uint8Array,
  place: Span,
  list: readonly unknown[],
  isUnversioned: boolean,
): ReadLog {
  const flaws: LogFlaw[] = []
  const warnings: Warning[] = []
  const byId = new Map<string, Entry>()
  if (isUnversioned)
    warnings.push({ id: '', code: 'no_version', detail: `schema_version is taken for ${VERSION}` })
  // Half of a character can only stand in a text as an escape.
  const mayBeHalf = ['\\ud', '\\uD'].some(half => bufferOf(bytes).includes(half))
  for (const [index, value] of list.entries()) {
    const path = `/${[...PATHS[form], index].join('/')}`
    const flaw = flawOf(path, value) ?? (mayBeHalf ? halfIn(path, value) : null)
    if (flaw !== null) {
      flaws.push(flaw)
      continue
    }
    const entry = value as Entry
    if (byId.has(entry.id)) {
      const detail = `an id that no other entry has; read ${quote(entry.id)}`
      flaws.push({ path: `${path}/id`, code: 'duplicate_id', detail })
      continue
    }
    warn(entry, byId, warnings)
    byId.set(entry.id, entry)
  }
  if (flaws.length > 0) return { ok: false, flaws }
  return { ok: true, log: { form, entries: list as readonly Entry[], byId, warnings, place, bytes } }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const KNOWN_TYPES: ReadonlySet<unknown> = new Set(TYPES)
const KNOWN_STATUSES: ReadonlySet<unknown> = new Set(STATUSES)

function flawOf(path: string, value: unknown): LogFlaw | null {
  if (!isFields(value)) return { path, code: 'not_an_entry', detail: `an object with ${REQUIRED.join(', ')}` }
  for (const name of REQUIRED)
    if (typeof value[name] !== 'string' || value[name] === '')
      return { path: `${path}/${name}`, code: 'missing_field', detail: `a text: ${name} is required` }
  if (!KNOWN_TYPES.has(value.type))
    return {
      path: `${path}/type`,
      code: 'unknown_type',
      detail: `one of ${TYPES.join(', ')}; read ${quote(value.type)}`,
    }
  if (!KNOWN_STATUSES.has(value.status))
    return {
      path: `${path}/status`,
      code: 'unknown_status',
      detail: `one of ${STATUSES.join(', ')}; read ${quote(value.status)}`,
    }
  if (value.context !== undefined && !isFields(value.context))
    return { path: `${path}/context`, code: 'not_a_context', detail: 'an object, or nothing' }
  return null
}

function halfIn(path: string, value: unknown): LogFlaw | null {
  try {
    canonical(value)
    return null
  } catch {
    return { path, code: 'half_character', detail: 'text without halves of characters' }
  }
}

/** The statuses with which an entry of a type begins, in the rules or in their examples. */
const INITIAL: Readonly<Record<EntryType, readonly Status[]>> = {
  observation: ['noted'],
  recommendation: ['pending'],
  alert: ['noted', 'pending'],
  order: ['pending'],
  approval: ['pending', 'noted'],
  override: ['pending'],
  acknowledgement: ['noted', 'acted', 'rejected'],
}
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const FIELDS: ReadonlySet<string> = new Set([...REQUIRED, 'context'])

/** `before` are the entries above this one: only they can be referred to. */
function warn(entry: Entry, before: ReadonlyMap<string, Entry>, warnings: Warning[]): void {
  const { id, type, to, date, status } = entry
  const note = (code: WarningCode, detail: string): void => void warnings.push({ id, code, detail })
  if (!DAY.test(date)) note('date', `dates are YYYY-MM-DD; read ${quote(date)}`)
  if (!conventionOf(entry)) note('id_convention', 'ids are <from>-<YYYYMMDD>-<NNN>, by sender and day')
  if (to === ALL && !BROADCAST.includes(type)) note('broadcast', `of ${type} one addressee is expected`)
  if (!INITIAL[type].includes(status))
    note('unusual_status', `${type} begins as ${INITIAL[type].join(' or ')}; read ${status}`)
  const ref = refOf(entry)
  if (ref === null) {
    if (REFERRING.includes(type)) note('no_ref', `${type} without context.ref has no effect`)
  } else if (REFERRING.includes(type)) {
    const about = before.get(ref)
    if (about === undefined) note('unknown_ref', `no entry above has the id ${quote(ref)}: it has no effect`)
    else if (type === 'acknowledgement' && about.type === 'acknowledgement')
      note('acknowledges_acknowledgement', 'an acknowledgement is the end: this one has no effect')
  }
  for (const name of Object.keys(entry))
    if (!FIELDS.has(name)) note('unknown_field', `${quote(name)} is no field of an entry, and is kept`)
}

const refuse = (path: string, code: FlawCode, detail: string): ReadLog => ({
  ok: false,
  flaws: [{ path, code, detail }],
})
