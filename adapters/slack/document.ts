// The request as blocks: the same document in the card, in the form and, without its controls, in the closed card.

import type { types } from '@slack/bolt'
import {
  type Display,
  defaultWords,
  inGroups,
  inUtc,
  letterOf,
  type Option,
  type Outbound,
  type ReplySchema,
  type ShownHandle,
  typeWord,
} from '../../src/adapter/index.js'
import { BOLD, CODE, line, plain, words } from './inert.js'

type Block = types.KnownBlock
type Element = types.RichTextElement

export const rich = (...elements: types.RichTextBlockElement[]): types.RichTextBlock => ({
  type: 'rich_text',
  elements,
})

export const title = ({ type }: Display): types.HeaderBlock => ({
  type: 'header',
  text: plain(typeWord(type)),
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
  const { asked_by, run_id, work_item_id, headline, impact } = display
  const item = work_item_id === null ? [] : [words(', work item '), words(work_item_id, CODE)]
  const asker = line(words(asked_by, BOLD), words(' asks, in run '), words(run_id, CODE), ...item, words(':'))
  if (impact === null) return rich(asker, line(words(headline, BOLD)), line(words(meaningOf(display))))
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
  const text = code === null ? 'All of it stands on its page' : 'Read all of it and answer on its page'
  const key = code === null ? [] : [words(', which asks for the code '), words(code, CODE)]
  return rich(
    line(words(asked_by, BOLD), words(' asks, in run '), words(run_id, CODE), words(':')),
    quoted(words(headline, BOLD)),
    line(words('This cannot be answered here. '), { type: 'link', url: link, text }, ...key, words('.')),
  )
}

const quoted = (...elements: Element[]): types.RichTextQuote => ({ type: 'rich_text_quote', elements })

const meaningOf = ({ type }: Display): string =>
  type === 'REQUEST_APPROVAL'
    ? 'A YES allows this action once, on exactly what is listed below.'
    : 'Look at what is listed below with this one concern in mind.'

/** The link leads to the reply page, which shows the stored contents; it answers nothing without a code. */
export function handles(display: Display, link: string | null): Block[] {
  if (display.handles.length === 0) return []
  const items = display.handles.map(shown => line(...handle(shown, link)))
  const head = display.type === 'REQUEST_QUESTION' ? 'Context, named by the caller:' : 'What it is about:'
  return [rich(line(words(head)), list(items))]
}

function handle({ name, handle: pointer, fixed }: ShownHandle, link: string | null): Element[] {
  const named = name === null ? [] : [words(`${name}: `)]
  if (!fixed) return [...named, words(pointer, CODE), words(' (name only, content not fixed)')]
  const text = inGroups(pointer)
  return [...named, link === null ? words(text, CODE) : { type: 'link', url: link, text }]
}

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

const option = ({ value, label }: Option, at: number): types.RichTextSection =>
  line(words(letterOf(at), BOLD), words(` ${label} `), ...(value === label ? [] : [words(value, CODE)]))

export const until = ({ deadline_at, default_action }: Display): Block =>
  rich(
    line(words('Answer by '), moment(deadline_at), words('.')),
    line(
      words('If nobody answers by then: '),
      words(default_action, BOLD),
      words(`, ${defaultWords(default_action)}.`),
    ),
  )

/** Stands beside the buttons: the decision is about the request with this hash. */
export const stamp = ({ request_id, request_hash }: Display): types.ContextBlock => ({
  type: 'context',
  elements: [plain(`Request ${request_id} · ${inGroups(request_hash)}`)],
})
