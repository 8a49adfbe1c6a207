// Small charts, drawn here and not in the browser: how requests ended, and how long people took. Each says in words what it shows.
import { html, type Markup } from '../adapter/markup.js'
import type { Case } from '../agenda/case.js'

const OUTCOMES = ['answered', 'defaulted', 'undelivered', 'withdrawn', 'pending'] as const
type Outcome = (typeof OUTCOMES)[number]
const WORDS: Readonly<Record<Outcome, string>> = {
  answered: 'answered',
  defaulted: 'defaulted',
  undelivered: 'undelivered',
  withdrawn: 'withdrawn',
  pending: 'open',
}

type Ended = Pick<Case, 'state' | 'opened_at' | 'resolved_at'>

const outcomeOf = ({ state }: Ended): Outcome => (state === 'partial' ? 'pending' : state)

const WIDTH = 320

/** One bar of all, each outcome by its share. */
export function outcomesChart(cases: readonly Ended[]): Markup {
  const counts = OUTCOMES.map(one => cases.filter(subject => outcomeOf(subject) === one).length)
  const all = Math.max(cases.length, 1)
  let x = 0
  const parts = OUTCOMES.map((one, at) => {
    const width = ((counts[at] ?? 0) / all) * WIDTH
    const drawn = html`<rect class="${one}" x="${x.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="22"/>`
    x += width
    return drawn
  })
  const words = OUTCOMES.map((one, at) => `${counts[at]} ${WORDS[one]}`).join(', ')
  return html`<svg viewBox="0 0 ${WIDTH} 22" role="img" aria-label="${words}">${parts}</svg>
<ul class="key">${OUTCOMES.map((one, at) => html`<li><i class="${one}"></i>${counts[at] ?? 0} ${WORDS[one]}</li>`)}</ul>`
}

const STEPS: readonly (readonly [string, number])[] = [
  ['1 min', 60],
  ['5 min', 300],
  ['30 min', 1800],
  ['2 h', 7200],
  ['8 h', 28_800],
  ['more', Number.POSITIVE_INFINITY],
]

const secondsOf = (cases: readonly Ended[]): readonly number[] =>
  cases
    .filter(({ state }) => state === 'answered')
    .map(
      ({ opened_at, resolved_at }) => (Date.parse(resolved_at ?? opened_at) - Date.parse(opened_at)) / 1000,
    )
    .toSorted((a, b) => a - b)

/** Half of the answers came within this; null where there is none. */
export const medianOf = (cases: readonly Ended[]): number | null => {
  const all = secondsOf(cases)
  return all[Math.floor((all.length - 1) / 2)] ?? null
}

/** How many answers came within each span, the shorter ones not counted again. */
export function timesChart(cases: readonly Ended[]): Markup {
  const all = secondsOf(cases)
  const counts = STEPS.map(([, end], at) => {
    const begin = STEPS[at - 1]?.[1] ?? -1
    return all.filter(one => one > begin && one <= end).length
  })
  const most = Math.max(...counts, 1)
  const step = WIDTH / STEPS.length
  const bars = STEPS.map(([name], at) => {
    const height = ((counts[at] ?? 0) / most) * 70
    const x = at * step
    return html`<rect class="answered" x="${(x + 6).toFixed(1)}" y="${(74 - height).toFixed(1)}" width="${(step - 12).toFixed(1)}" height="${Math.max(height, 1).toFixed(1)}" rx="2"/><text class="axis" x="${(x + step / 2).toFixed(1)}" y="88" text-anchor="middle">${name}</text>`
  })
  const words = STEPS.map(([name], at) => `${counts[at]} within ${name}`).join(', ')
  return html`<svg viewBox="0 0 ${WIDTH} 92" role="img" aria-label="Time to answer: ${words}">${bars}</svg>`
}
