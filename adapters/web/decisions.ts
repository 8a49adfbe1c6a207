// A form: every decision with its own control. Nothing is chosen for the person, and a default is only named beside the
// control; what somebody has filled in before is kept, because a form is long. Decisions may be left for later.
import {
  type Decision,
  type FormSchema,
  html,
  type Markup,
  type PageState,
  schemaOf,
  type Typed,
} from '../../src/adapter/index.js'
import { bare, type Control, hintOf, isGroup } from './controls.js'
import { remark } from './remark.js'

type Open = Extract<PageState, { kind: 'open' }>

export function decisions(form: FormSchema, { typed, settled, refused }: Open): Markup {
  const lines = linesOf(typed)
  const explained = refused === null ? '' : ' refusal'
  const faulty = new Set(refused?.lines?.flatMap(({ decision_id }) => decision_id ?? []))
  const open = form.decisions.filter(({ id }) => !settled.includes(id))
  return html`${alike(open)}<ol class="decisions">${form.decisions.map((decision, index) =>
    settled.includes(decision.id)
      ? html`<li class="decision settled">${title(decision, index, 'p')}<p class="hint">Answered already: nothing more is asked here.</p></li>`
      : asked(decision, index, {
          typed,
          said: lines.get(decision.id.toLowerCase()) ?? '',
          explained,
          isFaulty: faulty.has(decision.id),
        }),
  )}</ol>`
}

/** What waits for the form, and what the caller says of it. */
export const surroundings = ({ context, blocking = [] }: FormSchema): Markup | null =>
  context === undefined && blocking.length === 0
    ? null
    : html`<figure class="words"><figcaption>The caller’s words</figcaption><blockquote>${
        context === undefined ? null : html`<p class="prose">${context}</p>`
      }${
        blocking.length === 0
          ? null
          : html`<h2>What waits for these decisions</h2><ul class="blocked">${blocking.map(
              ({ task_id, artifact_id, description }) =>
                html`<li>${description}${task_id === undefined ? null : html` <code>${task_id}</code>`}${
                  artifact_id === undefined ? null : html` <code>${artifact_id}</code>`
                }</li>`,
            )}</ul>`
      }</blockquote></figure>`

/** Only approvals can be answered alike, and even this only chooses: the person looks, and sends. Enter in a field presses
 *  the first button of a form: that must be the one that sends, or it would choose YES over somebody's NO. */
function alike(open: readonly Decision[]): Markup | null {
  if (open.filter(({ type }) => type === 'approval').length < 2) return null
  return html`<button class="unseen" type="submit" tabindex="-1" aria-hidden="true">Send answer</button>
<p class="alike"><button class="plain" type="submit" name="all" value="yes" formnovalidate>Choose YES for every approval</button>
<button class="plain" type="submit" name="all" value="no" formnovalidate>Choose NO for every approval</button>
<span class="hint">Nothing is sent by these: they only choose.</span></p>`
}

type Before = {
  readonly typed: Typed | null
  readonly said: string
  readonly explained: string
  /** Its line was not understood. */
  readonly isFaulty: boolean
}

function asked(decision: Decision, index: number, { typed, said, explained, isFaulty }: Before): Markup {
  const { id, description, reason } = decision
  const schema = schemaOf(decision)
  const place: Control = {
    name: `d.${id}`,
    id: `d-${id}`,
    typed: chosenAlike(decision, typed) ?? withoutReason(decision, said),
    describedBy: `hint-${id}${explained}`,
    required: false,
    keeps: true,
  }
  const words = html`<p class="hint" id="hint-${id}"><code>${id}</code> · ${decision.required ? 'Required' : 'Optional'}${named(decision)}. ${hintOf(
    schema,
  )}${atLeast(decision)}${patternOf(decision)}</p>${description === undefined ? null : html`<p class="prose">${description}</p>`}`
  const comment =
    reason === undefined
      ? null
      : remark(reason, {
          name: `c.${id}`,
          id: `c-${id}`,
          label: 'Comment',
          typed: typed?.fields[`c.${id}`] ?? reasonIn(decision, said),
        })
  return isGroup(schema)
    ? html`<li class="decision${isFaulty ? ' faulty' : ''}" id="at-${id}"><fieldset aria-describedby="${place.describedBy}"><legend>${title(decision, index, 'span')}</legend>${words}${bare(schema, place)}</fieldset>${comment}</li>`
    : html`<li class="decision${isFaulty ? ' faulty' : ''}" id="at-${id}"><label for="${place.id}">${title(decision, index, 'span')}</label>${words}<div class="field">${bare(schema, place)}</div>${comment}</li>`
}

const title = ({ prompt }: Decision, index: number, element: 'p' | 'span'): Markup =>
  element === 'p'
    ? html`<p class="prompt"><span class="letter">${index + 1}</span> ${prompt}</p>`
    : html`<span class="prompt"><span class="letter">${index + 1}</span> ${prompt}</span>`

/** A condition on a text that is its decision's alone. */
function atLeast(decision: Decision): Markup | null {
  const min = decision.type === 'text' ? (decision.constraints?.min ?? 1) : 1
  return min < 2 ? null : html` At least ${min} characters.`
}

/** The one condition on a text that its control cannot show. */
function patternOf(decision: Decision): Markup | null {
  const pattern = decision.type === 'text' ? decision.constraints?.pattern : undefined
  return pattern === undefined ? null : html` It must fit the pattern <code>${pattern}</code>.`
}

/** The caller's default is named and never preselected. */
function named({ default: given }: Decision): string {
  if (given === undefined) return ''
  const value = typeof given === 'boolean' ? (given ? 'YES' : 'NO') : [given].flat().join(', ')
  return ` · the caller’s default is ${value}`
}

const chosenAlike = ({ type }: Decision, typed: Typed | null): string | null =>
  type === 'approval' && typed?.all ? typed.all.toUpperCase() : null

/** The lines of the reply sent before, by the ids of their decisions. */
function linesOf(typed: Typed | null): ReadonlyMap<string, string> {
  const lines = (typed?.reply ?? '').split('\n').map(line => line.trim())
  return new Map(
    lines.map(line => {
      const end = `${line} `.indexOf(' ')
      return [line.slice(0, end).toLowerCase(), line.slice(end + 1).trim()]
    }),
  )
}

const REASON = /^(no?): (.*)$/i
const withoutReason = ({ type }: Decision, said: string): string =>
  type === 'approval' ? (REASON.exec(said)?.[1] ?? said) : said
const reasonIn = ({ type }: Decision, said: string): string =>
  type === 'approval' ? (REASON.exec(said)?.[2] ?? '') : ''
