// Deeds of whoever has an export in hand and would have it say something else: from a flipped bit to a story told anew
// with every hash made to fit.
import { canonical } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import { hashEntry } from '../ledger/craft.js'
import type { Chance } from './chance.js'
import { bytesOf, chained, type Fields, isFields, type Loose, mended, renumbered, sealed } from './ledger.js'

export type Deed = { readonly name: string; readonly bytes: Buffer }

/** Characters by which two readers of a text may part. Each is in every Unicode since 14.0, or in none. */
const SIGNS = [
  ...'aZ09 .,;:!?/\\"\'$(-_@\u007f\t\n\0',
  '\u00a0', // a blank
  '\u00ad', // ignorable
  '\u0301', // a mark
  '\u0338', // an overlay
  '\u034f', // a mark that shows nothing
  '\u0378', // unassigned for good, so far
  '\u00bf',
  '\u037e',
  '\u2047',
  '\u200b',
  '\u202e',
  '\u2028',
  '\u2800',
  '\u3164',
  '\ue000', // private use
  '\ufe0f',
  '\ufffc',
  '\ufffd',
  '\uffff', // no character
  'é',
  'e\u0301\u0301\u0301\u0301\u0301',
  'ſ',
  'K',
  'ﬁ',
  '٣',
  '🕊',
  '\u{1d159}',
  '\u{e0100}',
  '  ',
  'www.',
  'x.yz',
  '//',
]
const SECRETS = [
  `eyJ${'a'.repeat(8)}.${'b'.repeat(8)}`,
  `eyJ${'a'.repeat(8)}.${'b'.repeat(7)}`,
  `lane_${'0'.repeat(20)}`,
  `lane_${'u'.repeat(20)}`,
  `/r/${'Z'.repeat(26)}`,
  `/r/${'0'.repeat(25)}`,
]
const LENGTHS = [0, 1, 22, 31, 32, 33, 40, 41, 64, 75, 76, 128, 129, 256, 257, 500, 501, 1000, 1001]
const NUMBERS = [0, 1, 2, 20, 26, 27, 500, 501, 999, 1000, 0.1, 1e-7, 0.000001, 1e15, 1e21, 2 ** 53, -1, 1.5]
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [0],
  'YES',
  'NO',
  'lane',
  'web',
  'answered',
  'form',
]
const NAMES = ['zz', '0', '__proto__', 'constructor', 'rules', 'kid', 'unit', 'why', 'answer', 'mood']

const CHANGES = 3

/** One deed, by chance. */
export function deedOn(entries: readonly Loose[], chance: Chance): Deed {
  const [name, act] = chance.of(DEEDS)
  return { name, bytes: act(entries, chance) }
}

type Act = (entries: readonly Loose[], chance: Chance) => Buffer

const lineOf = (entry: Loose): string => canonical(entry)

function touchedBytes(entries: readonly Loose[], chance: Chance): Buffer {
  const bytes = bytesOf(entries.map(lineOf))
  const at = chance.upTo(bytes.length)
  const byte = Buffer.from([chance.upTo(256)])
  switch (chance.upTo(4)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.upTo(8))
      return bytes
    case 1:
      return Buffer.concat([bytes.subarray(0, at), byte, bytes.subarray(at)])
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
    default:
      return bytes.subarray(0, at)
  }
}

function movedLines(entries: readonly Loose[], chance: Chance): Buffer {
  return bytesOf(moved(entries.map(lineOf), chance))
}

function moved<T>(items: readonly T[], chance: Chance): T[] {
  const at = chance.upTo(items.length)
  const taken = items.slice(at, at + 1 + chance.upTo(3))
  const left = items.toSpliced(at, taken.length)
  switch (chance.upTo(4)) {
    case 0:
      return left
    case 1:
      return items.toSpliced(at, 0, ...taken)
    case 2:
      return left.toSpliced(chance.upTo(left.length + 1), 0, ...taken)
    default:
      return items.slice(0, at)
  }
}

