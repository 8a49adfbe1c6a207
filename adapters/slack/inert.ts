// Text as data. Words of callers and people go only into plain_text objects and rich-text `text` elements, which do
// no markup; marks that hide, join or turn text, which even those would carry, are named by their number.
import type { types } from '@slack/bolt'
import { cutToUnits, UNSEEN } from '../../src/adapter/index.js'

const EACH_UNSEEN = new RegExp(UNSEEN, 'gu')

const number = (sign: string): string =>
  `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`

export const visible = (text: string): string => text.replace(EACH_UNSEEN, number)

/** Counts UTF-16 units, so that the limit holds however Slack counts. */
export const shortened = (text: string, units: number): string => cutToUnits(visible(text), units)

export const plain = (text: string): types.PlainTextElement => ({
  type: 'plain_text',
  text: visible(text),
  emoji: false,
})

type Style = NonNullable<types.RichTextText['style']>
export const words = (text: string, style?: Style): types.RichTextText => ({
  type: 'text',
  text: visible(text),
  ...(style !== undefined && { style }),
})

/** Words that were made visible before, on lines of their own. */
export const spelt = (text: string): types.RichTextText => ({ type: 'text', text })

export const BOLD: Style = { bold: true }
export const CODE: Style = { code: true }

export const line = (...elements: types.RichTextElement[]): types.RichTextSection => ({
  type: 'rich_text_section',
  elements,
})

// Signs that a `text` field may not contain raw, in the one order that does not escape twice.
const ESCAPES = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
] as const
const EMOJI_CODE = /:(?=[\w+'-]+:)/g

/** For the one field that has no plain form: the line of a notification. Sent with `mrkdwn: false`. */
export const notification = (text: string, units: number): string =>
  ESCAPES.reduce(
    (safe, [sign, entity]) => safe.replaceAll(sign, entity),
    shortened(text, units).replace(EMOJI_CODE, '\uFF1A'),
  )

const WRAPPED = /<([^<>|]*)(?:\|([^<>|]*))?>|&(amp|lt|gt);/g
const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }
const SCHEMES = ['', 'http://', 'https://', 'mailto:', 'tel:']

/** Recovers the text a person typed: entities and the links that Slack made by itself are undone, once. A mention, a
 *  command or a link under other words stays as it is, and no grammar accepts its brackets. */
export const typed = (text: string): string =>
  text.replace(WRAPPED, (whole, target?: string, label?: string, entity?: string) => {
    if (entity !== undefined) return SIGNS[entity] ?? whole
    const shown = label ?? target ?? ''
    const isOwn = /^(?:https?:\/\/|mailto:|tel:)/.test(target ?? '')
    return isOwn && SCHEMES.some(scheme => `${scheme}${shown}` === target) ? shown : whole
  })
