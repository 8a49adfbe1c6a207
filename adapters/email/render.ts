// A request as a mail: the same words as plain text and as HTML. The HTML loads nothing, needs nothing but itself, and
// is drawn for light and dark and for a phone's width. The only link is to the reply page, and no link decides.
import {
  cutToCharacters,
  type Display,
  defaultWords,
  describeOption,
  describeReply,
  html,
  inGroups,
  inUtc,
  isToldByContent,
  type Markup,
  type Outbound,
  type Rested,
  restWords,
  type ShownHandle,
  typeWord,
} from '../../src/adapter/index.js'
import { unlinked } from './sending/defang.js'
import { frame } from './sending/frame.js'
import { FIRST_LINE } from './words.js'

export type Letter = { readonly subject: string; readonly text: string; readonly html: string }

/** A headline only has to be recognised in the subject; the mail shows it whole. */
const MAX_SUBJECT = 120

/** A mail is as long as it has to be. */
export const shows = (display: Display): boolean => !isToldByContent(display)

/** The link to the reply page, and its code. */
type Way = Outbound['page']

/** `marker`: the line above which the reply stands, and with which every quotation begins. Null for a mail that only
 *  announces, and takes no reply. */
export function render(display: Display, marker: string | null, way: Way, rested?: Rested): Letter {
  const facts = factsOf(display, rested)
  const headline = cutToCharacters(`${typeWord(display.type)}: ${facts.headline}`, MAX_SUBJECT)
  return {
    subject: `${headline} [${unlinked(display.request_id)}]`,
    text: marker === null ? announcedText(facts, way) : textOf(facts, marker, way),
    html: marker === null ? announcedHtml(facts, way) : htmlOf(facts, marker, way),
  }
}

type Facts = {
  readonly answer: string
  readonly asker: string
  readonly headline: string
  readonly impact: string | null
  readonly options: readonly string[]
  readonly handles: readonly string[]
  readonly until: string
  readonly silence: string
  readonly rest: string | null
  readonly small: string
}

/** Everything a caller wrote passes `unlinked` here, once, for both parts of the mail. */
function factsOf(display: Display, rested: Rested | undefined): Facts {
  const { reply_schema: schema } = display
  const item = display.work_item_id === null ? '' : `, work item ${display.work_item_id}`
  return {
    answer: unlinked(describeReply(schema)),
    asker: unlinked(`${typeWord(display.type)} by ${display.asked_by}, run ${display.run_id}${item}`),
    headline: unlinked(display.headline),
    impact: display.impact === null ? null : unlinked(display.impact),
    options: 'options' in schema ? schema.options.map(describeOption).map(unlinked) : [],
    handles: display.handles.map(shownHandle),
    until: inUtc(display.deadline_at),
    silence: `${display.default_action}: ${defaultWords(display.default_action)}`,
    rest: rested === undefined ? null : restWords(rested),
    small: unlinked(`Request ${display.request_id}, ${inGroups(display.request_hash)}`),
  }
}

function shownHandle({ name, handle, fixed }: ShownHandle): string {
  const of = name === null ? '' : `${name}: `
  return unlinked(`${of}${inGroups(handle)}${fixed ? '' : ' (name only, content not fixed)'}`)
}

const PAGE = 'Or answer on this page, which asks for the code'
const OPTIONS = 'The letters, with what is recorded for each and what the caller calls it:'
const ANSWER = 'Answer there, it asks for the code'
const READ = 'The page of this request:'
const NO_REPLY = 'A reply to this mail answers nothing: all of what is asked stands on its page.'
const CALM = 'Opening the page decides nothing, and no link in this mail does.'
const ALONE = 'This mail is for you alone: an answer from another address counts for nothing.'

const POSSESSION = 'Whoever has the link and its code can answer on the page: forward neither.'

/** A caller's words are set in, so that none of them can begin a line: a line that begins with ">" would be a quote. */
const inset = (text: string): string => `    ${text}`

function textOf(facts: Facts, marker: string, { link, code }: Way): string {
  const paragraphs = [
    [marker],
    [facts.answer, FIRST_LINE],
    [`${facts.asker}:`, '', inset(facts.headline)],
    facts.impact === null ? [] : ['What the answer changes:', '', inset(facts.impact)],
    facts.options.length === 0 ? [] : [OPTIONS, '', ...facts.options.map(inset)],
    facts.handles.length === 0 ? [] : ['What it is about:', '', ...facts.handles.map(inset)],
    [`Answer by ${facts.until}.`, `If nobody answers until then, ${facts.silence}.`],
    [code === null ? READ : `${PAGE} ${code}:`, link, CALM],
    facts.rest === null ? [] : [facts.rest],
    [code === null ? ALONE : POSSESSION, facts.small],
  ]
  return written(paragraphs)
}

const announcedText = (facts: Facts, { link, code }: Way): string =>
  written([
    [`${facts.asker}:`, '', inset(facts.headline)],
    [NO_REPLY],
    [code === null ? READ : `${ANSWER} ${code}:`, link, CALM],
    [`Answer by ${facts.until}.`, `If nobody answers until then, ${facts.silence}.`],
    facts.rest === null ? [] : [facts.rest],
    [...(code === null ? [] : [POSSESSION]), facts.small],
  ])

const written = (paragraphs: readonly (readonly string[])[]): string =>
  `${paragraphs
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`

const pageOf = (before: string, { link, code }: Way): Markup => html`<p>${
  code === null ? READ : html`${before} <strong class="code">${code}</strong>:`
}</p>
<p><a class="page" href="${link}">Open the reply page</a></p>`

const announcedHtml = (facts: Facts, way: Way): string =>
  frame(html`<p class="soft">${facts.asker}</p>
<p class="words ask">${facts.headline}</p>
<p>${NO_REPLY}</p>
${pageOf(ANSWER, way)}
<p>Answer by <strong>${facts.until}</strong>.<br>If nobody answers until then, ${facts.silence}.</p>
${facts.rest && html`<p>${facts.rest}</p>`}
<p class="soft">${CALM}<br>${way.code === null ? null : html`${POSSESSION}<br>`}${facts.small}</p>`)

function htmlOf(facts: Facts, marker: string, way: Way): string {
  const impact =
    facts.impact && html`<p class="soft">What the answer changes</p><p class="words">${facts.impact}</p>`
  const options = facts.options.map(option => html`<li>${option}</li>`)
  const handles = facts.handles.map(handle => html`<li><code>${handle}</code></li>`)
  return frame(html`${headOf(marker, facts.answer)}
<p class="soft">${facts.asker}</p>
<p class="words ask">${facts.headline}</p>
${impact}
${options.length === 0 ? null : html`<p class="soft">${OPTIONS}</p><ul>${options}</ul>`}
${handles.length === 0 ? null : html`<p class="soft">What it is about</p><ul>${handles}</ul>`}
<p>Answer by <strong>${facts.until}</strong>.<br>If nobody answers until then, ${facts.silence}.</p>
${pageOf(PAGE, way)}
${facts.rest && html`<p>${facts.rest}</p>`}
<p class="soft">${CALM}<br>${way.code === null ? ALONE : POSSESSION}<br>${facts.small}</p>`)
}

/** The marker in a block of its own, so that it is a line of its own in every program's quotation. */
export const headOf = (marker: string, answer: string): Markup =>
  html`<p class="marker">${marker}</p>
<p class="first">${answer}</p>
<p>${FIRST_LINE}</p>`
