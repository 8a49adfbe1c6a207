// The only way HTML is made here: what stands in the template is ours, what is put into it is escaped. Attributes are
// quoted in the template, because the escaping holds inside quotes and between tags and nowhere else.
const made: unique symbol = Symbol('markup')

export type Markup = { readonly [made]: true; readonly text: string }
type Part = string | null | Markup | readonly Markup[]

const escaped = (text: string): string => text.replace(/[&<>"']/g, sign => `&#${sign.codePointAt(0)};`)

function written(part: Part): string {
  if (part === null) return ''
  if (typeof part === 'string') return escaped(part)
  return 'text' in part ? part.text : part.map(one => one.text).join('')
}

export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const text = template.reduce((before, literal, at) => before + written(parts[at - 1] ?? null) + literal)
  return { [made]: true, text }
}
