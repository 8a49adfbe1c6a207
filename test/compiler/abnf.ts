// RFC 5234, as much of it as the reply grammar uses: reads rules, generates strings of them, matches whole strings.
// The rules are read out of docs/spec/reply-grammar.md, so the compiler is held to the page. Nothing here knows it.
import { readFileSync } from 'node:fs'

type Node =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'class'; readonly name: string }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'any' | 'all'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly min: number; readonly max: number; readonly node: Node }

/** What a prose value such as <letter> stands for. */
export type Class = { readonly has: (codePoint: number) => boolean; readonly samples: readonly number[] }
export type Classes = Readonly<Record<string, Class>>
export type Grammar = { readonly rules: ReadonlyMap<string, Node>; readonly classes: Classes }
/** A number in 0…n-1: the only source of variety. */
export type Pick = (n: number) => number

const TOKEN =
  /\s*(?:("[^"]*")|(%x[0-9A-Fa-f]+(?:-[0-9A-Fa-f]+)?)|(<[a-z]+>)|(\d*\*\d*|\d+)|([A-Za-z][\w-]*)|([()[\]/]))/y
const ENDLESS = Number.POSITIVE_INFINITY

export function publishedRules(): string {
  const page = readFileSync(new URL('../../docs/spec/reply-grammar.md', import.meta.url), 'utf8')
  return [...page.matchAll(/```abnf\n([\s\S]*?)```/g)].map(([, rules]) => rules).join('')
}

export function grammar(text: string, classes: Classes): Grammar {
  const rules = new Map<string, Node>()
  for (const line of text.split('\n').filter(line => line.trim() !== '')) {
    const [, name, body] = /^([A-Za-z][\w-]*)\s*=\s*(.+)$/.exec(line) ?? []
    if (!name || !body) throw new SyntaxError(`not a rule: ${line}`)
    rules.set(name, parse(body))
  }
  return { rules, classes }
}

function parse(body: string): Node {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < body.trimEnd().length) {
    const found = TOKEN.exec(body)
    if (!found) throw new SyntaxError(`cannot read: ${body}`)
    tokens.push(found[0].trim())
  }
  const node = alternation(tokens)
  if (tokens.length > 0) throw new SyntaxError(`left over: ${tokens.join(' ')}`)
  return node
}

function alternation(tokens: string[]): Node {
  const nodes = [concatenation(tokens)]
  while (tokens[0] === '/') {
    tokens.shift()
    nodes.push(concatenation(tokens))
  }
  return { kind: 'any', nodes }
}

function concatenation(tokens: string[]): Node {
  const nodes: Node[] = []
  while (tokens.length > 0 && !['/', ')', ']'].includes(tokens[0] ?? '')) nodes.push(element(tokens))
  return { kind: 'all', nodes }
}

function element(tokens: string[]): Node {
  const token = tokens.shift() ?? ''
  const [, min, star, max] = /^(\d*)(\*?)(\d*)$/.exec(token) ?? []
  if (min !== undefined) {
    const most = star ? (max ? Number(max) : ENDLESS) : Number(min)
    return { kind: 'repeat', min: Number(min || 0), max: most, node: element(tokens) }
  }
  if (token === '(' || token === '[') return group(token, tokens)
  if (token.startsWith('"')) return { kind: 'literal', text: token.slice(1, -1).toLowerCase() }
  if (token.startsWith('<')) return { kind: 'class', name: token.slice(1, -1) }
  if (!token.startsWith('%x')) return { kind: 'rule', name: token }
  const [from, to] = token
    .slice(2)
    .split('-')
    .map(hex => Number.parseInt(hex, 16))
  return { kind: 'range', from: from ?? 0, to: to ?? from ?? 0 }
}

function group(open: string, tokens: string[]): Node {
  const node = alternation(tokens)
  tokens.shift()
  return open === '(' ? node : { kind: 'repeat', min: 0, max: 1, node }
}

function ruleOf(g: Grammar, name: string): Node {
  const node = g.rules.get(name)
  if (!node) throw new SyntaxError(`no rule ${name}`)
  return node
}

function classOf(g: Grammar, name: string): Class {
  const found = g.classes[name]
  if (!found) throw new SyntaxError(`no class ${name}`)
  return found
}

export function matches(g: Grammar, rule: string, text: string): boolean {
  const codePoints = Array.from(text, character => character.codePointAt(0) ?? 0)
  return endsOf(g, ruleOf(g, rule), codePoints, 0).has(codePoints.length)
}

const lower = (codePoint: number): number => (codePoint >= 65 && codePoint <= 90 ? codePoint + 32 : codePoint)

/** Every position at which this node can end when it starts at `at`: no backtracking, no first-match bias. */
function endsOf(g: Grammar, node: Node, text: readonly number[], at: number): Set<number> {
  const here = text[at]
  const one = (holds: boolean): Set<number> => new Set(holds ? [at + 1] : [])
  switch (node.kind) {
    case 'range':
      return one(here !== undefined && here >= node.from && here <= node.to)
    case 'class':
      return one(here !== undefined && classOf(g, node.name).has(here))
    case 'literal': {
      const same = Array.from(node.text).every((c, i) => lower(text[at + i] ?? -1) === c.charCodeAt(0))
      return new Set(same ? [at + node.text.length] : [])
    }
    case 'rule':
      return endsOf(g, ruleOf(g, node.name), text, at)
    case 'any':
      return new Set(node.nodes.flatMap(it => [...endsOf(g, it, text, at)]))
    case 'all':
      return node.nodes.reduce((starts, it) => step(g, it, text, starts), new Set([at]))
    case 'repeat':
      return repeated(g, node, text, at)
  }
}

const step = (g: Grammar, node: Node, text: readonly number[], starts: Set<number>): Set<number> =>
  new Set([...starts].flatMap(start => [...endsOf(g, node, text, start)]))

function repeated(
  g: Grammar,
  { node, min, max }: { node: Node; min: number; max: number },
  text: readonly number[],
  at: number,
): Set<number> {
  const ends = new Set<number>()
  let front = new Set([at])
  for (let count = 0; front.size > 0; count += 1) {
    if (count >= min) for (const end of front) ends.add(end)
    if (count === max) break
    front = new Set([...step(g, node, text, front)].filter(end => count < min || !ends.has(end)))
  }
  return ends
}

/** How often a repetition goes on beyond what it must: enough to see "several". */
const MORE = 3

export function generate(g: Grammar, rule: string, pick: Pick): string {
  return written(g, ruleOf(g, rule), pick)
}

function written(g: Grammar, node: Node, pick: Pick): string {
  switch (node.kind) {
    case 'range':
      return String.fromCodePoint(node.from + pick(node.to - node.from + 1))
    case 'class': {
      const { samples } = classOf(g, node.name)
      return String.fromCodePoint(samples[pick(samples.length)] ?? 0)
    }
    case 'literal':
      return Array.from(node.text, c => (pick(2) === 0 ? c : c.toUpperCase())).join('')
    case 'rule':
      return written(g, ruleOf(g, node.name), pick)
    case 'any':
      return written(g, node.nodes[pick(node.nodes.length)] ?? node, pick)
    case 'all':
      return node.nodes.map(it => written(g, it, pick)).join('')
    case 'repeat': {
      const count = node.min + pick(Math.min(node.max - node.min, MORE) + 1)
      return Array.from({ length: count }, () => written(g, node.node, pick)).join('')
    }
  }
}
