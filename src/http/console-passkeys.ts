// The passkeys of the person who has signed in, and the page of somebody who was invited to make one. GET only draws; what a
// browser made is looked at once, and becomes nobody's before the person has said YES elsewhere, or an operator has said
// whose it is.
//
// PX1  A link is for one person, once, within an hour. Who is signed in as somebody else cannot use it.
// PX2  An operator's word counts only for those whom no channel vouches for, and while their key may operate.
import type { FastifyReply } from 'fastify'
import { html } from '../adapter/markup.js'
import { passkeyHost } from '../config/signing-in.js'
import { PASSKEY } from '../console/passkey-script.js'
import { confirmWords, drawPasskeys, invitedPage, makingForm } from '../console/passkeys.js'
import { type Claim, fingerprintOf } from '../enrolment/claim.js'
import { listPasskeys } from '../enrolment/listing.js'
import { acted } from '../event.js'
import type { Channel } from '../request/channel.js'
import { ALGORITHMS, challengeFor, readMade, type Site, userHandleOf } from '../session/passkey.js'
import { type Invited, readInvitation } from '../session/passkey-link.js'
import { issue, read, spend } from '../session/ticket.js'
import { asPerson, leadTo, type PersonVisit, rootOf, show, stopIn } from './console-visit.js'
import { text } from './openapi/schema.js'
import { draw, stop, type Visit } from './reply-visit.js'
import { HTML, type Route, route } from './route.js'
import { cookieFor, foreignForm, isFromOurs, sessionOf } from './session.js'

/** A key, its id, and what the browser says of the page; an attestation would be longer, and none is asked for. */
const FORM_BYTES = 32 * 1024
const FORM = { media: ['application/x-www-form-urlencoded'], isBytes: true, atMost: FORM_BYTES } as const
/** Somebody who has opened the page makes it now. */
const OFFER_MS = 10 * 60 * 1000

export const PASSKEY_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/console/passkeys',
    operationId: 'drawPasskeys',
    summary: 'The passkeys of the person who has signed in, and a form for another',
    answers: [
      { status: 200, media: HTML, words: 'the page' },
      { status: 303, media: HTML, words: 'to where people sign in' },
    ],
    refuses: ['not_found'],
    handle: (parts, request, reply) => asPerson({ parts, request, reply }, look),
  }),
  route({
    method: 'post',
    path: '/console/passkeys',
    operationId: 'makePasskey',
    summary: 'A passkey that was just made; its person is asked elsewhere whether it is theirs',
    takes: { ...FORM, body: 'PasskeyForm' },
    answers: [
      { status: 200, media: HTML, words: 'asked' },
      { status: 303, media: HTML, words: 'to where people sign in' },
    ],
    refuses: ['not_found', 'foreign_origin', 'csrf_mismatch', 'passkey_refused', 'not_available'],
    handle: (parts, request, reply) => asPerson({ parts, request, reply }, made),
  }),
  route({
    method: 'post',
    path: '/console/passkeys/revoke',
    operationId: 'takeBackPasskey',
    summary: 'The person who has signed in takes a passkey of theirs back',
    takes: { ...FORM, body: 'PasskeyEndForm' },
    answers: [{ status: 303, media: HTML, words: 'to their passkeys, or to where people sign in' }],
    refuses: ['not_found', 'foreign_origin', 'csrf_mismatch'],
    handle: (parts, request, reply) => asPerson({ parts, request, reply }, takeBack),
  }),
  route({
    method: 'get',
    path: '/console/passkeys/new',
    operationId: 'drawInvitedPasskey',
    summary: 'The page of somebody who was invited to make a passkey; drawing it uses nothing up',
    query: { link: text },
    answers: [{ status: 200, media: HTML, words: 'the page' }],
    refuses: ['not_found', 'not_available'],
    handle: (parts, request, reply) => lookInvited({ parts, request, reply }, request.query.link),
  }),
  route({
    method: 'post',
    path: '/console/passkeys/new',
    operationId: 'makeInvitedPasskey',
    summary: 'The passkey of somebody who was invited',
    takes: { ...FORM, body: 'PasskeyForm' },
    answers: [{ status: 200, media: HTML, words: 'asked, or registered by the operator’s word' }],
    refuses: ['not_found', 'not_available', 'foreign_origin', 'passkey_refused'],
    handle: (parts, request, reply) => madeInvited({ parts, request, reply }),
  }),
]

const NUMBER =
  'There are no passkeys here: a browser makes them for a domain over https, or for localhost, and PUBLIC_URL is neither.'
const NO_CHANNEL =
  'No channel of yours vouches for who answers on it, so nobody could confirm that a passkey is yours. An operator can enrol one for you: lane recipients passkey USER.'
