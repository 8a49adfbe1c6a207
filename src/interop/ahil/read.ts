// An entry that waits for a person, as a request for the lane. The words are an agent's: they are shown as what they are,
// and give nobody any right.
//
// AN1  The id is made of the log and of the entry as it stands: whoever changes the entry has it asked anew, and an answer
//      in one log counts in no other.

import { canonical, type Hash, sha256 } from '../../canonical.js'
import { spellOut } from '../../request/text.js'
import { isFields } from '../fields.js'
import { ALL, type Entry, GATEWAY, HUMAN, hashOfEntry } from './entry.js'
import { SLUG } from './write.js'

const ID_CHARS = 32
const IMPACT_CHARS = 500
const REF_CHARS = 200
/** Text that has more blanks than this beside each character is looked at no further. */
const MOST_BLANKS = 20
/** What the lane takes as one content. */
const MOST_BYTES = 64 * 1024

type Submission = {
  readonly request: Readonly<Record<string, unknown>>
  readonly run: { readonly run_id: string; readonly mood: 'DEFERENTIAL' }
  readonly recipients?: readonly { readonly user_id: string }[]
  readonly origin: { readonly system: 'ahil'; readonly ref: string; readonly hash: Hash }
  readonly contents: Readonly<Record<string, string>>
}
type Asked = { readonly id: string; readonly submission: Submission }
type Read =
  | { readonly ok: true; readonly asked: Asked }
  | { readonly ok: false; readonly path: string; readonly detail: string }

export type AskOptions = {
  /** The log's own name, made once. */
  readonly log: string
  /** The file's name, for people. */
  readonly file: string
  readonly to: readonly string[] | undefined
  readonly deadlineSeconds: number
  readonly defaultAction: string
  /** The run of all of them; null for a run of its own each. */
  readonly run: string | null
}

/** The request's id for an entry as it stands in this log. */
export const requestIdOf = (log: string, entry: Entry): string =>
  `ahil-${sha256(canonical([log, entry.id, hashOfEntry(entry)])).slice(7, 7 + ID_CHARS)}`

export function readEntry(entry: Entry, options: AskOptions): Read {
  const { from, content, context } = entry
  // "Do as human recommends?" would borrow a person's weight.
  if (!SLUG.test(from) || [HUMAN, ALL, GATEWAY].includes(from))
    return { ok: false, path: '/from', detail: 'an agent’s slug of letters, digits, . _ -' }
  if (Buffer.byteLength(content) > MOST_BYTES || content.includes('\0'))
    return { ok: false, path: '/content', detail: `text of at most ${MOST_BYTES} bytes, without NUL` }
  const schema = context?.reply_schema
  if (schema !== undefined && !isFields(schema))
    return { ok: false, path: '/context/reply_schema', detail: 'a reply schema of the lane' }
  const impact = impactOf(content)
  if (impact === '') return { ok: false, path: '/content', detail: 'words that can be shown' }
  const id = requestIdOf(options.log, entry)
  const handle = sha256(content)
  const request = {
    type: 'REQUEST_QUESTION',
    question_id: id,
    question_text: `Do as ${from} recommends?`,
    impact,
    context_handles: [handle],
    deadline_seconds: options.deadlineSeconds,
    default_action: options.defaultAction,
    reply_schema: schema ?? { kind: 'yes_no', reason: { when: 'on_no', max_chars: 500 } },
  }
  const recipients = options.to === undefined ? {} : { recipients: options.to.map(user_id => ({ user_id })) }
  const submission = {
    request,
    run: { run_id: options.run ?? id, mood: 'DEFERENTIAL' as const },
    ...recipients,
    origin: {
      system: 'ahil' as const,
      ref: oneLine(`${entry.id} in ${options.file}`, REF_CHARS),
      hash: hashOfEntry(entry),
    },
    contents: { [handle]: content },
  }
  return { ok: true, asked: { id, submission } }
}

/** The first 500 characters on one line; what nobody could see is spelt out. The whole stands in the content. */
const impactOf = (content: string): string => oneLine(content, IMPACT_CHARS)

function oneLine(text: string, most: number): string {
  const start = cut(
    text
      .slice(0, IMPACT_CHARS * MOST_BLANKS)
      .replace(/\s+/g, ' ')
      .trim(),
    most,
  )
  return cut(spellOut(start).trim(), most)
}
const cut = (text: string, most: number): string => [...text].slice(0, most).join('').trim()
