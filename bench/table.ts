// The figures as a table: aligned for a terminal, or as Markdown for the page that keeps them.
import { type Figure, type Goal, judgedValue, median, ratioOf, type Unit, verdictOf } from './figure.js'

const HEAD = ['what', 'measured', 'baseline', 'against it', 'must', 'aim', '']

export function consoleTable(figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map(rowOf)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map(row => [...(row[column] ?? '')].length)))
  const lines = rows.map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  const notes = figures.flatMap(({ what, note }) => (note === undefined ? [] : [`  ${what}: ${note}`]))
  return [...lines.map(line => line.trimEnd()), ...notes].join('\n')
}

export function markdownTable(figures: readonly Figure[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rows = figures.map(figure => line(rowOf(figure)))
  const notes = figures.flatMap(({ what, note }) => (note === undefined ? [] : [`- ${what}: ${note}`]))
  return [line(HEAD), line(HEAD.map(() => '---')), ...rows, ...(notes.length > 0 ? ['', ...notes] : [])].join(
    '\n',
  )
}

function rowOf(figure: Figure): string[] {
  const { what, unit, measured, baseline, goal } = figure
  const bound = (value: number | null): string =>
    goal === null || value === null ? '–' : boundText(goal, value, unit)
  return [
    what,
    spread(measured, unit),
    baseline === null ? '–' : `${spread(baseline.measured, unit)}: ${baseline.what}`,
    againstText(figure),
    bound(goal?.must ?? null),
    bound(goal?.aim ?? null),
    verdictOf(figure),
  ]
}

/** The median, and the least and greatest of the repeats. */
function spread(values: readonly number[], unit: Unit): string {
  const middle = `${written(median(values), unit)} ${unit}`
  if (values.length === 1) return middle
  return `${middle} (${written(Math.min(...values), unit)}…${written(Math.max(...values), unit)}, ${values.length}×)`
}

function againstText(figure: Figure): string {
  const { goal, unit } = figure
  if (goal?.judged === 'difference') return signed(judgedValue(figure, goal), unit)
  const ratio = ratioOf(figure)
  return ratio === null ? '–' : `${significant(ratio)} ×`
}

function boundText(goal: Goal, value: number, unit: Unit): string {
  const sign = goal.better === 'more' ? '≥' : '≤'
  switch (goal.judged) {
    case 'ratio':
      return `${sign} ${value} ×`
    case 'difference':
      return `${sign} ${signed(value, unit)}`
    case 'value':
      return `${sign} ${written(value, unit)} ${unit}`
  }
}

const signed = (value: number, unit: Unit): string =>
  `${value < 0 ? '−' : '+'}${written(Math.abs(value), unit)} ${unit}`

const written = (value: number, unit: Unit): string => (unit === 'ms' ? significant(value) : whole(value))
const whole = (value: number): string => Math.round(value).toLocaleString('en-US').replaceAll(',', ' ')
/** Three figures: smaller differences are noise on any machine. */
const significant = (value: number): string =>
  Math.abs(value) >= 100 ? whole(value) : String(Number(value.toPrecision(3)))
