// Cases as a caller may see them: one, or a page of them.
import { type Case, decidingReply } from '../agenda/case.js'
import type { Hash } from '../canonical.js'
import type { Caller } from '../keys/key-book.js'
import { wordsOf } from '../ledger/beside.js'
import type { Scope } from '../ledger/shelf.js'
import { hashCredential } from '../passkey/credential.js'
import { isEvidence } from '../passkey/evidence.js'
import { isByPasskey } from '../request/way.js'
import { showCase } from './case.js'
import { type DoorParts, has } from './door.js'

type CaseParts = Pick<DoorParts, 'lane' | 'store'>

/** Cases on a page. */
export const PAGE = 50

/** Pending or partial. */
export const OPEN = 'open'

type Filter = {
  readonly state?: string | undefined
  readonly run_id?: string | undefined
  /** The place of the last one seen: those opened before it come next. */
  readonly before: number
}

/** The caller's own request, or anyone's for an auditor. Requests of others are simply not there. */
export async function visibleCase(
  { lane }: CaseParts,
  caller: Caller,
  id: string,
  seesAll: Scope = 'audit',
): Promise<Case | null> {
  const subject = await lane.current(id)
  if (subject === null) return null
  const own = has(caller, 'request') && subject.opened_by === caller.key_id
  return own || has(caller, seesAll) ? subject : null
}

/** An auditor also sees the words behind the answer, unless they were erased, and which passkey confirmed it; the key that opened an approval also
 *  sees the right that a YES has given. */
export async function showTo({ lane, store }: CaseParts, caller: Caller, subject: Case) {
  const deciding = has(caller, 'audit') ? decidingReply(subject) : null
  const raw = deciding === null ? null : await store.shelf.raw(deciding.reply.reply_id)
  const credential = deciding && (await credentialBehind(store, deciding))
  const own = has(caller, 'request') && subject.opened_by === caller.key_id
  const policyToken = own ? await lane.director.policyToken(subject) : null
  const words = await wordsOf(store.shelf, subject.replies)
  return showCase(subject, { raw: raw?.raw ?? null, credential, policyToken, words })
}

/** The name of the passkey that confirmed a reply; null where none did. */
async function credentialBehind(
  { shelf }: CaseParts['store'],
  { reply }: NonNullable<ReturnType<typeof decidingReply>>,
): Promise<Hash | null> {
  if (!isByPasskey(reply.sender_identity.proof)) return null
  const evidence: unknown = JSON.parse((await shelf.evidence(reply.reply_id)) ?? 'null')
  return isEvidence(evidence) ? hashCredential(evidence) : null
}

/** Newest first: the caller's own, or everyone's for an auditor. */
export async function listCases(parts: CaseParts, caller: Caller, { state, run_id, before }: Filter) {
  const listed = await parts.store.ledger.list({
    before,
    limit: PAGE + 1,
    ...(state === OPEN ? { open: true } : state !== undefined && { state }),
    ...(run_id !== undefined && { run_id }),
    ...(!has(caller, 'audit') && { opened_by: caller.key_id }),
  })
  const page = listed.slice(0, PAGE)
  const cases = await Promise.all(page.map(({ request_id }) => parts.lane.current(request_id)))
  const there = cases.filter(subject => subject !== null)
  const items = await Promise.all(there.map(subject => showTo(parts, caller, subject)))
  const last = page.at(-1)
  const next_cursor = listed.length > PAGE && last !== undefined ? String(last.opened_seq) : null
  return { items, next_cursor }
}
