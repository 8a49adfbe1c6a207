// Whose a request is, as one entry of its story changes it. The same for both stores, and pure. Whether somebody may
// answer is never read from it: the case says that (agenda/asked.ts).
import type { Entry } from '../event.js'

type Changes =
  | {
      readonly kind: 'opened'
      readonly people: readonly string[]
      readonly deadline_ms: number
      readonly type: string
      readonly urgency: string
    }
  /** Null: it waits for them from now on. */
  | {
      readonly kind: 'changed'
      readonly people: readonly { readonly user_id: string; readonly over_seq: number | null }[]
    }
  | { readonly kind: 'settled'; readonly over_seq: number }

export function changesOf(entry: Entry): Changes | null {
  switch (entry.type) {
    case 'REQUEST_OPENED': {
      const { recipients, deadline_at, request } = entry.body
      const urgency = 'terms' in entry.body ? entry.body.terms.urgency : 'normal'
      const people = recipients.map(({ user_id }) => user_id)
      return { kind: 'opened', people, deadline_ms: Date.parse(deadline_at), type: request.type, urgency }
    }
    case 'REQUEST_ESCALATED': {
      const { do: what, to } = entry.body
      return what === 'add'
        ? { kind: 'changed', people: to.map(user_id => ({ user_id, over_seq: null })) }
        : null
    }
    case 'REQUEST_DELEGATED': {
      const { from, to } = entry.body
      return {
        kind: 'changed',
        people: [
          { user_id: from, over_seq: entry.seq },
          { user_id: to, over_seq: null },
        ],
      }
    }
    case 'REQUEST_RESOLVED':
      return { kind: 'settled', over_seq: entry.seq }
    default:
      return null
  }
}
