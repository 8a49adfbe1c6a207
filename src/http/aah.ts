// Artifacts of AAH come in over this door alone: a decision that is asked for opens a request, and its answers are read
// as signed responses. The artifact routes and names; its key is the only right it comes with.
import type { FastifyReply } from 'fastify'
import type { Case } from '../agenda/case.js'
import { canonical, sha256 } from '../canonical.js'
import { ask } from '../interop/aah/ask.js'
import { type Artifact, flawsOfResponse, isRequest, readArtifact, readRequest } from '../interop/aah/read.js'
import { routeOf } from '../interop/aah/route.js'
import {
  isSameButForStatus,
  isUnanswered,
  isWithdrawn,
  projected,
  STATUS_WORDS,
  statusOfStory,
} from '../interop/aah/status.js'
import { PROFILES, type Profile, requestIdOf } from '../interop/aah/words.js'
import type { Caller } from '../keys/key-book.js'
import { SUBMISSION_CODES, type Submitted } from '../lane/submit.js'
import { type FieldError, fieldError, sayFields } from '../request/refusal.js'
import { allowanceOf } from '../waiter/address.js'
import { fetchBytes, MAX_FETCHED_BYTES } from '../waiter/fetch.js'
import { artifactOf, signedResponses } from './artifact.js'
import { showCase } from './case.js'
import { showTo, visibleCase } from './cases.js'
import { callerOf, type Door, has } from './door.js'
import { readJson, readJsonBytes } from './json.js'
import { one } from './openapi/schema.js'
import { refuse } from './problem.js'
import { JSON_MEDIA, ok, type Route, type RouteRequest, route } from './route.js'

/** Room for the longest form, written twice over, and for what an artifact holds beside it. */
const ARTIFACT_BYTES = 400 * 1024
const WITHDRAWN_BY_ARTIFACT = 'the artifact was posted as withdrawn'

export const AAH_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/v1/aah/artifacts',
    operationId: 'postArtifact',
    summary: 'Put the decisions of an AAH artifact before people, or withdraw it',
    scopes: ['request'],
    takes: { media: [JSON_MEDIA], body: 'Artifact', atMost: ARTIFACT_BYTES },
    answers: [
      ok('Case', 'opened; said after the commit', 201),
      ok('Case', 'the same artifact again, or withdrawn'),
      { status: 204, words: 'a decision/* artifact that asks for nothing here' },
    ],
    refuses: [...SUBMISSION_CODES, 'no_route', 'already_resolved'],
    handle: postArtifact,
  }),
  route({
    method: 'get',
    path: '/v1/aah/artifacts/{id}',
    operationId: 'showArtifact',
    summary: 'The artifact as it was received, with the state it has come to',
    scopes: ['request', 'audit'],
    query: { profile: one(...PROFILES) },
    answers: [ok('Artifact', 'the artifact')],
    refuses: ['malformed_query'],
    handle: showArtifact,
  }),
  route({
    method: 'get',
    path: '/v1/aah/artifacts/{id}/responses',
    operationId: 'listResponses',
    summary: 'The signed responses to it, oldest first',
    scopes: ['request', 'audit'],
    query: { profile: one(...PROFILES) },
    answers: [ok('Responses', 'all of them; each holds the answers so far')],
    refuses: ['malformed_query'],
    handle: listResponses,
  }),
]

async function postArtifact(door: Door, request: RouteRequest, reply: FastifyReply): Promise<FastifyReply> {
  const read = readArtifact(request.body)
  if (read.kind === 'passed_over') return reply.code(204).send()
  if (read.kind === 'refused') return invalid(reply, read.errors)
  const { artifact } = read
  const caller = callerOf(request)
  if (isRequest(artifact)) {
    const known = await door.lane.current(artifact.request_id)
    if (known !== null) return again(door, caller, artifact, known, reply)
    if (!isUnanswered(artifact.given))
      return invalid(reply, [fieldError(artifact.given, ['lifecycle', 'status'], STATUS_WORDS)])
  }
  const body = await bodyOf(door, artifact)
  if (!body.ok) return invalid(reply, [body.error])
  if (isRequest(artifact)) return open(door, caller, artifact, body.value, reply)
  const flaws = flawsOfResponse(artifact, body.value)
  return flaws === null ? reply.code(204).send() : invalid(reply, flaws)
}

async function open(
  door: Door,
  caller: Caller,
  artifact: Artifact,
  body: unknown,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { aah, recipients } = door.config
  const read = readRequest(artifact, body)
  if (!read.ok) return invalid(reply, read.errors)
  const to = routeOf(aah.route, Object.keys(recipients), { key: caller, ...artifact })
  if (to === null) return refuse(reply, 'no_route', NO_ROUTE)
  const asked = ask(artifact, read.data, { route: to, escalate: aah.escalate, now: door.now() })
  if (!asked.ok) return invalid(reply, asked.errors)
  // Its first key is there before anything waits to be signed.
  await door.signing.artifacts()
  const origin = { system: 'aah' as const, ref: artifact.id, hash: artifact.hash }
  const made = { origin, text: canonical(artifact.given) }
  const submitted = await door.lane.submit(asked.body, caller, made)
  if (submitted.kind !== 'refused') {
    const { kind, subject } = submitted
    return kind === 'opened'
      ? reply.code(201).send(showCase(subject))
      : reply.send(await showTo(door, caller, subject))
  }
  // Somebody may have posted the same a moment ago: then it is the same again, though its deadline is a second nearer.
  const known = submitted.code === 'id_conflict' ? await door.lane.current(artifact.request_id) : null
  if (known !== null) return again(door, caller, artifact, known, reply)
  return notSubmitted(reply, submitted, asked.placeOf)
}

