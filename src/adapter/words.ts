// The lane's own fixed sentences to people: how a request ended, and why a reply was not taken. They stand here once,
// because a person who is asked on two channels must hear the same of both.
//
// A sentence is a list of phrases. Each channel draws them with its own pen: it sets off or makes harmless the words
// of others, and tells an instant as its readers know it.
import type { Reason } from '../reason.js'
import type { Display } from '../request/display.js'
import { defaultWords } from '../request/words.js'
import type { Ending, Outbound, RefusedReply, Verdict } from './contract.js'

export type Phrase =
  /** The lane's own words. */
  | string
  /** Words of others, or the name of the default that holds: never the lane's own sentence. */
  | { readonly named: string }
  | { readonly at: string }

type Pen<Drawn> = {
  readonly words: (text: string) => Drawn
  readonly named: (text: string) => Drawn
  readonly at: (instant: string) => Drawn
}

export const draw = <Drawn>(phrases: readonly Phrase[], pen: Pen<Drawn>): Drawn[] =>
  phrases.map(phrase => {
    if (typeof phrase === 'string') return pen.words(phrase)
    return 'named' in phrase ? pen.named(phrase.named) : pen.at(phrase.at)
  })

/** Whether a default is only named, or told with its meaning. */
type Manner = 'briefly' | 'with its meaning'

/** Tells how a request ended. Only an answer names a person: silence and a withdrawal are nobody's answer, and a
 *  request that reached nobody was left unanswered by nobody. */
export function endingWords(ending: Ending, manner: Manner = 'briefly'): readonly Phrase[] {
  const { outcome, answered_by, answer, at } = ending
  switch (outcome) {
    case 'answered':
      return answered_by === null || answer === null
        ? ['It was answered on ', { at }, '.']
        : [{ named: answered_by }, ' answered ', { named: answer }, ' on ', { at }, '.']
    case 'defaulted':
      return [
        ending.partly ? 'Not enough was answered in time.' : 'Nobody answered in time.',
        ...holding(ending, manner),
      ]
    case 'undelivered':
      return ['It reached nobody in time.', ...holding(ending, manner)]
    case 'withdrawn':
      return ['It was withdrawn on ', { at }, ': nothing is asked any more.']
  }
}

function holding({ default_action: action, at }: Ending, manner: Manner): readonly Phrase[] {
  if (action === null) return []
  const meaning = manner === 'briefly' ? '' : `: ${defaultWords(action)}`
  return [' ', { named: action }, ' holds since ', { at }, `${meaning}.`]
}

/** The same for a reader who is known only by what they hold: nobody is named, and no answer repeated. */
export const unnamed = (ending: Ending): Ending => ({ ...ending, answered_by: null, answer: null })

/** Tells that a reply was counted, and what is missing before anything is decided. */
export const recordedWords = ({ answer, missing }: Recorded): readonly Phrase[] =>
  missing === null ? ['Recorded: ', { named: answer }] : ['Recorded: ', { named: answer }, `. ${missing}`]

type Recorded = Pick<Extract<Verdict, { kind: 'recorded' }>, 'answer' | 'missing'>

/** The differences between channels in telling that a reply was not taken. */
export type Voice = {
  /** The way an answer comes here, as in "An answer … is not enough". */
  readonly way: string
  /** Sentences for reasons that mean more here, or mean something else. */
  readonly own: Readonly<Partial<Record<Reason, string>>>
  /** For every reason that has no sentence. */
  readonly otherwise?: string
  /** True if the reader has not proven who they are. */
  readonly unnamed?: true
}

type Why = Pick<RefusedReply, 'reason' | 'theirs' | 'read' | 'accepted' | 'lines' | 'ending' | 'passkey'>

