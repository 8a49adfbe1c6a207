// Words that a mail's own style sheets strike out. A sheet is not applied: every element that one of its striking
// rules could be about counts as struck out, and if that cannot be told, the whole mail does.
import { type Tag, tokensOf } from './tag.js'

export type Strikes = { readonly selectors: ReadonlySet<string>; readonly all: boolean }

/** Styles that draw a line through words, raise or turn them, or add words that stand in no element. */
const STRIKING = /line-through|bidi-override|vertical-align\s*:\s*su[bp]|(?<![\w-])content\s*:/
/** The part behind a selector's last blank is about the element itself. These are about the whole page; SIMPLE ones
 *  are `p`, `.class`, `#id` and `p.class`. */
const EVERYTHING = new Set(['', 'html', 'body'])
const SIMPLE = /^[a-z0-9]*(?:[.#][\w-]+)*$/i

const NONE: Strikes = { selectors: new Set(), all: false }

export function strikesIn(html: string): Strikes {
  if (!/<style/i.test(html)) return NONE
  let sheets = ''
  for (const token of tokensOf(html))
    if (typeof token !== 'string' && token.sheet !== '') sheets += `${token.sheet}}`
  const rules = unescaped(sheets).split('}')
  const about = rules.filter(rule => STRIKING.test(rule)).flatMap(selectorsOf)
  const all = about.some(selector => EVERYTHING.has(selector) || !SIMPLE.test(selector))
  return { selectors: new Set(about.flatMap(partsOf)), all }
}

export const isStruck = ({ name, id, classes, style }: Tag, { selectors, all }: Strikes): boolean =>
  all ||
  STRIKING.test(unescaped(style)) ||
  (selectors.size > 0 &&
    [name, `#${id}`, ...classes.split(/\s+/).map(one => `.${one}`)].some(one =>
      selectors.has(one.toLowerCase()),
    ))

/** Whether the style has a word that hides, in one program or in all. */
export const isHidden = ({ style }: Tag): boolean => HIDING.test(unescaped(style).replace(/\s+/g, ''))
const HIDING = /display:none|visibility:(?:hidden|collapse)|opacity:0(?![.\d])|font-size:0(?![.\d])|mso-hide:/

/** The style in small letters, with signs that are written by their number as themselves. */
const unescaped = (css: string): string =>
  css.toLowerCase().replace(/\\([0-9a-f]{1,6})\s?/g, (_, hex: string) => {
    const codePoint = Number.parseInt(hex, 16)
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : ''
  })

/** The part of each selector that is about the element itself; '' if none is found. */
function selectorsOf(rule: string): string[] {
  const declarations = rule.lastIndexOf('{')
  const outer = rule.lastIndexOf('{', declarations - 1)
  const written = rule.slice(outer + 1, Math.max(declarations, 0))
  return written.split(',').map(
    selector =>
      selector
        .trim()
        .split(/[\s>+~]+/)
        .at(-1) ?? '',
  )
}

/** A rule about `p.class` is taken as one about every `.class`. */
function partsOf(selector: string): string[] {
  const parts = selector.match(/[.#][\w-]+/g)
  return parts ?? [selector]
}
