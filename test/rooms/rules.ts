// The rules of the house (DESIGN: rooms) as functions over a tree of sources. Each names the fault and the remedy,
// because an author who breaks one has a reason and needs another way.
import type { Import, Source } from './source.js'

export type Violation = { readonly rule: string; readonly path: string; readonly message: string }
type Tree = readonly Source[]
type Rule = (tree: Tree) => Violation[]

const DOERS = ['delivery', 'reply', 'deadline', 'waiter']
const roomOf = (path: string): string => /^src\/([^/]+)\//.exec(path)?.[1] ?? ''
const inProduct = ({ path }: Source): boolean => /^(src|adapters)\//.test(path)
const each = (tree: Tree, rule: string, judge: (source: Source) => readonly string[]): Violation[] =>
  tree.flatMap(source => judge(source).map(message => ({ rule, path: source.path, message })))
const ours = (source: Source): readonly Import[] => source.imports.filter(one => one.ours)

export const doersMeetInTheLedger: Rule = tree =>
  each(tree, 'doers', source => {
    if (!DOERS.includes(roomOf(source.path))) return []
    return ours(source)
      .filter(({ to }) => DOERS.includes(roomOf(to)) && roomOf(to) !== roomOf(source.path))
      .map(
        ({ to }) =>
          `imports ${to}: doers meet in the ledger. Append an event and let the agenda owe the other's part, ` +
          'or move what both need to a lower room.',
      )
  })

export const adaptersTranslate: Rule = tree =>
  each(tree, 'adapters', source => {
    const own = /^adapters\/[^/]+\//.exec(source.path)?.[0]
    if (own === undefined) return []
    return ours(source)
      .filter(({ to }) => !to.startsWith(own) && to !== 'src/adapter/index.ts')
      .map(
        ({ to }) =>
          `imports ${to}: an adapter knows src/adapter/index.ts alone. Add the word it needs to that room, or hand it in.`,
      )
  })

const PURE =
  /^src\/(?:(?:compiler|agenda|request|tally|passkey)\/.*|director\/(?:decide|direct|policy|propose|run)\.ts|interop\/(?:(?:choir|ending|fields|typed|pattern|injection)\.ts|[a-z]+\/.*)|config\/yaml\.ts|event\.ts|reason\.ts|rules\.ts|memo\.ts|canonical\.ts|say\.ts|shortcut\.ts|adapter\/(?!pause\.ts).*)$/