/** Tells why a reply was not taken, and what would be: if the words were the trouble they are quoted. */
export function refusalWords(
  { reason, theirs, read, accepted, lines = [], ending, passkey }: Why,
  voice: Voice,
): readonly Phrase[] {
  // A person who was asked is told how it ended, even if something else was wrong with the reply.
  if (ending !== null && (theirs || TOO_LATE.includes(reason))) {
    return ['Too late: this is settled. ', ...endingWords(voice.unnamed ? unnamed(ending) : ending)]
  }
  if (read !== null && accepted !== null) {
    return [`${opener(reason)}: “`, { named: read }, '”. ', { named: accepted }, ...others(lines.slice(1))]
  }
  if (passkey === true && reason === 'proof_insufficient') return [NEEDS_PASSKEY]
  if (voice.own[reason] === undefined && reason === 'proof_insufficient') {
    return [`An answer ${voice.way} is not enough for this request. Answer where it was also sent.`]
  }
  return [voice.own[reason] ?? WHY[reason] ?? voice.otherwise ?? NOT_TAKEN]
}

const NEEDS_PASSKEY =
  'This request must be confirmed with a passkey, and nothing less is enough. Sign in at the console and answer it there.'

/** Further lines of a form are named, so that each can be found. */
function others(lines: readonly { readonly read: string }[]): readonly Phrase[] {
  if (lines.length === 0) return []
  const more = lines.length - MAX_LINES
  const named = lines
    .slice(0, MAX_LINES)
    .flatMap(({ read }, at): Phrase[] => [at === 0 ? '“' : ', “', { named: read }, '”'])
  return [' Nor were these lines taken: ', ...named, more > 0 ? ` and ${more} more.` : '.']
}
/** Beyond these the person does better to look at the whole again. */
const MAX_LINES = 4

/** Why words are quoted back. */
export const opener = (reason: Reason): string => OPENERS[reason] ?? 'Not understood'

/** Words that were understood and are not taken all the same. */
const OPENERS: Readonly<Partial<Record<Reason, string>>> = {
  decision_answered: 'Answered already',
  reason_missing: 'A reason is missing',
}

/** Reasons that come after the sender's right was proven. */
const TOO_LATE: readonly Reason[] = ['already_resolved', 'deadline_passed', 'token_expired', 'token_replayed']

const PASSED = 'The deadline has come. Your reply answers nothing.'
const WHY: Readonly<Partial<Record<Reason, string>>> = {
  duplicate_message: 'This was received before.',
  deadline_passed: PASSED,
  token_expired: PASSED,
  token_replayed: 'This was answered already.',
  delegated_away: 'You have handed this to somebody else, who answers in your place.',
  decision_answered: 'One of these decisions was answered already, so nothing of your reply was taken.',
  reason_missing: 'This answer needs a reason, and your reply has none.',
  already_voted: 'Your vote was counted before, and it stands.',
  no_longer_approver: 'You may no longer approve this. Your reply answers nothing.',
  four_eyes: 'It was asked with your own key, so somebody else must approve it.',
}
const NOT_TAKEN = 'Your reply could not be taken, and nothing was changed by it.'

/** What is told beside a display, a sentence each: the names are the operator's. */
export function besideWords(
  { reply_schema: { kind } }: Pick<Display, 'reply_schema'>,
  { reminds, beside, reply }: Pick<Outbound, 'reminds' | 'beside' | 'reply'>,
): string[] {
  const { handed_by = null, votes = null, others = [], local_deadline = null, delegates = [] } = beside ?? {}
  // In a text the word could be an answer: there only a control hands it on.
  const deputies = kind === 'text' ? [] : delegates.map(({ user_id, name }) => `${user_id} (${name})`)
  return [
    ...(reminds === undefined ? [] : ['Reminder: this still waits for an answer.']),
    ...(handed_by === null ? [] : [`It was handed to you by ${handed_by}, and is yours to answer.`]),
    ...(votes === null ? [] : [votes]),
    ...(others.length === 0
      ? []
      : [
          `Also asked: ${others.join(', ')}.${votes === null ? ' The first answer that decides counts.' : ''}`,
        ]),
    ...(local_deadline === null ? [] : [`Where you are the deadline is ${local_deadline}.`]),
    ...(deputies.length === 0 || reply === null
      ? []
      : [`To hand it on, answer DELEGATE and one of: ${deputies.join(', ')}.`]),
  ]
}
