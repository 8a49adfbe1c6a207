// The prompt of a step with `runner: interrupt-lane`: one block of JSON is the request, and what stands around it is shown
// to people as a text. Whatever an agent's words may hold that were filled in, they are that text and nothing else.
//
// AI1  Exactly one block. Words that bring a block of their own make two, and nobody is asked.
// AI2  What two readers could read differently (a name twice) is no request.

import { canonical, type Hash, sha256 } from '../../canonical.js'
import { isFields } from '../fields.js'
import { typed } from '../typed.js'
import { listOf } from './pipeline.js'

type Block =
  | { readonly ok: true; readonly json: string; readonly around: string }
  | { readonly ok: false; readonly detail: string }

const FENCE = /^[ \t]*```/
const OPENING = /^[ \t]*```[ \t]*json[ \t]*\r?$/
const CLOSING = /^[ \t]*```[ \t]*\r?$/

/** The block is fenced by ```json and ```; a prompt that is JSON as a whole needs no fence. */
export function findInvocation(prompt: string): Block {
  const whole = prompt.trim()
  const lines = prompt.split('\n')
  const fences = lines.flatMap((line, at) => (FENCE.test(line) ? [at] : []))
  if (fences.length === 0 && whole.startsWith('{') && whole.endsWith('}'))
    return { ok: true, json: whole, around: '' }
  const [from = -1, to = -1] = fences
  const isOne = fences.length === 2 && OPENING.test(lines[from] ?? '') && CLOSING.test(lines[to] ?? '')
  if (!isOne)
    return {
      ok: false,
      detail: `the prompt holds one block between \`\`\`json and \`\`\`, and no other fence; found ${fences.length} lines of fences`,
    }
  const around = [...lines.slice(0, from), ...lines.slice(to + 1)].join('\n').trim()
  return { ok: true, json: lines.slice(from + 1, to).join('\n'), around }
}

type Asked = {
  readonly request: Readonly<Record<string, unknown>>
  readonly run: { readonly run_id: string; readonly mood: 'DEFERENTIAL' }
  readonly recipients?: readonly { readonly user_id: string }[]
  readonly origin: { readonly system: 'ail'; readonly ref: string; readonly hash: Hash }
  readonly contents?: Readonly<Record<string, string>>
}
type Read =
  | { readonly ok: true; readonly submission: Asked }
  | { readonly ok: false; readonly detail: string }
type Terms = {
  readonly id: string
  readonly deadlineSeconds: number
  readonly to: readonly string[] | undefined
}

const MEMBERS = ['request', 'to']
const CONTEXT = 'context'

/** `value` is the block, read strictly. */
export function readInvocation(value: unknown, around: string, { id, deadlineSeconds, to }: Terms): Read {
  const strange = isFields(value) ? Object.keys(value).filter(name => !MEMBERS.includes(name)) : []
  if (!isFields(value) || !isFields(value.request) || strange.length > 0)
    return {
      ok: false,
      detail: `the block is an object with request, and to where others are asked; read ${strange.join(', ')}`,
    }
  const request = typed(id, value.request, { deadline_seconds: deadlineSeconds })
  if (request === null)
    return { ok: false, detail: 'request is a typed request of the lane without an id of its own' }
  const people = value.to === undefined ? to : [value.to].flat()
  if (people?.some(one => typeof one !== 'string'))
    return { ok: false, detail: 'to is a person, or a list of people, by their ids' }
  const handle = sha256(around)
  return {
    ok: true,
    submission: {
      request: around === '' ? request : beside(request, handle),
      run: { run_id: id, mood: 'DEFERENTIAL' },
      ...(people !== undefined && { recipients: people.map(one => ({ user_id: String(one) })) }),
      origin: {
        system: 'ail',
        ref: `a step with runner interrupt-lane, ${id}`,
        hash: sha256(canonical(value)),
      },
      ...(around !== '' && { contents: { [handle]: around } }),
    },
  }
}

/** The request with the text around it beside it, where its type has the place for one. */
function beside(request: Readonly<Record<string, unknown>>, handle: Hash): Readonly<Record<string, unknown>> {
  switch (request.type) {
    case 'REQUEST_APPROVAL':
      return {
        ...request,
        parameters: { ...(isFields(request.parameters) ? request.parameters : {}), [CONTEXT]: handle },
      }
    case 'REQUEST_REVIEW':
      return { ...request, target_handles: [...listOf(request.target_handles), handle] }
    default:
      return { ...request, context_handles: [...listOf(request.context_handles), handle] }
  }
}
