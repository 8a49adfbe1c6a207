// What was asked and answered, as an exchange log for agents and people (docs/ahil.md).
import type { FastifyReply } from 'fastify'
import type { Case } from '../agenda/case.js'
import type { Hash } from '../canonical.js'
import { entriesFrom, type ToldRequest } from '../interop/ahil/opening.js'
import { inProfile, isProfile, PROFILES } from '../interop/ahil/profile.js'
import { eventHashIn } from '../interop/ending.js'
import { wordsOf } from '../ledger/beside.js'
import { showCase } from './case.js'
import { callerOf, type Door, has } from './door.js'
import { one, text } from './openapi/schema.js'
import { refuse } from './problem.js'
import { type Route, type RouteRequest, route } from './route.js'

const AHIL = 'application/vnd.ahil+json'
const EXTENSION = '.ahil.json'
/** A run's id as a file's name; whatever was asked for, it ends no header. */
const fileName = (runId: string): string => runId.replace(/[^A-Za-z0-9._-]/g, '_')
/** A log is made of so many newest requests; its description says if older ones are left out. */
const STORIES = 1000
/** Stories that are read at once. */
const AT_ONCE = 50

export const AHIL_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/ahil',
    operationId: 'readExchangeLog',
    summary: 'Requests and their outcomes as an AHIL 1.0 log',
    scopes: ['request', 'audit'],
    query: { run_id: text, profile: one(...PROFILES) },
    answers: [{ status: 200, media: AHIL, body: 'ExchangeLog', words: 'the log, oldest first' }],
    handle: readLog,
  }),
]

async function readLog(
  door: Door,
  request: RouteRequest<never, 'run_id' | 'profile'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { run_id, profile = PROFILES[0] } = request.query
  if (!isProfile(profile))
    return refuse(reply, 'malformed_query', `profile is one of ${PROFILES.join(', ')}.`)
  const caller = callerOf(request)
  const listed = await door.store.ledger.list({
    limit: STORIES + 1,
    ...(run_id !== undefined && { run_id }),
    ...(!has(caller, 'audit') && { opened_by: caller.key_id }),
  })
  const shown = listed.slice(0, STORIES)
  const stories: ToldRequest[] = []
  for (let at = 0; at < shown.length; at += AT_ONCE) {
    const some = shown.slice(at, at + AT_ONCE).map(({ request_id }) => tellStory(door, request_id))
    stories.push(...(await Promise.all(some)).filter(told => told !== null))
  }
  const entries = entriesFrom(stories).map(entry => inProfile(profile, entry))
  const about = run_id === undefined ? 'Requests of this lane' : `Requests of run ${run_id}`
  const left = listed.length > STORIES ? `; only the newest ${STORIES}, older ones are left out` : ''
  const description = `${about}, with what people answered${left}.`
  return reply
    .type(`${AHIL}; charset=utf-8`)
    .header(
      'content-disposition',
      `attachment; filename="${run_id === undefined ? 'lane' : fileName(run_id)}${EXTENSION}"`,
    )
    .send(JSON.stringify({ schema_version: '1.0', description, entries }))
}

async function tellStory({ lane, store }: Door, id: string): Promise<ToldRequest | null> {
  const subject = await lane.current(id)
  if (subject === null) return null
  const words = await wordsOf(store.shelf, subject.replies)
  const { asked_by: askedBy, origin } = subject
  return { asked: showCase(subject, { words }), askedBy, origin, end: await endOf(store, subject) }
}

async function endOf(
  { ledger }: Door['store'],
  { request_id, resolved_seq }: Case,
): Promise<ToldRequest['end']> {
  if (resolved_seq === null) return null
  const hash = eventHashIn(await ledger.story(request_id))
  return hash === null ? null : { seq: resolved_seq, hash: hash as Hash }
}