/** The same value in other words. */
function respelt(entries: readonly Loose[], chance: Chance): Buffer {
  const lines = entries.map(lineOf)
  const at = chance.upTo(lines.length)
  const line = lines[at] ?? ''
  const letter = /[a-z]/.exec(line.slice(chance.upTo(line.length)))?.[0] ?? 'a'
  const escaped = `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  const spelt = chance.of([
    ` ${line}`,
    `${line}\r`,
    `\ufeff${line}`,
    line.replace('"v":1', '"v":1.0'),
    line.replace('"v":1', '"v":1e0'),
    line.replace('"v":1', '"v":true'),
    line.replace('"v":1', '"v":2,"v":1'),
    line.replace(/"seq":(\d+)/, '"seq":$1.0'),
    line.replace(letter, escaped),
    line.replace(letter, '\\ud800'),
    line.replace(letter, String.fromCharCode(0)),
    line.replace(/:"[^"]*"/, ':1e400'),
    `[${line}]`,
    'null',
    '',
    `{"body":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  ])
  return bytesOf(lines.with(at, spelt))
}

/** Entries taken out, told twice, put elsewhere or cut off, and the rest chained as if nothing had happened. */
function retold(entries: readonly Loose[], chance: Chance): Buffer {
  const told = moved(entries, chance)
  return bytesOf(chained(chance.once(3) ? sealed(told) : sealed(renumbered(told))))
}

function changed(entries: readonly Loose[], chance: Chance): readonly [Loose[], number] {
  const told = structuredClone(entries) as Loose[]
  const at = chance.upTo(told.length)
  for (let n = 1 + (chance.once(4) ? chance.upTo(CHANGES) : 0); n > 0; n--) {
    const entry = told[at]
    if (entry !== undefined) told[at] = edited(entry, told, chance)
  }
  return [told, at]
}

/** Left as it was changed: the hash tells. */
function altered(entries: readonly Loose[], chance: Chance): Buffer {
  return bytesOf(changed(entries, chance)[0].map(lineOf))
}

/** With a hash of its own: the next entry tells. */
function rehashed(entries: readonly Loose[], chance: Chance): Buffer {
  const [told, at] = changed(entries, chance)
  const lines = told.map(lineOf)
  const { hash: _, ...rest } = told[at] as Loose
  return bytesOf(lines.with(at, canonical({ ...rest, hash: hashEntry(rest) })))
}

/** Chained anew from there on: only what the entries say can tell. */
function rewritten(entries: readonly Loose[], chance: Chance): Buffer {
  const [told, at] = changed(entries, chance)
  return bytesOf(chained(told, at, { seqs: !chance.once(8) }))
}

/** And with every hash inside the bodies made to fit. */
function coveredUp(entries: readonly Loose[], chance: Chance): Buffer {
  return bytesOf(chained(sealed(mended(changed(entries, chance)[0]))))
}

/** One value taken for another of the same name wherever it stands: a token, a person, a request. */
function mistaken(entries: readonly Loose[], chance: Chance): Buffer {
  const name = chance.of(['token_hash', 'provider_message_id', 'jti', 'request_id', 'delivery_id', 'user_id'])
  const found = new Set(entries.flatMap(entry => under(name, entry)))
  if (found.size < 2) return retold(entries, chance)
  const [one, other] = [chance.of([...found]), chance.of([...found])]
  const told = entries.map(entry =>
    pathsIn(entry)
      .filter(path => path.at(-1) === name)
      .reduce((here, path) => put(here, path, value => (value === one ? other : value)) as Loose, entry),
  )
  return bytesOf(chained(sealed(chance.once(3) ? told : mended(told))))
}

/** The clock goes otherwise, for one entry or for all that come after it. */
function retimed(entries: readonly Loose[], chance: Chance): Buffer {
  const from = chance.upTo(entries.length)
  const alone = chance.once(3)
  const shift = chance.of([-86_400_000, -1000, -1, 1, 1000, 60_000, 900_000, 86_400_000])
  const told = entries.map((entry, index) =>
    index === from || (index > from && !alone)
      ? { ...entry, at: instant(Date.parse(entry.at) + shift) }
      : entry,
  )
  return bytesOf(chained(chance.once(2) ? sealed(mended(told)) : told))
}

/** Rules go back, or on to ones that nobody knows. */
function reruled(entries: readonly Loose[], chance: Chance): Buffer {
  const at = chance.upTo(entries.length + 1)
  const rules = chance.of([{}, { rules: '1' }, { rules: '2' }, { rules: '3' }, { rules: 2 }, { rules: null }])
  const body = chance.once(6)
    ? chance.of<unknown>([null, [], 'x'])
    : { version: '9', grammar: '1', profile: 'embedded', ...rules }
  const started = { ...(entries[0] as Loose), at: (entries[at - 1] ?? entries[0])?.at, body } as Loose
  return bytesOf(chained(renumbered(entries.toSpliced(at, 0, { ...started, seq: -1 }))))
}