const REFUSED = 'This is no new passkey for this page, or the page is older than ten minutes. Open it again.'
const USED = 'This link was used, or its time is over, or it is not for you. Ask for another.'
const FOREIGN = 'This must be sent from a page of the console.'
const STALE = 'This page is of an earlier session. Open it again.'
const NOT_THEIRS = 'You have no such passkey; it may have been taken back before.'
const TAKEN = 'This passkey is known here already.'

/** Null where there can be no passkeys. */
export function siteOf({ publicUrl }: Pick<Visit['parts'], 'publicUrl'>): Site | null {
  const host = passkeyHost(publicUrl())
  return host === null ? null : { host, origin: new URL(publicUrl()).origin }
}

async function look(visit: PersonVisit): Promise<FastifyReply> {
  const { parts, session } = visit
  const { user_id } = session
  const site = siteOf(parts)
  const channels = parts.enrolment.channelsOf(user_id)
  const passkeys = await listPasskeys(parts.store, user_id)
  const form =
    site === null || channels.length === 0
      ? null
      : makingForm({
          ...(await offerOf(
            visit,
            site,
            user_id,
            issue(parts.csrf, 'passkey', user_id, parts.now() + OFFER_MS),
          )),
          action: `${rootOf(parts)}/console/passkeys`,
          csrf: session.csrf,
        })
  const main = drawPasskeys({
    passkeys,
    action: `${rootOf(parts)}/console/passkeys/revoke`,
    csrf: session.csrf,
    here: session.credential_hash ?? null,
    form,
    why: site === null ? NUMBER : NO_CHANNEL,
    channels: spoken(channels),
  })
  return show(visit, { title: 'Passkeys', here: 'passkeys', main, ...(form && { passkey: MAKING }) })
}

const MAKING = { use: 'create', script: PASSKEY } as const

const NAMES: Readonly<Record<Channel, string>> = {
  slack: 'Slack',
  email: 'email',
  telegram: 'Telegram',
  sms: 'SMS',
  web: 'the web',
}
export const spoken = (channels: readonly Channel[]): string => channels.map(one => NAMES[one]).join(' and ')

async function offerOf({ parts }: Visit, { host }: Site, user_id: string, ticket: string) {
  const name = parts.config.recipients[user_id]?.name ?? user_id
  const known = (await parts.store.shelf.passkeysOf(user_id)).map(one => one.credential_id)
  return {
    ticket,
    challenge: challengeFor('create', ticket),
    host,
    person: { user_id, name, handle: userHandleOf(user_id) },
    known,
    algorithms: ALGORITHMS,
  }
}

/** A session is enough to take a right away; the person is told of it elsewhere. */
async function takeBack(visit: PersonVisit): Promise<FastifyReply> {
  const { parts, request, session } = visit
  const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '')
  const flaw = foreignForm(parts, request, session, form.get('csrf') ?? '')
  if (flaw !== null) return stopIn(visit, flaw, html`${flaw === 'foreign_origin' ? FOREIGN : STALE}`)
  const theirs = await parts.store.shelf.passkeysOf(session.user_id)
  const passkey = theirs.find(({ credential_hash }) => credential_hash === form.get('credential'))
  const isGone = passkey !== undefined && (await parts.enrolment.revoke(passkey, 'person', []))
  return isGone ? leadTo(visit, '/console/passkeys') : stopIn(visit, 'not_found', html`${NOT_THEIRS}`)
}

type Filled = {
  readonly ticket: string
  readonly csrf: string
  readonly client_data: string
  readonly attestation: string
}

function formOf(body: unknown): Filled {
  const form = new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')
  const field = (name: keyof Filled): string => form.get(name) ?? ''
  return {
    ticket: field('ticket'),
    csrf: field('csrf'),
    client_data: field('client_data'),
    attestation: field('attestation'),
  }
}

async function made(visit: PersonVisit): Promise<FastifyReply> {
  const { parts, request, session } = visit
  const form = formOf(request.body)
  const flaw = foreignForm(parts, request, session, form.csrf)
  if (flaw !== null) return stopIn(visit, flaw, html`${flaw === 'foreign_origin' ? FOREIGN : STALE}`)
  const site = siteOf(parts)
  if (site === null) return stopIn(visit, 'not_available', html`${NUMBER}`)
  const isTheirs = read(parts.csrf, 'passkey', form.ticket, parts.now()) === session.user_id
  const claim = isTheirs ? await claimIn(visit, site, form) : null
  if (claim === null) return stopIn(visit, 'passkey_refused', html`${REFUSED}`)
  const asked = await parts.enrolment.ask(session.user_id, claim, placeOf(visit, site))
  if (asked.kind === 'no_channel') return stopIn(visit, 'not_available', html`${NO_CHANNEL}`)
  if (asked.kind === 'refused') return stopIn(visit, 'passkey_refused', html`${asked.detail}`)
  const back = `${rootOf(parts)}/console/passkeys`
  const main = confirmWords(fingerprintOf(claim), spoken(asked.channels), back)
  return show(visit, { title: 'Passkeys', here: 'passkeys', main })
}

