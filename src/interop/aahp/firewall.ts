// What must never stand in a handoff file or go out from one: secrets, addresses of people, and words meant to command
// a reader that is a model. The project's own list (.aiignore) stands beside the built-in ones.
//
// AF1  A hit names its rule, its line and a hash of that line, never what was found.
// AF2  The allow-list lets an exact address pass, until its day, and nothing else.
// AF3  A line of the list that cannot be read as a pattern lets nothing pass: writing is refused until it is mended.
import { type Hash, sha256 } from '../../canonical.js'
import { COMMANDS } from '../injection.js'
import { inOrder, ours, type Pattern, quoted, theirs } from '../pattern.js'
import { type Allowed, addressesIn, isAllowed } from './allow-list.js'

import { linesOf } from './section.js'

export const AIIGNORE = '.aiignore'

type Kind = 'secret' | 'person' | 'ignored' | 'injection'
type Rule = Pattern & { readonly name: string; readonly kind: Kind }
export type Hit = {
  readonly rule: string
  readonly kind: Kind
  readonly line: number
  readonly hash: Hash
}
export type Firewall = {
  readonly rules: readonly Rule[]
  readonly allowed: readonly Allowed[]
  /** Lines of the list that are no patterns, by their number (AF3). */
  readonly unreadable: readonly number[]
}

/** Real keys are longer than sixteen characters; the same letters inside an ordinary word are not followed by so many. */
const PREFIXED: Readonly<Record<string, RegExp>> = {
  'sk-': /(?<![a-z0-9])sk-[a-z0-9_-]{16}/i,
  ghp_: /ghp_[a-z0-9_-]{16}/i,
  gho_: /gho_[a-z0-9_-]{16}/i,
  'glpat-': /glpat-[a-z0-9_-]{16}/i,
  'xoxb-': /xoxb-[a-z0-9_-]{16}/i,
  'xoxp-': /xoxp-[a-z0-9_-]{16}/i,
  akia: /(?<![a-z0-9])akia[a-z0-9_-]{16}/i,
}
const BEARER = /bearer[ \t]{1,8}[a-z0-9._~+/=-]{16}/i

const SECRETS: Readonly<Record<string, Pattern>> = {
  assignment: ours(/_(?:key|secret|token|password|credentials)[ \t]{0,8}=[ \t]{0,8}['"]?[^\s'"]/i),
  bearer: ours(BEARER),
  'private-key': inOrder('-----begin', 'private key'),
  ...Object.fromEntries(Object.entries(PREFIXED).map(([prefix, form]) => [`prefix ${prefix}`, ours(form)])),
}
const PEOPLE: Readonly<Record<string, Pattern>> = {
  address: { within: text => text.includes('@'), holds: line => addressesIn(line).length > 0 },
  ssn: ours(/\b\d{3}-\d{2}-\d{4}\b/),
}

const ruled = (kind: Kind, patterns: Readonly<Record<string, Pattern>>): Rule[] =>
  Object.entries(patterns).map(([name, pattern]) => ({ ...pattern, name, kind }))

const BUILT_IN: readonly Rule[] = [
  ...ruled('secret', SECRETS),
  ...ruled('person', PEOPLE),
  ...ruled('injection', COMMANDS),
]

export function firewall(aiignore: string | null, allowed: readonly Allowed[]): Firewall {
  const read = ignoredBy(aiignore ?? '')
  return { rules: [...BUILT_IN, ...read.rules], allowed, unreadable: read.unreadable }
}

/** Everything in the text that a rule forbids. `today` decides which addresses may still stand there. */
export function hitsIn(text: string, { rules, allowed }: Firewall, today: string): Hit[] {
  const lowered = text.toLowerCase()
  const possible = rules.filter(rule => rule.within(text, lowered))
  if (possible.length === 0) return []
  const hits: Hit[] = []
  for (const { line, number } of linesOf(text)) {
    // An address that may pass is taken out first, so that no other rule finds it (AF2).
    const judged = withoutAllowed(line, allowed, today)
    for (const { name, kind, holds } of possible)
      if (holds(judged)) hits.push({ rule: name, kind, line: number, hash: sha256(line) })
  }
  return hits
}

/** The line with such addresses blanked where they stand: what only contains one is another. */
function withoutAllowed(line: string, allowed: readonly Allowed[], today: string): string {
  if (allowed.length === 0 || !line.includes('@')) return line
  return addressesIn(line)
    .filter(address => isAllowed(address, allowed, today))
    .reduceRight((left, { from, to }) => `${left.slice(0, from)} ${left.slice(to)}`, line)
}

/** Hits that keep a handoff from being written, wherever they stand. Words that command are reported where they stood
 *  before, and block only what is written or sent now. */
export const isBarred = ({ kind }: Hit): boolean => kind !== 'injection'

function ignoredBy(text: string): { rules: Rule[]; unreadable: number[] } {
  const rules: Rule[] = []
  const unreadable: number[] = []
  for (const { line, number } of linesOf(text)) {
    // A comment begins with a number sign, first in its line or behind a blank.
    const words = line.replace(/(^|\s)#.*$/, '').trim()
    if (words === '') continue
    const pattern = readPattern(words)
    if (pattern === null) unreadable.push(number)
    else rules.push({ ...pattern, name: `${AIIGNORE}:${number}`, kind: 'ignored' })
  }
  return { rules, unreadable }
}

function readPattern(words: string): Pattern | null {
  try {
    return words.includes('\\') ? theirs(words) : glob(words)
  } catch {
    return null
  }
}

/** A glob holds anywhere in a line. One for the beginning of a key asks for a key's length, and one for addresses stays
 *  within a word. Null if it would hold everywhere. */
function glob(words: string): Pattern | null {
  const parts = words.split('*').filter(Boolean)
  const [first = ''] = parts
  if (parts.length === 0) return null
  const prefix = words.endsWith('*') && parts.length === 1 ? PREFIXED[first.toLowerCase()] : undefined
  if (prefix !== undefined) return ours(prefix)
  if (parts.length === 1 && words.endsWith('*') && /^bearer\s*$/i.test(first)) return ours(BEARER)
  if (words.includes('?')) return theirs([...words].map(globCharacter).join(''))
  const inWord = inOrder(...parts)
  if (!words.includes('@')) return inWord
  return { ...inWord, holds: line => line.split(/\s/).some(word => word.includes('@') && inWord.holds(word)) }
}

const globCharacter = (character: string): string => {
  if (character === '*') return '[^\\n]*'
  return character === '?' ? '[^\\n]' : quoted(character)
}