/** By weight: what only the entries can tell is tried most. */
const DEEDS: readonly (readonly [string, Act])[] = [
  ['touched bytes', touchedBytes],
  ['moved lines', movedLines],
  ['respelt', respelt],
  ['altered', altered],
  ['rehashed', rehashed],
  ['reruled', reruled],
  ['retimed', retimed],
  ['retold', retold],
  ['retold', retold],
  ['mistaken', mistaken],
  ['mistaken', mistaken],
  ...Array.from({ length: 5 }, () => ['rewritten', rewritten] as const),
  ...Array.from({ length: 6 }, () => ['covered up', coveredUp] as const),
]

type Path = readonly (string | number)[]

function pathsIn(value: unknown, path: Path = []): Path[] {
  const inside = Array.isArray(value)
    ? value.flatMap((item, index) => pathsIn(item, [...path, index]))
    : isFields(value)
      ? Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))
      : []
  return path.length === 0 ? inside : [path, ...inside]
}

export function edited(entry: Loose, others: readonly Loose[], chance: Chance): Loose {
  // The hash is made anew or found wanting; the rest is more telling.
  const paths = pathsIn(entry).filter(([first]) => first !== 'hash' && first !== 'prev')
  const path = chance.of(paths)
  return put(entry, path, value => edit(value, path, others, chance)) as Loose
}

const GONE = Symbol('gone')

function put(value: unknown, [key, ...rest]: Path, make: (value: unknown) => unknown): unknown {
  if (key === undefined) return make(value)
  if (Array.isArray(value)) {
    const item = put(value[key as number], rest, make)
    return item === GONE ? value.toSpliced(key as number, 1) : value.with(key as number, item)
  }
  const { [key]: member, ...others } = value as Fields
  const made = put(member, rest, make)
  return made === GONE ? others : { ...others, [key]: made }
}

function edit(value: unknown, path: Path, others: readonly Loose[], chance: Chance): unknown {
  switch (chance.upTo(6)) {
    case 0:
      return GONE
    case 1:
      return chance.of([...VALUES, ...NUMBERS])
    case 2:
      return graft(value, path, others, chance)
    default:
      return bent(value, chance)
  }
}

/** What stands under the same name somewhere else. */
function graft(value: unknown, path: Path, others: readonly Loose[], chance: Chance): unknown {
  const name = path.findLast(key => typeof key === 'string')
  const found = others.flatMap(entry => under(String(name), entry))
  return found.length === 0 ? value : chance.of(found)
}

/** Every value under this name. */
const under = (name: string, entry: Loose): NonNullable<unknown>[] =>
  pathsIn(entry)
    .filter(path => path.at(-1) === name)
    .map(path => path.reduce<unknown>((here, key) => (here as Fields)[key as string], entry) ?? '')

function bent(value: unknown, chance: Chance): unknown {
  if (typeof value === 'string') return bentText(value, chance)
  if (typeof value === 'number')
    return chance.once(3) ? chance.of(NUMBERS) : value + chance.of([-1, 1, 0.5, 1000])
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return value.length === 0 ? [chance.of(VALUES)] : moved(value, chance)
  if (isFields(value)) return { ...value, [chance.of(NAMES)]: chance.of([...VALUES, ...NUMBERS]) }
  return chance.of(VALUES)
}

function bentText(text: string, chance: Chance): string {
  // By code points: half a pair has no canonical text, and so no hash.
  const signs = [...text]
  const at = chance.upTo(signs.length + 1)
  const [before, after] = [signs.slice(0, at).join(''), signs.slice(at).join('')]
  switch (chance.upTo(7)) {
    case 0:
      return chance.of(['x', '\u{1f54a}', 'é']).repeat(chance.of(LENGTHS))
    case 1:
      return before + chance.of(SECRETS) + after
    case 2:
      return chance.of([text.toUpperCase(), text.toLowerCase(), ` ${text}`, `${text}.`])
    case 3:
      return before + signs.slice(at + 1).join('')
    default:
      return before + chance.of(SIGNS) + signs.slice(at + chance.upTo(2)).join('')
  }
}
