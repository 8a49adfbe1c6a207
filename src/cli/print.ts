// Words on a terminal. Text from elsewhere passes `visible` first: an escape sequence must not repaint the screen.
import type { Environment } from '../config/settings.js'
import type { Output } from './command.js'
import { sayDuration } from './duration.js'

const UNSHOWABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

export const visible = (text: string): string =>
  text.replace(UNSHOWABLE, character => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return `<U+${hex.padStart(4, '0')}>`
  })

const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const
export type Style = keyof typeof STYLES
export type Paint = (style: Style, text: string) => string

export const plain: Paint = (_, text) => text

/** Colour for eyes only: never into a file or pipe, never against NO_COLOR (no-color.org). */
export function paintFor(output: Output, env: Environment): Paint {
  if (!output.isTTY || env.NO_COLOR || env.TERM === 'dumb') return plain
  return (style, text) => `\u001b[${STYLES[style][0]}m${text}\u001b[${STYLES[style][1]}m`
}

const lengthOf = (text: string): number => [...text].length

/** Columns two spaces apart, the last one ragged. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, lengthOf(cell))
    }
  }
  return rows.map(row =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell)))
      .join('  ')
      .trimEnd(),
  )
}

/** 2026-02-17 09:30:00Z (in 12m): the instant as the ledger has it, and its distance from now. */
export function sayInstant(at: string, nowMs: number): string {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return visible(at)
  const spelt = new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')
  const apart = sayDuration(ms - nowMs)
  return `${spelt} (${ms > nowMs ? `in ${apart}` : `${apart} ago`})`
}

export function cut(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

export function say(output: Output, lines: readonly string[]): void {
  if (lines.length > 0) output.write(`${lines.join('\n')}\n`)
}
