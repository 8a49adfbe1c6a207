// The parts of a decision proof: which entries of a story it carries. What a proof must hold is asked of this table by
// the code that makes one and by the code that checks one.
import type { EventType } from '../event.js'

/** `always`: each of them. `issuing`: the one whose token an answer or a delegation used, and with a reminder every delivery
 *  before it, for a reminder shows what its copy showed, and which one that is can be told only if none is left out. Others
 *  never. */
const CARRIED: Readonly<Record<string, 'always' | 'issuing'>> = {
  REQUEST_OPENED: 'always',
  INBOUND_REPLY_RECEIVED: 'always',
  HUMAN_REPLY_EVENT: 'always',
  REPLY_EVIDENCE: 'always',
  REQUEST_DELEGATED: 'always',
  REQUEST_ESCALATED: 'always',
  TIMEOUT_RECEIPT: 'always',
  REQUEST_WITHDRAWN: 'always',
  REQUEST_RESOLVED: 'always',
  DIRECTOR_DECIDED: 'always',
  AHDB_DELTA: 'always',
  POLICY_TOKEN_ISSUED: 'always',
  POLICY_TOKEN_SPENT: 'always',
  POLICY_TOKEN_REVOKED: 'always',
  DELIVERY_STARTED: 'issuing',
  REQUEST_REMINDED: 'issuing',
}

export const isAlways = (type: string): boolean => kindOf(type) === 'always'
export const isIssuing = (type: string): boolean => kindOf(type) === 'issuing'

function kindOf(type: string): 'always' | 'issuing' | null {
  return Object.hasOwn(CARRIED, type) ? (CARRIED[type] ?? null) : null
}

/** An entry as far as its type says nothing of it: a proof may come from anybody. */
export type AnyEntry = {
  readonly v: number
  readonly seq: number
  readonly at: string
  readonly type: EventType | (string & {})
  readonly request_id?: string
  readonly run_id?: string
  readonly body: Readonly<Record<string, unknown>>
  readonly prev: string
  readonly hash: string
}

/** The token by which somebody answered or handed their right on. */
export function tokenUsedBy({ type, body }: Pick<AnyEntry, 'type' | 'body'>): unknown {
  if (type === 'HUMAN_REPLY_EVENT') return member(body.receipts, 'token_hash')
  return type === 'REQUEST_DELEGATED' ? body.token_hash : undefined
}

export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

/** The tokens that somebody used in these entries. */
export const tokensUsedIn = (entries: readonly Pick<AnyEntry, 'type' | 'body'>[]): ReadonlySet<string> =>
  new Set(entries.map(tokenUsedBy).filter(token => typeof token === 'string'))

/** Whether a delivery is carried for the sake of a reminder: the last one carried stands at this seq. */
export const isRemindedOf = ({ seq, type }: Pick<AnyEntry, 'seq' | 'type'>, reminder: number): boolean =>
  type === 'DELIVERY_STARTED' && seq < reminder

/** The seq of the last reminder among these, or one that is below every other. */
export const lastReminder = (carried: readonly Pick<AnyEntry, 'seq' | 'type'>[]): number =>
  carried.findLast(({ type }) => type === 'REQUEST_REMINDED')?.seq ?? -1

/** The entries of a story that its proof carries. */
export function partsOf<E extends Pick<AnyEntry, 'seq' | 'type' | 'body'>>(
  story: readonly E[],
): readonly E[] {
  const used = tokensUsedIn(story)
  const isUsed = ({ type, body }: E): boolean => isIssuing(type) && used.has(body.token_hash as string)
  const reminder = lastReminder(story.filter(isUsed))
  return story.filter(entry => isAlways(entry.type) || isUsed(entry) || isRemindedOf(entry, reminder))
}