/** What the browser made for this ticket, which is then spent; null where it is nothing, or somebody's already. */
async function claimIn(
  { parts }: Visit,
  site: Site,
  { ticket, client_data, attestation }: Filled,
): Promise<Extract<Claim, { kind: 'passkey' }> | null> {
  const passkey = await readMade(site, ticket, { client_data, attestation })
  if (passkey === null || (await parts.store.shelf.passkeyById(passkey.credential_id)) !== null) return null
  return (await spend(parts.store.ledger, ticket)) ? { kind: 'passkey', ...passkey } : null
}

const placeOf = ({ request }: Visit, { host }: Site) => ({
  host,
  browser: request.headers['user-agent'] ?? null,
})

/** The person whom a link invites, if it stands, and nobody else is signed in here (PX1). */
async function invitedBy(visit: Visit, link: string): Promise<Invited | null> {
  const { parts, request } = visit
  const invited = readInvitation(parts.csrf, link, parts.now())
  if (invited === null || parts.config.recipients[invited.user_id] === undefined) return null
  const session = await sessionOf(parts, request)
  if (session !== null && (session.kind !== 'person' || session.user_id !== invited.user_id)) return null
  return invited.by === 'operator' && !mayEnrol(visit, invited) ? null : invited
}

/** PX2. */
function mayEnrol({ parts }: Visit, { user_id, key_id }: Extract<Invited, { by: 'operator' }>): boolean {
  const key = parts.keys.get(key_id)
  const operates = key !== null && key.revoked_at === null && key.scopes.includes('operate')
  return operates && parts.enrolment.channelsOf(user_id).length === 0
}

async function lookInvited(visit: Visit, link: unknown): Promise<FastifyReply> {
  const { parts } = visit
  const site = siteOf(parts)
  if (site === null || cookieFor(parts, visit.request) === null) return stop(visit, 'not_available', NUMBER)
  const invited = typeof link === 'string' ? await invitedBy(visit, link) : null
  if (invited === null || typeof link !== 'string') return stop(visit, 'not_found', USED)
  const offer = await offerOf(visit, site, invited.user_id, link)
  const form = makingForm({ ...offer, action: `${rootOf(parts)}/console/passkeys/new`, csrf: null })
  const main = invitedPage(offer.person.name, invited.by === 'person', form)
  return draw(visit, { kind: 'outside', title: 'A passkey', main, passkey: MAKING })
}

async function madeInvited(visit: Visit): Promise<FastifyReply> {
  const { parts, request } = visit
  const site = siteOf(parts)
  if (site === null || cookieFor(parts, request) === null) return stop(visit, 'not_available', NUMBER)
  if (!isFromOurs(request.headers, parts.publicUrl())) return stop(visit, 'foreign_origin', FOREIGN)
  const form = formOf(request.body)
  const invited = await invitedBy(visit, form.ticket)
  if (invited === null) return stop(visit, 'not_found', USED)
  const claim = await claimIn(visit, site, form)
  if (claim === null) return stop(visit, 'passkey_refused', REFUSED)
  return invited.by === 'person'
    ? askInvited(visit, site, invited, claim)
    : registerInvited(visit, invited, claim)
}

type Passkey = Extract<Claim, { kind: 'passkey' }>

async function askInvited(
  visit: Visit,
  site: Site,
  { user_id }: Invited,
  claim: Passkey,
): Promise<FastifyReply> {
  const { parts } = visit
  const asked = await parts.enrolment.ask(user_id, claim, placeOf(visit, site))
  if (asked.kind !== 'asked')
    return stop(visit, 'passkey_refused', asked.kind === 'refused' ? asked.detail : NO_CHANNEL)
  const back = `${rootOf(parts)}/console/sign-in`
  const main = confirmWords(fingerprintOf(claim), spoken(asked.channels), back)
  return draw(visit, { kind: 'outside', title: 'A passkey', main })
}

async function registerInvited(
  visit: Visit,
  { user_id, key_id }: Extract<Invited, { by: 'operator' }>,
  { credential_id, public_key }: Passkey,
): Promise<FastifyReply> {
  const { parts } = visit
  const deed = acted('passkey_enrolled', user_id, key_id)
  const isNew = await parts.enrolment.register({ credential_id, public_key, user_id, by: 'operator' }, [deed])
  if (!isNew) return stop(visit, 'passkey_refused', TAKEN)
  const main = html`<section class="sheet calm"><h1>The passkey is registered</h1><p><a href="${rootOf(parts)}/console/sign-in">Sign in with it</a>.</p></section>`
  return draw(visit, { kind: 'outside', title: 'A passkey', main })
}
