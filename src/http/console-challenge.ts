// The challenge for an answer that somebody is about to confirm with a passkey: bound to their copy, to what it shows, and
// to the exact reply. Naming it decides nothing and records nothing.
import type { FastifyReply } from 'fastify'
import { holds } from '../agenda/asked.js'
import { isOpen } from '../agenda/case.js'
import { asPerson, type PersonVisit } from './console-visit.js'
import { refuse } from './problem.js'
import { unread } from './reply-words.js'
import { HTML, ok, type Route, route } from './route.js'
import { foreignForm } from './session.js'
import { challengeInSession } from './session-answer.js'

/** As long as a form with an answer may be. */
const FORM_BYTES = 128 * 1024

export const CHALLENGE_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/console/requests/{id}/challenge',
    operationId: 'nameChallenge',
    summary: 'The challenge that a passkey signs to confirm this answer; decides nothing',
    takes: {
      media: ['application/x-www-form-urlencoded'],
      body: 'SessionForm',
      isBytes: true,
      atMost: FORM_BYTES,
    },
    answers: [
      ok('Challenge', 'the challenge, and the ticket to send with the assertion, within five minutes'),
      { status: 303, media: HTML, words: 'to where people sign in' },
    ],
    refuses: [
      'malformed_form',
      'unsupported_media_type',
      'foreign_origin',
      'csrf_mismatch',
      'not_found',
      'changed',
      'already_resolved',
      'reply_rejected',
      'reply_too_long',
      'reply_bad_charset',
      'reply_not_in_schema',
      'reason_missing',
      'seal_broken',
    ],
    handle: (parts, request, reply) =>
      asPerson({ parts, request, reply }, visit => name(visit, request.params.id)),
  }),
]

const FOREIGN = 'this must be sent from a page of the console.'
const STALE = 'this page is of an earlier session. Open it again.'
const MALFORMED = 'the form was not as the page sends it. Open it again.'
const ABSENT = 'this is no request of yours.'
const OVER = 'it has ended meanwhile. Open it again.'
const CHANGED = 'what is shown has changed. Open it again, and answer what stands there then.'
const NO_PASSKEY = 'you have no passkey that is enough here.'

async function name(visit: PersonVisit, id: string): Promise<FastifyReply> {
  const { parts, session, request, reply } = visit
  const form = parts.page.readForm(request.body as Uint8Array, request.headers['content-type'])
  const foreign = foreignForm(parts, request, session, form.kind === 'form' ? form.csrf : '')
  if (foreign === 'foreign_origin') return refuse(reply, foreign, FOREIGN)
  if (form.kind === 'malformed')
    return refuse(reply, form.code === 'unsupported_media_type' ? form.code : 'malformed_form', MALFORMED)
  if (foreign !== null) return refuse(reply, foreign, STALE)
  const subject = await parts.lane.current(id)
  if (subject === null || !holds(subject.asked, session.user_id)) return refuse(reply, 'not_found', ABSENT)
  if (!isOpen(subject)) return refuse(reply, 'already_resolved', OVER)
  const named = await challengeInSession(parts, session, subject, { ...form, display: form.display ?? '' })
  switch (named.kind) {
    case 'named':
      return reply.header('cache-control', 'no-store').send(named.challenge)
    case 'unread':
      return refuse(reply, named.reason, `${unread(named.reason)} ${named.accepted}`)
    case 'stopped':
      return refuse(
        reply,
        named.code,
        named.code === 'changed' ? CHANGED : named.code === 'not_found' ? ABSENT : NO_PASSKEY,
      )
  }
}
