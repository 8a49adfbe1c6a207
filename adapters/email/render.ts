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
  kindWords,
  LIMITS,
  ladderWords,
  lookAlike,
  type Markup,
  type Option,
  type Outbound,
  originWords,
  type Rested,
  restWords,
  sheetOf,
  tellsEnough,
} from '../../src/adapter/index.js'
import { contentOf, handleLines, inset, type Named, shownHandle } from './sending/content.js'
import { unlinked } from './sending/defang.js'
import { frame } from './sending/frame.js'
import { FIRST_LINE, FIRST_LINES } from './words.js'

export type Letter = { readonly subject: string; readonly text: string; readonly html: string }

/** A headline only has to be recognised in the subject; the mail shows it whole. */
const MAX_SUBJECT = 120

/** Stand-ins as long as what a copy that is not made yet has. */
const SOME_MARKER = 'x'.repeat(100)
const SOME_WAY: Way = { link: 'x'.repeat(200), code: null }
/** What is told beside the display: who else is asked, and in whose place. */
const BESIDE_BYTES = 4_000

/** Whether a mail program shows all of it: what it would fold away, nobody reads before they answer. */
export const shows = (display: Display): boolean =>
  tellsEnough(display) &&
  (isShort(display) ||
    Buffer.byteLength(render(display, SOME_MARKER, SOME_WAY).html) <= MAX_HTML_BYTES - BESIDE_BYTES)

const MAX_HTML_BYTES = LIMITS.email.message ?? 0

/** Only forms and contents can be long; all else together, every sign of it escaped, has less than half the room. */
const isShort = ({ contents, reply_schema: schema }: Display): boolean =>
  contents.length === 0 && schema.kind !== 'form'

/** The link to the reply page, and its code. */
type Way = Outbound['page']

/** `marker`: the line above which the reply stands, and with which every quotation begins. Null for a mail that only
 *  announces, and takes no reply. */
export function render(
  display: Display,
  marker: string | null,
  way: Way,
  rested?: Rested,
  beside: readonly string[] = [],
): Letter {
  const facts = { ...factsOf(display, rested), beside }
  const headline = cutToCharacters(`${kindWords(display)}: ${facts.headline}`, MAX_SUBJECT)
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
  readonly why: string | null
  readonly options: readonly string[]
  /** What surrounds a form, then each of its decisions. */
  readonly sheet: readonly (readonly string[])[]
  readonly firstLine: string
  readonly handles: readonly Named[]
  readonly until: string
  readonly silence: string
  /** What comes while nobody has answered, a line for each step. */
  readonly steps: readonly string[]
  readonly rest: string | null
  /** What is told beside the display, a sentence each. */
  readonly beside: readonly string[]
  readonly small: string
}

/** Everything a caller wrote passes `unlinked` here or with its handle, once, for both parts of the mail. */
function factsOf(display: Display, rested: Rested | undefined): Omit<Facts, 'beside'> {
  const { reply_schema: schema } = display
  const { origin } = display
  const item = display.work_item_id === null ? '' : `, work item ${display.work_item_id}`
  const made = origin === null ? '' : `${originWords(origin)}${origin.ref}`
  return {
    answer: unlinked(describeReply(schema)),
    asker: unlinked(`${kindWords(display)} by ${display.asked_by}, run ${display.run_id}${item}${made}`),
    headline: unlinked(display.headline),
    impact: display.impact === null ? null : unlinked(display.impact),
    why: display.why === null ? null : unlinked(display.why),
    options: 'options' in schema ? schema.options.map(optionLine) : [],
    sheet: schema.kind === 'form' ? sheetOf(schema).map(lines => lines.map(unlinked)) : [],
    firstLine: schema.kind === 'form' ? FIRST_LINES : FIRST_LINE,
    handles: display.handles.map(shown => shownHandle(display, shown)),
    until: inUtc(display.deadline_at),
    silence: `${display.default_action}: ${defaultWords(display.default_action)}`,
    steps: ladderWords(display).map(unlinked),
    rest: rested === undefined ? null : restWords(rested),
    small: unlinked(`Request ${display.request_id}, ${inGroups(display.request_hash)}`),
  }
}

function optionLine(option: Option, at: number): string {
  const mark = lookAlike(option.label)
  return unlinked(describeOption(option, at)) + (mark === null ? '' : ` (${mark})`)
}

const PAGE = 'Or answer on this page, which asks for the code'
const WHY = 'Why, in the caller’s words'
const OPTIONS = 'The letters, with what is recorded for each and what the caller calls it:'
const STEPS = 'While nobody answers:'
const ANSWER = 'Answer there, it asks for the code'
const READ = 'The page of this request:'
const SIGN_IN = 'Sign in and answer there:'
const NO_REPLY = 'A reply to this mail answers nothing: all of what is asked stands on its page.'
const CALM = 'Opening the page decides nothing, and no link in this mail does.'
const ALONE = 'This mail is for you alone: an answer from another address counts for nothing.'

