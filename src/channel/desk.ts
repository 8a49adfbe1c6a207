// The lane as one channel sees it: it takes the channel's replies, files its reports, and answers its questions.

import type { Desk, Inbound, OwnView, Report, Verdict } from '../adapter/contract.js'
import { type Case, isOpen } from '../agenda/case.js'
import { LINKED } from '../agenda/delivery.js'
import { endingOf, spoken } from '../agenda/ending.js'
import type { Hash } from '../canonical.js'
import { asShown, readContents } from '../delivery/contents.js'
import { claimNotice } from '../delivery/notice.js'
import { report } from '../delivery/report.js'
import type { Lane } from '../lane/lane.js'
import { ifSound, type Store, type Waiting } from '../ledger/contract.js'
import type { Shelving } from '../ledger/shelf.js'
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

/** A copy that a report may be about. */
type Copy = { readonly request_id: string; readonly delivery_id: string; readonly token_hash: Hash }

/** Requests looked at together where a report is about a person. */
const TOGETHER = 64

export function openDesk(channel: Channel, parts: DeskParts): Desk {
  const { lane, store, directory } = parts
  const { ledger, shelf } = store
  const placed = (cursor: string): Shelving => ({ put: 'cursor', channel, cursor })
  const keep = async (cursor: string): Promise<void> => {
    await ledger.append({ decide: () => ({ kind: 'append', events: [], shelve: [placed(cursor)] }) })
  }

  async function* copiesOf({ about }: Report): AsyncIterable<Copy> {
    if (about.kind === 'sender') {
      const user = directory.whoHas(channel, about.sender)
      if (user !== null) yield* openCopiesOf(user)
      return
    }
    const handle = about.kind === 'handle' ? readHandle(about.handle) : null
    const named = handle === null ? null : await shelf.grant(hashHandle(handle))
    const grant = about.kind === 'ref' ? await shelf.grantByRef(channel, about.ref) : named
    if (grant?.channel !== channel) return
    const { request_id, delivery_id, token } = grant
    yield { request_id, delivery_id, token_hash: hashToken(token) }
  }

  /** A delivery's newest copy is the one a report about its person is about. */
  async function* openCopiesOf(user_id: string): AsyncIterable<Copy> {
    for (let after: Waiting | undefined; ; ) {
      const page = await ledger.inbox({ user_id, ...(after && { after }), limit: TOGETHER })
      for (const { request_id } of page) {
        const subject = await ifSound(lane.current(request_id))
        for (const { delivery_id, minted, ...one } of subject?.deliveries ?? [])
          if (one.channel === channel && one.user_id === user_id && minted !== null)
            yield { request_id, delivery_id, token_hash: minted.token_hash }
      }
      after = page.at(-1)
      if (after === undefined) return
    }
  }

  async function file(told: Report): Promise<void> {
    for await (const { request_id, delivery_id, token_hash } of copiesOf(told)) {
      const { status, stands } = told
      const about = { delivery_id, status, stands }
      const after = await ifSound(report(lane.recorder, request_id, token_hash, about))
      if (after !== null) lane.tend(after)
    }
  }

  return {
    async take(inbound, cursor) {
      const beside = cursor === undefined ? [] : [placed(cursor)]
      const received = (await ifSound(lane.answer(inbound, beside))) ?? UNKNOWN
      // A reply that was not recorded has not recorded its cursor either.
      if (cursor !== undefined && (await shelf.cursor(channel)) !== cursor) await keep(cursor)
      if (received.kind === 'unknown') parts.onStranger(channel)
      return verdictOf(received)
    },

    report: file,

    async look(inbound: Inbound) {
      const seen = await ifSound(lane.glance(inbound))
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
      (await ifSound(claimNotice(lane.recorder, request_id, { delivery_id, channel, reason, theirs }))) ??
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
  const { reason, refusal, delivery_id, theirs, passkey } = received
  return {
    kind: 'refused',
    reason,
    theirs,
    request_id: subject.request_id,
    delivery_id,
    read: refusal?.read ?? null,
    accepted: refusal?.accepted ?? null,
    ...(refusal?.lines !== undefined && { lines: refusal.lines }),
    ...(passkey && { passkey }),
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
