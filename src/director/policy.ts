// The operator's policy for decisions (config/lane.yaml, `director`). Silence, a refusal and a withdrawn approval
// have no CONTINUE to choose: the type leaves it out, and so does the shape of the file.
import type { DefaultAction, Mood } from '../request/request.js'

/** The moves a run can be told to make. */
export type Move =
  | { readonly decision: 'CONTINUE' | 'SPLIT' | 'HALT' }
  | { readonly decision: 'CHANGE_MOOD'; readonly mood: Mood }
export type CautiousMove =
  | { readonly decision: 'SPLIT' | 'HALT' }
  | { readonly decision: 'CHANGE_MOOD'; readonly mood: Mood }

/** Outcomes after which a run may go on, and those after which it may not. */
export const FREE_OUTCOMES = [
  'question_answered',
  'review_answered',
  'review_refused',
  'approval_given',
  'withdrawn',
] as const
export const CAUTIOUS_OUTCOMES = ['approval_refused', 'approval_withdrawn'] as const

export type Decisions = Readonly<Record<(typeof FREE_OUTCOMES)[number], Move>> &
  Readonly<Record<(typeof CAUTIOUS_OUTCOMES)[number] | DefaultAction, CautiousMove>>

export type DirectorPolicy = {
  /** How long after the answer an approval can be spent. */
  readonly approval_valid_seconds: number
  /** Whether a reply may propose a belief for the run. */
  readonly believe: boolean
  readonly decisions: Decisions
}

const halt = { decision: 'HALT' } as const
const goOn = { decision: 'CONTINUE' } as const
const become = <M extends Mood>(mood: M) => ({ decision: 'CHANGE_MOOD', mood }) as const

/** A quarter of an hour: long enough to carry out an approved action, too short to be kept for another day. */
export const USUAL_POLICY: DirectorPolicy = {
  approval_valid_seconds: 900,
  believe: false,
  decisions: {
    question_answered: goOn,
    review_answered: goOn,
    review_refused: become('CONTRITE'),
    approval_given: goOn,
    approval_refused: halt,
    withdrawn: goOn,
    approval_withdrawn: halt,
    HALT: halt,
    SPLIT: { decision: 'SPLIT' },
    DOWNGRADE_TO_HYPOTHESIS: become('SKEPTICAL'),
    // At a privilege boundary without a preference to go by, the run is careful of itself.
    QUARANTINE_OUTPUTS: become('PARANOID'),
    DENY: halt,
    DO_NOT_PUBLISH: become('PARANOID'),
    DO_NOT_EXPORT: become('PARANOID'),
  },
}
