// The people who can be asked, and the invitation by which a person links their own address. No address is shown.
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { readMoment } from '../compiler/instant.js'
import { CHANNELS } from '../request/channel.js'
import { id } from '../request/field.js'
import { refusalOf } from '../request/refusal.js'
import { endAll } from '../session/session.js'
import { callerOf, type Door } from './door.js'
import { refuse } from './problem.js'
import { ok, type Route, type RouteRequest, route, takesJson } from './route.js'

const CHANNEL_WORDS = `one of ${CHANNELS.join(', ')}`
const invitation = z.strictObject(
  { channel: z.enum(CHANNELS, { error: CHANNEL_WORDS }) },
  { error: `{"channel": ${CHANNEL_WORDS}}` },
)

const AWAY_WORDS = '{"until": time, "from"?: time, "to"?: one of their delegates}'
const TIME_WORDS = 'a time with its offset, such as 2026-12-24T18:00:00Z'
const time = z
  .string({ error: TIME_WORDS })
  .refine(text => msOf(text) !== null, { error: TIME_WORDS })
  .meta({ format: 'date-time' })
const absence = z.strictObject(
  { until: time, from: time.exactOptional(), to: id.exactOptional() },
  { error: AWAY_WORDS },
)

/** Null for what names no instant. */
const msOf = (text: string): number | null => (readMoment(text)?.instant ? Date.parse(text) : null)

export const RECIPIENT_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/recipients',
    operationId: 'listRecipients',
    summary: 'Who can be asked; no addresses',
    scopes: ['request'],
    answers: [ok('Recipients', 'ids, names and channels')],
    handle: ({ config }, _request, reply) =>
      reply.send({
        items: Object.values(config.recipients).map(({ user_id, name, channels }) => ({
          user_id,
          name,
          channels,
        })),
      }),
  }),
  route({
    method: 'post',
    path: '/v1/recipients/{id}/invitations',
    operationId: 'inviteRecipient',
    summary: 'Invite a person to link an address of their own',
    scopes: ['operate'],
    takes: takesJson('NewInvitation', invitation),
    answers: [ok('Invitation', 'where it is accepted, once, until it expires', 201)],
    refuses: ['invalid_request', 'not_linkable', 'channel_unavailable'],
    handle: invite,
  }),
  route({
    method: 'post',
    path: '/v1/recipients/{id}/away',
    operationId: 'sendRecipientAway',
    summary: 'Say that a person is away, and who is asked in their place',
    scopes: ['operate'],
    takes: takesJson('NewAbsence', absence),
    answers: [ok('Absence', 'as it is recorded')],
    refuses: ['invalid_request'],
    handle: sendAway,
  }),
  route({
    method: 'delete',
    path: '/v1/recipients/{id}/sessions',
    operationId: 'endSessions',
    summary: 'Sign a person out of the console, everywhere',
    scopes: ['operate'],
    answers: [ok('SessionsEnded', 'ended')],
    handle: signOut,
  }),
]

/** Also for somebody who has left the configuration: a row of theirs may still stand. */
async function signOut(
  { store }: Door,
  request: RouteRequest<'id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id: user_id } = request.params
  if (!id.safeParse(user_id).success) return refuse(reply, 'not_found', NO_RECIPIENT)
  await endAll(store, user_id, callerOf(request).key_id)
  return reply.send({ user_id, sessions: 'ended' })
}

async function sendAway(
  { config, lane }: Door,
  request: RouteRequest<'id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id: user_id } = request.params
  if (config.recipients[user_id] === undefined) return refuse(reply, 'not_found', NO_RECIPIENT)
  const body = absence.safeParse(request.body)
  if (!body.success) {
    const errors = refusalOf(request.body, body.error.issues)
    return refuse(reply, 'invalid_request', `The body is ${AWAY_WORDS}.`, errors)
  }
  const { until, from, to } = body.data
  const plan = {
    user_id,
    until: msOf(until) ?? 0,
    ...(from !== undefined && { from: msOf(from) ?? 0 }),
    ...(to !== undefined && { to }),
  }
  const away = await lane.sendAway(plan, callerOf(request).key_id)
  if (!('accepted' in away)) return reply.send({ user_id, ...away })
  const { field, accepted } = away
  const read = JSON.stringify(field === '/to' ? to : until)
  const detail =
    field === '/to' ? `${to} cannot be asked in the place of ${user_id}.` : 'That is no time to be away.'
  return refuse(reply, 'invalid_request', detail, [{ field, read, accepted }])
}

export const NO_RECIPIENT = 'There is no such recipient; see GET /v1/recipients.'

async function invite(
  { config, lane }: Door,
  request: RouteRequest<'id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id } = request.params
  if (config.recipients[id] === undefined) return refuse(reply, 'not_found', NO_RECIPIENT)
  const body = invitation.safeParse(request.body)
  if (!body.success) {
    const errors = refusalOf(request.body, body.error.issues)
    return refuse(reply, 'invalid_request', `The body is {"channel": ${CHANNEL_WORDS}}.`, errors)
  }
  const { channel } = body.data
  const invited = await lane.invite(id, channel, callerOf(request).key_id)
  switch (invited.kind) {
    case 'invited':
      return reply.code(201).send({ url: invited.url, expires_at: invited.expires_at })
    case 'not_linkable':
      return refuse(
        reply,
        'not_linkable',
        `Recipient ${id} has no address of their own to link there; telegram: link in the configuration says so.`,
      )
    case 'unavailable':
      return refuse(reply, 'channel_unavailable', `${channel} does not answer just now; try again.`)
  }
}
