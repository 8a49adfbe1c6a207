// Whose each request is, and what waits for whom: written beside the entries, read by the console.
import type { Database } from 'better-sqlite3'
import type { Entry } from '../../event.js'
import type { InboxFilter, Past, Waiting } from '../contract.js'
import { changesOf } from '../inbox.js'
import { Rows } from './rows.js'

const OPENED = ['opened_seq', 'user_id', 'deadline_ms', 'type', 'urgency'] as const

export function inboxKeeper(db: Database) {
  const rows = new Rows(db, 'inbox', OPENED, 'ON CONFLICT DO NOTHING')
  const change = db.prepare(
    `INSERT INTO inbox (opened_seq, user_id, deadline_ms, type, urgency, over_seq)
     SELECT opened_seq, ?, deadline_ms, type, urgency, ? FROM inbox WHERE opened_seq = ? LIMIT 1
     ON CONFLICT DO UPDATE SET over_seq = excluded.over_seq`,
  )
  const settle = db.prepare('UPDATE inbox SET over_seq = ? WHERE opened_seq = ? AND over_seq IS NULL')
  return {
    /** Of the transaction, not written yet. */
    rows,
    /** Keeps the inbox beside an entry of the story that begins there. */
    keep(begins: number, entry: Entry): void {
      const told = changesOf(entry)
      if (told === null) return
      if (told.kind === 'opened') {
        const { deadline_ms, type, urgency } = told
        for (const user_id of told.people) rows.add(begins, user_id, deadline_ms, type, urgency)
        return
      }
      rows.write()
      if (told.kind === 'settled') settle.run(told.over_seq, begins)
      else for (const { user_id, over_seq } of told.people) change.run(user_id, over_seq, begins)
    },
  }
}

export function inboxReader(db: Database) {
  const waiting = db.prepare(
    `SELECT q.request_id, i.opened_seq, i.deadline_ms FROM inbox i JOIN requests q ON q.opened_seq = i.opened_seq
     WHERE i.user_id = @user_id AND i.over_seq IS NULL AND (i.deadline_ms, i.opened_seq) > (@deadline_ms, @opened_seq)
       AND (@type IS NULL OR i.type = @type) AND (@urgency IS NULL OR i.urgency = @urgency)
     ORDER BY i.deadline_ms, i.opened_seq LIMIT @limit`,
  )
  const past = db.prepare(
    `SELECT q.request_id, i.over_seq FROM inbox i JOIN requests q ON q.opened_seq = i.opened_seq
     WHERE i.user_id = ? AND i.over_seq IS NOT NULL AND i.over_seq < ? ORDER BY i.over_seq DESC LIMIT ?`,
  )
  const count = db
    .prepare('SELECT count(*) FROM (SELECT 1 FROM inbox WHERE user_id = ? AND over_seq IS NULL LIMIT ?)')
    .pluck()
  return {
    waiting({ type, urgency, after, ...wanted }: InboxFilter): readonly Waiting[] {
      const kinds = { type: type ?? null, urgency: urgency ?? null }
      return waiting.all({ deadline_ms: -1, opened_seq: -1, ...after, ...kinds, ...wanted }) as Waiting[]
    },
    count: (userId: string, atMost: number): number => count.get(userId, atMost) as number,
    past: (userId: string, before: number, limit: number): readonly Past[] =>
      past.all(userId, before, limit) as Past[],
  }
}
