// A source file as the rules see it: its imports, and its code without comments and without the contents of strings.
import { posix } from 'node:path'

export type Import = {
  /** A path of the tree for our own files; else the package or node: name. */
  readonly to: string
  readonly ours: boolean
  /** Erased by the compiler: nothing runs because of it. */
  readonly typeOnly: boolean
  /** What is taken from it by name; null for all of it. */
  readonly names: readonly string[] | null
}
export type Source = {
  readonly path: string
  readonly text: string
  /** Comments and the insides of strings are blank; `${…}` in a template is code. */
  readonly code: string
  readonly imports: readonly Import[]
}

export function readSource(path: string, text: string): Source {
  const { code, plain } = scan(text)
  return { path, text, code, imports: importsOf(path, plain) }
}

const STATIC = /^(import|export)\s+(type\s+)?(?:([^'"`;]*?)\s*from\s*)?(['"])([^'"]+)\4/gm
const DYNAMIC = /\bimport\(\s*(['"])([^'"]+)\1/g

function importsOf(path: string, plain: string): Import[] {
  const found: Import[] = []
  for (const [, , type, names, , target = ''] of plain.matchAll(STATIC)) {
    const listed = /^\{([^}]*)\}$/
      .exec(names?.trim() ?? '')?.[1]
      ?.split(',')
      .filter(name => name.trim() !== '')
    const onlyTypes = listed?.every(name => /^\s*type\s/.test(name)) ?? false
    const taken = listed?.map(name => /^\s*(?:type\s+)?(\w+)/.exec(name)?.[1] ?? '') ?? null
    found.push({ ...resolve(path, target), typeOnly: type !== undefined || onlyTypes, names: taken })
  }
  for (const [, , target = ''] of plain.matchAll(DYNAMIC)) {
    found.push({ ...resolve(path, target), typeOnly: false, names: null })
  }
  return found
}

function resolve(from: string, target: string): { readonly to: string; readonly ours: boolean } {
  if (!target.startsWith('.')) return { to: target, ours: false }
  const to = posix.join(posix.dirname(from), target).replace(/\.js$/, '.ts')
  return { to, ours: true }
}

/** After one of these a slash opens a regular expression; after anything else it divides. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%<>~^\n]|\b(?:return|typeof|case|in|of))\s*$/
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const QUOTED = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y
const PATTERN = /\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//y
/** From a backtick, or from the brace that ends a `${…}`, to the next `${` or the closing backtick. */
const TEMPLATE = /[`}](?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y
const OTHER = /[A-Za-z0-9_ .\n]+|[\s\S]/y
const LOOK_BACK = 40

const blank = (part: string): string => part.replace(/[^\n]/g, ' ')

function scan(text: string): { readonly code: string; readonly plain: string } {
  let code = ''
  let plain = ''
  let at = 0
  /** Braces open inside each `${…}` we are in. */
  const templates: number[] = []
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const take = (part: string, inCode: string, inPlain = part): void => {
    code += inCode
    plain += inPlain
    at += part.length
  }
  const literal = (): string | undefined =>
    match(QUOTED) ?? (BEFORE_PATTERN.test(code.slice(-LOOK_BACK)) ? match(PATTERN) : undefined)
  while (at < text.length) {
    const letter = text[at]
    const inside = templates.at(-1)
    const comment = match(COMMENT)
    const quoted = comment ?? literal()
    const template = letter === '`' || (letter === '}' && inside === 0) ? match(TEMPLATE) : undefined
    if (comment !== undefined) take(comment, blank(comment), blank(comment))
    else if (quoted !== undefined) take(quoted, `'${blank(quoted.slice(2))}'`)
    else if (template !== undefined) {
      if (letter === '}') templates.pop()
      if (template.endsWith('${')) templates.push(0)
      take(template, blank(template))
    } else {
      if (inside !== undefined && letter === '{') templates[templates.length - 1] = inside + 1
      if (inside !== undefined && letter === '}') templates[templates.length - 1] = inside - 1
      const other = match(OTHER) ?? ''
      take(other, other)
    }
  }
  return { code, plain }
}
