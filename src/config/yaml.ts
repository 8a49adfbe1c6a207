// YAML with its lines: a value to be checked, and for every path in it the line on which it was written, so that an
// operator is told where and not only what. Anything with two readings (a key twice, an unknown tag) is a problem.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
} from 'yaml'
import { RESERVED_NAMES } from '../request/field.js'

export type ConfigProblem = { readonly line: number; readonly message: string }
type LinedYaml =
  | {
      readonly ok: true
      readonly value: unknown
      lineOf(path: readonly PropertyKey[]): number
    }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

/** `aliases` are let pass in files that are only looked at. */
export function readYaml(text: string, { aliases = false }: { readonly aliases?: boolean } = {}): LinedYaml {
  const lines = new LineCounter()
  // The library compares each key with every one before it: a house of 100 000 people would take minutes to read.
  const options = { lineCounter: lines, prettyErrors: false, stringKeys: true, uniqueKeys: false }
  const document = parseDocument(text, options)
  const line = (offset: number): number => lines.linePos(offset).line
  const problems = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    line: line(pos[0]),
    message: message.toLowerCase().replace(/\.$/, ''),
  }))
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<string>()
      for (const pair of items) {
        if (known.has(keyOf(pair)))
          problems.push({ line: line(start(pair.key) ?? 0), message: 'map keys must be unique' })
        known.add(keyOf(pair))
      }
    },
    Pair: (_, { key }) => {
      if (isScalar(key) && RESERVED_NAMES.includes(String(key.value)))
        problems.push({ line: line(key.range?.[0] ?? 0), message: `the key ${key.value} is not allowed` })
    },
    // One place for each value: an alias would be checked here and changed there.
    Alias: (_, alias, path) => {
      const named = alias.resolve(document)
      // Whoever walks such a value never comes to its end.
      const isCircle = path.some(above => above === named)
      if (aliases && !isCircle) return
      const message = isCircle ? 'an alias holds itself' : 'aliases are not allowed; write the value out'
      problems.push({ line: line(alias.range?.[0] ?? 0), message })
    },
  })
  if (problems.length > 0) return { ok: false, problems }
  const value = unfold(document)
  if (!value.ok) return { ok: false, problems: [{ line: 1, message: value.message }] }
  return { ok: true, value: value.value, lineOf: path => line(offsetOf(document, path)) }
}

type Value = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string }

/** A few aliases of aliases come to more than any memory holds; the library counts them. */
function unfold(document: Document): Value {
  try {
    return { ok: true, value: document.toJS() }
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    return { ok: false, message: 'aliases come to too much' }
  }
}

const start = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined)

/** The offset at which a path was written: at its key in a map, at its item in a list; else that
 *  of the nearest node above. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents
  let offset = start(node) ?? 0
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document)
    const pair = isMap(node) ? node.items.find(item => keyOf(item) === String(step)) : undefined
    const next = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : undefined
    offset = start(pair ? pair.key : next) ?? offset
    node = next
  }
  return offset
}

const keyOf = ({ key }: Pair): string => (isScalar(key) ? String(key.value) : '')
