// Slack's published limits of Block Kit, as a judge of its own: it knows the reference pages and nothing of the
// renderer. Lengths are counted in UTF-16 units, the strictest reading. It refuses blocks it does not know.
type Json = { readonly [key: string]: unknown }
type Faults = string[]

const fields = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const unless = (holds: boolean, fault: string): Faults => (holds ? [] : [fault])

function text(where: string, value: unknown, most: number): Faults {
  if (typeof value !== 'string') return [`${where}: is no text`]
  const { length } = value
  return unless(length >= 1 && length <= most, `${where}: has ${length} characters, not 1 to ${most}`)
}

/** `mrkdwn` is a type of text object too; nothing here may use it. */
function plain(where: string, value: unknown, most: number): Faults {
  const { type, emoji, text: words } = fields(value)
  return [
    ...unless(type === 'plain_text', `${where}: is no plain_text`),
    ...unless(emoji === false, `${where}: shows emoji codes as emoji`),
    ...text(where, words, most),
  ]
}

function each(
  where: string,
  list: unknown,
  most: number,
  judge: (where: string, one: Json) => Faults,
): Faults {
  const all = items(list)
  const counted = all.length >= 1 && all.length <= most
  return [
    ...unless(counted, `${where}: has ${all.length} elements, not 1 to ${most}`),
    ...all.flatMap((one, at) => judge(`${where}[${at}]`, fields(one))),
  ]
}

function unique(where: string, list: unknown, field: string): Faults {
  const ids = items(list).flatMap(one => fields(one)[field] ?? [])
  return unless(new Set(ids).size === ids.length, `${where}: has the same ${field} twice`)
}

const blocks = (list: unknown, most: number): Faults => [
  ...each('blocks', list, most, block),
  ...unique('blocks', list, 'block_id'),
]

function block(where: string, one: Json): Faults {
  const named = one.block_id === undefined ? [] : text(`${where}.block_id`, one.block_id, 255)
  return [...named, ...content(where, one)]
}

function content(where: string, one: Json): Faults {
  switch (one.type) {
    case 'header':
      return plain(`${where}.text`, one.text, 150)
    case 'section':
      return plain(`${where}.text`, one.text, 3000)
    case 'context':
      return each(where, one.elements, 10, (at, element) => plain(at, element, 2000))
    case 'actions':
      return [...each(where, one.elements, 25, button), ...unique(where, one.elements, 'action_id')]
    case 'input':
      return input(where, one)
    case 'rich_text':
      return each(where, one.elements, 100, rich)
    default:
      return [`${where}: is of unknown type ${String(one.type)}`]
  }
}

function button(where: string, one: Json): Faults {
  return [
    ...unless(one.type === 'button', `${where}: is no button`),
    ...unless(one.url === undefined, `${where}: leads away`),
    ...plain(`${where}.text`, one.text, 75),
    ...text(`${where}.action_id`, one.action_id, 255),
    ...text(`${where}.value`, one.value, 2000),
    ...(one.confirm === undefined ? [] : confirm(`${where}.confirm`, fields(one.confirm))),
  ]
}

const confirm = (where: string, one: Json): Faults => [
  ...plain(`${where}.title`, one.title, 100),
  ...plain(`${where}.text`, one.text, 300),
  ...plain(`${where}.confirm`, one.confirm, 30),
  ...plain(`${where}.deny`, one.deny, 30),
]

function input(where: string, one: Json): Faults {
  const element = fields(one.element)
  return [
    ...plain(`${where}.label`, one.label, 2000),
    ...(one.hint === undefined ? [] : plain(`${where}.hint`, one.hint, 2000)),
    ...text(`${where}.action_id`, element.action_id, 255),
    ...control(where, element),
  ]
}

function control(where: string, element: Json): Faults {
  switch (element.type) {
    case 'plain_text_input': {
      const [min, max] = [Number(element.min_length), Number(element.max_length)]
      return unless(min >= 0 && min <= max && max >= 1 && max <= 3000, `${where}: has no possible length`)
    }
    case 'number_input':
      return numbers(where, element)
    case 'radio_buttons':
    case 'checkboxes':
      return options(where, element.options, 10)
    case 'static_select':
    case 'multi_static_select':
      return options(where, element.options, 100)
    case 'datepicker':
      return []
    default:
      return [`${where}: asks by an unknown element ${String(element.type)}`]
  }
}

function numbers(where: string, { is_decimal_allowed, min_value, max_value }: Json): Faults {
  const shape = is_decimal_allowed === true ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/
  const bounds = [min_value, max_value].every(bound => typeof bound === 'string' && shape.test(bound))
  return [
    ...unless(typeof is_decimal_allowed === 'boolean', `${where}: does not speak of decimals`),
    ...unless(bounds, `${where}: has the bounds ${String(min_value)} and ${String(max_value)}`),
    ...unless(Number(min_value) <= Number(max_value), `${where}: has no possible number`),
  ]
}

const options = (where: string, list: unknown, most: number): Faults => [
  ...each(where, list, most, (at, one) => [
    ...plain(`${at}.text`, one.text, 75),
    ...text(`${at}.value`, one.value, 75),
    ...(one.description === undefined ? [] : plain(`${at}.description`, one.description, 75)),
  ]),
  ...unique(where, list, 'value'),
]

function rich(where: string, part: Json): Faults {
  switch (part.type) {
    case 'rich_text_section':
    case 'rich_text_quote':
      return each(where, part.elements, 1000, element)
    case 'rich_text_list':
      return each(where, part.elements, 1000, rich)
    default:
      return [`${where}: has an unknown rich part ${String(part.type)}`]
  }
}

function element(where: string, one: Json): Faults {
  switch (one.type) {
    case 'text':
      return text(`${where}.text`, one.text, 4000)
    case 'link':
      return [...text(`${where}.url`, one.url, 3000), ...text(`${where}.text`, one.text, 3000)]
    case 'user':
      return text(`${where}.user_id`, one.user_id, 21)
    case 'date':
      return [
        ...unless(Number.isSafeInteger(one.timestamp), `${where}: has no moment`),
        ...text(`${where}.format`, one.format, 200),
        ...text(`${where}.fallback`, one.fallback, 200),
      ]
    default:
      return [`${where}: has an unknown rich element ${String(one.type)}`]
  }
}

/** What Slack would refuse of a message. */
export const faultsOfMessage = (message: { readonly text: string; readonly blocks: unknown }): Faults => [
  ...text('text', message.text, 4000),
  ...blocks(message.blocks, 50),
]

export function faultsOfView(view: unknown): Faults {
  const modal = fields(view)
  return [
    ...unless(modal.type === 'modal', 'view: is no modal'),
    ...['title', 'submit', 'close'].flatMap(part => plain(part, modal[part], 24)),
    ...text('private_metadata', modal.private_metadata, 3000),
    ...text('callback_id', modal.callback_id, 255),
    ...blocks(modal.blocks, 100),
  ]
}
