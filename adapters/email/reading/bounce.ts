// Delivery reports (RFC 3464): a mail of ours came back. Nobody signs them, so they are believed only where they name a
// delivery by its unguessable handle or Message-ID, and the worst a forged one does is to have the next channel tried.
import type { Binding } from '../../../src/adapter/index.js'
import { findMessageIds } from '../marker.js'
import { readReturned } from './binding.js'
import { type Field, firstOf, readHead } from './head.js'
import type { Mail, MailFacts } from './mail.js'
import { allParts, type Part } from './parts.js'

/** Bytes read of a part; a report on one mail is short. */
const MAX_REPORT_BYTES = 32 * 1024
const STATUS = /^[245]\.[0-9]{1,3}\.[0-9]{1,3}/
/** RFC 3463: "other or undefined status", where a report does not say. */
const UNKNOWN_FAILURE = '5.0.0'

/** Null for a mail that is no delivery report. */
export function readBounce(
  fields: readonly Field[],
  root: Part,
  own: Pick<MailFacts, 'replyTo' | 'from'>,
): Mail | null {
  const parts = allParts(root)
  const report = parts.find(
    ({ type }) => type === 'message/delivery-status' || type === 'message/global-delivery-status',
  )
  const isReport =
    root.type === 'multipart/report' &&
    root.parameters.get('report-type')?.toLowerCase() === 'delivery-status'
  // Exim's own way, with no machine-readable part.
  const isExims = firstOf(fields, 'x-failed-recipients') !== null
  if (report === undefined && !isReport && !isExims) return null
  const about = readReturned(fields, own) ?? originalOf(parts, own)
  if (about === null) return { kind: 'ignored', why: 'names_no_request' }
  const { action, status } =
    report === undefined ? { action: 'failed', status: UNKNOWN_FAILURE } : readReport(report)
  if (action !== 'failed') return { kind: 'ignored', why: 'no_failure' }
  return { kind: 'bounce', about, status }
}

/** The fate of the worst-off recipient. */
function readReport({ body }: Part): { action: string; status: string } {
  const lines = body.toString('latin1', 0, MAX_REPORT_BYTES).split(/\r?\n/)
  const all = (name: string): string[] =>
    lines
      .filter(line => line.slice(0, name.length + 1).toLowerCase() === `${name}:`)
      .map(line =>
        line
          .slice(name.length + 1, 200)
          .trim()
          .toLowerCase(),
      )
  const action = all('action').some(said => said.startsWith('failed')) ? 'failed' : 'other'
  const statuses = all('status').flatMap(said => STATUS.exec(said)?.[0] ?? [])
  const [worst] = ['5', '4'].flatMap(kind => statuses.find(said => said.startsWith(kind)) ?? [])
  return { action, status: worst ?? UNKNOWN_FAILURE }
}

/** The mail that came back is in the report, or its header is. */
function originalOf(
  parts: readonly Part[],
  { replyTo }: Pick<MailFacts, 'replyTo' | 'from'>,
): Binding | null {
  for (const { type, body } of parts) {
    if (type !== 'message/rfc822' && type !== 'text/rfc822-headers' && type !== 'message/global-headers')
      continue
    const head = readHead(body.subarray(0, MAX_REPORT_BYTES))
    const id = typeof head === 'string' ? '' : (firstOf(head.fields, 'message-id') ?? '')
    const [ref] = findMessageIds(id, replyTo.domain)
    if (ref !== undefined) return { kind: 'ref', ref }
  }
  return null
}
