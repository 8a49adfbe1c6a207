// The guards of the contract as questions to the tables, asked inside the serialised section (L5).
import type { Database } from 'better-sqlite3'
import type { Guard } from '../contract.js'
import type { Contents } from './contents.js'
import { STANDING } from './passkeys.js'

const HOUR_MS = 3_600_000

/** Whether it asks the ledger itself, where the entries of one append may matter to the next. */
export const readsEntries = ({ kind }: Guard): boolean => kind === 'passkey'

export function guardKeeper(db: Database, kept: Contents) {
  const claimed = db.prepare('SELECT 1 FROM claims WHERE space = ? AND value = ?').pluck()
  const claim = db.prepare('INSERT INTO claims (space, value) VALUES (?, ?)')
  const openQuestions = db
    .prepare(
      `SELECT count(*) FROM requests
       WHERE opened_by = ? AND run_id = ? AND type = 'REQUEST_QUESTION' AND resolved_seq IS NULL`,
    )
    .pluck()
  const asked = db
    .prepare('SELECT count(*) FROM asked WHERE opened_by = ? AND user_id = ? AND ms > ?')
    .pluck()
  const forget = db.prepare('DELETE FROM asked WHERE opened_by = ? AND user_id = ? AND ms <= ?')
  const ask = db.prepare('INSERT INTO asked (opened_by, user_id, ms, seq) VALUES (?, ?, ?, ?)')
  const attempts = db.prepare('SELECT count FROM attempts WHERE delivery_id = ? AND under = ?').pluck()
  const attempt = db.prepare(
    `INSERT INTO attempts (delivery_id, under, count) VALUES (?, ?, 1)
     ON CONFLICT DO UPDATE SET count = count + 1`,
  )
  const rests = db
    .prepare('SELECT 1 FROM code_rests WHERE channel = ? AND user_id = ? AND until_ms > ?')
    .pluck()
  const openCodes = db
    .prepare(
      `SELECT count(*) FROM open_codes c JOIN requests q USING (request_id)
       WHERE c.channel = ? AND c.user_id = ? AND c.request_id <> ? AND q.resolved_seq IS NULL`,
    )
    .pluck()
  const misses = db
    .prepare('SELECT sum(count) FROM code_misses WHERE channel = ? AND user_id = ? AND ms > ?')
    .pluck()
  const forgetMisses = db.prepare('DELETE FROM code_misses WHERE channel = ? AND user_id = ? AND ms <= ?')
  const miss = db.prepare(
    `INSERT INTO code_misses (channel, user_id, ms, count) VALUES (?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET count = count + 1`,
  )
  const linked = db.prepare('SELECT user_id FROM links WHERE channel = ? AND address = ?').pluck()
  const passkey = db.prepare(`SELECT 1 FROM ${STANDING} AND p.credential_hash = ?`).pluck()
  const opened = db.prepare('SELECT 1 FROM requests WHERE opened_by = ? AND opened_seq >= ? LIMIT 1').pluck()
  const number = (value: unknown): number => (value as number | null | undefined) ?? 0

  return {
    holds(guard: Guard, ms: number): boolean {
      switch (guard.kind) {
        case 'unclaimed':
          return claimed.get(guard.space, guard.value) === undefined
        case 'open_questions':
          return number(openQuestions.get(guard.opened_by, guard.run_id)) < guard.at_most
        case 'recipient_budget':
          return number(asked.get(guard.opened_by, guard.user_id, ms - HOUR_MS)) < guard.at_most
        case 'attempts':
          return number(attempts.get(guard.delivery_id, guard.under)) < guard.at_most
        case 'open_codes': {
          const { channel, user_id, request_id, at_most } = guard
          if (rests.get(channel, user_id, ms) !== undefined) return false
          return number(openCodes.get(channel, user_id, request_id)) < at_most
        }
        case 'misses': {
          const { channel, user_id, at_most } = guard
          if (rests.get(channel, user_id, ms) !== undefined) return false
          return number(misses.get(channel, user_id, ms - HOUR_MS)) < at_most
        }
        case 'content_quota': {
          const { key_id, contents, at_most } = guard
          return number(kept.used(key_id)) + kept.lacking(key_id, contents) <= at_most
        }
        case 'unopened':
          return opened.get(guard.opened_by, guard.since) === undefined
        case 'address': {
          const owner = linked.get(guard.channel, guard.address) as string | undefined
          return owner === undefined || guard.theirs.includes(owner)
        }
        case 'passkey':
          return passkey.get(guard.credential_hash) !== undefined
      }
    },
    /** The price of a guard that holds: the value is taken, the hour has one more, the attempt is counted. */
    claim(guard: Guard, ms: number, seq: number): void {
      switch (guard.kind) {
        case 'unclaimed':
          claim.run(guard.space, guard.value)
          return
        case 'open_questions':
        case 'open_codes':
        case 'address':
        case 'passkey':
        case 'content_quota':
        case 'unopened':
          return
        case 'recipient_budget':
          forget.run(guard.opened_by, guard.user_id, ms - HOUR_MS)
          ask.run(guard.opened_by, guard.user_id, ms, seq)
          return
        case 'attempts':
          if (guard.fails) attempt.run(guard.delivery_id, guard.under)
          return
        case 'misses':
          if (!guard.fails) return
          forgetMisses.run(guard.channel, guard.user_id, ms - HOUR_MS)
          miss.run(guard.channel, guard.user_id, ms)
      }
    },
  }
}