const PURE_PACKAGES = ['zod', 'canonicalize', 're2js', 'yaml']
/** Words by which the machine, the clock, chance, the network or the locale gets in. */
const IMPURE =
  /\bDate\.now\b|\bDate\(\s*\)|\bperformance\b|\bMath\.random\b|\brandom(?:Bytes|UUID|Int)\b|\bgetRandomValues\b|\bfetch\s*\(|\bprocess\b|\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bglobalThis\b|\brequire\s*\(|\bimport\s*\(|\bconsole\b|\beval\s*\(|\bnew\s+Function\b|\bIntl\b|\blocaleCompare\b|\btoLocale\w+/g

export const pureRoomsStayPure: Rule = tree =>
  each(tree, 'purity', source => {
    if (!PURE.test(source.path)) return []
    const words = [...source.code.matchAll(IMPURE)].map(
      ([word]) => `says ${word.trim()}: time, chance and keys come into a pure room by parameter.`,
    )
    return [...words, ...source.imports.flatMap(one => impureImport(source.path, one))]
  })

/** Adapters wait, and have one door: it passes the waiting on, and does none. */
const isPassedOn = (path: string, to: string): boolean =>
  path === 'src/adapter/index.ts' && to === 'src/adapter/pause.ts'

function impureImport(path: string, { to, ours: own, typeOnly }: Import): string[] {
  if (own)
    return PURE.test(to) || isPassedOn(path, to)
      ? []
      : [`imports ${to}, which is not pure: take what it gives as a parameter.`]
  if (PURE_PACKAGES.includes(to) || (path === 'src/canonical.ts' && to === 'node:crypto') || typeOnly)
    return []
  return [`imports ${to}: a pure room does no I/O. Do it in the room that calls, and hand the result in.`]
}

const CLOCKS =
  /\bDate\.now\b|\bDate\(\s*\)|\bperformance\.(?:now|timeOrigin)\b|\bprocess\.(?:hrtime|uptime)\b/g

export const oneClock: Rule = tree =>
  each(tree, 'clock', source => {
    if (!inProduct(source) || source.path === 'src/clock.ts' || PURE.test(source.path)) return []
    return [...source.code.matchAll(CLOCKS)].map(
      ([word]) =>
        `says ${word}: only src/clock.ts reads the machine's clocks. Take a Clock, or the ledger's now().`,
    )
  })

const VAGUE_PATH = /(?:^|[/._-])(?:utils?|helpers?|managers?|services?)(?:[/._-]|$)/i
const VAGUE_EXPORT =
  /\bexport\s+(?:abstract\s+)?(?:async\s+)?(?:class|function|const|let|type|interface)\s+\*?\s*(\w*(?:[uU]tils?|[hH]elpers?|[mM]anagers?|[sS]ervices?))\b/g

export const namesSayWhatTheyAre: Rule = tree =>
  each(tree, 'names', ({ path, code }) => {
    const remedy = 'which noun is missing? Name it, or move the code to the room it belongs to.'
    const paths = VAGUE_PATH.test(path) ? [`the path is nobody's: ${remedy}`] : []
    return [...paths, ...[...code.matchAll(VAGUE_EXPORT)].map(([, name]) => `exports ${name}: ${remedy}`)]
  })

export const noCycles: Rule = tree => {
  const next = new Map(
    tree.map(source => [
      source.path,
      ours(source)
        .filter(one => !one.typeOnly)
        .map(one => one.to),
    ]),
  )
  const done = new Set<string>()
  const found: Violation[] = []
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) {
      const circle = [...trail.slice(start), path].join(' → ')
      const message = `${circle}: move what both need to a lower room, or hand one to the other as a parameter.`
      found.push({ rule: 'cycles', path, message })
    }
    if (start >= 0 || done.has(path)) return
    for (const to of next.get(path) ?? []) walk(to, [...trail, path])
    done.add(path)
  }
  for (const path of next.keys()) walk(path, [])
  return found
}

/** A file of the hall is a room of its own. */
const hallOrRoom = (path: string): string => roomOf(path) || path

/** Of rooms, also by types alone: of two rooms one is the lower, and can be read without the other. */
export const roomsHaveLevels: Rule = tree => {
  const next = new Map<string, Map<string, string>>()
  for (const source of tree.filter(({ path }) => path.startsWith('src/'))) {
    const from = hallOrRoom(source.path)
    const known = next.get(from) ?? new Map<string, string>()
    next.set(from, known)
    for (const { to } of ours(source).filter(({ to }) => to.startsWith('src/') && hallOrRoom(to) !== from))
      known.set(hallOrRoom(to), `${source.path} imports ${to}`)
  }
  const done = new Set<string>()
  const found: Violation[] = []
  const walk = (room: string, trail: readonly string[], by: readonly string[]): void => {
    const start = trail.indexOf(room)
    if (start >= 0) {
      const message = `${by.slice(start).join(', ')}: move what both need to the lower of these rooms.`
      found.push({ rule: 'levels', path: room, message })
    }
    if (start >= 0 || done.has(room)) return
    for (const [to, why] of next.get(room) ?? []) walk(to, [...trail, room], [...by, why])
    done.add(room)
  }
  for (const room of next.keys()) walk(room, [], [])
  return found
}

const LONGEST = 260
/** Files that have answered the question why they are long. Prefer none. */
const MAY_BE_LONG: ReadonlyMap<string, string> = new Map()

export const adaptersStaySmall: Rule = tree =>
  each(tree, 'length', ({ path, text }) => {
    const lines = text.split('\n').length - 1
    if (!path.startsWith('adapters/') || lines <= LONGEST || MAY_BE_LONG.has(path)) return []
    return [
      `has ${lines} lines, above ${LONGEST}: which noun is missing? Split it, or give the reason in MAY_BE_LONG.`,
    ]
  })

const SKIPPED = /\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:skip|todo|fails)(?:\.each)?\b([\s\S]{0,300})/g
const ALONE = /\b(?:test|it|describe|suite)(?:\.\w+)*\.only\b/g

export const skipsSayWhy: Rule = tree =>
  each(tree, 'skips', ({ path, text, code }) => {
    if (!path.startsWith('test/')) return []
    const silent = [...code.matchAll(SKIPPED)].filter(({ index }) => {
      const title = /['"`]([^'"`]*)/.exec(text.slice(index))?.[1] ?? ''
      return !/\((?:skipped|needs|until|without)[: ] ?\S.{9,}\)/.test(title)
    })
    return [
      ...silent.map(() => 'skips a test without its reason: end the title with (skipped: the reason).'),
      ...[...code.matchAll(ALONE)].map(
        () => 'runs one test alone: take .only away, the others are then not run.',
      ),
    ]
  })

const EXPORTED =
  /^export\s+(?:abstract\s+)?(?:async\s+)?(?:class|function\*?|const|let|type|interface)\s+(\w+)/gm
/** What callers import: its users are not in this tree. */
const PUBLIC = 'src/client/index.ts'

export const exportsAreUsed: Rule = tree => {
  const taken = new Map<string, Set<string> | null>()
  for (const { to, names } of tree.flatMap(ours)) {
    const known = taken.get(to)
    if (names === null || known === null) taken.set(to, null)
    else taken.set(to, new Set([...(known ?? []), ...names]))
  }
  return each(tree, 'exports', source => {
    const known = taken.get(source.path)
    if (!inProduct(source) || source.path === PUBLIC || known === null) return []
    return [...source.code.matchAll(EXPORTED)]
      .filter(([, name = '']) => known?.has(name) !== true)
      .map(([, name]) => `exports ${name}, which no other file imports: take the export away, or the name.`)
  })
}

/** As a promise is numbered at the head of a file: two blanks behind a digit, one behind two. */
const LABEL = /^\/\/ ([A-Z]{1,3})(?:\d {2}|\d\d )\S/gm
/** Those of the never-list are numbers of `verify`, and the list's alone. */
const NEVER = 'I'

export const labelsAreOneFiles: Rule = tree => {
  const owners = new Map([[NEVER, 'the never-list of docs/spec/ledger.md']])
  return each(tree, 'labels', source => {
    if (!inProduct(source)) return []
    const letters = new Set([...source.text.matchAll(LABEL)].map(([, letter = '']) => letter))
    return [...letters].flatMap(letter => {
      const owner = owners.get(letter)
      owners.set(letter, owner ?? source.path)
      return owner === undefined
        ? []
        : [`numbers its promises ${letter}1, ${letter}2 …, as ${owner} does: choose letters of its own.`]
    })
  })
}

/** An import that leads nowhere would make the other rules blind to it. */
export const importsLeadSomewhere: Rule = tree => {
  const paths = new Set(tree.map(({ path }) => path))
  return each(tree, 'imports', source =>
    ours(source)
      .filter(({ to }) => /^(src|adapters)\/.*\.ts$/.test(to) && !paths.has(to))
      .map(({ to }) => `imports ${to}, which is not there: correct the path.`),
  )
}

export const RULES: readonly Rule[] = [
  doersMeetInTheLedger,
  adaptersTranslate,
  pureRoomsStayPure,
  oneClock,
  namesSayWhatTheyAre,
  noCycles,
  roomsHaveLevels,
  adaptersStaySmall,
  skipsSayWhy,
  importsLeadSomewhere,
  exportsAreUsed,
  labelsAreOneFiles,
]

export const check = (tree: Tree): readonly Violation[] => RULES.flatMap(rule => rule(tree))
