// How a passkey, or an account at the OpenID provider, becomes a person's: the lane asks them, on channels that vouch for
// who answers, and their own YES there is what makes it theirs. The question is a request like any other, so its deadline,
// its checks and its closing come with it.
//
// EY1  Nothing is anybody's before the person themselves has said YES, by a proof of a channel that vouches. A session, a
//      link with its code, a text message, a delegate or a deputy is not enough.
// EY2  What waits is put beside the ledger with the opening of its question, and becomes theirs in one append that claims
//      it: once, on whatever replica, and also after a crash between the YES and that append.
// EY3  A credential is one person's for good, whatever key somebody brings under its id.
// EY4  The person is told of it on all their channels: by the closing of the question where they were asked, by a question of
//      its own elsewhere (notice.ts).
// EY5  Nobody is asked without end, whoever tries.
// EY6  A passkey that is taken back is nobody's from that append on, for good. What its person is to be told waits beside the
//      ledger from the same append on, until it is told, also after a crash. Whoever takes it back learns where they are told.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter } from '../adapter/contract.js'
import { type Case, isOpen } from '../agenda/case.js'
import { canonical, type Hash } from '../canonical.js'
import type { Config } from '../config/config.js'
import { type Draft, type Entry, LANE } from '../event.js'
import type { Lane } from '../lane/lane.js'
import { ifSound, type Store } from '../ledger/contract.js'
import type { EnrolmentRow, PasskeyRow, Shelving } from '../ledger/shelf.js'
import type { Directory } from '../people/directory.js'
import { TO_BE_LINKED } from '../people/person.js'
import type { Channel, Proof } from '../request/channel.js'
import { OWN_PROOF } from '../request/way.js'
import { draw } from '../token/chance.js'
import { type Claim, readWaiting, shorten, writeWaiting } from './claim.js'
import { claimed, type Effect, NOTHING, noticeFor, registration, revocation } from './effect.js'
import { notify } from './notice.js'
import { invitationFor, noticeOf, type Place, revocationOf, wordsFor } from './words.js'

type EnrolmentParts = {
  readonly lane: Pick<Lane, 'ask' | 'current'>
  readonly store: Store
  readonly config: Pick<Config, 'recipients'>
  readonly adapters: ReadonlyMap<Channel, Adapter>
  readonly directory: Pick<Directory, 'addressOf'>
  readonly onTrouble: (error: unknown) => void
}

/** The proofs of channels that vouch for who answers. */
const VOUCHING: readonly Proof[] = ['slack_signed', 'telegram_id', 'dmarc']

/** They have just made it and look at the page: who has not answered by then was somebody else. */
const ANSWER_SECONDS = 15 * 60
const RETRY_MS = 1_000
const ID_BYTES = 12
/** Of a run. Two people whose long ids begin alike share a limit, and nothing else. */
const MOST_ID = 128
/** No other request is looked at when it is resolved. */
const PREFIX = 'enrolment-'
const INVITED = 'passkey-invitation-'
const INVITED_SECONDS = 60 * 60
/** An invitation is used by whoever has what was sent to the person, and what they make with it is asked of the person. */
const POSSESSION: readonly Proof[] = ['link_code', 'console']
/** A person whom somebody asks again and again, with a stolen session or an account of their own, might say YES to have peace
 *  (EY5). The configuration bounds what agents ask, and may bound nothing. */
const PATIENCE = { open_questions_per_run: 3, requests_per_recipient_per_hour: 20 } as const
const BY_YES_OR_NO = {
  context_handles: [],
  default_action: 'DENY',
  reply_schema: { kind: 'yes_no' },
} as const

type Asked =
  | {
      readonly kind: 'asked'
      readonly request_id: string
      readonly channels: readonly Channel[]
      readonly until: string
    }
  /** No channel of theirs vouches for who answers. */
  | { readonly kind: 'no_channel' }
  | { readonly kind: 'refused'; readonly detail: string }

export class Enrolment {
  readonly #parts: EnrolmentParts

  constructor(parts: EnrolmentParts) {
    this.#parts = parts
  }

  /** Settles what was answered while no lane ran, and from then on what is answered (EY2). Returns the end of it. */
  async start(): Promise<() => void> {
    const { store } = this.#parts
    const stopping = new AbortController()
    const hear = (entries: readonly Entry[]): void => this.#hear(entries, stopping.signal)
    const leave = store.ledger.onCommit(hear, ['REQUEST_RESOLVED', 'PASSKEY_REGISTERED', 'PASSKEY_REVOKED'])
    for (const row of await store.shelf.enrolments())
      if (readWaiting(row.claim).kind !== 'revoked') await this.settle(row.request_id)
      else await this.#begin(() => this.#tellRevoked(row.request_id), stopping.signal)
    for (const { by, credential_hash } of await store.shelf.passkeys())
      if (by === 'operator') await this.#begin(() => this.#tell(credential_hash), stopping.signal)
    return () => {
      leave()
      stopping.abort()
    }
  }

