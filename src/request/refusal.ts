// The refusal of a submission: every field that is wrong, what was read there, and what would have been accepted. The
// sentences live with the rules as zod messages; this file finds each one its field.
import type { z } from 'zod'
import { inert, quote } from './text.js'

export type FieldError = {
  /** JSON pointer (RFC 6901) into the submitted body; "" is the body itself. */
  readonly field: string
  readonly read: string
  readonly accepted: string
}

type Path = readonly PropertyKey[]

/** A body of ten thousand wrong items is answered by its first ones. */
export const MAX_ERRORS = 25

const segment = (key: PropertyKey): string => inert(String(key)).replaceAll('~', '~0').replaceAll('/', '~1')
const pointer = (path: Path): string => path.map(key => `/${segment(key)}`).join('')

const isContainer = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null

/** The value at a path, through own properties only. */
export function valueAt(value: unknown, path: Path): unknown {
  let here = value
  for (const key of path) {
    if (!isContainer(here) || !Object.hasOwn(here, key)) return undefined
    here = here[key]
  }
  return here
}

export function fieldError(body: unknown, path: Path, accepted: string): FieldError {
  // "recipients": ["…"] is read as [{ user_id: "…" }]: the caller's field is the string, not a key inside it.
  const depth = path.findIndex(
    (_, index) => index > 0 && typeof valueAt(body, path.slice(0, index)) === 'string',
  )
  const written = depth === -1 ? path : path.slice(0, depth)
  return { field: pointer(written), read: quote(valueAt(body, written)), accepted }
}

/** The places an issue speaks of, each with its sentence: an unknown field is a place of its own. */
export function placesOf(issue: z.core.$ZodIssue): { readonly path: Path; readonly message: string }[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({ path: [...issue.path, key], message: issue.message }))
  }
  // The rule of a record's key is nested one level down; the outer message says only "invalid key".
  const message = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined
  return [{ path: issue.path, message: message ?? issue.message }]
}

/** One error for each field and rule, however many of zod's checks it failed. */
export function refusalOf(body: unknown, issues: readonly z.core.$ZodIssue[]): FieldError[] {
  const errors = new Map<string, FieldError>()
  for (const { path, message } of issues
    .slice(0, 2 * MAX_ERRORS)
    .flatMap(placesOf)
    .slice(0, 2 * MAX_ERRORS)) {
    const error = fieldError(body, path, message)
    errors.set(`${error.field} ${error.accepted}`, error)
  }
  return [...errors.values()].slice(0, MAX_ERRORS)
}

/** The first of them in one sentence; `whole` is what has no place of its own. */
export const sayFields = (errors: readonly FieldError[], whole: string): string =>
  errors
    .slice(0, 3)
    .map(({ field, accepted }) => `${field === '' ? whole : field}: ${accepted}`)
    .join(' · ')

/** The error of a strict object: unknown fields learn the known ones, anything else learns the shape. */
export const fieldsOnly =
  (noun: string, fields: readonly string[]) =>
  (issue: { readonly code?: string }): string =>
    issue.code === 'unrecognized_keys'
      ? `no such field: ${noun} has only ${fields.join(', ')}`
      : `an object with the fields ${fields.join(', ')}`
