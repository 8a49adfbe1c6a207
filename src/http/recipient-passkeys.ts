// The passkeys of a person, for operators: the invitation to make one, those there are, and taking one back.
import type { FastifyReply } from 'fastify'
import { instant } from '../clock.js'
import { passkeyHost } from '../config/signing-in.js'
import { type ListedPasskey, listPasskeys, named } from '../enrolment/listing.js'
import { acted } from '../event.js'
import { note } from '../record/record.js'
import { id } from '../request/field.js'
import { quote } from '../request/text.js'
import { issueInvitation, LINK_MS } from '../session/passkey-link.js'
import { callerOf, type Door } from './door.js'
import { refuse } from './problem.js'
import { NO_RECIPIENT } from './recipients.js'
import { ok, type Route, type RouteRequest, route } from './route.js'

export const RECIPIENT_PASSKEY_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/v1/recipients/{id}/passkeys',
    operationId: 'invitePasskey',
    summary:
      'Invite a person to make a passkey: on a channel of theirs, or by a link where none vouches for them',
    scopes: ['operate'],
    answers: [ok('PasskeyInvitation', 'sent to them, or to be given to them', 201)],
    refuses: ['not_available', 'rate_limited'],
    handle: invitePasskey,
  }),
  route({
    method: 'get',
    path: '/v1/recipients/{id}/passkeys',
    operationId: 'listPasskeys',
    summary: 'The passkeys of a person, the oldest first',
    scopes: ['operate'],
    answers: [ok('Passkeys', 'by the characters that the person is shown')],
    handle: list,
  }),
  route({
    method: 'delete',
    path: '/v1/recipients/{id}/passkeys/{credential}',
    operationId: 'revokePasskey',
    summary: 'Take a passkey back: it signs nobody in and confirms nothing from then on',
    scopes: ['operate'],
    answers: [
      ok(
        'RevokedPasskey',
        'taken back; its person is told on these channels, on none where no channel reaches them',
      ),
    ],
    refuses: ['invalid_request'],
    handle: revoke,
  }),
]

/** The lane sends it itself wherever it can: an operator is then given nothing by which they could enrol a passkey. */
async function invitePasskey(
  door: Door,
  request: RouteRequest<'id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { config, enrolment, store, csrf, publicUrl, now } = door
  const { id: user_id } = request.params
  const { key_id } = callerOf(request)
  if (config.recipients[user_id] === undefined) return refuse(reply, 'not_found', NO_RECIPIENT)
  const host = passkeyHost(publicUrl())
  if (host === null) return refuse(reply, 'not_available', NO_PASSKEYS)
  // First: whatever is sent or handed out then has its author.
  await note(store.ledger, acted('recipient_invited', user_id, key_id))
  const invited = await enrolment.invite(user_id, host)
  if (invited.kind === 'refused') return refuse(reply, 'rate_limited', invited.detail)
  if (invited.kind === 'asked') {
    const { channels, until: expires_at } = invited
    return reply.code(201).send({ user_id, by: 'person', channels, url: null, expires_at })
  }
  const until = now() + LINK_MS
  const link = issueInvitation(csrf, { by: 'operator', user_id, key_id }, until)
  const url = `${publicUrl()}/console/passkeys/new?link=${link}`
  return reply.code(201).send({ user_id, by: 'operator', channels: [], url, expires_at: instant(until) })
}

const NO_PASSKEYS =
  'A browser makes passkeys for a domain over https, or for localhost: PUBLIC_URL is neither.'

/** Also of somebody who has left the configuration: they may come back under that id. Null where there is nobody. */
async function passkeysIn({ config, store }: Door, userId: string): Promise<readonly ListedPasskey[] | null> {
  if (!id.safeParse(userId).success) return null
  const passkeys = await listPasskeys(store, userId)
  return passkeys.length === 0 && config.recipients[userId] === undefined ? null : passkeys
}

async function list(door: Door, request: RouteRequest<'id'>, reply: FastifyReply): Promise<FastifyReply> {
  const items = await passkeysIn(door, request.params.id)
  return items === null ? refuse(reply, 'not_found', NO_RECIPIENT) : reply.send({ items })
}

const ACCEPTED = 'at least the first four characters of a passkey, such as 1a2b-3c4d'

async function revoke(
  door: Door,
  request: RouteRequest<'id' | 'credential'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id: user_id, credential } = request.params
  const passkeys = await passkeysIn(door, user_id)
  if (passkeys === null) return refuse(reply, 'not_found', NO_RECIPIENT)
  const meant = named(passkeys, credential)
  if (meant === null) {
    const errors = [{ field: '/credential', read: quote(credential), accepted: ACCEPTED }]
    return refuse(reply, 'invalid_request', `A passkey is named by ${ACCEPTED}.`, errors)
  }
  const [passkey, other] = meant
  if (other !== undefined) {
    const errors = [{ field: '/credential', read: quote(credential), accepted: `one of ${spoken(meant)}` }]
    const detail = `${meant.length} passkeys of ${user_id} begin so: ${spoken(meant)}. Name more of the one you mean.`
    return refuse(reply, 'invalid_request', detail, errors)
  }
  const deed = acted('passkey_revoked', user_id, callerOf(request).key_id)
  if (passkey !== undefined && (await door.enrolment.revoke(passkey, 'operator', [deed]))) {
    const { credential_hash } = passkey
    const channels = door.enrolment.reachedOn(user_id)
    return reply.send({
      user_id,
      credential: passkey.credential,
      credential_hash,
      passkey: 'revoked',
      channels,
    })
  }
  const others = passkeys.filter(one => one !== passkey)
  const has = others.length === 0 ? 'no passkey' : `no other than ${spoken(others)}`
  return refuse(reply, 'not_found', `${user_id} has no such passkey, and ${has}.`)
}

const spoken = (passkeys: readonly ListedPasskey[]): string =>
  passkeys.map(({ credential }) => credential).join(', ')
