// The lane as one channel sees it: it takes the channel's replies, files its reports, and answers its questions.

import type { Desk, Inbound, OwnView, Report, Verdict } from '../adapter/contract.js'
import { type Case, isOpen } from '../agenda/case.js'
import { LINKED } from '../agenda/delivery.js'
import { endingOf, spoken } from '../agenda/ending.js'
import { asShown, readContents } from '../delivery/contents.js'
import { claimNotice } from '../delivery/notice.js'
import { report } from '../delivery/report.js'
import type { Lane } from '../lane/lane.js'
import { SealBroken, type Store } from '../ledger/contract.js'
import type { Grant, Shelving } from '../ledger/shelf.js'
import type { Directory } from '../people/directory.js'
import { accept } from '../people/invitation.js'
import type { Received } from '../reply/receive.js'
import type { Channel } from '../request/channel.js'
import { display } from '../request/display.js'
import { settledOf } from '../tally/form.js'
import { missingWords } from '../tally/so-far.js'
import { toldPayload } from '../tally/told.js'
import { hashToken } from '../token/jws.js'
import { hashHandle, readHandle } from '../token/reply-handle.js'

type DeskParts = {
  readonly lane: Lane
  readonly store: Store
  readonly directory: Directory
  readonly keyName: (keyId: string) => string
  /** A reply that named no delivery: counted, never recorded. */
  readonly onStranger: (channel: Channel) => void
}

export function openDesk(channel: Channel, parts: DeskParts): Desk {
  const { lane, store, directory } = parts
  const { ledger, shelf } = store
  const placed = (cursor: string): Shelving => ({ put: 'cursor', channel, cursor })
  const keep = async (cursor: string): Promise<void> => {
    await ledger.append({ decide: () => ({ kind: 'append', events: [], shelve: [placed(cursor)] }) })
  }

  async function grantsOf({ about }: Report): Promise<readonly Grant[]> {
    const one = async (): Promise<Grant | null> => {
      if (about.kind === 'ref') return shelf.grantByRef(channel, about.ref)
      const handle = about.kind === 'handle' ? readHandle(about.handle) : null
      return handle === null ? null : shelf.grant(hashHandle(handle))
    }
    if (about.kind !== 'sender') {
      const grant = await one()
      return grant === null || grant.channel !== channel ? [] : [grant]
    }
    const user = directory.whoHas(channel, about.sender)
    if (user === null) return []
    // A delivery is reported about once, by its newest handle, however many its copies have.
    const open = await shelf.openGrants(channel, user)
    return [...new Map(open.map(grant => [grant.delivery_id, grant])).values()]
  }

  async function file(told: Report): Promise<void> {
    for (const { request_id, delivery_id, token } of await grantsOf(told)) {
      const { status, stands } = told
      const about = { delivery_id, status, stands }
      const after = await sound(report(lane.recorder, request_id, hashToken(token), about))
      if (after !== null) lane.tend(after)
    }
  }

  return {
    async take(inbound, cursor) {
      const beside = cursor === undefined ? [] : [placed(cursor)]
      const received = (await sound(lane.answer(inbound, beside))) ?? UNKNOWN
      // A reply that was not recorded has not recorded its cursor either.
      if (cursor !== undefined && (await shelf.cursor(channel)) !== cursor) await keep(cursor)
      if (received.kind === 'unknown') parts.onStranger(channel)
      return verdictOf(received)
    },

    report: file,

    async look(inbound: Inbound) {
      const seen = await sound(lane.glance(inbound))
      if (seen === null) return null
      const { subject, delivery, reason } = seen
      const { delivery_id, voided, announces } = delivery
      return {
        delivery_id,
        voided,
        announces,
        display: asShown(
          display(subject, parts.keyName(subject.opened_by)),
          await readContents(shelf, subject),
          delivery.minted,
        ),
        settled: settledOf(subject),
        delegates: lane.beside(subject, delivery.user_id)?.delegates ?? [],
        reason,
        ending: isOpen(subject) ? null : endingOf(subject),
      }
    },

    notice: async ({ request_id, delivery_id, reason, theirs }) =>
      (await sound(claimNotice(lane.recorder, request_id, { delivery_id, channel, reason, theirs }))) ??
      false,
    async link(code, address) {
      const user = await accept(store, directory, channel, code, address)
      // Also for a repeated acceptance: the process that took the first may have died before this was done.
      if (user !== null)
        await file({ channel, about: { kind: 'sender', sender: address }, status: LINKED, stands: true })
      return user
    },
    keep,
    now: () => ledger.now(),
  }
}

const UNKNOWN: Received = { kind: 'unknown' }

/** Null about a request whose seal is broken: to a channel it does not exist. One message that names it must not hold
 *  up all that come after it. */
const sound = <T>(asked: Promise<T>): Promise<T | null> =>
  asked.catch(error => {
    if (error instanceof SealBroken) return null
    throw error
  })

function verdictOf(received: Received): Verdict {
  if (received.kind === 'unknown') return received
  const { subject } = received
  const ending = isOpen(subject) ? null : endingOf(subject)
  if (received.kind === 'handed') {
    const { from, to } = received
    const at = subject.hands.at(-1)?.at ?? subject.opened_at
    return {
      kind: 'recorded',
      answer: `handed to ${to}`,
      at,
      answered_by: from,
      missing: null,
      shown: shownTo(subject),
    }
  }
  if (received.kind === 'accepted') {
    // The case is as it was right after this reply: it is the last one counted.
    const counted = subject.replies.at(-1)
    if (counted === undefined) throw new Error('an accepted reply is counted')
    const { reply, at } = counted
    const answered_by = reply.sender_identity.user_id
    const missing = isOpen(subject) ? missingWords(subject) : null
    return { kind: 'recorded', answer: spoken(reply), at, answered_by, missing, shown: shownTo(subject) }
  }
  const { reason, refusal, delivery_id, theirs } = received
  return {
    kind: 'refused',
    reason,
    theirs,
    request_id: subject.request_id,
    delivery_id,
    read: refusal?.read ?? null,
    accepted: refusal?.accepted ?? null,
    ...(refusal?.lines !== undefined && { lines: refusal.lines }),
    ending,
  }
}

function shownTo(subject: Case): OwnView {
  const { request_id, state, deadline_at, resolved_at, answer, request, default_applied } = subject
  return {
    request_id,
    state,
    deadline_at,
    resolved_at,
    answer: answer && { parsed_choice: answer.parsed_choice, parsed_payload: toldPayload(answer) },
    default_action: request.default_action,
    default_applied,
  }
}
