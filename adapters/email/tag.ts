// One tag of HTML: its name and the three attributes that say what stands inside it.

export type Tag = {
  readonly name: string
  readonly closing: boolean
  readonly selfClosing: boolean
  readonly id: string
  readonly classes: string
  readonly style: string
}

/** Characters of a tag that are read for attributes; the tag itself may be longer, with a link in it. */
const MAX_READ_CHARS = 2_000
const NAMED = /^<(\/?)([A-Za-z][A-Za-z0-9:-]{0,40})/
const ATTRIBUTE = /[\s"'](id|class|style)=(?:"([^"]{0,500})"|'([^']{0,500})'|([^\s"'>]{1,500}))/gi
/** Their content is no HTML: it ends at their own closing tag and nowhere else. */
const RAW = new Set(['style', 'script', 'title'])

/** The tag at `from`, where a `<` stands, and where reading goes on; no tag: a sign, a comment or a declaration. */
export function readTag(html: string, from: number): { readonly tag: Tag | null; readonly end: number } {
  if (html.startsWith('<!--', from)) return { tag: EMPTY, end: after(html, '-->', from + 4) }
  if (html.startsWith('<!', from) || html.startsWith('<?', from))
    return { tag: EMPTY, end: after(html, '>', from) }
  const named = NAMED.exec(html.slice(from, from + 50))
  // A lone "<" is a sign like any other.
  if (named === null) return { tag: null, end: from + 1 }
  const end = endOf(html, from)
  const written = html.slice(from, Math.min(end, from + MAX_READ_CHARS))
  const name = (named[2] ?? '').toLowerCase()
  const closing = named[1] === '/'
  const tag = { name, closing, selfClosing: written.endsWith('/>'), ...attributes(written) }
  return { tag, end: RAW.has(name) && !closing ? afterRaw(html, name, end) : end }
}

/** A comment and a declaration show nothing and stand inside a line. */
const EMPTY: Tag = { name: 'wbr', closing: false, selfClosing: true, id: '', classes: '', style: '' }

function after(html: string, sign: string, from: number): number {
  const at = html.indexOf(sign, from)
  return at === -1 ? html.length : at + sign.length
}

/** A `>` between quotation marks does not end a tag; a quotation mark begins a value only after its `=`. */
function endOf(html: string, from: number): number {
  let quote = ''
  let before = ''
  for (let at = from + 1; at < html.length; at++) {
    const sign = html.charAt(at)
    if (quote !== '') quote = sign === quote ? '' : quote
    else if (sign === '>') return at + 1
    else if (before === '=' && (sign === '"' || sign === "'")) quote = sign
    if (sign !== ' ') before = sign
  }
  return html.length
}

function afterRaw(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, 'gi')
  closing.lastIndex = from
  return closing.exec(html)?.index ?? html.length
}

function attributes(written: string): Pick<Tag, 'id' | 'classes' | 'style'> {
  const found = { id: '', class: '', style: '' }
  for (const [, name = '', double, single, plain] of written.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase() as keyof typeof found
    if (found[key] === '') found[key] = double ?? single ?? plain ?? ''
  }
  return { id: found.id, classes: found.class, style: found.style }
}
