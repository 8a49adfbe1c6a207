// A request as one line of an inbox or of a history says it: from the case, for the person who looks.
import { endingWords, type Phrase } from '../adapter/words.js'
import { holds } from '../agenda/asked.js'
import { type Case, isOpen } from '../agenda/case.js'
import { endingOf, spoken } from '../agenda/ending.js'
import { display } from '../request/display.js'
import type { RequestType } from '../request/request.js'
import type { Urgency } from '../request/terms.js'
import { kindWords } from '../request/words.js'

export type Item = {
  readonly request_id: string
  readonly type: RequestType
  readonly kind: string
  readonly urgency: Urgency
  readonly headline: string
  readonly asked_by: string
  readonly run_id: string
  readonly deadline_at: string
  /** What is already said of it, though it is open: their own vote, or parts of a form. */
  readonly note: string | null
}

/** `askedBy`: the name of the key, where the story does not say it. */
export function itemOf(subject: Case, userId: string, askedBy: string): Item {
  const { request_id, headline, asked_by, run_id, deadline_at, type, urgency } = display(subject, askedBy)
  const kind = kindWords({ type, urgency })
  return {
    request_id,
    type,
    kind,
    urgency,
    headline,
    asked_by,
    run_id,
    deadline_at,
    note: noteOf(subject, userId),
  }
}

function noteOf({ replies, terms }: Case, userId: string): string | null {
  const own = replies.filter(({ reply }) => reply.sender_identity.user_id === userId)
  if (own.length === 0) return replies.length === 0 ? null : 'Others have answered a part'
  return terms?.quorum === undefined ? 'You have answered a part' : 'You have voted; others are awaited'
}

/** How it ended for this person; the words of others are told as they are on every closed copy. */
export function endedFor(subject: Case, userId: string): readonly Phrase[] {
  if (!holds(subject.asked, userId)) return ['You handed it on, and it is no longer yours.']
  if (isOpen(subject)) return ['It is open.']
  const own = subject.replies.filter(({ reply }) => reply.sender_identity.user_id === userId).at(-1)
  const ending = endingOf(subject)
  if (own === undefined) return endingWords(ending)
  const said: Phrase[] = ['You answered ', { named: spoken(own.reply) }, ' on ', { at: own.at }, '.']
  return ending.outcome === 'answered' && ending.answered_by === userId
    ? said
    : [...said, ' ', ...endingWords(ending)]
}

/** Whether this person may read of it: it was put to them, and they have not handed it on. */
export const isTheirs = ({ asked }: Pick<Case, 'asked'>, userId: string): boolean => holds(asked, userId)