type Refused = Extract<Submitted, { readonly kind: 'refused' }>

function notSubmitted(
  reply: FastifyReply,
  { code, detail, errors = [], retryAfterSeconds }: Refused,
  placeOf: (field: string) => string,
): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  const placed = errors.map(error => ({ ...error, field: placeOf(error.field) }))
  return code === 'invalid_request' ? invalid(reply, placed) : refuse(reply, code, detail, placed)
}

const NO_ROUTE =
  'No route of aah.route fits this key and artifact, so there is nobody to be asked. An operator adds one.'
const CONFLICT =
  'The same id is the same artifact only with the same content and key; with status withdrawn and all else as it was, it is withdrawn. Choose a new id.'

/** An artifact whose id is known: the same once more, its withdrawal, or another's. */
async function again(
  door: Door,
  caller: Caller,
  artifact: Artifact,
  known: Case,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const isOwn = known.opened_by === caller.key_id
  if (isOwn && known.origin?.system === 'aah' && known.origin.hash === artifact.hash)
    return reply.send(await showTo(door, caller, known))
  if (!(isOwn || has(caller, 'operate')) || !isWithdrawn(artifact.given))
    return refuse(reply, 'id_conflict', CONFLICT)
  const before = await artifactOf(door, known)
  if (before === null || !isSameButForStatus(before.given, artifact.given))
    return refuse(reply, 'id_conflict', CONFLICT)
  const result = await door.lane.withdraw(known.request_id, WITHDRAWN_BY_ARTIFACT, caller.key_id)
  if (result.kind === 'withdrawn') return reply.send(await showTo(door, caller, result.subject))
  const { state, resolved_at } = result.kind === 'already_resolved' ? result.subject : known
  return refuse(reply, 'already_resolved', `The request was ${state} at ${resolved_at}; that stands.`)
}

type FoundBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: FieldError }

/** One refusal for whatever went wrong: more would tell a caller what stands in this network. */
const UNHAD = `an address of an origin in aah.fetch that gives, at once and within 10 s, at most ${MAX_FETCHED_BYTES} bytes of JSON with the hash body_hash`

async function bodyOf({ config }: Door, artifact: Artifact): Promise<FoundBody> {
  const { body, given, carrier } = artifact
  if (body.kind === 'here') return { ok: true, value: body.value }
  if (body.kind === 'text') {
    const read = readJson(body.text)
    if (read.ok) return read
    return {
      ok: false,
      error: fieldError(given, [...carrier, 'body'], `a text that is JSON: ${read.detail}`),
    }
  }
  const isListed = URL.canParse(body.url) && config.aah.fetch.includes(new URL(body.url).origin)
  const bytes = isListed ? await fetchBytes(body.url, { allow: allowanceOf(config.callbacks.allow) }) : null
  const read = bytes !== null && sha256(bytes) === body.hash ? readJsonBytes(bytes) : null
  if (read?.ok) return read
  return { ok: false, error: fieldError(given, [...carrier, 'body_url'], UNHAD) }
}

const invalid = (reply: FastifyReply, errors: readonly FieldError[]): FastifyReply =>
  refuse(reply, 'invalid_request', sayFields(errors, 'The artifact'), errors)

async function showArtifact(
  door: Door,
  request: RouteRequest<'id', 'profile'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = await find(door, request, reply)
  if (!found.ok) return found.reply
  const { subject, artifact, profile } = found
  const status = statusOfStory(await door.store.ledger.story(subject.request_id))
  return reply.send(projected(artifact.given, artifact.version, status, profile))
}

async function listResponses(
  door: Door,
  request: RouteRequest<'id', 'profile'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = await find(door, request, reply)
  if (!found.ok) return found.reply
  const { subject, artifact, profile } = found
  return reply.send({ items: await signedResponses(door, subject, artifact, profile) })
}

type Found =
  | { readonly ok: true; readonly subject: Case; readonly artifact: Artifact; readonly profile: Profile }
  | { readonly ok: false; readonly reply: FastifyReply }

const isProfile = (text: string): text is Profile => (PROFILES as readonly string[]).includes(text)

/** By the artifact's own id, or the request's. */
async function find(door: Door, request: RouteRequest<'id', 'profile'>, reply: FastifyReply): Promise<Found> {
  const { profile = 'decisions' } = request.query
  if (!isProfile(profile)) {
    const detail = `profile is one of ${PROFILES.join(', ')}.`
    return { ok: false, reply: refuse(reply, 'malformed_query', detail) }
  }
  const subject = await visibleCase(door, callerOf(request), requestIdOf(request.params.id))
  const artifact = subject === null ? null : await artifactOf(door, subject)
  if (subject === null || artifact === null)
    return { ok: false, reply: refuse(reply, 'not_found', 'This key has posted no artifact with that id.') }
  return { ok: true, subject, artifact, profile }
}
