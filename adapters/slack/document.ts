// The request as blocks: the same document in the card, in the form and, without its controls, in the closed card.

import type { types } from '@slack/bolt'
import {
  APPROVAL_WORDS,
  behindMargin,
  type Display,
  defaultWords,
  inGroups,
  inUtc,
  isMissing,
  kindWords,
  LEFT_OUT,
  ladderWords,
  letterOf,
  lookAlike,
  NOT_HELD,
  type Option,
  type Outbound,
  originWords,
  type ReplySchema,
  type ShownHandle,
  wordsOn,
} from '../../src/adapter/index.js'
import { BOLD, CODE, line, plain, spelt, words } from './inert.js'

type Block = types.KnownBlock
type Element = types.RichTextElement

export const rich = (...elements: types.RichTextBlockElement[]): types.RichTextBlock => ({
  type: 'rich_text',
  elements,
})

export const title = (display: Display): types.HeaderBlock => ({
  type: 'header',
  text: plain(kindWords(display)),
})

/** In the reader's own time zone and spelling; in UTC if Slack cannot. */
export const moment = (instant: string): types.RichTextDate => ({
  type: 'date',
  timestamp: Math.floor(Date.parse(instant) / 1000),
  format: '{date_long_pretty} at {time_secs}',
  fallback: inUtc(instant),
})

/** The asker and the question; the caller's words stand as a quotation. */
export function asked(display: Display): Block {
  const { asked_by, run_id, work_item_id, headline, impact, why, origin } = display
  const item = work_item_id === null ? [] : [words(', work item '), words(work_item_id, CODE)]
  const made = origin === null ? [] : [words(originWords(origin)), words(origin.ref, CODE)]
  const run = [words(' asks, in run '), words(run_id, CODE)]
  const asker = line(words(asked_by, BOLD), ...run, ...item, ...made, words(':'))
  if (impact === null) {
    const given = why === null ? [] : [line(words('Why, in the caller’s words:')), quoted(words(why))]
    return rich(asker, line(words(headline, BOLD)), ...given, line(words(meaningOf(display))))
  }
  return rich(
    asker,
    quoted(words(headline, BOLD)),
    line(words('What your answer changes:')),
    quoted(words(impact)),
  )
}

/** The asker, the headline, and the page on which all of it is read. */
export function announcement(
  { asked_by, run_id, headline }: Display,
  { link, code }: Outbound['page'],
): Block {
  const text =
    code === null ? 'Sign in to read all of it and answer' : 'Read all of it and answer on its page'
  const key = code === null ? [] : [words(', which asks for the code '), words(code, CODE)]
  return rich(
    line(words(asked_by, BOLD), words(' asks, in run '), words(run_id, CODE), words(':')),
    quoted(words(headline, BOLD)),
    line(words('This cannot be answered here. '), { type: 'link', url: link, text }, ...key, words('.')),
  )
}

const quoted = (...elements: Element[]): types.RichTextQuote => ({ type: 'rich_text_quote', elements })

const meaningOf = ({ type }: Display): string =>
  type === 'REQUEST_APPROVAL' ? APPROVAL_WORDS : 'Look at what is listed below with this one concern in mind.'

/** The link leads to the reply page, which shows the contents whole; it answers nothing without a code. */
export function handles(display: Display, link: string | null): Block[] {
  if (display.handles.length === 0) return []
  const head = display.type === 'REQUEST_QUESTION' ? 'Context, named by the caller:' : 'What it is about:'
  const items = display.handles.flatMap(shown => [
    list([line(...handle(display, shown, link))]),
    ...passages(display, shown),
  ])
  return [rich(line(words(head)), ...items)]
}

function handle(display: Display, shown: ShownHandle, link: string | null): Element[] {
  const { name, handle: pointer, fixed } = shown
  const named = name === null ? [] : [words(`${name}: `)]
  if (!fixed) return [...named, words(pointer, CODE), words(' (name only, content not fixed)')]
  const text = inGroups(pointer)
  const exhibit = display.exhibits.get(pointer)
  const said = exhibit === undefined ? (isMissing(display, shown) ? NOT_HELD : null) : wordsOn(exhibit)
  return [
    ...named,
    link === null ? words(text, CODE) : { type: 'link', url: link, text },
    ...(said === null ? [] : [words(` (${said})`)]),
  ]
}

/** The caller's content, each line behind the margin. */
const passages = ({ exhibits }: Display, { handle: pointer }: ShownHandle): types.RichTextBlockElement[] =>
  (exhibits.get(pointer)?.parts ?? []).flatMap((lines, at) => [
    ...(at === 0 ? [] : [line(words(LEFT_OUT))]),
    { type: 'rich_text_preformatted' as const, elements: [spelt(behindMargin(lines))] },
  ])

const list = (elements: types.RichTextSection[]): types.RichTextList => ({
  type: 'rich_text_list',
  style: 'bullet',
  elements,
})

/** The value is recorded, so it stands beside a label that could say something else. */
export function options(schema: ReplySchema): Block[] {
  if (schema.kind !== 'choice' && schema.kind !== 'multi_choice') return []
  return [rich(line(words('The options, in the caller’s words:')), list(schema.options.map(option)))]
}

function option({ value, label }: Option, at: number): types.RichTextSection {
  const mark = lookAlike(label)
  return line(
    words(letterOf(at), BOLD),
    words(` ${label} `),
    ...(value === label ? [] : [words(value, CODE)]),
    ...(mark === null ? [] : [words(` (${mark})`)]),
  )
}

/** The moment in the reader's own zone, as Slack draws it, and in UTC beside it. */
export const until = ({ deadline_at, default_action }: Display): Block =>
  rich(
    line(words('Answer by '), moment(deadline_at), words(` (${inUtc(deadline_at)}).`)),
    line(
      words('If nobody answers by then: '),
      words(default_action, BOLD),
      words(`, ${defaultWords(default_action)}.`),
    ),
  )

/** What comes while nobody has answered. */
export function steps(display: Display): Block[] {
  const lines = ladderWords(display)
  if (lines.length === 0) return []
  return [rich(line(words('While nobody answers:')), list(lines.map(text => line(words(text)))))]
}

/** Stands beside the buttons: the decision is about the request with this hash. */
export const stamp = ({ request_id, request_hash }: Display): types.ContextBlock => ({
  type: 'context',
  elements: [plain(`Request ${request_id} · ${inGroups(request_hash)}`)],
})
