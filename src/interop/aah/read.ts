// An artifact as it comes: what it is, where its body is, and what is asked in it; or why it is none, with the path.
//
// AH1  Everything a refusal says has its place in the artifact, as a JSON pointer.
// AH2  A member of the artifact is a label: it routes and names, and gives nobody any right.

import { canonical, type Hash, sha256 } from '../../canonical.js'
import { type FieldError, fieldError, refusalOf, valueAt } from '../../request/refusal.js'
import { secretPlaces } from '../../request/secrecy.js'
import { isFields } from '../fields.js'
import { type Data, requestBody, responseBody } from './body-shape.js'
import { type Carrier, ENVELOPES, type Envelope, VERSION_WORDS } from './envelope.js'
import {
  type ArtifactType,
  BODY_OF,
  CATEGORY,
  REQUEST,
  requestIdOf,
  SECTION_TYPE,
  type Version,
} from './words.js'

/** Where a body is: in the artifact, as an object or as the text of one, or elsewhere under its hash. */
type Body =
  | { readonly kind: 'here'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'elsewhere'; readonly url: string; readonly hash: Hash }

export type Artifact = {
  readonly version: Version
  readonly type: ArtifactType
  readonly id: string
  readonly request_id: string
  /** SHA-256 of its JCS: what a request is about, and under which it is kept. */
  readonly hash: Hash
  readonly agent_id: string
  readonly envelope: Envelope
  readonly given: Readonly<Record<string, unknown>>
  readonly body: Body
  /** The path of the part that carries the body. */
  readonly carrier: readonly PropertyKey[]
}

type Refused = { readonly kind: 'refused'; readonly errors: readonly FieldError[] }
type Read =
  | { readonly kind: 'read'; readonly artifact: Artifact }
  /** A subtype of decision that is not answered here. */
  | { readonly kind: 'passed_over' }
  | Refused

export function readArtifact(given: unknown): Read {
  const type = valueAt(given, ['artifact', 'type'])
  if (typeof type === 'string' && type.startsWith(CATEGORY) && !Object.hasOwn(BODY_OF, type))
    return { kind: 'passed_over' }
  const version = valueAt(given, ['aah_version'])
  if (!isFields(given) || !isVersion(version))
    return refused([fieldError(given, ['aah_version'], VERSION_WORDS)])
  const shaped = ENVELOPES[version].safeParse(given)
  if (!shaped.success) return refused(refusalOf(given, shaped.error.issues))
  const secrets = secretPlaces(given).map(path => fieldError(given, path, SECRET_WORDS))
  if (secrets.length > 0) return refused(secrets)
  return locate(given, shaped.data)
}

const SECRET_WORDS = 'text without a token, an API key or a reply link'
const isVersion = (version: unknown): version is Version =>
  typeof version === 'string' && Object.hasOwn(ENVELOPES, version)
const refused = (errors: readonly FieldError[]): Refused => ({ kind: 'refused', errors })

function locate(given: Artifact['given'], envelope: Envelope): Read {
  const type = envelope.artifact.type as ArtifactType
  const { path, carrier } = carrierOf(envelope)
  const media = carrier.media_type
  if (media !== undefined && media !== BODY_OF[type].media)
    return refused([fieldError(given, [...path, 'media_type'], BODY_OF[type].media)])
  const body = bodyOf(carrier)
  if ('flaw' in body) return refused([fieldError(given, [...path, body.flaw], body.accepted)])
  return {
    kind: 'read',
    artifact: {
      version: envelope.aah_version,
      type,
      id: envelope.artifact.id,
      request_id: requestIdOf(envelope.artifact.id),
      hash: sha256(canonical(given)),
      agent_id: envelope.source?.agent_id ?? ownerOf(carrier),
      envelope,
      given,
      body,
      carrier: path,
    },
  }
}

type Placed = { readonly path: readonly PropertyKey[]; readonly carrier: Carrier }

function carrierOf(envelope: Envelope): Placed {
  if (envelope.aah_version === '0.1') return { path: ['content'], carrier: envelope.content }
  const index = envelope.sections.findIndex(({ type }) => type === SECTION_TYPE)
  return { path: ['sections', index], carrier: envelope.sections[index] as Carrier }
}

/** A section always names its agent; the envelope of such an artifact may not. */
const ownerOf = (carrier: Carrier): string => String(carrier.agent_id)

type Flawed = { readonly flaw: string; readonly accepted: string }

function bodyOf({ body, body_url: url, body_hash: hash }: Carrier): Body | Flawed {
  if (typeof body === 'string') {
    const isRight = hash === undefined || sha256(body) === hash
    return isRight ? { kind: 'text', text: body } : { flaw: 'body_hash', accepted: 'the SHA-256 of body' }
  }
  if (body !== undefined) return { kind: 'here', value: body }
  if (url === undefined) return { flaw: 'body', accepted: 'the body, or body_url with body_hash' }
  if (hash === undefined)
    return {
      flaw: 'body_hash',
      accepted: 'the SHA-256 of what body_url names: without it anything could stand there',
    }
  return { kind: 'elsewhere', url, hash: hash as Hash }
}

/** The artifact with its body in its place, whichever way it came: what paths are told in. */
export function withBody({ given, carrier }: Artifact, body: unknown): unknown {
  const put = (value: unknown, [name, ...rest]: readonly PropertyKey[]): unknown => {
    if (name === undefined) return { ...(value as object), body }
    if (Array.isArray(value)) return value.map((one, index) => (index === name ? put(one, rest) : one))
    return { ...(value as object), [name]: put((value as Record<PropertyKey, unknown>)[name], rest) }
  }
  return put(given, carrier)
}

type ReadBody =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly errors: readonly FieldError[] }

/** What a request asks. */
export function readRequest(artifact: Artifact, body: unknown): ReadBody {
  const read = requestBody.safeParse(body)
  return read.success
    ? { ok: true, data: read.data.data }
    : { ok: false, errors: within(artifact, body, read.error.issues) }
}

/** Whether a response is one; null where it is. */
export function flawsOfResponse(artifact: Artifact, body: unknown): readonly FieldError[] | null {
  const read = responseBody.safeParse(body)
  return read.success ? null : within(artifact, body, read.error.issues)
}

type Issues = Parameters<typeof refusalOf>[1]
function within(artifact: Artifact, body: unknown, issues: Issues): readonly FieldError[] {
  const prefix = [...artifact.carrier, 'body'] as (string | number)[]
  const placed = issues.map(issue => ({ ...issue, path: [...prefix, ...issue.path] }))
  return refusalOf(withBody(artifact, body), placed)
}

export const isRequest = ({ type }: Artifact): boolean => type === REQUEST
