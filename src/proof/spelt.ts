// What somebody confirmed, written out from the entry that tells of it. Whoever holds the lane's key chooses the entry: so it
// must be an answer as its schema's kind has them, and say one thing alone, or a NO that was confirmed could stand beside a
// YES that was not.
import { writeDelegation } from '../compiler/delegate.js'
import { writeAnswer } from '../compiler/write.js'
import { type AnyEntry, member } from './parts.js'

type Is = (value: unknown) => boolean
type Members = Readonly<Record<string, Is>>

const isText: Is = value => typeof value === 'string'
const isNumber: Is = value => typeof value === 'number' && Number.isFinite(value)
const isFlag: Is = value => typeof value === 'boolean'
/** In a line of a form, where a line feed would begin another. */
const isLine: Is = value => typeof value === 'string' && !value.includes('\n')
/** One of several, with commas between. */
const isChosen: Is = value => isLine(value) && !(value as string).includes(',')
const areChosen: Is = value => Array.isArray(value) && value.every(isChosen)

/** The reply in its one spelling; null where it has none. */
export function spelt({ type, body }: AnyEntry, schema: unknown): string | null {
  if (type === 'REQUEST_DELEGATED') return typeof body.to === 'string' ? writeDelegation(body.to) : null
  const { parsed_choice, parsed_payload } = body
  const kind = member(schema, 'kind')
  const isAnswer =
    kind === 'yes_no' || kind === 'choice'
      ? isText(parsed_choice) &&
        (parsed_payload === null || hasExactly(parsed_payload, { reason_hash: isText }))
      : parsed_choice === null && hasExactly(parsed_payload, membersOf(kind, schema))
  return isAnswer ? writeAnswer({ parsed_choice, parsed_payload } as Parameters<typeof writeAnswer>[0]) : null
}

/** These members and no others. */
const hasExactly = (value: unknown, members: Members): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === Object.keys(members).length &&
  Object.entries(members).every(([name, is]) => is(member(value, name)))

/** Of the payload that answers a schema of this kind. */
function membersOf(kind: unknown, schema: unknown): Members {
  switch (kind) {
    case 'multi_choice':
      return { selected: areChosen }
    case 'text':
      return { text: isText }
    case 'number': {
      const unit = member(schema, 'unit')
      return {
        number: isNumber,
        ...(unit !== undefined && { unit: value => isText(value) && value === unit }),
      }
    }
    case 'date':
      return { date: isText }
    case 'form':
      return { decisions: value => areDecisions(value, member(schema, 'decisions')) }
    default:
      return NONE
  }
}

/** Nothing has these. */
const NONE: Members = { '': () => false }

const DECIDED: Readonly<Record<string, Members>> = {
  approval: { approved: isFlag },
  choice: { selected: isChosen },
  multi_choice: { selected: areChosen },
  text: { value: isLine },
  number: { value: isNumber },
  date: { value: isLine },
}

/** Each is of a decision that the form has, and of none twice. */
function areDecisions(decisions: unknown, asked: unknown): boolean {
  if (!Array.isArray(decisions) || !Array.isArray(asked)) return false
  const ids = decisions.map(one => member(one, 'decision_id'))
  return (
    new Set(ids).size === ids.length &&
    decisions.every((one, at) =>
      isDecision(
        one,
        ids[at],
        asked.find(of => member(of, 'id') === ids[at]),
      ),
    )
  )
}

function isDecision(decision: unknown, id: unknown, asked: unknown): boolean {
  const type = member(asked, 'type')
  if (!isChosen(id) || typeof type !== 'string' || !Object.hasOwn(DECIDED, type)) return false
  const commented = member(decision, 'comment_hash') !== undefined && { comment_hash: isText }
  return hasExactly(decision, { decision_id: isText, ...DECIDED[type], ...commented })
}