const POSSESSION = 'Whoever has the link and its code can answer on the page: forward neither.'

function textOf(facts: Facts, marker: string, { link, code }: Way): string {
  const paragraphs = [
    [marker],
    [facts.answer, facts.firstLine],
    [`${facts.asker}:`, '', inset(facts.headline)],
    facts.impact === null ? [] : ['What the answer changes:', '', inset(facts.impact)],
    facts.why === null ? [] : [`${WHY}:`, '', inset(facts.why)],
    facts.options.length === 0 ? [] : [OPTIONS, '', ...facts.options.map(inset)],
    ...facts.sheet.map(lines => lines.map(inset)),
    facts.handles.length === 0 ? [] : ['What it is about:', '', ...facts.handles.flatMap(handleLines)],
    [`Answer by ${facts.until}.`, `If nobody answers until then, ${facts.silence}.`],
    facts.steps.length === 0 ? [] : [STEPS, '', ...facts.steps.map(inset)],
    [code === null ? READ : `${PAGE} ${code}:`, link, CALM],
    facts.beside,
    facts.rest === null ? [] : [facts.rest],
    [code === null ? ALONE : POSSESSION, facts.small],
  ]
  return written(paragraphs)
}

const announcedText = (facts: Facts, { link, code }: Way): string =>
  written([
    [`${facts.asker}:`, '', inset(facts.headline)],
    [NO_REPLY],
    [code === null ? SIGN_IN : `${ANSWER} ${code}:`, link, CALM],
    [`Answer by ${facts.until}.`, `If nobody answers until then, ${facts.silence}.`],
    facts.beside,
    facts.rest === null ? [] : [facts.rest],
    [...(code === null ? [] : [POSSESSION]), facts.small],
  ])

const written = (paragraphs: readonly (readonly string[])[]): string =>
  `${paragraphs
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`

const pageOf = (before: string, bare: string, { link, code }: Way): Markup => html`<p>${
  code === null ? bare : html`${before} <strong class="code">${code}</strong>:`
}</p>
<p><a class="page" href="${link}">Open the reply page</a></p>`

const announcedHtml = (facts: Facts, way: Way): string =>
  frame(html`<p class="soft">${facts.asker}</p>
<p class="words ask">${facts.headline}</p>
<p>${NO_REPLY}</p>
${pageOf(ANSWER, SIGN_IN, way)}
<p>Answer by <strong>${facts.until}</strong>.<br>If nobody answers until then, ${facts.silence}.</p>
${facts.beside.map(words => html`<p>${words}</p>`)}${facts.rest && html`<p>${facts.rest}</p>`}
<p class="soft">${CALM}<br>${way.code === null ? null : html`${POSSESSION}<br>`}${facts.small}</p>`)

function htmlOf(facts: Facts, marker: string, way: Way): string {
  const impact =
    facts.impact && html`<p class="soft">What the answer changes</p><p class="words">${facts.impact}</p>`
  const why = facts.why && html`<p class="soft">${WHY}</p><p class="words">${facts.why}</p>`
  const handles = facts.handles.map(
    ({ words, exhibit }) =>
      html`<li><code>${words}</code>${exhibit === null ? null : contentOf(exhibit)}</li>`,
  )
  return frame(html`${headOf(marker, facts.answer, facts.firstLine)}
<p class="soft">${facts.asker}</p>
<p class="words ask">${facts.headline}</p>
${impact}
${why}
${listed(OPTIONS, facts.options)}
${facts.sheet.map(lines => html`<p class="words">${lines.map((text, at) => html`${at === 0 ? null : html`<br>`}${text}`)}</p>`)}
${handles.length === 0 ? null : html`<p class="soft">What it is about</p><ul>${handles}</ul>`}
<p>Answer by <strong>${facts.until}</strong>.<br>If nobody answers until then, ${facts.silence}.</p>
${listed(STEPS, facts.steps)}
${pageOf(PAGE, READ, way)}
${facts.beside.map(words => html`<p>${words}</p>`)}${facts.rest && html`<p>${facts.rest}</p>`}
<p class="soft">${CALM}<br>${way.code === null ? ALONE : POSSESSION}<br>${facts.small}</p>`)
}

const listed = (head: string, lines: readonly string[]): Markup | null =>
  lines.length === 0
    ? null
    : html`<p class="soft">${head}</p><ul>${lines.map(line => html`<li>${line}</li>`)}</ul>`

/** The marker in a block of its own, so that it is a line of its own in every program's quotation. */
export const headOf = (marker: string, answer: string, firstLine: string = FIRST_LINE): Markup =>
  html`<p class="marker">${marker}</p>
<p class="first">${answer}</p>
<p>${firstLine}</p>`
