// Buttons on a card. Each carries the reply handle and its answer, in the same words a person would type: a client
// that sends other words gains nothing, because they are compiled like any others.
//
//   handle ":" words   an answer
//   handle "+" picks   the options ticked so far, to be drawn; nothing is decided
//   handle "=" picks   an answer made of the ticked options
import { cutToCharacters, letterOf, type Option, type ReplySchema } from '../../src/adapter/index.js'

/** The Bot API's limit for callback data, in bytes; the longest of ours has 33. */
export const MAX_DATA_BYTES = 64
/** The Bot API's limit for the hint in an empty field. */
const MAX_PLACEHOLDER_CHARS = 64

type Button = { readonly text: string; readonly callback_data: string }
export type Keyboard = { readonly inline_keyboard: readonly (readonly Button[])[] }
export type ForceReply = { readonly force_reply: true; readonly input_field_placeholder: string }
export type Controls = Keyboard | ForceReply

/** One bit for each option, the first the lowest. */
type Picks = number
const isPicked = (picks: Picks, index: number): boolean => (picks & (1 << index)) !== 0
const MAX_OPTIONS = 26
const spellPicks = (picks: Picks): string => picks.toString(36)
const readPicks = (text: string): Picks | null => {
  const picks = /^[0-9a-z]{1,6}$/.test(text) ? Number.parseInt(text, 36) : Number.NaN
  return picks < 1 << MAX_OPTIONS ? picks : null
}

export function controls(schema: ReplySchema, handle: string, picks: Picks = 0): Controls {
  switch (schema.kind) {
    case 'yes_no':
      return { inline_keyboard: [[button('Yes', handle, ':YES'), button('No', handle, ':NO')]] }
    case 'choice':
      return { inline_keyboard: schema.options.map((option, index) => [choice(option, index, handle)]) }
    case 'multi_choice':
      return { inline_keyboard: [...ticks(schema.options, handle, picks), ...sending(schema, handle, picks)] }
    case 'text':
    case 'number':
    case 'date':
    case 'form':
      return { force_reply: true, input_field_placeholder: placeholder(schema) }
  }
}

const button = (text: string, handle: string, data: string): Button => ({
  text,
  callback_data: `${handle}${data}`,
})
const named = ({ label }: Option, index: number): string => `${letterOf(index)} · ${label}`
const choice = (option: Option, index: number, handle: string): Button =>
  button(named(option, index), handle, `:${letterOf(index)}`)

const ticks = (options: readonly Option[], handle: string, picks: Picks): Button[][] =>
  options.map((option, index) => {
    const mark = isPicked(picks, index) ? '☑' : '☐'
    return [button(`${mark} ${named(option, index)}`, handle, `+${spellPicks(picks ^ (1 << index))}`)]
  })

/** Only an acceptable set can be sent, and the button names it. */
function sending(
  { min, max }: { readonly min: number; readonly max: number },
  handle: string,
  picks: Picks,
): Button[][] {
  const letters = lettersOf(picks)
  if (letters.length < Math.max(min, 1) || letters.length > max) return []
  return [[button(`Send ${letters.join(', ')}`, handle, `=${spellPicks(picks)}`)]]
}

const lettersOf = (picks: Picks): string[] =>
  Array.from({ length: MAX_OPTIONS }, (_, index) => index)
    .filter(index => isPicked(picks, index))
    .map(letterOf)

function placeholder(schema: Extract<ReplySchema, { kind: 'text' | 'number' | 'date' | 'form' }>): string {
  switch (schema.kind) {
    case 'text':
      return `One line, at most ${schema.max_chars} characters`
    case 'number':
      return cutToCharacters(`A number from ${schema.min} to ${schema.max}`, MAX_PLACEHOLDER_CHARS)
    case 'date':
      return 'A date, such as 2026-02-17'
    case 'form':
      return 'A line for each decision: its id and the answer'
  }
}

type Pressed =
  | { readonly kind: 'said'; readonly handle: string; readonly text: string }
  | { readonly kind: 'picked'; readonly handle: string; readonly picks: Picks }

const DATA = /^([0-9A-Za-z]{26})([:+=])(.*)$/s

/** Reads a button's data; data that is not ours becomes a reply under a handle that names nothing. */
export function readPress(data: string): Pressed {
  const [, handle = data, sign = ':', rest = ''] = DATA.exec(data) ?? []
  const picks = sign === ':' ? null : readPicks(rest)
  if (picks === null) return { kind: 'said', handle, text: rest }
  return sign === '+'
    ? { kind: 'picked', handle, picks }
    : { kind: 'said', handle, text: lettersOf(picks).join(',') }
}
