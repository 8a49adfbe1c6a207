// The rows of a card about people and time: how urgent it is, what comes while nobody answers, which steps were done, and
// through whose hands it went.
import type { ShownCase } from '../client/case.js'
import { ladderWords } from '../request/words.js'
import { sayInstant } from './print.js'

type Row = readonly [label: string, texts: readonly string[]]

export const LOWERED = 'quiet hours hold it: only a key made with --urgent may say high'

/** The terms it was opened under, where they are not the usual ones. */
export function termRows({ terms }: ShownCase): Row[] {
  if (terms === undefined) return []
  const { urgency, urgency_asked: asked, ladder = null } = terms
  const level = asked === undefined ? urgency : `${urgency}, though ${asked} was asked: ${LOWERED}`
  return [
    ['Urgency', urgency === 'normal' && asked === undefined ? [] : [level]],
    ['Ladder', ladderWords({ ladder })],
  ]
}

/** What became of it among people. */
export const courseRows = ({ escalations = [], delegations = [] }: ShownCase, now: number): Row[] => [
  ['Escalated', escalations.map(one => `${stepText(one)}, ${sayInstant(one.at, now)}`)],
  ['Handed', delegations.map(one => `${handText(one)}, ${sayInstant(one.at, now)}`)],
]

type Escalation = NonNullable<ShownCase['escalations']>[number]
type Delegation = NonNullable<ShownCase['delegations']>[number]

function stepText({ do: what, to, early }: Escalation): string {
  const people = to.length === 0 ? 'to nobody' : `to ${to.join(', ')}`
  const deed = what === 'add' ? people : `${people} by the next channel`
  if (early === undefined) return deed
  return `${deed}, early: somebody ${early === 'failed' ? 'could not be reached' : 'is out of office'}`
}

function handText({ from, to, by }: Delegation): string {
  switch (by) {
    case 'person':
      return `by ${from} to ${to}`
    case 'away':
      return `to ${to}, because ${from} is away`
    case 'lane':
      return `back to ${to}: nothing reaches ${from}`
  }
}
