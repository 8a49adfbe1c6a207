// HTML as its tags and what stands between them, in one pass. Of a tag only its name is kept, and the few attributes that
// say what stands inside it.
import { decodeReferences } from './entities.js'

export type Tag = {
  readonly name: string
  readonly closing: boolean
  readonly selfClosing: boolean
  readonly id: string
  readonly classes: string
  readonly style: string
  /** It says itself that it quotes somebody. */
  readonly cites: boolean
  /** Of a style element what is in it, as it is written. */
  readonly sheet: string
}

const NAMED = /^<(\/?)([A-Za-z][A-Za-z0-9:-]{0,40})/
/** One after the other, so that what stands inside a value is no attribute. */
const ATTRIBUTE = /[\s/"'<=]*([^\s/"'<>=]+)(?:\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s"'>]+)))?/gy
/** Their content is no HTML: it ends at their own closing tag and nowhere else. */
const RAW = new Set(['style', 'script', 'title'])

/** Text as it is written, references and all, and tags. */
export function* tokensOf(html: string): Iterable<string | Tag> {
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    const to = open === -1 ? html.length : open
    if (to > at) yield html.slice(at, to)
    if (open === -1) return
    const { tag, end } = readTag(html, open)
    yield tag ?? html.slice(open, end)
    at = end
  }
}

/** The tag at `from`, where a `<` stands, and where reading goes on; no tag: a sign, a comment or a declaration. */
function readTag(html: string, from: number): { readonly tag: Tag | null; readonly end: number } {
  if (html.startsWith('<!--', from)) return { tag: EMPTY, end: afterComment(html, from) }
  if (html.startsWith('<!', from) || html.startsWith('<?', from))
    return { tag: EMPTY, end: after(html, '>', from) }
  const named = NAMED.exec(html.slice(from, from + 50))
  // A lone "<" is a sign like any other.
  if (named === null) return { tag: null, end: from + 1 }
  const end = endOf(html, from)
  const written = html.slice(from, end)
  const name = (named[2] ?? '').toLowerCase()
  const closing = named[1] === '/'
  const tag = { name, closing, selfClosing: written.endsWith('/>'), ...attributes(written, named[0].length) }
  const next = RAW.has(name) && !closing ? afterRaw(html, name, end) : end
  return { tag: { ...tag, sheet: name === 'style' ? html.slice(end, next) : '' }, end: next }
}

/** A comment and a declaration show nothing and stand inside a line. */
const EMPTY: Tag = {
  name: 'wbr',
  closing: false,
  selfClosing: true,
  id: '',
  classes: '',
  style: '',
  cites: false,
  sheet: '',
}

function after(html: string, sign: string, from: number): number {
  const at = html.indexOf(sign, from)
  return at === -1 ? html.length : at + sign.length
}

const COMMENT_END = /--!?>/g

/** Its dashes may be those of its beginning: `<!-->` is a whole one. */
function afterComment(html: string, from: number): number {
  COMMENT_END.lastIndex = from + 2
  return COMMENT_END.exec(html) === null ? html.length : COMMENT_END.lastIndex
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

type Attributes = Pick<Tag, 'id' | 'classes' | 'style' | 'cites'>
const NONE: Attributes = { id: '', classes: '', style: '', cites: false }

function attributes(written: string, from: number): Attributes {
  if (from >= written.length - 1) return NONE
  const found = new Map<string, string>()
  ATTRIBUTE.lastIndex = from
  for (const [, name = '', double, single, plain] of written.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase()
    // The first counts, as for everybody else.
    if (!found.has(key)) found.set(key, double ?? single ?? plain ?? '')
  }
  const cites = found.has('cite') || found.get('type')?.toLowerCase() === 'cite'
  const [id = '', classes = '', style = ''] = ['id', 'class', 'style'].map(key =>
    decodeReferences(found.get(key) ?? ''),
  )
  return { id, classes, style, cites }
}
