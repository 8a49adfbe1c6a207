// Calls that the Bot API refuses and the emulator takes: the limits of its reference page, with its own sentences.
export type Payload = Readonly<Record<string, unknown>>

const bytes = (text: string): number => Buffer.byteLength(text)
const list = (value: unknown): readonly Payload[] => (Array.isArray(value) ? value : [])

/** Why a call would be refused; null where it would not. */
export function refusalOf(method: string, payload: Payload): string | null {
  switch (method) {
    case 'sendMessage':
    case 'editMessageText':
      return refusalOfText(payload) ?? refusalOfMarkup(payload.reply_markup as Payload | undefined)
    case 'editMessageReplyMarkup':
      return refusalOfMarkup(payload.reply_markup as Payload | undefined)
    case 'answerCallbackQuery':
      return [...String(payload.text ?? '')].length > 200 ? 'MESSAGE_TOO_LONG' : null
    case 'setWebhook':
      return refusalOfSecret(payload)
    default:
      return null
  }
}

function refusalOfText({ text, entities, parse_mode }: Payload): string | null {
  if (typeof text !== 'string' || text.trim() === '') return 'message text is empty'
  if ([...text].length > 4096) return 'message is too long'
  if (parse_mode !== undefined && entities !== undefined) return 'parse_mode and entities exclude each other'
  const isOutside = ({ offset, length }: Payload): boolean =>
    !Number.isInteger(offset) ||
    !Number.isInteger(length) ||
    Number(length) < 1 ||
    Number(offset) + Number(length) > text.length
  return list(entities).some(isOutside) ? 'ENTITY_BOUNDS_INVALID' : null
}

function refusalOfMarkup(markup: Payload | undefined): string | null {
  const buttons = list(markup?.inline_keyboard).flatMap(row => list(row))
  for (const { text, callback_data, url } of buttons) {
    if (typeof text !== 'string' || text === '') return 'button text is empty'
    if (callback_data === undefined && url === undefined) return 'button type is not given'
    const size = bytes(String(callback_data))
    if (callback_data !== undefined && (size < 1 || size > 64)) return 'BUTTON_DATA_INVALID'
  }
  if (buttons.length > 100) return 'REPLY_MARKUP_TOO_LONG'
  const placeholder = markup?.input_field_placeholder
  const isLong = typeof placeholder === 'string' && ([...placeholder].length > 64 || placeholder === '')
  return isLong ? 'PLACEHOLDER_TOO_LONG' : null
}

const refusalOfSecret = ({ secret_token, url }: Payload): string | null => {
  if (typeof url !== 'string' || !URL.canParse(url)) return 'bad webhook: invalid URL'
  const isSecret = secret_token === undefined || /^[A-Za-z0-9_-]{1,256}$/.test(String(secret_token))
  return isSecret ? null : 'secret token contains unallowed characters'
}