  /** The channels that reach them: those they are told on. None where they have left the configuration. */
  reachedOn(userId: string): readonly Channel[] {
    const { config, adapters, directory } = this.#parts
    return (config.recipients[userId]?.channels ?? []).filter(
      channel => adapters.has(channel) && directory.addressOf(userId, channel) !== null,
    )
  }

  /** The channels on which they can be asked whether something is theirs (EY1). */
  channelsOf(userId: string): readonly Channel[] {
    return this.reachedOn(userId).filter(channel => {
      const proof = OWN_PROOF[channel]
      return proof !== null && VOUCHING.includes(proof)
    })
  }

  /** Asks the person whether this is theirs, on every channel that vouches. */
  ask(user_id: string, claim: Claim, place: Place): Promise<Asked> {
    const request_id = `${PREFIX}${draw(ID_BYTES).toString('hex')}`
    const enrolment = { request_id, user_id, claim: writeWaiting(claim) }
    return this.#put(
      user_id,
      { question_id: request_id, ...wordsFor(claim, place), deadline_seconds: ANSWER_SECONDS },
      { proofs: VOUCHING, limits: PATIENCE, beside: [{ put: 'enrolment', enrolment }], guards: [] },
    )
  }

  /** Sends an invitation to make a passkey to the person's own channels: the page it leads to takes their YES with the
   *  code that came along, and leads on to where one is made (invitedIn). What they make there is asked of them again. */
  invite(user_id: string, host: string): Promise<Asked> {
    const question_id = `${INVITED}${draw(ID_BYTES).toString('hex')}`
    return this.#put(
      user_id,
      { question_id, ...invitationFor(host), deadline_seconds: INVITED_SECONDS },
      { proofs: POSSESSION, limits: PATIENCE, beside: [], guards: [] },
    )
  }

  async #put(
    user_id: string,
    asking: { readonly question_id: string; readonly [member: string]: unknown },
    own: Parameters<Lane['ask']>[1],
  ): Promise<Asked> {
    const channels = this.channelsOf(user_id)
    if (channels.length === 0) return { kind: 'no_channel' }
    const request = { type: 'REQUEST_QUESTION', ...asking, ...BY_YES_OR_NO }
    // A run for each person: the limit of open questions is then how often they can be asked at once.
    const run = { run_id: `${PREFIX}${user_id}`.slice(0, MOST_ID), mood: 'DEFERENTIAL' }
    const recipients = [{ user_id, channels }]
    const submitted = await this.#parts.lane.ask({ request, run, recipients, urgency: 'high' }, own)
    if (submitted.kind === 'refused') return { kind: 'refused', detail: submitted.detail }
    const { deadline_at } = submitted.subject
    return { kind: 'asked', request_id: asking.question_id, channels, until: deadline_at }
  }

  async #effectOf({ user_id, claim: text }: EnrolmentRow): Promise<Effect> {
    const claim = readWaiting(text)
    if (claim.kind === 'revoked') return NOTHING
    if (claim.kind === 'passkey') {
      const { credential_id, public_key } = claim
      return registration({ credential_id, public_key, user_id, by: 'person' })
    }
    const { issuer, sub } = claim
    const link = { user_id, channel: 'web', address: canonical({ issuer, sub }) } as const
    return {
      events: [{ type: 'RECIPIENT_LINKED', body: { user_id, channel: 'web' } }],
      shelve: [{ put: 'link', link }],
      guards: [
        // Once: a second account of theirs at this provider is somebody else's.
        claimed(`oidc ${canonical([issuer, user_id])}`),
        {
          kind: 'address',
          channel: 'web',
          address: link.address,
          theirs: [user_id, ...(await this.#leftOver())],
        },
      ],
    }
  }

  /** People who linked an account while the configuration left it to them, which it no longer does. */
  async #leftOver(): Promise<readonly string[]> {
    const { store, config } = this.#parts
    const links = (await store.shelf.links()).filter(({ channel }) => channel === 'web')
    return links.map(({ user_id }) => user_id).filter(id => config.recipients[id]?.oidc !== TO_BE_LINKED)
  }

  /** By an operator's word, for somebody whom no channel vouches for. False where the credential is somebody's (EY3). */
  register(passkey: Omit<PasskeyRow, 'credential_hash'>, beside: readonly Draft[]): Promise<boolean> {
    return this.#append(registration(passkey), beside)
  }

  /** Takes a passkey back. False where it is nobody's by now (EY6). */
  revoke(
    passkey: Pick<PasskeyRow, 'user_id' | 'credential_hash'>,
    by: PasskeyRow['by'],
    beside: readonly Draft[],
  ): Promise<boolean> {
    return this.#append(revocation(passkey, by), beside)
  }

  async #append({ events, shelve, guards }: Effect, beside: readonly Draft[]): Promise<boolean> {
    const { kind } = await this.#parts.store.ledger.append({
      guards,
      decide: () => ({ kind: 'append', events: [...beside, ...events], shelve }),
    })
    return kind === 'appended'
  }

  #hear(entries: readonly Entry[], stopping: AbortSignal): void {
    for (const { type, request_id = '', body } of entries) {
      if (type === 'REQUEST_RESOLVED' && request_id.startsWith(PREFIX))
        void this.#insist(() => this.settle(request_id), stopping)
      if (type === 'PASSKEY_REGISTERED') void this.#insist(() => this.#tell(body.credential_hash), stopping)
      if (type === 'PASSKEY_REVOKED')
        void this.#insist(() => this.#tellRevoked(noticeFor(body.credential_hash)), stopping)
    }
  }

  /** At a start, which nothing that cannot be done just now holds up. */
  async #begin(deed: () => Promise<void>, stopping: AbortSignal): Promise<void> {
    await deed().catch(() => void this.#insist(deed, stopping))
  }

  /** Until it succeeds: nobody says YES a second time. */
  async #insist(deed: () => Promise<void>, stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      try {
        return await deed()
      } catch (error) {
        this.#parts.onTrouble(error)
        await sleep(RETRY_MS, undefined, { signal: stopping }).catch(() => undefined)
      }
    }
  }

  /** EY4. */
  async #tell(credential_hash: Hash): Promise<void> {
    const passkey = await this.#parts.store.shelf.passkey(credential_hash)
    if (passkey === null) return
    const { user_id, by } = passkey
    await notify(this.#parts, {
      user_id,
      but: by === 'person' ? this.channelsOf(user_id) : [],
      words: noticeOf(shorten(credential_hash), by),
      claims: claimed(`told ${credential_hash}`),
      beside: [],
    })
  }

  /** EY6. What waited is over with the question, or where there is nobody to be told. */
  async #tellRevoked(request_id: string): Promise<void> {
    const { store } = this.#parts
    const row = await store.shelf.enrolment(request_id)
    const revoked = row && readWaiting(row.claim)
    if (row === null || revoked?.kind !== 'revoked') return
    const over: Shelving = { put: 'enrolment_end', request_id }
    const isTold = await notify(this.#parts, {
      user_id: row.user_id,
      but: [],
      words: revocationOf(shorten(revoked.credential_hash), revoked.by),
      claims: claimed(request_id),
      beside: [over],
    })
    if (!isTold) await store.ledger.append({ decide: () => ({ kind: 'append', events: [], shelve: [over] }) })
  }

  /** What has become of the question decides; while it is open nothing does (EY2). */
  async settle(request_id: string): Promise<void> {
    const { store, lane, config } = this.#parts
    const row = await store.shelf.enrolment(request_id)
    // One whose seals are broken waits, and holds up no other: nobody can say what was answered.
    const subject = row && (await ifSound(lane.current(request_id)))
    if (row === null || subject === null || isOpen(subject)) return
    const isTheirs = config.recipients[row.user_id] !== undefined && saidYes(subject, row.user_id)
    const { events, shelve, guards } = isTheirs ? await this.#effectOf(row) : NOTHING
    const over: Shelving = { put: 'enrolment_end', request_id }
    const { kind } = await store.ledger.append({
      guards: [claimed(request_id), ...guards],
      decide: () => ({ kind: 'append', events, shelve: [...shelve, over] }),
    })
    // Somebody else has the credential, or another replica was here first: nothing waits any more.
    if (kind === 'guarded')
      await store.ledger.append({ decide: () => ({ kind: 'append', events: [], shelve: [over] }) })
  }
}

/** The person who has taken an invitation, and until when it is good; null for any other request. */
export function invitedIn(subject: Case): { readonly user_id: string; readonly until_ms: number } | null {
  const { request_id, opened_by, answer, deadline_ms, recipients } = subject
  if (opened_by !== LANE || !request_id.startsWith(INVITED) || answer?.parsed_choice !== 'YES') return null
  const user_id = recipients[0]?.user_id
  return user_id === answer.answered_by ? { user_id, until_ms: deadline_ms } : null
}

/** EY1. */
function saidYes({ answer }: Pick<Case, 'answer'>, userId: string): boolean {
  return (
    answer !== null &&
    answer.parsed_choice === 'YES' &&
    answer.answered_by === userId &&
    VOUCHING.includes(answer.proof)
  )
}
