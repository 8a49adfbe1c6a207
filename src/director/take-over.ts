// An outside director's decision. It follows /v1/events, decides the run's next move, and says so here; from its
// first word on the lane is silent about that run. A decision about an open request steers the run and takes it over;
// the one about the outcome is made once, after it.
import type { Case } from '../agenda/case.js'
import type { AhdbField, EntryOf } from '../event.js'
import type { Recorder } from '../record/record.js'
import { type Decision, mayContinue } from './decide.js'
import { decision, delta, givesRight, lapsesAt } from './direct.js'
import type { DirectorPolicy } from './policy.js'
import { judgeProposal, type Proposal } from './propose.js'

export type Word = {
  readonly run_id: string
  readonly request_id: string
  readonly by: string
  readonly move: Omit<Decision, 'reason'>
  readonly ahdb: Readonly<Partial<Record<AhdbField, readonly unknown[]>>>
}

export type Heard =
  | {
      readonly kind: 'decided'
      readonly entry: EntryOf<'DIRECTOR_DECIDED'>
      readonly proposals: readonly Proposal[]
    }
  | { readonly kind: 'refused'; readonly why: 'unknown' | 'already_decided' | 'not_approved' | 'lapsed' }

type Ear = Pick<Recorder, 'record'> & {
  readonly current: (requestId: string) => Promise<Case | null>
  readonly policy: DirectorPolicy
  /** The id of the policy token, should the decision give one. */
  readonly jti: string
}

const REASON = 'an outside director has decided'

type Why = Extract<Heard, { kind: 'refused' }>['why']

export async function hear({ record, current, policy, jti }: Ear, word: Word): Promise<Heard> {
  const proposals = Object.entries(word.ahdb).map(([field, items]) =>
    judgeProposal(field as AhdbField, items, policy.believe),
  )
  const decided = { ...word.move, reason: REASON }
  const known = await current(word.request_id)
  if (known === null || known.run.run_id !== word.run_id) return { kind: 'refused', why: 'unknown' }
  const result = await record<Why>(
    word.request_id,
    subject => ({
      tell: moment => {
        const why = flawOf(subject, decided, policy, moment.ms)
        if (why !== null) return { refuse: why }
        const authority = { by: word.by, because: subject.resolved_seq ?? subject.receipt.seq }
        const said = decision(subject, decided, authority, policy, jti, moment)
        return { events: [...said, ...proposals.map(one => delta(one, authority))] }
      },
    }),
    known,
  )
  if (result.kind === 'refused') return { kind: 'refused', why: result.why }
  const [entry] = result.kind === 'recorded' ? result.entries : []
  if (entry?.type !== 'DIRECTOR_DECIDED')
    throw new Error('a decision that was recorded is the first of its append')
  return { kind: 'decided', entry, proposals }
}

function flawOf(subject: Case, decided: Decision, policy: DirectorPolicy, ms: number): Why | null {
  if (subject.decision !== null) return 'already_decided'
  if (decided.decision === 'CONTINUE' && !mayContinue(subject)) return 'not_approved'
  return givesRight(subject, decided) && ms >= lapsesAt(subject, policy) ? 'lapsed' : null
}
