// Text of a pipeline or an agent, as people may be shown it.
import { UNSEEN } from '../../request/text.js'

export const TEXT_CHARS = 500
export const LABEL_CHARS = 75

const EVERY_UNSEEN = new RegExp(UNSEEN.source, 'gu')

/** One line of visible characters, cut where it is too long; `otherwise` where nothing is left. */
export function shown(text: string, most: number, otherwise: string): string {
  const line = text.replace(/\s+/g, ' ').replace(EVERY_UNSEEN, '').replace(/ {2,}/g, ' ').trim()
  const signs = [...line]
  if (signs.length === 0) return otherwise
  return signs.length <= most ? line : `${signs.slice(0, most - 3).join('')}...`
}
