// The votes of a quorum. One vote per person, which is final; the electorate is that of the opening. With a veto the first
// NO decides; without one, NO decides as soon as too few are left for the YES that is needed.
import type { Quorum } from '../request/terms.js'
import type { Counted } from './tally.js'

export type Count = {
  readonly need: number
  readonly yes: number
  readonly no: number
  readonly decided: 'YES' | 'NO' | null
}

export function count(
  replies: readonly Counted[],
  { need, veto }: Quorum,
  electorate: readonly string[],
): Count {
  const yes = replies.filter(({ reply }) => reply.parsed_choice === 'YES').length
  const no = replies.length - yes
  const left = electorate.length - replies.length
  const isRefused = veto ? no > 0 : yes + left < need
  return { need, yes, no, decided: yes >= need ? 'YES' : isRefused ? 'NO' : null }
}
