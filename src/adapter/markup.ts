// The only way HTML is made. The template is ours; every value put into it is escaped. There is no way to put text in
// unescaped, so the words of others can never become a tag, an attribute or a link. XML is made so too: its escapes
// are spelt alike.
const made: unique symbol = Symbol('markup')

export type Markup = { readonly [made]: true; readonly text: string }
type Part = string | number | null | Markup | readonly Markup[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, sign => ENTITIES[sign] ?? '')

function written(part: Part): string {
  if (part === null) return ''
  if (typeof part === 'string') return escaped(part)
  if (typeof part === 'number') return String(part)
  return 'text' in part ? part.text : part.map(one => one.text).join('')
}

/** Attributes are to be quoted in the template: the escaping holds inside quotes and between tags, nowhere else. */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const text = template.reduce((before, literal, at) => before + written(parts[at - 1] ?? null) + literal)
  return { [made]: true, text }
}
