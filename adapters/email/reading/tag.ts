// HTML as its tags and the text between them, in one pass, cut where every browser cuts it (HTML Living Standard,
// 13.2.5): a tag that ended elsewhere for us would swallow words that a person sees. Only a tag's name is kept, and
// the few attributes that say what stands inside it.
import { decodeReferences } from './entities.js'

export type Tag = {
  readonly name: string
  readonly closing: boolean
  readonly id: string
  readonly classes: string
  readonly style: string
  /** The text shown in the place of a picture. */
  readonly alt: string
  /** It says itself that it quotes somebody. */
  readonly cites: boolean
  /** The raw content of a style element; '' for others. */
  readonly sheet: string
}

/** Names end at a blank, a slash or the tag's end, and nowhere else: `<style_>` is no style. */
const NAMED = /^<(\/?)([A-Za-z][^\t\n\f\r />]{0,40})/
/** Attributes are read one after the other, so text inside a value is never taken for one. A quotation mark begins a
 *  value right behind its `=`; elsewhere it is a sign like any other, also in a name. */
const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\t\n\f\r >"'][^\t\n\f\r >]*)|(?=>)))?/y
const BEFORE_END = /[\t\n\f\r /]*/y
/** Their content is no HTML: it ends at their own closing tag and nowhere else. */
const RAW = new Set(['style', 'title'])

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

/** The tag at `from`, where a `<` stands, and the place at which reading goes on. `tag` is null for a lone sign. */
function readTag(html: string, from: number): { readonly tag: Tag | null; readonly end: number } {
  if (html.startsWith('<!--', from)) return { tag: EMPTY, end: afterComment(html, from) }
  if (html.startsWith('<!', from) || html.startsWith('<?', from))
    return { tag: EMPTY, end: after(html, '>', from) }
  const named = NAMED.exec(html.slice(from, from + 50))
  // A lone "<" is a sign like any other.
  if (named === null) return { tag: null, end: from + 1 }
  const name = (named[2] ?? '').toLowerCase()
  const closing = named[1] === '/'
  const { found, end } = attributesFrom(html, from + named[0].length)
  const tag = { name, closing, ...meant(found) }
  const next = RAW.has(name) && !closing ? afterRaw(html, name, end) : end
  return { tag: { ...tag, sheet: name === 'style' ? html.slice(end, next) : '' }, end: next }
}

/** A comment and a declaration show nothing and stand inside a line. */
const EMPTY: Tag = {
  name: 'wbr',
  closing: false,
  id: '',
  classes: '',
  style: '',
  alt: '',
  cites: false,
  sheet: '',
}

function after(html: string, sign: string, from: number): number {
  const at = html.indexOf(sign, from)
  return at === -1 ? html.length : at + sign.length
}

const COMMENT_END = /--!?>/g
/** Comments that end with the dashes they begin with. */
const NO_COMMENT = ['<!-->', '<!--->']

function afterComment(html: string, from: number): number {
  const whole = NO_COMMENT.find(comment => html.startsWith(comment, from))
  if (whole !== undefined) return from + whole.length
  COMMENT_END.lastIndex = from + '<!--'.length
  return COMMENT_END.exec(html) === null ? html.length : COMMENT_END.lastIndex
}

function afterRaw(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi')
  closing.lastIndex = from
  return closing.exec(html)?.index ?? html.length
}

type Attributes = ReadonlyMap<string, string>

/** The attributes between a tag's name and its end, and the place of that end. */
function attributesFrom(html: string, from: number): { readonly found: Attributes; readonly end: number } {
  const found = new Map<string, string>()
  let end = from
  for (let match = matchAt(ATTRIBUTE, html, end); match !== null; match = matchAt(ATTRIBUTE, html, end)) {
    end = ATTRIBUTE.lastIndex
    const [, name = '', double, single, plain] = match
    const key = name.toLowerCase()
    // The first counts, as for everybody else.
    if (!found.has(key)) found.set(key, double ?? single ?? plain ?? '')
  }
  matchAt(BEFORE_END, html, end)
  return { found, end: Math.min(BEFORE_END.lastIndex + 1, html.length) }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function meant(found: Attributes): Pick<Tag, 'id' | 'classes' | 'style' | 'alt' | 'cites'> {
  if (found.size === 0) return NONE
  const cites = found.has('cite') || found.get('type')?.toLowerCase() === 'cite'
  const [id = '', classes = '', style = '', alt = ''] = ['id', 'class', 'style', 'alt'].map(key =>
    decodeReferences(found.get(key) ?? ''),
  )
  return { id, classes, style: found.has('hidden') ? `${style};${HIDING}` : style, alt, cites }
}

/** The style that the attribute `hidden` stands for. */
const HIDING = 'display:none'
const NONE = { id: '', classes: '', style: '', alt: '', cites: false }
